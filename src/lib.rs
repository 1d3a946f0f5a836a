//! Eigentilt shows how the tokens of a small transformer tilt towards the leading eigenvector of each
//! layer's matrix F = O V, how that follows from spectral gaps, and how a rank-1 change steers it.
//!
//! Data goes one way, and a module knows only those before it:
//!
//! ```text
//! source -> checkpoint -> models -> dynamics, spectrum -> measures -> report -> page
//! ```

#[cfg(feature = "compute")]
pub mod analysis;
#[cfg(feature = "compute")]
pub mod checkpoint;
#[cfg(feature = "compute")]
pub mod dynamics;
#[cfg(feature = "compute")]
pub mod measures;
#[cfg(feature = "compute")]
pub mod models;
pub mod protocol;
pub mod report;
pub mod settings;
#[cfg(feature = "compute")]
pub mod source;
#[cfg(feature = "compute")]
pub mod spectrum;
pub mod watch;

#[cfg(feature = "command")]
pub mod command;
#[cfg(feature = "page")]
pub mod page;
#[cfg(feature = "command")]
pub mod training;
#[cfg(all(feature = "worker", target_arch = "wasm32"))]
pub mod worker;

//! The models lab: where the tokens of a real transformer go, and what its spectra let one expect.

pub mod numbers;
pub mod pictures;
#[cfg(test)]
pub mod samples;
mod token_panel;
pub mod tokens;
pub mod verdict;
mod view;
pub mod words;

pub use view::ModelsLab;

//! Builds, serves and tests Eigentilt; installs the tools that takes.
//!
//! The end-to-end tests use [`static_files`] too.
#![allow(clippy::print_stdout, reason = "this program speaks to the developer on standard output")]

pub mod browser;
pub mod build;
pub mod counts;
pub mod process;
pub mod serve;
pub mod sizes;
pub mod stamp;
pub mod static_files;
pub mod test;
pub mod toolchain;
pub mod tools;

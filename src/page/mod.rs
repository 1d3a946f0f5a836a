//! The web page.

pub mod plots;

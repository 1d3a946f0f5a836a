//! The labs: one folder each.

pub mod models;

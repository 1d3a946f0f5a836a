//! The web page: it holds what the reader chose, sends it to the worker, and draws the report that comes back.

#![allow(
    clippy::must_use_candidate,
    reason = "components are placed by `view!`, which uses what they return"
)]

mod address;
pub mod app;
pub mod labs;
pub mod parts;
pub mod plots;
pub mod state;
pub mod store;
pub mod worker_client;

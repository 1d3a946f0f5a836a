//! Pictures: their data, their drawing on any backend, and the canvas that shows them.

pub mod picture;

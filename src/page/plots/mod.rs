//! Pictures: their data, their drawing on any backend, and the canvas that shows them.
//!
//! ```text
//! picture ──> lines, plane ──> scene (marks in CSS pixels) ──> draw (any backend) ──> canvas, svg
//!         └─> table                └─> hit (from pixels back to data)
//! ```

pub mod axis;
pub mod canvas;
pub mod draw;
pub mod ends;
pub mod frame;
pub mod geometry;
pub mod hit;
pub mod labels;
pub mod lines;
pub mod picture;
pub mod place;
pub mod plane;
pub mod scene;
pub mod surroundings;
pub mod svg;
pub mod table;
pub mod theme;
pub mod tone;
pub mod words;

#[cfg(test)]
mod tests;

pub use canvas::Plot;
pub use draw::{DrawError, Look, draw};
pub use hit::{Hit, HitMap};
pub use svg::to_svg;
pub use table::{table, table_with, to_csv};
pub use theme::Theme;
pub use words::{mathematics, number, shown};

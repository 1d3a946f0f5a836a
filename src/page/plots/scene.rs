//! A drawing as a list of marks in CSS pixels: laid out once, replayed on any backend, and open to tests.

use super::theme::{Rgb, Theme};
use super::words::width;

/// A place in CSS pixels, from the top left corner.
pub type Point = (f64, f64);

/// Which end of a text stands at its place; vertically it is always centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

/// One mark.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line through points.
    Path {
        /// Corners.
        points: Vec<Point>,
        /// Colour.
        colour: Rgb,
        /// Opacity, 0 to 1.
        alpha: f64,
        /// Thickness.
        width: f64,
    },
    /// A filled polygon.
    Area {
        /// Corners.
        points: Vec<Point>,
        /// Colour.
        colour: Rgb,
        /// Opacity, 0 to 1.
        alpha: f64,
    },
    /// A disc, or a ring on the ground's colour.
    Dot {
        /// Centre.
        at: Point,
        /// Radius.
        radius: f64,
        /// Colour.
        colour: Rgb,
        /// Disc rather than ring.
        filled: bool,
    },
    /// A line of text.
    Text {
        /// What it says.
        text: String,
        /// Where.
        at: Point,
        /// Height of the letters' square.
        size: f64,
        /// Colour.
        colour: Rgb,
        /// Which end stands at the place.
        anchor: Anchor,
    },
}

/// A drawing before it meets a backend.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width and height in CSS pixels.
    pub size: (f64, f64),
    /// The ground, and what rings are filled with.
    pub theme: Theme,
    /// From the lowest to the topmost.
    pub marks: Vec<Mark>,
}

impl Scene {
    /// An empty drawing.
    #[must_use]
    pub const fn new(size: (f64, f64), theme: Theme) -> Self {
        Self { size, theme, marks: Vec::new() }
    }

    /// Adds a line.
    pub fn path(&mut self, points: Vec<Point>, colour: Rgb, alpha: f64, width: f64) {
        if points.len() > 1 {
            self.marks.push(Mark::Path { points, colour, alpha, width });
        }
    }

    /// Adds a hairline.
    pub fn hairline(&mut self, from: Point, to: Point, colour: Rgb) {
        self.path(vec![from, to], colour, 1.0, 1.0);
    }

    /// Adds a filled polygon.
    pub fn area(&mut self, points: Vec<Point>, colour: Rgb, alpha: f64) {
        if points.len() > 2 {
            self.marks.push(Mark::Area { points, colour, alpha });
        }
    }

    /// Adds a disc or a ring.
    pub fn dot(&mut self, at: Point, radius: f64, colour: Rgb, filled: bool) {
        self.marks.push(Mark::Dot { at, radius, colour, filled });
    }

    /// Adds a line of text.
    pub fn text(&mut self, text: impl Into<String>, at: Point, size: f64, colour: Rgb, anchor: Anchor) {
        self.marks.push(Mark::Text { text: text.into(), at, size, colour, anchor });
    }

    /// The boxes that the texts take up: left, top, right, bottom.
    #[must_use]
    pub fn text_boxes(&self) -> Vec<(&str, [f64; 4])> {
        self.marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Text { text, at, size, anchor, .. } => {
                    Some((text.as_str(), text_box(text, *at, *size, *anchor)))
                }
                _ => None,
            })
            .collect()
    }
}

/// The box that a text takes up: left, top, right, bottom.
#[must_use]
pub fn text_box(text: &str, at: Point, size: f64, anchor: Anchor) -> [f64; 4] {
    let wide = width(text, size);
    let left = match anchor {
        Anchor::Start => at.0,
        Anchor::Middle => at.0 - wide / 2.0,
        Anchor::End => at.0 - wide,
    };
    [left, at.1 - size * 0.55, left + wide, at.1 + size * 0.55]
}

/// Whether two boxes share ground.
#[must_use]
pub fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

//! A picture as an SVG file, for slides and papers.

use std::fmt::Write as _;

use plotters::prelude::{IntoDrawingArea, SVGBackend};

use super::draw::{Look, draw_with_fonts};
use super::picture::Picture;

/// Backends count whole pixels: the drawing is made this much larger, so that curves stay smooth.
const FINENESS: u32 = 8;

/// Ground around the drawing, in CSS pixels.
const RIM: u32 = 12;

/// The SVG backend divides every font size by this.
const FONT_FACTOR: f64 = 1.24;

/// The picture as a self-contained SVG document of `width` x `height` CSS pixels. It names fonts only as a stack of
/// system fonts. The look's `scale` has no bearing: lines are lines.
#[must_use]
pub fn to_svg(picture: &Picture, width: u32, height: u32, look: &Look) -> String {
    let (width, height) = (width.clamp(100, 10_000), height.clamp(100, 10_000));
    let (wide, high, rim) = (width * FINENESS, height * FINENESS, RIM * FINENESS);
    let mut drawn = String::new();
    let area = SVGBackend::with_string(&mut drawn, (wide - 2 * rim, high - 2 * rim)).into_drawing_area();
    let fine = Look { scale: f64::from(FINENESS), ..look.clone() };
    let outcome = draw_with_fonts(&area, picture, &fine, FONT_FACTOR);
    drop(area);
    if let Err(error) = outcome {
        // Writing into a string does not fail; should it ever, the file says so.
        drawn = format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><text y=\"20\">{error}</text></svg>");
    }
    let body = drawn.split_once('>').map_or("", |(_, body)| body);
    let mut svg = String::with_capacity(body.len() + 400);
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"-{rim} -{rim} {wide} {high}\" stroke-linejoin=\"round\" \
         style=\"font-variant-numeric: tabular-nums\">\n\
         <rect x=\"-{rim}\" y=\"-{rim}\" width=\"{wide}\" height=\"{high}\" fill=\"{}\"/>",
        look.theme.paper.css()
    );
    svg.push_str(body);
    svg
}

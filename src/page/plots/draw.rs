//! One drawing for every backend: a picture is laid out as a scene of marks, and the marks are replayed.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle};
use thiserror::Error;

use super::hit::HitMap;
use super::picture::Picture;
use super::scene::{Anchor, Mark, Scene};
use super::theme::{Rgb, Theme};
use super::{lines, plane};

/// Fonts of axes and labels: the system's own.
pub const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/// How a picture is looked at: everything about a drawing that is not its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Colours.
    pub theme: Theme,
    /// Device pixels for each CSS pixel; all sizes multiply with it.
    pub scale: f64,
    /// Size of axis text in CSS pixels.
    pub text: f64,
    /// The hovered key: raised above the others.
    pub highlight: Option<usize>,
    /// The picked keys: in full colour, the others faint. Where none is picked, at most eight keyed lines have
    /// their colour: those with a label first, then in order.
    pub picked: Vec<usize>,
}

impl Look {
    /// A plain look in a theme: nothing hovered, nothing picked.
    #[must_use]
    pub const fn plain(theme: Theme) -> Self {
        Self { theme, scale: 1.0, text: 12.5, highlight: None, picked: Vec::new() }
    }
}

/// The backend refused a mark.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the picture could not be drawn: {0}")]
pub struct DrawError(pub String);

/// Lays a picture out on `size` CSS pixels: its marks, and the way from pixels back to data.
#[must_use]
pub fn lay_out(picture: &Picture, size: (f64, f64), look: &Look) -> (Scene, HitMap) {
    match picture {
        Picture::Lines(picture) => lines::lay_out(picture, size, look),
        Picture::Plane(picture) => plane::lay_out(picture, size, look),
    }
}

/// Draws a picture on all of `area` and says where its points came to stand, in CSS pixels.
pub fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    picture: &Picture,
    look: &Look,
) -> Result<HitMap, DrawError> {
    draw_with_fonts(area, picture, look, 1.0)
}

/// As [`draw`], with the factor by which the backend sets text smaller than it is told.
pub(super) fn draw_with_fonts<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    picture: &Picture,
    look: &Look,
    font_factor: f64,
) -> Result<HitMap, DrawError> {
    let scale = if look.scale.is_finite() && look.scale > 0.0 { look.scale } else { 1.0 };
    let (wide, high) = area.dim_in_pixel();
    let (scene, hits) = lay_out(picture, (f64::from(wide) / scale, f64::from(high) / scale), look);
    replay(area, &scene, scale, font_factor)?;
    Ok(hits)
}

fn replay<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scene: &Scene,
    scale: f64,
    font_factor: f64,
) -> Result<(), DrawError> {
    let failed = |error: &dyn std::fmt::Display| DrawError(error.to_string());
    let px = |value: f64| (value * scale).round() as i32;
    let place = |at: &(f64, f64)| (px(at.0), px(at.1));
    let thick = |value: f64| px(value).max(1) as u32;
    area.fill(&ink(scene.theme.paper)).map_err(|error| failed(&error))?;
    for mark in &scene.marks {
        match mark {
            Mark::Path { points, colour, alpha, width } => {
                let style = ShapeStyle::from(ink(*colour).mix(*alpha)).stroke_width(thick(*width));
                let points: Vec<_> = points.iter().map(place).collect();
                area.draw(&PathElement::new(points, style))
            }
            Mark::Area { points, colour, alpha } => {
                let points: Vec<_> = points.iter().map(place).collect();
                area.draw(&Polygon::new(points, ink(*colour).mix(*alpha).filled()))
            }
            Mark::Dot { at, radius, colour, filled } => {
                let fill = if *filled { *colour } else { scene.theme.paper };
                area.draw(&Circle::new(place(at), px(*radius), ink(fill).filled())).and_then(|()| {
                    let ring = ShapeStyle::from(ink(*colour)).stroke_width(thick(1.5));
                    if *filled { Ok(()) } else { area.draw(&Circle::new(place(at), px(*radius), ring)) }
                })
            }
            Mark::Text { text, at, size, colour, anchor } => {
                let across = match anchor {
                    Anchor::Start => HPos::Left,
                    Anchor::Middle => HPos::Center,
                    Anchor::End => HPos::Right,
                };
                let (size, colour) = (size * scale * font_factor, ink(*colour));
                let style = TextStyle::from(FontDesc::new(FontFamily::Name(FONTS), size, FontStyle::Normal))
                    .color(&colour)
                    .pos(Pos::new(across, VPos::Center));
                area.draw_text(text, &style, place(at))
            }
        }
        .map_err(|error| failed(&error))?;
    }
    area.present().map_err(|error| failed(&error))
}

const fn ink(colour: Rgb) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

//! The margin at the right of a drawing, where lines are named at their ends.

use super::axis::Ruler;
use super::frame::Frame;
use super::geometry::Rect;
use super::labels::spread;
use super::scene::{Anchor, Scene};
use super::theme::Rgb;
use super::words::{width, wrap};

/// Between the drawing and the names.
const GAP: f64 = 12.0;

/// What is to be written at a line's end.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// Name.
    pub text: String,
    /// Where the line ends, as a value; infinite for what spans the drawing.
    pub x: f64,
    /// Where the line ends, in pixels.
    pub y: f64,
    /// Colour of the line.
    pub colour: Rgb,
    /// Lower ones first where room is short.
    pub rank: u8,
}

/// Names that found room.
pub struct Margin {
    endings: Vec<(Ending, Vec<String>)>,
    centres: Vec<f64>,
    leading: f64,
    /// Width of the margin, gap included.
    pub wide: f64,
}

impl Margin {
    /// Wraps the names (in order of need) into the margin and finds them places within the room's height.
    #[must_use]
    pub fn new(endings: Vec<Ending>, frame: &Frame, wide: f64, room: &Rect) -> Self {
        let leading = (frame.text * 1.2).round();
        let most = (wide * 0.3).min(frame.text * 16.0);
        let (top, bottom) = (room.top - leading / 2.0, room.bottom + leading / 2.0);
        let mut free = bottom - top;
        let mut kept: Vec<(Ending, Vec<String>)> = Vec::new();
        for mut ending in endings {
            let lines = wrap(&ending.text, frame.text, most, 3);
            let high = lines.len() as f64 * leading + 2.0;
            if high <= free && !lines.is_empty() {
                free -= high;
                ending.y = ending.y.clamp(room.top, room.bottom);
                kept.push((ending, lines));
            }
        }
        let wishes: Vec<(f64, f64)> =
            kept.iter().map(|(ending, lines)| (ending.y, lines.len() as f64 * leading + 2.0)).collect();
        let centres = spread(&wishes, top, bottom);
        let widest =
            kept.iter().flat_map(|(_, lines)| lines).map(|line| width(line, frame.text)).fold(0.0, f64::max);
        let wide = if kept.is_empty() { 4.0 } else { widest + GAP };
        Self { endings: kept, centres, leading, wide: wide.ceil() }
    }

    /// Writes the names, each joined to its line where it had to move.
    pub fn draw(&self, scene: &mut Scene, x: &Ruler, room: &Rect, text: f64) {
        for ((ending, lines), centre) in self.endings.iter().zip(&self.centres) {
            let end = if ending.x.is_finite() { x.px(ending.x).min(room.right) } else { room.right };
            let moved = (centre - ending.y).abs() > 2.5;
            if moved || end < room.right - 6.0 {
                let from = (end + 3.0, ending.y);
                scene.path(vec![from, (room.right + GAP - 3.0, *centre)], ending.colour, 0.6, 1.0);
            }
            let words = scene.theme.for_words(ending.colour);
            let first = centre - (lines.len() as f64 - 1.0) / 2.0 * self.leading;
            for (k, line) in lines.iter().enumerate() {
                let at = (room.right + GAP, first + k as f64 * self.leading);
                scene.text(line, at, text, words, Anchor::Start);
            }
        }
    }
}

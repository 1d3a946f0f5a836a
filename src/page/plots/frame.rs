//! What both kinds of picture stand in: the room for the drawing, the axes' names, ticks, and words for missing data.

use super::axis::{Ruler, Tick, ticks};
use super::draw::Look;
use super::geometry::Rect;
use super::picture::{Axis, Scale};
use super::scene::{Anchor, Point, Scene, overlap, text_box};
use super::words::{mathematics, width, wrap};

/// Names of the axes in lines, and the room that is left between them.
pub struct Frame {
    /// Size of text.
    pub text: f64,
    /// Name of the vertical axis, above it.
    over: Vec<String>,
    /// Name of the horizontal axis, beneath it.
    under: Vec<String>,
    /// Whole picture.
    size: Point,
}

impl Frame {
    /// Sets the names of the axes into a picture of this size.
    #[must_use]
    pub fn new(x: &Axis, y: &Axis, size: Point, look: &Look) -> Self {
        let text = if size.0 < 420.0 { look.text * 0.92 } else { look.text };
        Self {
            text,
            over: wrap(&name(y), text, size.0 - 2.0, 2),
            under: wrap(&name(x), text, size.0 - 2.0, 2),
            size,
        }
    }

    /// Height of a line of text.
    #[must_use]
    pub fn leading(&self) -> f64 {
        (self.text * 1.35).round()
    }

    /// Where the drawing begins.
    #[must_use]
    pub fn top(&self) -> f64 {
        self.over.len() as f64 * self.leading() + (self.text * 0.9).round()
    }

    /// Where the drawing ends and the numbers of the horizontal axis begin.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        let names = self.under.len() as f64 * self.leading();
        (self.size.1 - names - self.leading() - 8.0).max(self.top() + 20.0).round()
    }

    /// About how many numbers the vertical axis has room for.
    #[must_use]
    pub fn rows(&self, room: &Rect) -> usize {
        ((room.bottom - room.top) / (self.text * 3.2)).round().clamp(3.0, 6.0) as usize
    }

    /// Ticks of the horizontal axis: at most `most`, and no more than their numbers leave room for.
    #[must_use]
    pub fn fitting_ticks(&self, ruler: &Ruler, whole: bool, most: usize) -> Vec<Tick> {
        let gap = self.text * 1.2;
        let fits = |found: &[Tick]| {
            found.windows(2).all(|pair| {
                let apart = (ruler.px(pair[1].value) - ruler.px(pair[0].value)).abs();
                let both = width(&pair[0].text, self.text) + width(&pair[1].text, self.text);
                apart >= both / 2.0 + gap
            })
        };
        let mut most = most;
        loop {
            let found = ticks(ruler, whole, most);
            if most <= 2 || fits(&found) {
                return found;
            }
            most -= 1;
        }
    }

    /// Writes the names of both axes.
    pub fn names(&self, scene: &mut Scene, room: &Rect) {
        let muted = scene.theme.muted;
        for (k, line) in self.over.iter().enumerate() {
            scene.text(line, (0.0, (k as f64 + 0.5) * self.leading()), self.text, muted, Anchor::Start);
        }
        for (k, line) in self.under.iter().enumerate() {
            let half = width(line, self.text) / 2.0;
            let middle = f64::midpoint(room.left, room.right).max(half).min(self.size.0 - half);
            let below = (self.under.len() - k) as f64 - 0.5;
            scene.text(
                line,
                (middle, self.size.1 - below * self.leading()),
                self.text,
                muted,
                Anchor::Middle,
            );
        }
    }

    /// Writes the numbers of the vertical axis, right-aligned at the drawing's left edge.
    pub fn numbers_left(&self, scene: &mut Scene, room: &Rect, ruler: &Ruler, ticks: &[Tick]) {
        let muted = scene.theme.muted;
        for tick in ticks {
            scene.text(&tick.text, (room.left - 8.0, ruler.px(tick.value)), self.text, muted, Anchor::End);
        }
    }

    /// Writes the numbers of the horizontal axis; the pointed-out one in ink, the others give way to it.
    pub fn numbers_below(
        &self,
        scene: &mut Scene,
        room: &Rect,
        ruler: &Ruler,
        ticks: &[Tick],
        pointed: Option<&Tick>,
    ) {
        let y = room.bottom + 6.0 + self.leading() / 2.0;
        let place = |tick: &Tick| (ruler.px(tick.value), y);
        let taken = pointed.map(|tick| {
            let mut taken = text_box(&tick.text, place(tick), self.text, Anchor::Middle);
            taken[0] -= self.text * 0.4;
            taken[2] += self.text * 0.4;
            taken
        });
        let (ink, muted) = (scene.theme.ink, scene.theme.muted);
        for tick in ticks {
            let own = text_box(&tick.text, place(tick), self.text, Anchor::Middle);
            if taken.as_ref().is_none_or(|taken| !overlap(&own, taken)) {
                let x = ruler.px(tick.value);
                scene.path(vec![(x, room.bottom), (x, room.bottom + 4.0)], muted, 0.6, 1.0);
                scene.text(&tick.text, place(tick), self.text, muted, Anchor::Middle);
            }
        }
        if let Some(tick) = pointed {
            scene.text(&tick.text, place(tick), self.text, ink, Anchor::Middle);
        }
    }
}

/// An axis' name as mathematics; a logarithmic one says so.
fn name(axis: &Axis) -> String {
    let name = mathematics(&axis.label);
    if axis.scale == Scale::Logarithmic && !name.contains("log") {
        return if name.is_empty() { "log scale".to_owned() } else { format!("{name}, log scale") };
    }
    name
}

/// Says in words why there is nothing to see.
pub fn say(scene: &mut Scene, words: &str, text: f64) {
    let (wide, high) = scene.size;
    let lines = wrap(words, text, wide - 2.0, 3);
    let muted = scene.theme.muted;
    for (k, line) in lines.iter().enumerate() {
        let y = high / 2.0 + (k as f64 - (lines.len() as f64 - 1.0) / 2.0) * text * 1.4;
        scene.text(line, (wide / 2.0, y), text, muted, Anchor::Middle);
    }
}

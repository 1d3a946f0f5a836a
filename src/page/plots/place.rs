//! Free places for names beside points and arcs.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use super::geometry::Rect;
use super::scene::{Anchor, Point, Scene, overlap, text_box};
use super::theme::Rgb;

/// What is taken so far, and the room that names must stay in.
pub struct Places {
    room: Rect,
    taken: Vec<[f64; 4]>,
}

impl Places {
    /// An empty room.
    #[must_use]
    pub const fn new(room: Rect) -> Self {
        Self { room, taken: Vec::new() }
    }

    /// Keeps names off a box: left, top, right, bottom.
    pub fn block(&mut self, taken: [f64; 4]) {
        self.taken.push(taken);
    }

    fn free(&self, own: &[f64; 4]) -> bool {
        let Rect { left, top, right, bottom } = self.room;
        own[0] >= left
            && own[1] >= top
            && own[2] <= right
            && own[3] <= bottom
            && !self.taken.iter().any(|taken| overlap(own, taken))
    }

    /// Names a point: as near as there is room, on the side away from `middle` where there is a choice. Further off
    /// a hairline joins name and point. Without a free place the name is left out: the hover still has it.
    #[allow(clippy::too_many_arguments, reason = "one call, each argument a different thing")]
    pub fn beside_point(
        &mut self,
        scene: &mut Scene,
        at: Point,
        radius: f64,
        middle: Point,
        name: &str,
        text: f64,
        (line, words): (Rgb, Rgb),
    ) {
        if name.is_empty() {
            return;
        }
        let (dx, dy) = (at.0 - middle.0, at.1 - middle.1);
        let outward = if dx.hypot(dy) < 1.0 { 0.0 } else { dy.atan2(dx) };
        let mut turns: Vec<f64> = (0..8).map(|k| f64::from(k) * FRAC_PI_4).collect();
        turns.sort_by(|a, b| apart(*a, outward).total_cmp(&apart(*b, outward)));
        for away in [4.0, 12.0, 22.0, 34.0, 48.0] {
            for turn in &turns {
                let reach = radius + away;
                let end = (at.0 + reach * turn.cos(), at.1 + reach * turn.sin());
                let (place, anchor) = if turn.cos() > 0.3 {
                    (end, Anchor::Start)
                } else if turn.cos() < -0.3 {
                    (end, Anchor::End)
                } else {
                    ((end.0, end.1 + text * 0.55 * turn.sin().signum()), Anchor::Middle)
                };
                let own = text_box(name, place, text, anchor);
                let from = (at.0 + (radius + 1.0) * turn.cos(), at.1 + (radius + 1.0) * turn.sin());
                let to = (end.0 - 2.0 * turn.cos(), end.1 - 2.0 * turn.sin());
                if self.free(&own) && (away < 5.0 || self.clear(from, to)) {
                    self.block(own);
                    if away > 5.0 {
                        scene.path(vec![from, to], line, 0.6, 1.0);
                        let pair =
                            [(from.0.min(to.0), from.0.max(to.0)), (from.1.min(to.1), from.1.max(to.1))];
                        self.block([pair[0].0, pair[1].0, pair[0].1, pair[1].1]);
                    }
                    scene.text(name, place, text, words, anchor);
                    return;
                }
            }
        }
    }

    /// Whether a line crosses nothing that is taken.
    fn clear(&self, from: Point, to: Point) -> bool {
        self.taken.iter().all(|taken| {
            let [left, top, right, bottom] = *taken;
            Rect { left, top, right, bottom }.clip(from, to).is_none()
        })
    }

    /// Names an arc somewhere beside it where there is room, towards its middle.
    pub fn beside_arc(&mut self, scene: &mut Scene, parts: &[Vec<Point>], name: &str, text: f64, words: Rgb) {
        let corners: Vec<Point> = parts.iter().flatten().copied().collect();
        if name.is_empty() || corners.is_empty() {
            return;
        }
        for away in [6.0, 12.0, 20.0] {
            // From the middle of the arc outwards, alternately to both sides.
            for k in 0..corners.len() {
                let half = k.div_ceil(2);
                let middle = corners.len() / 2;
                let index = if k % 2 == 0 { middle.checked_add(half) } else { middle.checked_sub(half) };
                let Some(at) = index.and_then(|index| corners.get(index)) else { continue };
                for (anchor, side) in [(Anchor::Start, 1.0), (Anchor::End, -1.0)] {
                    let place = (at.0 + away * side, at.1);
                    let own = text_box(name, place, text, anchor);
                    let padded = [own[0] - 3.0, own[1], own[2] + 3.0, own[3]];
                    let crossed = corners
                        .iter()
                        .any(|c| c.0 > padded[0] && c.0 < padded[2] && c.1 > padded[1] && c.1 < padded[3]);
                    if !crossed && self.free(&own) {
                        self.block(own);
                        scene.text(name, place, text, words, anchor);
                        return;
                    }
                }
            }
        }
    }
}

/// Angle between two directions, 0 to pi.
fn apart(a: f64, b: f64) -> f64 {
    let turn = (a - b).rem_euclid(TAU);
    turn.min(TAU - turn).min(PI)
}

//! Free places for names beside points and arcs.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use super::geometry::{Rect, to_segment};
use super::scene::{Anchor, Point, Scene, overlap, text_box};
use super::theme::Rgb;

/// What is taken so far, and the room that names must stay in.
pub struct Places {
    room: Rect,
    taken: Vec<[f64; 4]>,
    dots: Vec<(Point, f64)>,
}

impl Places {
    /// An empty room.
    #[must_use]
    pub const fn new(room: Rect) -> Self {
        Self { room, taken: Vec::new(), dots: Vec::new() }
    }

    /// Keeps names off a box: left, top, right, bottom.
    pub fn block(&mut self, taken: [f64; 4]) {
        self.taken.push(taken);
    }

    /// Keeps names off a dot.
    pub fn block_dot(&mut self, at: Point, radius: f64) {
        self.dots.push((at, radius));
    }

    fn free(&self, own: &[f64; 4]) -> bool {
        let Rect { left, top, right, bottom } = self.room;
        own[0] >= left
            && own[1] >= top
            && own[2] <= right
            && own[3] <= bottom
            && !self.taken.iter().any(|taken| overlap(own, taken))
            && !self.dots.iter().any(|(at, radius)| gap_to_dot(own, *at) < *radius)
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
        turns.sort_by(|a, b| turned(*a, outward).total_cmp(&turned(*b, outward)));
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
                if self.free(&own) && (away < 5.0 || self.clear(at, radius, from, to)) {
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

    /// Whether a leader crosses no name and no dot, but for those that touch its own.
    fn clear(&self, own: Point, radius: f64, from: Point, to: Point) -> bool {
        let names = self.taken.iter().filter(|taken| taken[2] - taken[0] > 1.5 && taken[3] - taken[1] > 1.5);
        let mut names =
            names.map(|taken| Rect { left: taken[0], top: taken[1], right: taken[2], bottom: taken[3] });
        let mut others = self.dots.iter().filter(|(at, other)| apart(*at, own) > radius + other);
        names.all(|name| name.clip(from, to).is_none())
            && others.all(|(at, other)| to_segment(*at, from, to) > *other)
    }

    /// Names an arc beside it, where most room is; near its middle where there is a choice.
    pub fn beside_arc(&mut self, scene: &mut Scene, parts: &[Vec<Point>], name: &str, text: f64, words: Rgb) {
        let corners = along(parts, 10.0);
        if name.is_empty() {
            return;
        }
        let middle = corners.len() as f64 / 2.0;
        let mut best: Option<(f64, Point, Anchor, [f64; 4])> = None;
        for (k, at) in corners.iter().enumerate() {
            for (anchor, side) in [(Anchor::Start, 1.0), (Anchor::End, -1.0)] {
                let place = (at.0 + 8.0 * side, at.1);
                let own = text_box(name, place, text, anchor);
                if !self.free(&own) || corners.iter().any(|corner| gap_to_dot(&own, *corner) < 4.0) {
                    continue;
                }
                let near = |least: f64, gap: f64| least.min(gap);
                let room =
                    self.dots.iter().map(|(at, radius)| gap_to_dot(&own, *at) - radius).fold(40.0, near);
                let score = room - (k as f64 - middle).abs() * 10.0 / middle;
                if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                    best = Some((score, place, anchor, own));
                }
            }
        }
        if let Some((_, place, anchor, own)) = best {
            self.block(own);
            scene.text(name, place, text, words, anchor);
        }
    }
}

/// Points along lines, about every `step` pixels.
fn along(parts: &[Vec<Point>], step: f64) -> Vec<Point> {
    let mut points = Vec::new();
    for pair in parts.iter().flat_map(|part| part.windows(2)) {
        let pieces = (apart(pair[0], pair[1]) / step).ceil().clamp(1.0, 500.0) as usize;
        points.extend((0..pieces).map(|k| {
            let t = k as f64 / pieces as f64;
            (pair[0].0 + (pair[1].0 - pair[0].0) * t, pair[0].1 + (pair[1].1 - pair[0].1) * t)
        }));
    }
    points
}

/// Distance from a box to a point.
fn gap_to_dot(own: &[f64; 4], at: Point) -> f64 {
    let across = (own[0] - at.0).max(at.0 - own[2]).max(0.0);
    let up = (own[1] - at.1).max(at.1 - own[3]).max(0.0);
    across.hypot(up)
}

/// Distance between two points.
fn apart(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// Angle between two directions, 0 to pi.
fn turned(a: f64, b: f64) -> f64 {
    let turn = (a - b).rem_euclid(TAU);
    turn.min(TAU - turn).min(PI)
}

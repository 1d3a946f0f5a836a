//! Rectangles, clipping and dashes.

use super::picture::Stroke;
use super::scene::Point;

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

impl Rect {
    /// Whether a point lies within, its edge and a hair included.
    #[must_use]
    pub fn holds(&self, at: Point) -> bool {
        let hair = 0.51;
        at.0 >= self.left - hair
            && at.0 <= self.right + hair
            && at.1 >= self.top - hair
            && at.1 <= self.bottom + hair
    }

    /// The part of a segment that lies within (Liang and Barsky).
    #[must_use]
    pub fn clip(&self, from: Point, to: Point) -> Option<(Point, Point)> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for (slope, room) in [
            (-dx, from.0 - self.left),
            (dx, self.right - from.0),
            (-dy, from.1 - self.top),
            (dy, self.bottom - from.1),
        ] {
            if slope == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if slope < 0.0 {
                enters = enters.max(room / slope);
            } else {
                leaves = leaves.min(room / slope);
            }
        }
        let at = |t: f64| (from.0 + t * dx, from.1 + t * dy);
        (enters <= leaves).then(|| (at(enters), at(leaves)))
    }

    /// The parts of a line that lie within.
    #[must_use]
    pub fn clip_line(&self, points: &[Point]) -> Vec<Vec<Point>> {
        if points.iter().all(|point| self.holds(*point)) {
            return vec![points.to_vec()];
        }
        let mut parts: Vec<Vec<Point>> = Vec::new();
        for pair in points.windows(2) {
            let Some((from, to)) = self.clip(pair[0], pair[1]) else { continue };
            match parts.last_mut() {
                Some(part) if part.last() == Some(&from) => part.push(to),
                _ => parts.push(vec![from, to]),
            }
        }
        parts
    }
}

/// Distance from a place to a segment.
#[must_use]
pub fn to_segment(place: Point, from: Point, to: Point) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let square = dx * dx + dy * dy;
    let along = if square > 0.0 {
        (((place.0 - from.0) * dx + (place.1 - from.1) * dy) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (from.0 + along * dx - place.0).hypot(from.1 + along * dy - place.1)
}

/// The drawn parts of a line with this stroke and thickness.
#[must_use]
pub fn dashes(points: &[Point], stroke: Stroke, thick: f64) -> Vec<Vec<Point>> {
    let unit = thick.max(1.0).sqrt();
    let (on, off) = match stroke {
        Stroke::Full => return vec![points.to_vec()],
        Stroke::Dashed => (6.0 * unit, 4.0 * unit),
        Stroke::Dotted => (thick.max(1.5), thick.max(1.5) + 2.5),
    };
    let mut parts: Vec<Vec<Point>> = Vec::new();
    let (mut drawing, mut left) = (true, on);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        if drawing && parts.last().and_then(|part| part.last()) != Some(&from) {
            parts.push(vec![from]);
        }
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left {
                left -= length;
                if drawing && let Some(part) = parts.last_mut() {
                    part.push(to);
                }
                break;
            }
            let t = left / length;
            from = (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t);
            if drawing && let Some(part) = parts.last_mut() {
                part.push(from);
            } else {
                parts.push(vec![from]);
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn lines_are_cut_at_the_edge() {
        assert_eq!(BOX.clip((-5.0, 5.0), (15.0, 5.0)), Some(((0.0, 5.0), (10.0, 5.0))));
        assert_eq!(BOX.clip((-5.0, -5.0), (-1.0, 5.0)), None);
        let parts = BOX.clip_line(&[(1.0, 1.0), (1.0, 20.0), (5.0, 20.0), (5.0, 5.0), (6.0, 5.0)]);
        assert_eq!(parts, [vec![(1.0, 1.0), (1.0, 10.0)], vec![(5.0, 10.0), (5.0, 5.0), (6.0, 5.0)]]);
    }

    #[test]
    fn dashes_and_gaps_take_turns_around_corners() {
        let parts = dashes(&[(0.0, 0.0), (8.0, 0.0), (8.0, 13.0)], Stroke::Dashed, 1.0);
        let expected =
            [vec![(0.0, 0.0), (6.0, 0.0)], vec![(8.0, 2.0), (8.0, 8.0)], vec![(8.0, 12.0), (8.0, 13.0)]];
        assert_eq!(parts, expected);
        assert_eq!(dashes(&[(0.0, 0.0), (3.0, 0.0)], Stroke::Full, 1.0).len(), 1);
    }
}

//! From pixels back to data: what is under the pointer.

use super::axis::Ruler;
use super::geometry::to_segment;
use super::scene::Point;

/// How far from a line or a point the pointer still means it, in CSS pixels.
const REACH: f64 = 18.0;

/// A point of a line, or of the plane, in data and in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// Horizontal value.
    pub x: f64,
    /// Vertical value.
    pub y: f64,
    /// Where it stands, in CSS pixels.
    pub at: Point,
}

/// A series as it was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its key in the picture.
    pub key: Option<usize>,
    /// Its name.
    pub label: String,
    /// Finite points in order; `None` where the line is interrupted.
    pub spots: Vec<Option<Spot>>,
}

/// A series' and a point's position among [`HitMap::tracks`] and their finite spots.
pub type Place = (usize, usize);

/// A move with the arrow keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To smaller x.
    Left,
    /// To larger x.
    Right,
    /// To the next higher series.
    Up,
    /// To the next lower series.
    Down,
}

/// What is under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The series' key; `None` for means and references.
    pub key: Option<usize>,
    /// The series' name.
    pub label: String,
    /// Horizontal value of its nearest point.
    pub x: f64,
    /// Vertical value of its nearest point.
    pub y: f64,
    /// Where that point stands, in CSS pixels.
    pub at: Point,
}

/// The way from pixels back to data, for one drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitMap {
    /// All that can be hovered, in the picture's order.
    pub tracks: Vec<Track>,
    /// The horizontal axis of a picture of lines; `None` for the plane and for empty pictures.
    pub across: Option<Ruler>,
    /// Whether values along it are whole numbers.
    pub whole: bool,
}

impl HitMap {
    /// The nearest point of the nearest series, if one is within reach; of two as near, the later one.
    #[must_use]
    pub fn nearest(&self, x_px: f64, y_px: f64) -> Option<Hit> {
        let mut best: Option<(f64, &Track)> = None;
        for track in &self.tracks {
            let distance = track.distance((x_px, y_px));
            if distance <= REACH && best.is_none_or(|(least, _)| distance <= least) {
                best = Some((distance, track));
            }
        }
        let (_, track) = best?;
        let lines = self.across.is_some();
        let far = |spot: &Spot| {
            let (dx, dy) = (spot.at.0 - x_px, spot.at.1 - y_px);
            if lines { dx.abs() } else { dx.hypot(dy) }
        };
        let spot = track.spots.iter().flatten().copied().min_by(|a, b| far(a).total_cmp(&far(b)))?;
        Some(track.hit(spot))
    }

    /// The value under a horizontal place, clamped to the axis; a whole number where the axis has such.
    #[must_use]
    pub fn x_at(&self, x_px: f64) -> Option<f64> {
        let ruler = self.across.as_ref()?;
        let value = ruler.value(x_px.clamp(ruler.from.min(ruler.to), ruler.from.max(ruler.to)));
        Some(if self.whole { value.round() } else { value })
    }

    /// The `index`-th finite point of the `track`-th series.
    #[must_use]
    pub fn point(&self, (track, index): Place) -> Option<Hit> {
        let track = self.tracks.get(track)?;
        track.spots.iter().flatten().nth(index).map(|spot| track.hit(*spot))
    }

    /// Where a move with the keys leads. On lines, left and right go along the series, up and down to the next
    /// series at the same x; on the plane all go from point to point. From nowhere, to the last series' beginning.
    #[must_use]
    pub fn moved(&self, from: Option<Place>, way: Way) -> Option<Place> {
        let here = from.and_then(|place| self.point(place).map(|hit| (place, hit)));
        let Some(((track, index), hit)) = here else {
            return (0..self.tracks.len())
                .rev()
                .map(|track| (track, 0))
                .find(|place| self.point(*place).is_some());
        };
        let there = match (way, self.across.is_some()) {
            (Way::Left, true) => Some((track, index.saturating_sub(1))),
            (Way::Right, true) => Some((track, (index + 1).min(self.count(track).saturating_sub(1)))),
            (Way::Left | Way::Up, false) => {
                (0..track).rev().map(|track| (track, 0)).find(|p| self.point(*p).is_some())
            }
            (Way::Right | Way::Down, false) => {
                (track + 1..self.tracks.len()).map(|track| (track, 0)).find(|p| self.point(*p).is_some())
            }
            (Way::Up | Way::Down, true) => self.above_or_below((track, index), &hit, way == Way::Up),
        };
        Some(there.unwrap_or((track, index)))
    }

    /// The next series at the same x in height; equal heights in their order.
    fn above_or_below(&self, from: Place, hit: &Hit, up: bool) -> Option<Place> {
        let mut at_x: Vec<(f64, Place)> = Vec::new();
        for (k, track) in self.tracks.iter().enumerate() {
            for (index, spot) in track.spots.iter().flatten().enumerate() {
                if spot.x.total_cmp(&hit.x).is_eq() {
                    at_x.push((spot.at.1, (k, index)));
                }
            }
        }
        at_x.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let own = at_x.iter().position(|(_, place)| *place == from)?;
        let next = if up { own.checked_sub(1)? } else { own + 1 };
        at_x.get(next).map(|(_, place)| *place)
    }

    /// How many finite points the `track`-th series has.
    #[must_use]
    pub fn count(&self, track: usize) -> usize {
        self.tracks.get(track).map_or(0, |track| track.spots.iter().flatten().count())
    }

    /// Whether there is nothing to hover.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tracks.iter().all(|track| track.spots.iter().flatten().next().is_none())
    }
}

impl Track {
    fn hit(&self, spot: Spot) -> Hit {
        Hit { key: self.key, label: self.label.clone(), x: spot.x, y: spot.y, at: spot.at }
    }

    /// Distance from a place to the line through the spots, in CSS pixels.
    fn distance(&self, place: Point) -> f64 {
        let mut least = f64::INFINITY;
        let mut before: Option<Spot> = None;
        for spot in &self.spots {
            if let Some(spot) = spot {
                let from = before.map_or(spot.at, |b| b.at);
                least = least.min(to_segment(place, from, spot.at));
            }
            before = *spot;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::Scale;
    use super::*;

    fn map() -> HitMap {
        let across = Ruler { scale: Scale::Linear, low: 0.0, high: 2.0, from: 0.0, to: 200.0 };
        let track = |key, y: f64, gap: bool| Track {
            key: Some(key),
            label: format!("series {key}"),
            spots: (0..3)
                .map(|k| {
                    let x = f64::from(k);
                    (!gap || k != 1).then_some(Spot { x, y, at: (x * 100.0, 100.0 - y) })
                })
                .collect(),
        };
        HitMap {
            tracks: vec![track(0, 10.0, false), track(1, 50.0, false), track(2, 90.0, true)],
            across: Some(across),
            whole: true,
        }
    }

    #[test]
    fn the_nearest_series_is_found_between_its_points_too() {
        let map = map();
        let hit = map.nearest(40.0, 55.0);
        assert_eq!(hit.map(|hit| (hit.key, hit.x)), Some((Some(1), 0.0)));
        assert_eq!(map.nearest(100.0, 10.0), None, "interrupted there");
        assert_eq!(map.nearest(202.0, 10.0).map(|hit| hit.key), Some(Some(2)));
        assert_eq!(map.x_at(149.0), Some(1.0));
        assert_eq!(map.x_at(-30.0), Some(0.0));
        assert_eq!(HitMap::default().x_at(1.0), None);
    }

    #[test]
    fn keys_move_along_and_across_the_series() {
        let map = map();
        assert_eq!(map.moved(None, Way::Up), Some((2, 0)));
        assert_eq!(map.moved(Some((2, 0)), Way::Right), Some((2, 1)));
        assert_eq!(map.moved(Some((2, 1)), Way::Right), Some((2, 1)));
        assert_eq!(map.moved(Some((2, 1)), Way::Down), Some((1, 2)));
        assert_eq!(map.moved(Some((0, 2)), Way::Down), Some((0, 2)));
        assert_eq!(map.moved(Some((0, 1)), Way::Up), Some((1, 1)));
        assert_eq!(HitMap::default().moved(None, Way::Left), None);
    }
}

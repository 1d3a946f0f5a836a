//! Points of the complex plane, with equal scales on both axes.

use std::f64::consts::TAU;

use super::axis::{Ruler, ends, ticks};
use super::draw::Look;
use super::frame::{Frame, say};
use super::geometry::{Rect, dashes};
use super::hit::{HitMap, Spot, Track};
use super::picture::{Axis, Colour, Plane, PlanePoint, Scale};
use super::place::Places;
use super::scene::{Point, Scene};
use super::theme::Rgb;
use super::words::{mathematics, width};

/// Lays the picture out.
#[must_use]
pub fn lay_out(picture: &Plane, size: Point, look: &Look) -> (Scene, HitMap) {
    let mut scene = Scene::new(size, look.theme);
    let frame = Frame::new(&picture.x, &picture.y, size, look);
    let finite: Vec<&PlanePoint> =
        picture.points.iter().filter(|point| point.re.is_finite() && point.im.is_finite()).collect();
    if finite.is_empty() {
        let words = if picture.points.is_empty() { "no values yet" } else { "no finite values" };
        say(&mut scene, words, frame.text);
        return (scene, HitMap::default());
    }
    let across = wished(&picture.x, finite.iter().map(|point| point.re));
    let up = wished(&picture.y, finite.iter().map(|point| point.im));
    let (top, bottom) = (frame.top(), frame.bottom());
    // The numbers follow from the room, and the room from the numbers' width: it only ever shrinks, so this settles.
    let mut room = Rect { left: frame.text, top, right: size.0 - frame.text * 1.5, bottom };
    let rows = frame.rows(&room);
    let (mut x, mut y) = equal(across, up, &room);
    for _ in 0..4 {
        let numbers =
            ticks(&y, false, rows).iter().map(|tick| width(&tick.text, frame.text)).fold(0.0, f64::max);
        room.left = room.left.max((numbers + 8.0).ceil());
        (x, y) = equal(across, up, &room);
    }
    let (x_ticks, y_ticks) = (frame.fitting_ticks(&x, false, 9), ticks(&y, false, rows));

    let muted = look.theme.muted;
    for tick in &y_ticks {
        let at = y.px(tick.value);
        scene.hairline((room.left, at), (room.right, at), look.theme.line);
    }
    let origin = (x.px(0.0), y.px(0.0));
    if room.holds((room.left, origin.1)) {
        scene.path(vec![(room.left, origin.1), (room.right, origin.1)], muted, 0.7, 1.0);
    }
    if room.holds((origin.0, room.top)) {
        scene.path(vec![(origin.0, room.top), (origin.0, room.bottom)], muted, 0.7, 1.0);
    }
    frame.numbers_left(&mut scene, &room, &y, &y_ticks);
    frame.numbers_below(&mut scene, &room, &x, &x_ticks, None);
    frame.names(&mut scene, &room);

    let mut spots: Vec<(&PlanePoint, Point, Dot)> = finite
        .iter()
        .map(|point| (*point, (x.px(point.re), y.px(point.im)), dress(point, finite.len(), look)))
        .filter(|(_, at, _)| room.holds(*at))
        .collect();
    spots.sort_by_key(|(_, _, dot)| dot.level);
    let mut places = Places::new(Rect { right: size.0, ..room });
    places.block([room.left, origin.1 - 0.5, room.right, origin.1 + 0.5]);
    places.block([origin.0 - 0.5, room.top, origin.0 + 0.5, room.bottom]);
    for (_, at, dot) in &spots {
        places.block_dot(*at, dot.radius);
    }
    let arcs: Vec<Vec<Vec<Point>>> =
        picture.circles.iter().map(|circle| arc(circle.centre, circle.radius, &x, &y, &room)).collect();
    for (circle, parts) in picture.circles.iter().zip(&arcs) {
        let colour = look.theme.colour(circle.colour);
        for dash in parts.iter().flat_map(|part| dashes(part, circle.stroke, 1.5)) {
            scene.path(dash, colour, 1.0, 1.5);
        }
    }
    for (_, at, dot) in &spots {
        scene.dot(*at, dot.radius, dot.colour, dot.filled);
    }
    name_points(&mut scene, &mut places, &spots, frame.text);
    for (circle, parts) in picture.circles.iter().zip(&arcs) {
        let colour = look.theme.for_words(look.theme.colour(circle.colour));
        places.beside_arc(&mut scene, parts, &mathematics(&circle.label), frame.text, colour);
    }
    let tracks = finite.iter().map(|point| {
        let at = (x.px(point.re), y.px(point.im));
        let spot = room.holds(at).then_some(Spot { x: point.re, y: point.im, at });
        Track { key: point.key, label: mathematics(&point.label), spots: vec![spot] }
    });
    (scene, HitMap { tracks: tracks.collect(), across: None, whole: false })
}

/// How a point is drawn.
struct Dot {
    radius: f64,
    colour: Rgb,
    filled: bool,
    level: u8,
    named: bool,
}

fn dress(point: &PlanePoint, count: usize, look: &Look) -> Dot {
    let raised = point.key.is_some() && point.key == look.highlight;
    let picked = point.key.is_some_and(|key| look.picked.contains(&key));
    let behind = !look.picked.is_empty() && point.key.is_some() && !picked && !raised;
    let radius = match (point.filled, count > 60) {
        (true, false) => 4.5,
        (true, true) | (false, false) => 4.0,
        (false, true) => 2.5,
    };
    Dot {
        radius: if raised { radius + 2.0 } else { radius },
        colour: if behind { look.theme.faint() } else { look.theme.colour(point.colour) },
        filled: point.filled,
        level: match (raised, behind, point.colour) {
            (true, ..) => 3,
            (_, true, _) => 0,
            (_, _, Colour::Accent) => 2,
            _ => 1,
        },
        named: raised || picked || (point.labelled && !behind),
    }
}

/// The ends asked for, or those of the data and 0 with some air.
fn wished(axis: &Axis, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let linear = Axis { scale: Scale::Linear, ..axis.clone() };
    if linear.range.is_some() {
        return ends(&linear, values, 0.0).unwrap_or((-1.0, 1.0));
    }
    let (low, high) = values.fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let air = (high - low) * 0.12;
    (low - air, high + air)
}

/// Rulers with as many pixels a unit across as up: the narrower side is widened about its middle.
fn equal(across: (f64, f64), up: (f64, f64), room: &Rect) -> (Ruler, Ruler) {
    let (wide, high) = ((room.right - room.left).max(1.0), (room.bottom - room.top).max(1.0));
    let unit = ((across.1 - across.0) / wide).max((up.1 - up.0) / high);
    let unit = if unit > 0.0 && unit.is_finite() { unit } else { 2.0 / high };
    let around = |(low, high): (f64, f64), pixels: f64| {
        let (middle, half) = (f64::midpoint(low, high), unit * pixels / 2.0);
        (middle - half, middle + half)
    };
    let (across, up) = (around(across, wide), around(up, high));
    let ruler = |(low, high), from, to| Ruler { scale: Scale::Linear, low, high, from, to };
    (ruler(across, room.left, room.right), ruler(up, room.bottom, room.top))
}

/// The visible parts of a circle.
fn arc(centre: Point, radius: f64, x: &Ruler, y: &Ruler, room: &Rect) -> Vec<Vec<Point>> {
    if !(radius.is_finite() && radius > 0.0) {
        return Vec::new();
    }
    let radius_px = (x.px(radius) - x.px(0.0)).abs();
    // A corner about every four pixels, so that large circles stay round.
    let corners = (TAU * radius_px / 4.0).clamp(48.0, 2000.0) as usize;
    let points: Vec<Point> = (0..=corners)
        .map(|k| {
            // From the far left round, so that the part nearest to the data is in one piece.
            let turn = TAU * (0.5 + k as f64 / corners as f64);
            (x.px(centre.0 + radius * turn.cos()), y.px(centre.1 + radius * turn.sin()))
        })
        .collect();
    room.clip_line(&points)
}

/// Names the points, the topmost first.
fn name_points(scene: &mut Scene, places: &mut Places, spots: &[(&PlanePoint, Point, Dot)], text: f64) {
    let named: Vec<_> = spots.iter().rev().filter(|(_, _, dot)| dot.named).collect();
    let count = named.len().max(1) as f64;
    let middle =
        named.iter().fold((0.0, 0.0), |sum, (_, at, _)| (sum.0 + at.0 / count, sum.1 + at.1 / count));
    for (point, at, dot) in named {
        let words = scene.theme.for_words(dot.colour);
        places.beside_point(
            scene,
            *at,
            dot.radius,
            middle,
            &mathematics(&point.label),
            text,
            (dot.colour, words),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_axes_have_the_same_scale() {
        let room = Rect { left: 40.0, top: 20.0, right: 800.0, bottom: 400.0 };
        let (x, y) = equal((0.0, 1.0), (-0.3, 0.3), &room);
        let unit = x.px(1.0) - x.px(0.0);
        assert!((unit - (y.px(0.0) - y.px(1.0))).abs() < 1e-9);
        assert!(x.low <= 0.0 && x.high >= 1.0 && y.low <= -0.3 && y.high >= 0.3);
        let (x, y) = equal((0.0, 0.0), (0.0, 0.0), &room);
        assert!(x.px(0.0).is_finite() && y.px(0.0).is_finite());
    }

    #[test]
    fn circles_are_clipped_to_the_picture() {
        let room = Rect { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        let (x, y) = equal((-0.5, 0.5), (-0.5, 0.5), &room);
        let parts = arc((-1.0, 0.0), 1.0, &x, &y, &room);
        assert_eq!(parts.len(), 1);
        assert!(parts.iter().flatten().all(|at| room.holds(*at)));
        assert!(arc((0.0, 0.0), f64::NAN, &x, &y, &room).is_empty());
    }
}

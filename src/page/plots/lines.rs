//! Curves over a common horizontal axis.

use super::axis::{Ruler, Tick, drawable, ends, ticks};
use super::draw::Look;
use super::ends::{Ending, Margin};
use super::frame::{Frame, say};
use super::geometry::{Rect, dashes};
use super::hit::{HitMap, Spot, Track};
use super::picture::{Band, Lines, Scale, Series, Stroke};
use super::scene::{Point, Scene};
use super::tone::{TOPMOST, Tone, tones};
use super::words::{mathematics, shown, width};

/// The name of a series as written: tokens (keyed) are quoted as they are, the rest is set as mathematics.
#[must_use]
pub fn name_of(series: &Series) -> String {
    if series.key.is_some() { series.label.clone() } else { mathematics(&series.label) }
}

/// Both rulers and the room between them.
struct Ground {
    x: Ruler,
    y: Ruler,
    room: Rect,
}

impl Ground {
    fn at(&self, x: f64, y: f64) -> Option<Point> {
        (self.x.takes(x) && self.y.takes(y)).then(|| (self.x.px(x), self.y.px(y)))
    }

    /// The uninterrupted stretches of a series.
    fn runs(&self, points: &[(f64, f64)]) -> Vec<Vec<Point>> {
        let mut runs: Vec<Vec<Point>> = vec![Vec::new()];
        for &(x, y) in points {
            match (self.at(x, y), runs.last_mut()) {
                (Some(at), Some(run)) => run.push(at),
                _ => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }
}

/// Lays the picture out.
#[must_use]
pub fn lay_out(picture: &Lines, size: Point, look: &Look) -> (Scene, HitMap) {
    let mut scene = Scene::new(size, look.theme);
    let frame = Frame::new(&picture.x, &picture.y, size, look);
    let Some((across, up)) = both_ends(picture) else {
        say(&mut scene, missing(picture), frame.text);
        return (scene, HitMap::default());
    };
    let tones = tones(picture, look);
    let mut room = Rect { left: 0.0, top: frame.top(), right: size.0, bottom: frame.bottom() };
    let y = Ruler { scale: picture.y.scale, low: up.0, high: up.1, from: room.bottom, to: room.top };
    let rows = frame.rows(&room);
    let y_ticks = ticks(&y, picture.y.whole, rows);
    let numbers = y_ticks.iter().map(|tick| width(&tick.text, frame.text)).fold(0.0, f64::max);
    room.left = (numbers + 8.0).ceil();
    let margin = Margin::new(endings(picture, &tones, look, &y), &frame, size.0, &room);
    room.right = (size.0 - margin.wide).max(room.left + 20.0);
    let mut x =
        Ruler { scale: picture.x.scale, low: across.0, high: across.1, from: room.left, to: room.right };
    let x_ticks = frame.fitting_ticks(&x, picture.x.whole, 13);
    // The last number is centred under the edge: it needs half its width beyond.
    let last = x_ticks
        .last()
        .map_or(0.0, |tick| (x.px(tick.value) + width(&tick.text, frame.text) / 2.0 - size.0).max(0.0));
    room.right -= last;
    x.to = room.right;
    let ground = Ground { x, y, room };

    for band in &picture.bands {
        draw_band(&mut scene, &ground, band, look);
    }
    draw_grid(&mut scene, &ground, &y_ticks);
    frame.numbers_left(&mut scene, &room, &y, &y_ticks);
    let pointed = picture.cursor.filter(|value| x.takes(*value) && room.holds((x.px(*value), room.top)));
    let pointed = pointed.map(|value| Tick { value, text: shown_on_axis(value, picture.x.whole) });
    if let Some(tick) = &pointed {
        let at = x.px(tick.value);
        scene.path(vec![(at, room.top), (at, room.bottom + 4.0)], look.theme.ink, 0.55, 1.0);
    }
    frame.numbers_below(&mut scene, &room, &x, &x_ticks, pointed.as_ref());
    frame.names(&mut scene, &room);
    for rule in &picture.rules {
        if let Some(at) = ground.at(across.0, rule.y).filter(|at| room.holds(*at)) {
            for dash in dashes(&[(room.left, at.1), (room.right, at.1)], Stroke::Dashed, 1.0) {
                scene.path(dash, look.theme.muted, 1.0, 1.0);
            }
        }
    }
    for level in 0..=TOPMOST {
        // First the seams of all lines of a level: they part it from what lies beneath, not its lines from each other.
        let same = || (0..tones.len()).filter(|k| tones[*k].level == level);
        for k in same().filter(|k| tones[*k].seam) {
            draw_seam(&mut scene, &ground, &picture.series[k], &tones[k]);
        }
        for k in same() {
            draw_series(&mut scene, &ground, &picture.series[k], &tones[k]);
        }
    }
    margin.draw(&mut scene, &ground.x, &room, frame.text);
    let tracks = picture.series.iter().map(|series| track(&ground, series)).collect();
    (scene, HitMap { tracks, across: Some(x), whole: picture.x.whole })
}

/// The ends of both axes; `None` where nothing can be drawn.
fn both_ends(picture: &Lines) -> Option<((f64, f64), (f64, f64))> {
    let points = || {
        let lines = picture.series.iter().flat_map(|series| series.points.iter().copied());
        let bands = picture.bands.iter().flat_map(|band| &band.points);
        let bands = bands.flat_map(|&(x, low, high)| [(x, low), (x, high)]);
        lines.chain(bands).filter(|(x, y)| drawable(picture.x.scale, *x) && drawable(picture.y.scale, *y))
    };
    let rules = points().next().map(|_| picture.rules.iter().map(|rule| rule.y));
    let across = ends(&picture.x, points().map(|(x, _)| x), 0.0)?;
    let up = ends(&picture.y, points().map(|(_, y)| y).chain(rules.into_iter().flatten()), 0.06)?;
    Some((across, up))
}

fn missing(picture: &Lines) -> &'static str {
    let values = || picture.series.iter().flat_map(|series| &series.points);
    if values().next().is_none() {
        "no values yet"
    } else if values().any(|(x, y)| x.is_finite() && y.is_finite())
        && (picture.y.scale == Scale::Logarithmic || picture.x.scale == Scale::Logarithmic)
    {
        "no positive values, which a logarithmic axis needs"
    } else {
        "no finite values"
    }
}

fn shown_on_axis(value: f64, whole: bool) -> String {
    if whole { format!("{value:.0}").replace('-', "−") } else { shown(value) }
}

fn draw_grid(scene: &mut Scene, ground: &Ground, ticks: &[Tick]) {
    let (line, muted, room) = (scene.theme.line, scene.theme.muted, &ground.room);
    scene.hairline((room.left, room.bottom), (room.right, room.bottom), line);
    for tick in ticks {
        let y = ground.y.px(tick.value);
        scene.hairline((room.left, y), (room.right, y), line);
    }
    let zero = ground.y.px(0.0);
    if ground.y.scale == Scale::Linear && room.holds((room.left, zero)) {
        scene.path(vec![(room.left, zero), (room.right, zero)], muted, 0.7, 1.0);
    }
}

fn draw_band(scene: &mut Scene, ground: &Ground, band: &Band, look: &Look) {
    let colour = look.theme.colour(band.colour);
    let room = &ground.room;
    let clamp = |at: Point| (at.0.clamp(room.left, room.right), at.1.clamp(room.top, room.bottom));
    let mut edge: (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
    let mut close = |edge: &mut (Vec<Point>, Vec<Point>)| {
        let (mut low, high) = std::mem::take(edge);
        if let ([l], [h]) = (low.as_slice(), high.as_slice()) {
            // One step only: a bar instead of an area.
            let (l, h) = (*l, *h);
            scene.area(
                vec![(l.0 - 4.0, l.1), (l.0 + 4.0, l.1), (h.0 + 4.0, h.1), (h.0 - 4.0, h.1)],
                colour,
                0.2,
            );
        } else {
            low.extend(high.into_iter().rev());
            scene.area(low, colour, 0.2);
        }
    };
    for &(x, low, high) in &band.points {
        match (ground.at(x, low), ground.at(x, high)) {
            (Some(l), Some(h)) => {
                edge.0.push(clamp(l));
                edge.1.push(clamp(h));
            }
            _ => close(&mut edge),
        }
    }
    close(&mut edge);
}

fn draw_seam(scene: &mut Scene, ground: &Ground, series: &Series, tone: &Tone) {
    for part in ground.runs(&series.points).iter().flat_map(|run| ground.room.clip_line(run)) {
        scene.path(part, scene.theme.paper, 0.8, tone.width + 3.0);
    }
}

fn draw_series(scene: &mut Scene, ground: &Ground, series: &Series, tone: &Tone) {
    let runs = ground.runs(&series.points);
    for run in &runs {
        for part in ground.room.clip_line(run) {
            for dash in dashes(&part, tone.stroke, tone.width) {
                scene.path(dash, tone.colour, tone.alpha, tone.width);
            }
        }
    }
    for run in &runs {
        if tone.markers || run.len() == 1 {
            for at in run.iter().filter(|at| ground.room.holds(**at)) {
                let filled = series.stroke == Stroke::Full;
                scene.dot(*at, tone.width.max(1.5) + 1.0, tone.colour, filled);
            }
        }
    }
}

/// What is written at the ends of lines, the most needed first.
fn endings(picture: &Lines, tones: &[Tone], look: &Look, y: &Ruler) -> Vec<Ending> {
    let mut endings: Vec<Ending> = Vec::new();
    for (series, tone) in picture.series.iter().zip(tones) {
        let last = series.points.iter().rev().find(|(x, v)| drawable(picture.x.scale, *x) && y.takes(*v));
        if let (true, Some(&(x, value))) = (tone.named, last) {
            endings.push(Ending {
                text: name_of(series),
                x,
                y: y.px(value),
                colour: tone.colour,
                rank: tone.rank,
            });
        }
    }
    for band in picture.bands.iter().filter(|band| !band.label.is_empty()) {
        let last = band.points.iter().rev().find(|point| y.takes(point.1) && y.takes(point.2));
        if let Some(&(x, low, high)) = last {
            let middle = f64::midpoint(y.px(low), y.px(high));
            let colour = look.theme.colour(band.colour);
            endings.push(Ending { text: mathematics(&band.label), x, y: middle, colour, rank: 2 });
        }
    }
    for rule in picture.rules.iter().filter(|rule| !rule.label.is_empty() && y.takes(rule.y)) {
        let text = mathematics(&rule.label);
        endings.push(Ending { text, x: f64::INFINITY, y: y.px(rule.y), colour: look.theme.muted, rank: 2 });
    }
    endings.sort_by_key(|ending| ending.rank);
    endings
}

fn track(ground: &Ground, series: &Series) -> Track {
    let spots = series.points.iter().map(|&(x, y)| {
        let at = ground.at(x, y).filter(|at| ground.room.holds(*at))?;
        Some(Spot { x, y, at })
    });
    Track { key: series.key, label: name_of(series), spots: spots.collect() }
}

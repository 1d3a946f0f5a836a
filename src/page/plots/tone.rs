//! Which lines speak and which stand back.

use super::draw::Look;
use super::picture::{Colour, Lines, Series, Stroke, Weight};
use super::theme::Rgb;

/// At most so many keyed lines are in colour at once.
pub const MOST_IN_COLOUR: usize = 8;

/// The highest [`Tone::level`].
pub const TOPMOST: u8 = 4;

/// How one series is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Tone {
    /// Colour.
    pub colour: Rgb,
    /// Opacity.
    pub alpha: f64,
    /// Thickness in CSS pixels.
    pub width: f64,
    /// Full, dashed or dotted.
    pub stroke: Stroke,
    /// Whether a seam of the ground's colour sets it off from the lines beneath.
    pub seam: bool,
    /// Order of drawing: higher ones cover lower ones.
    pub level: u8,
    /// Whether points have dots.
    pub markers: bool,
    /// Whether its name is written at its end.
    pub named: bool,
    /// Whose name goes first where room is short: 0 before 1.
    pub rank: u8,
}

/// The tone of every series.
#[must_use]
pub fn tones(picture: &Lines, look: &Look) -> Vec<Tone> {
    let spoken = in_colour(picture, look);
    let mut tones: Vec<Tone> =
        picture.series.iter().zip(&spoken).map(|(series, spoken)| tone(series, *spoken, look)).collect();
    tell_apart(picture, &spoken, &mut tones);
    tones
}

/// There are fewer hues than lines: a hue's second line is dotted.
fn tell_apart(picture: &Lines, spoken: &[bool], tones: &mut [Tone]) {
    let mut used: Vec<Rgb> = Vec::new();
    for (k, series) in picture.series.iter().enumerate() {
        let full = series.key.is_some() && spoken[k] && series.stroke == Stroke::Full;
        if full && matches!(series.colour, Colour::Category(_)) {
            if used.contains(&tones[k].colour) {
                tones[k].stroke = Stroke::Dotted;
            }
            used.push(tones[k].colour);
        }
    }
}

/// Whether each series has its own colour.
fn in_colour(picture: &Lines, look: &Look) -> Vec<bool> {
    let mut spoken = vec![true; picture.series.len()];
    let keyed = |series: &Series| match series.key {
        Some(key) if !look.picked.is_empty() => Some(look.picked.contains(&key)),
        Some(_) => Some(matches!(series.colour, Colour::Category(_))),
        None => None,
    };
    let mut left = MOST_IN_COLOUR;
    for labelled in [true, false] {
        for (k, series) in picture.series.iter().enumerate().filter(|(_, s)| s.labelled == labelled) {
            match keyed(series) {
                Some(true) if left > 0 => left -= 1,
                Some(true) => spoken[k] = false,
                // Ramps, ink and accent say something by themselves, but not beside picked lines.
                Some(false) => spoken[k] = look.picked.is_empty(),
                None => {}
            }
        }
    }
    spoken
}

fn tone(series: &Series, spoken: bool, look: &Look) -> Tone {
    let theme = &look.theme;
    let raised = series.key.is_some() && series.key == look.highlight;
    let place = series.key.and_then(|key| look.picked.iter().position(|picked| *picked == key));
    let grey = matches!(series.colour, Colour::Faint | Colour::Muted);
    let colour = match (spoken || raised, place) {
        (true, Some(place)) if grey => theme.colour(Colour::Category(place)),
        (true, None) if grey && raised => theme.ink,
        (true, _) => theme.colour(series.colour),
        (false, Some(_)) => theme.muted,
        (false, None) => theme.faint(),
    };
    let quiet = !raised && (!spoken || (series.key.is_some() && grey && place.is_none()));
    let width = match (series.weight, quiet) {
        (_, true) => 1.0,
        (Weight::Thin, _) => 1.5,
        (Weight::Normal, _) => 2.0,
        (Weight::Bold, _) => 3.5,
    };
    let others_step_back = look.highlight.is_some() && series.key.is_some() && !raised;
    Tone {
        colour,
        alpha: if others_step_back && !quiet { 0.5 } else { 1.0 },
        width: if raised { width + 1.0 } else { width },
        stroke: series.stroke,
        seam: series.stroke == Stroke::Full && (raised || (series.weight == Weight::Bold && !quiet)),
        level: match (raised, quiet, series.key, place) {
            (true, ..) => TOPMOST,
            (_, true, ..) => 0,
            (_, _, None, _) => 2,
            (_, _, _, Some(_)) => 3,
            _ => 1,
        },
        markers: (series.markers && !quiet) || (raised && series.points.len() <= 60),
        named: raised || (spoken && (series.labelled || place.is_some())),
        rank: match (raised, series.weight, series.key, place) {
            (true, ..) => 0,
            (_, Weight::Bold, ..) | (_, _, None, _) => 1,
            (_, _, _, Some(_)) => 2,
            _ => 3,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::Stroke;
    use super::super::theme::Theme;
    use super::*;

    fn many(count: usize) -> Lines {
        let series = (0..count).map(|k| Series {
            key: Some(k),
            label: format!("token {k}"),
            labelled: k == count - 1,
            points: vec![(0.0, k as f64), (1.0, k as f64)],
            colour: Colour::Category(k),
            stroke: Stroke::Full,
            weight: Weight::Thin,
            markers: false,
        });
        Lines { series: series.collect(), ..Lines::default() }
    }

    fn coloured(picture: &Lines, look: &Look) -> Vec<usize> {
        let grey = [look.theme.faint(), look.theme.muted];
        let tones = tones(picture, look);
        (0..tones.len()).filter(|k| !grey.contains(&tones[*k].colour)).collect()
    }

    #[test]
    fn at_most_eight_lines_are_in_colour() {
        let look = Look::plain(Theme::LIGHT);
        assert_eq!(coloured(&many(8), &look).len(), 8);
        assert_eq!(coloured(&many(20), &look), [0, 1, 2, 3, 4, 5, 6, 19]);
    }

    #[test]
    fn picked_lines_keep_their_colour_and_the_hovered_one_is_on_top() {
        let mut look = Look { picked: vec![12, 3], ..Look::plain(Theme::DARK) };
        assert_eq!(coloured(&many(20), &look), [3, 12]);
        look.highlight = Some(5);
        assert_eq!(coloured(&many(20), &look), [3, 5, 12]);
        let tones = tones(&many(20), &look);
        assert!(tones.iter().enumerate().all(|(k, tone)| k == 5 || tone.level < tones[5].level));
        assert!(tones[5].named && tones[12].named && !tones[19].named);
    }
}

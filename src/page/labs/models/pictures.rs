//! From the report to pictures: plain data, the same for the canvas, the tables and the tests.

use super::{
    numbers::{mean, significant},
    tokens::tokens,
};
use crate::{
    page::plots::picture::{
        Axis, Circle, Colour, Lines, Picture, Plane, PlanePoint, Rule, Scale, Series, Stroke, Table, Weight,
    },
    report::{LayerReport, Report},
};

#[cfg(test)]
mod tests;

/// Names that the pictures carry to their axes and lines.
mod names {
    pub const LAYER: &str = "layer t";
    pub const STEP: &str = "step t";
    pub const ALIGNMENT_VECTOR: &str = "alignment with v_1, |v_1 · x_i|";
    pub const ALIGNMENT_FRAME: &str = "alignment with the leading frame, a_i";
    pub const MEAN: &str = "mean";
    pub const CONSENSUS: &str = "cosine, spread";
    pub const COSINE: &str = "mean cosine";
    pub const SPREAD: &str = "spread";
    pub const GAPS: &str = "lead of λ_1 over the next";
    pub const GAP_SHIFTED: &str = "|μ_1| − |μ_2|";
    pub const GAP_REAL: &str = "Re λ_1 − Re λ_2";
    pub const STEPS: &str = "mean change γ, share ρ";
    pub const GAMMA: &str = "γ";
    pub const RHO: &str = "ρ";
    pub const NO_CHANGE: &str = "no change";
    pub const HALF: &str = "half of the tokens";
    pub const REAL: &str = "Re λ";
    pub const IMAGINARY: &str = "Im λ";
    pub const UNIT_CIRCLE: &str = "|μ| = 1";
    pub const LEADING_CIRCLE: &str = "|μ_1|";
}

/// Number of hues that every ground has; later picks are dotted as well.
const HUES: usize = 6;

/// Alignment of every token against the layer, the mean in bold.
#[must_use]
pub fn alignment(report: &Report, picked: &[usize]) -> Picture {
    let mut series: Vec<Series> = tokens(report)
        .into_iter()
        .map(|token| {
            let rank = picked.iter().position(|&position| position == token.position);
            Series {
                key: Some(token.position),
                labelled: rank.is_some(),
                points: path(report, |values| values.get(token.position).copied().unwrap_or(f64::NAN)),
                colour: rank.map_or(Colour::Muted, pick_colour),
                stroke: if rank >= Some(HUES) { Stroke::Dotted } else { Stroke::Full },
                weight: if rank.is_some() { Weight::Normal } else { Weight::Thin },
                markers: false,
                label: token.name,
            }
        })
        .collect();
    series.push(Series {
        key: None,
        label: names::MEAN.to_owned(),
        labelled: true,
        points: path(report, mean),
        colour: Colour::Accent,
        stroke: Stroke::Full,
        weight: Weight::Bold,
        markers: report.layers.len() <= 24,
    });
    let planes = report.layers.iter().any(|layer| layer.frame_dimension > 1);
    Picture::Lines(Lines {
        x: layer_axis(report, report.layers.len()),
        y: Axis {
            label: (if planes { names::ALIGNMENT_FRAME } else { names::ALIGNMENT_VECTOR }).to_owned(),
            range: Some((0.0, 1.0)),
            ..Axis::default()
        },
        series,
        ..Lines::default()
    })
}

/// The colour of the pick of a rank. The first hue comes last: it is close to the mean's.
#[must_use]
pub fn pick_colour(rank: usize) -> Colour {
    Colour::Category(rank + 1)
}

/// A value before every step with that step's frame, and after the last one with the last frame.
fn path(report: &Report, value: impl Fn(&[f64]) -> f64) -> Vec<(f64, f64)> {
    let before = report.layers.iter().map(|layer| value(&layer.align_before));
    let after = report.layers.last().map(|layer| value(&layer.align_after));
    before.chain(after).enumerate().map(|(at, value)| (at as f64, value)).collect()
}

/// Every token's alignment before and after every step, one row each, to four digits.
#[must_use]
pub fn alignment_table(report: &Report) -> Table {
    let tokens = tokens(report);
    let mut rows = Vec::with_capacity(report.layers.len() * (tokens.len() + 1));
    for (at, layer) in report.layers.iter().enumerate() {
        let cell = |values: &[f64], position: usize| {
            values.get(position).map(|&value| significant(value)).unwrap_or_default()
        };
        for token in &tokens {
            rows.push(vec![
                at.to_string(),
                token.position.to_string(),
                token.text.clone(),
                cell(&layer.align_before, token.position),
                cell(&layer.align_after, token.position),
            ]);
        }
        rows.push(vec![
            at.to_string(),
            String::new(),
            names::MEAN.to_owned(),
            significant(mean(&layer.align_before)),
            significant(mean(&layer.align_after)),
        ]);
    }
    let header = ["layer", "position", "token", "before", "after"].map(str::to_owned).to_vec();
    Table { header, rows }
}

/// Mean pairwise cosine and spread, from the start to after the last step.
#[must_use]
pub fn consensus(report: &Report) -> Picture {
    let from_start =
        |values: &[f64]| values.iter().enumerate().map(|(at, &value)| (at as f64, value)).collect();
    Picture::Lines(Lines {
        x: layer_axis(report, report.mean_pairwise_cosine.len().saturating_sub(1)),
        y: Axis { label: names::CONSENSUS.to_owned(), range: Some(unit_range(report)), ..Axis::default() },
        series: vec![
            line(names::COSINE, from_start(&report.mean_pairwise_cosine), Colour::Category(2)),
            line(names::SPREAD, from_start(&report.spread), Colour::Category(3)),
        ],
        ..Lines::default()
    })
}

/// 0 to 1, and further down where tokens are opposed.
fn unit_range(report: &Report) -> (f64, f64) {
    let lowest = report.mean_pairwise_cosine.iter().copied().fold(0.0, f64::min);
    ((lowest * 10.0).floor() / 10.0, 1.0)
}

/// Both spectral gaps of the F that each step used.
#[must_use]
pub fn gaps(report: &Report) -> Picture {
    Picture::Lines(Lines {
        x: layer_axis(report, report.layers.len().saturating_sub(1)),
        y: Axis { label: names::GAPS.to_owned(), ..Axis::default() },
        series: vec![
            line(names::GAP_REAL, by_layer(report, |layer| layer.gap_real), Colour::Category(5)),
            line(names::GAP_SHIFTED, by_layer(report, |layer| layer.gap_shifted_modulus), Colour::Accent),
        ],
        rules: vec![Rule { y: 0.0, label: String::new() }],
        ..Lines::default()
    })
}

/// gamma and rho of every step.
#[must_use]
pub fn steps(report: &Report) -> Picture {
    Picture::Lines(Lines {
        x: layer_axis(report, report.layers.len().saturating_sub(1)),
        y: Axis { label: names::STEPS.to_owned(), ..Axis::default() },
        series: vec![
            line(names::RHO, by_layer(report, |layer| layer.rho), Colour::Category(1)),
            line(names::GAMMA, by_layer(report, |layer| Some(layer.gamma)), Colour::Accent),
        ],
        rules: vec![
            Rule { y: 0.0, label: names::NO_CHANGE.to_owned() },
            Rule { y: 0.5, label: names::HALF.to_owned() },
        ],
        ..Lines::default()
    })
}

/// The leading eigenvalues of one step's F in the complex plane.
#[must_use]
pub fn spectrum(layer: &LayerReport) -> Picture {
    let points: Vec<PlanePoint> = layer
        .eigenvalues
        .iter()
        .enumerate()
        .map(|(at, &[re, im])| {
            let leading = at < layer.frame_dimension;
            PlanePoint {
                key: Some(at),
                label: format!("λ_{}", at + 1),
                labelled: at < 2 || at == layer.frame_dimension,
                re,
                im,
                colour: if leading { Colour::Accent } else { Colour::Ink },
                filled: leading,
            }
        })
        .collect();
    let circle = |radius: f64, label: &str, colour, stroke| Circle {
        centre: (-1.0, 0.0),
        radius,
        label: label.to_owned(),
        colour,
        stroke,
    };
    let mut circles = vec![circle(1.0, names::UNIT_CIRCLE, Colour::Muted, Stroke::Dashed)];
    if let Some(&[re, im]) = layer.eigenvalues.first() {
        circles.push(circle((1.0 + re).hypot(im), names::LEADING_CIRCLE, Colour::Accent, Stroke::Dotted));
    }
    // The whole circle |mu| = 1 is always in sight, so that one sees how far the eigenvalues lie from it.
    let finite = || layer.eigenvalues.iter().filter(|[re, im]| re.is_finite() && im.is_finite());
    let left = finite().map(|[re, _]| re - 0.3).fold(-2.15, f64::min);
    let right = finite().map(|[re, _]| re + 0.3).fold(0.3, f64::max);
    let top = finite().map(|[_, im]| im.abs() * 1.15).fold(1.1, f64::max);
    Picture::Plane(Plane {
        x: Axis { label: names::REAL.to_owned(), range: Some((left, right)), ..Axis::default() },
        y: Axis { label: names::IMAGINARY.to_owned(), range: Some((-top, top)), ..Axis::default() },
        points,
        circles,
    })
}

/// How each line of the table of one layer's eigenvalues reads.
#[must_use]
pub fn spectrum_table(layer: &LayerReport) -> Table {
    let header = ["k", "Re λ", "Im λ", "|μ|"].map(str::to_owned).to_vec();
    let rows = layer.eigenvalues.iter().enumerate().map(|(at, &[re, im])| {
        vec![(at + 1).to_string(), significant(re), significant(im), significant((1.0 + re).hypot(im))]
    });
    Table { header, rows: rows.collect() }
}

/// Whether a picture has anything to draw.
#[must_use]
pub fn has_values(picture: &Picture) -> bool {
    match picture {
        Picture::Lines(lines) => {
            lines.series.iter().flat_map(|series| &series.points).any(|(x, y)| x.is_finite() && y.is_finite())
        }
        Picture::Plane(plane) => {
            plane.points.iter().any(|point| point.re.is_finite() && point.im.is_finite())
        }
    }
}

fn by_layer(report: &Report, value: impl Fn(&LayerReport) -> Option<f64>) -> Vec<(f64, f64)> {
    let points = report.layers.iter().enumerate();
    points.map(|(at, layer)| (at as f64, value(layer).unwrap_or(f64::NAN))).collect()
}

fn line(label: &str, points: Vec<(f64, f64)>, colour: Colour) -> Series {
    Series {
        key: None,
        label: label.to_owned(),
        labelled: true,
        markers: points.len() <= 24,
        points,
        colour,
        stroke: Stroke::Full,
        weight: Weight::Normal,
    }
}

/// Layers, or steps where a shared layer is applied more or less often than the model does.
fn layer_axis(report: &Report, last: usize) -> Axis {
    let unrolled = report.model.shared && report.layers.len() != report.model.depth;
    Axis {
        label: (if unrolled { names::STEP } else { names::LAYER }).to_owned(),
        scale: Scale::Linear,
        range: Some((0.0, last.max(1) as f64)),
        whole: true,
    }
}

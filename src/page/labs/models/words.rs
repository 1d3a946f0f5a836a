//! The words of the models lab, in one place.

use super::numbers::fixed;
use crate::page::plots::{mathematics, picture::Picture};
use crate::report::{LayerReport, Report};

pub const TITLE: &str = "Models: where the tokens go";
pub const EXPECTED: &str = "Expected";
pub const MEASURED: &str = "Measured";
pub const WAITING: &str = "The first result is on its way.";
pub const NOTHING_YET: &str = "There is no result yet.";
pub const ALIGNMENT: &str = "Alignment";
pub const CONSENSUS: &str = "Consensus";
pub const GAPS: &str = "Spectral gap";
pub const STEPS: &str = "What each step changes";
pub const SPECTRUM: &str = "Spectrum";
pub const TOKENS: &str = "Tokens";
pub const LAYER: &str = "Layer";
pub const CLEAR_PICKS: &str = "Let go of all";
pub const RAMP: &str = "alignment after the last layer";
pub const HINT: &str = "Point at a token to find its line, press it to pick the line out.";
pub const CONSENSUS_CAPTION: &str = "How alike the tokens are: the mean cosine over all pairs, and how far they lie from their mean. At consensus the cosine is 1 and the spread 0, whether or not they point along v\u{2081}.";
pub const NO_PAIRS: &str = "one token has no other to be compared with.";
pub const NO_GAP: &str = "no layer has a second eigenvalue.";
pub const NOT_NUMBERS: &str =
    "a token became infinite or zero on the way; the numbers below show at which layer.";
pub const NO_EIGENVALUES: &str = "the eigenvalues of this layer are not known.";
pub const STEPS_CAPTION: &str = "\u{3b3} is the mean change of alignment in one step, \u{3c1} the share of tokens that come out closer to the leading direction. Above 0 and above one half, the step tilts the tokens towards it.";

/// The main picture's caption.
#[must_use]
pub fn alignment_caption(report: &Report) -> String {
    let lines = "One thin line a token, the mean in bold: at 1 a token lies along the leading direction, at 0 across it.";
    if report.model.shared {
        format!("{lines} One layer is applied again and again, so the direction is the same at every step.")
    } else {
        format!(
            "{lines} Each point is measured before its layer with that layer\u{2019}s own direction, the last one after the last layer, so a line may jump because the direction does."
        )
    }
}

/// The gaps' caption.
#[must_use]
pub fn gaps_caption(report: &Report) -> String {
    let what = "How far the first eigenvalue leads the next, in real part and in |\u{3bc}| = |1 + \u{3bb}|.";
    if report.model.shared {
        format!(
            "{what} One layer is applied at every step, so the lines are level; the wider the gap, the faster the tilt."
        )
    } else {
        format!("{what} The wider a layer\u{2019}s gap, the more one pass through it should tilt the tokens.")
    }
}

/// The spectrum's caption.
#[must_use]
pub fn spectrum_caption(layer: &LayerReport) -> String {
    let leading =
        if layer.frame_dimension > 1 { "The filled pair spans" } else { "The filled point belongs to" };
    format!(
        "The leading {} eigenvalues of F in the complex plane. {leading} the leading direction; a step multiplies by 1 + \u{3bb}, so what lies further from \u{2212}1 grows faster: inside the dashed circle it shrinks, and on the dotted one it keeps pace with \u{3bb}\u{2081}.",
        layer.eigenvalues.len()
    )
}

/// What the report is about, in one line.
#[must_use]
pub fn summary(report: &Report) -> String {
    let model = &report.model;
    let steps = report.layers.len();
    let how = if model.shared { " of one shared layer" } else { ", each with its own layer" };
    let plural =
        |count: usize, noun: &str| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
    format!(
        "{} \u{b7} {}{how} \u{b7} width {}, {}",
        plural(report.tokens.len(), "token"),
        plural(steps, "step"),
        model.width,
        plural(model.heads, "head")
    )
}

/// What a screen reader hears for the main picture.
#[must_use]
pub fn alignment_description(report: &Report, from: f64, to: f64) -> String {
    format!(
        "Line chart: alignment of {} tokens with the leading direction against the layer, from 0 to {}. The mean goes from {} to {}.",
        report.tokens.len(),
        report.layers.len(),
        fixed(from, 2),
        fixed(to, 2)
    )
}

/// What the reader should know about one token.
#[must_use]
pub fn token_line(token: &super::tokens::Token) -> String {
    format!(
        "{} \u{b7} position {} \u{b7} id {} \u{b7} alignment {} \u{2192} {}",
        token.text,
        token.position,
        token.id,
        fixed(token.first, 3),
        fixed(token.last, 3)
    )
}

/// Layers whose eigenpairs are not to be trusted; `None` where all are.
#[must_use]
pub fn doubt(report: &Report) -> Option<String> {
    let mut doubtful: Vec<usize> =
        report.layers.iter().filter(|layer| !layer.converged).map(|layer| layer.matrix).collect();
    doubtful.dedup();
    if doubtful.is_empty() {
        return None;
    }
    let list = doubtful.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let noun = if doubtful.len() == 1 { "layer" } else { "layers" };
    Some(format!(
        "The eigenvectors of {noun} {list} were found less exactly than the rest (residual above 1e-8 of |F|): read their alignment with care."
    ))
}

/// What a screen reader hears for a small picture: each line's first and last value.
#[must_use]
pub fn lines_description(title: &str, picture: &Picture) -> String {
    let Picture::Lines(lines) = picture else { return title.to_owned() };
    let told = lines.series.iter().filter_map(|series| {
        let mut finite = series.points.iter().filter(|(_, y)| y.is_finite());
        let (_, first) = finite.next()?;
        let last = finite.next_back().map_or(*first, |(_, y)| *y);
        Some(format!("{} from {} to {}", mathematics(&series.label), fixed(*first, 2), fixed(last, 2)))
    });
    format!("{title}, line chart against the layer: {}.", told.collect::<Vec<_>>().join("; "))
}

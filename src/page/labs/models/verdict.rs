//! What the report says, in sentences with numbers. They state what was measured on one text and never more.

use super::numbers::{complex, fixed, mean, signed};
use crate::report::{LayerReport, Report};

/// Below this change of mean alignment the tokens are said to stay where they are.
const HARDLY: f64 = 0.05;
/// Where more than this of the angle is left after all steps, the spectrum promises no arrival (SPEC 4).
const TOO_CLOSE: f64 = 0.05;

/// The answer before the pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// One sentence in large type.
    pub headline: String,
    /// What the spectrum lets one expect; empty where it cannot be said.
    pub expected: String,
    /// What was measured.
    pub measured: String,
}

/// The verdict on a report.
#[must_use]
pub fn verdict(report: &Report) -> Verdict {
    let (Some(first), Some(last)) = (report.layers.first(), report.layers.last()) else {
        return Verdict {
            headline: "No step was taken, so there is nothing to measure.".to_owned(),
            ..Verdict::default()
        };
    };
    let (before, after) = (mean(&first.align_before), mean(&last.align_after));
    if !before.is_finite() || !after.is_finite() {
        return Verdict {
            headline: "The alignments are not numbers: a token became infinite or zero on the way."
                .to_owned(),
            measured: "The table beside the main picture shows at which layer.".to_owned(),
            ..Verdict::default()
        };
    }
    if report.model.shared {
        shared(report, first, before, after)
    } else {
        layer_varying(report, before, after)
    }
}

/// One F at every step: the tokens have one frame to go to.
fn shared(report: &Report, layer: &LayerReport, before: f64, after: f64) -> Verdict {
    let taken = report.layers.len();
    let steps = if taken == report.model.depth {
        counted(taken, "layer")
    } else {
        counted(taken, "step") + " of the shared layer"
    };
    let target = frame_name(layer);
    let (from, to) = (fixed(before, 2), fixed(after, 2));
    let headline = if after - before > HARDLY {
        format!("Over {steps} the tokens tilt towards {target}: mean alignment rises from {from} to {to}.")
    } else if after - before < -HARDLY {
        format!("Over {steps} the tokens turn away from {target}: mean alignment falls from {from} to {to}.")
    } else {
        format!(
            "Over {steps} the tokens hardly move towards or away from {target}: mean alignment goes from {from} to {to}."
        )
    };
    let rises = report.layers.iter().filter(|layer| layer.gamma > 0.0).count();
    let unit = if taken == report.model.depth { "layer" } else { "step" };
    let measured = format!(
        "mean alignment rises at {}{}",
        out_of(rises, taken, unit),
        agreement(report).unwrap_or_default()
    );
    Verdict { headline, expected: expectation(layer, taken), measured: measured + "." }
}

/// What the leading eigenvalues promise (SPEC 4).
fn expectation(layer: &LayerReport, steps: usize) -> String {
    let Some(&leading) = layer.eigenvalues.first() else { return String::new() };
    let (re, im) = (1.0 + leading[0], leading[1]);
    let modulus = re.hypot(im);
    let lambda = complex(leading, 2);
    let Some(gap) = layer.gap_shifted_modulus else {
        return format!("\u{3bb}\u{2081} = {lambda} is the only eigenvalue.");
    };
    let ratio = (modulus - gap) / modulus;
    if !ratio.is_finite() {
        return String::new();
    }
    if ratio > 1.0 {
        return format!(
            "\u{3bb}\u{2081} = {lambda} comes first in the chosen order, but a step amplifies the next direction more (|\u{3bc}\u{2082}/\u{3bc}\u{2081}| = {}), so no tilt towards v\u{2081} is to be expected.",
            fixed(ratio, 2)
        );
    }
    let factor = shrinking(ratio);
    let left = ratio.powf(steps as f64);
    let doubt = if left > TOO_CLOSE {
        format!(
            ". After {} {} % of the angle is left, so the spectrum alone does not promise that they arrive",
            counted(steps, "step"),
            fixed(left * 100.0, 0)
        )
    } else {
        String::new()
    };
    let kind = if layer.frame_dimension > 1 {
        format!(
            "a complex pair: under uniform attention the tokens turn in its plane by {}\u{b0} a layer, and their angle to the plane shrinks by {factor}",
            fixed(im.abs().atan2(re).to_degrees(), 1)
        )
    } else if re < 0.0 {
        format!(
            "real with \u{3bc}\u{2081} < 0: under uniform attention the tokens change sides at every layer, and their angle to \u{b1}v\u{2081} shrinks by {factor}"
        )
    } else {
        format!("real: under uniform attention the angle to \u{b1}v\u{2081} shrinks by {factor}")
    };
    format!("\u{3bb}\u{2081} = {lambda} is {kind}{doubt}.")
}

/// The factor |`mu_2` / `mu_1`| a layer, with as many digits as tell it apart from 1.
fn shrinking(ratio: f64) -> String {
    let digits = if ratio > 0.95 { 3 } else { 2 };
    format!("\u{d7} {} a layer", fixed(ratio, digits))
}

/// Another F at every layer: each is asked about its own frame.
fn layer_varying(report: &Report, before: f64, after: f64) -> Verdict {
    let layers = &report.layers;
    let rises = layers.iter().filter(|layer| layer.gamma > 0.0).count();
    let headline = format!(
        "At {} the tokens come out closer to the layer\u{2019}s own leading direction than they went in.",
        out_of(rises, layers.len(), "layer")
    );
    let pairs = layers.iter().filter(|layer| layer.frame_dimension > 1).count();
    let planes = match pairs {
        0 => String::new(),
        _ => format!(
            " At {} \u{3bb}\u{2081} is a complex pair and the target a plane.",
            out_of(pairs, layers.len(), "layer")
        ),
    };
    let expected = format!(
        "each layer has its own matrix F and its own v\u{2081}; the further |\u{3bc}\u{2081}| leads, the more a layer should tilt.{planes}"
    );
    let measured = format!(
        "{}mean alignment is {} before the first layer and {} after the last, each with its own frame. This is one text, not tested against chance.",
        extremes(layers),
        fixed(before, 2),
        fixed(after, 2)
    );
    Verdict { headline, expected, measured }
}

/// The layers that tilt the tokens most and least, as the beginning of a sentence.
fn extremes(layers: &[LayerReport]) -> String {
    let by_gamma = |a: &(usize, &LayerReport), b: &(usize, &LayerReport)| a.1.gamma.total_cmp(&b.1.gamma);
    let most = layers.iter().enumerate().max_by(by_gamma).filter(|(_, layer)| layer.gamma > 0.0);
    let least = layers.iter().enumerate().min_by(by_gamma).filter(|(_, layer)| layer.gamma < 0.0);
    let rise =
        most.map(|(at, layer)| format!("the largest rise is at layer {at} ({})", gamma_and_gap(layer)));
    let fall = least.map(|(at, layer)| format!("the largest fall at layer {at} ({})", gamma_and_gap(layer)));
    let told: Vec<String> = rise.into_iter().chain(fall).collect();
    if told.is_empty() { String::new() } else { told.join(", ") + "; " }
}

fn gamma_and_gap(layer: &LayerReport) -> String {
    let gamma = format!("\u{3b3} = {}", signed(layer.gamma, 2));
    match layer.gap_shifted_modulus {
        Some(gap) => format!("{gamma}, |\u{3bc}\u{2081}| \u{2212} |\u{3bc}\u{2082}| = {}", fixed(gap, 2)),
        None => gamma,
    }
}

/// How alike the tokens become; `None` where there is no pair of them.
fn agreement(report: &Report) -> Option<String> {
    let (first, last) = (report.mean_pairwise_cosine.first()?, report.mean_pairwise_cosine.last()?);
    if report.tokens.len() < 2 || !first.is_finite() || !last.is_finite() {
        return None;
    }
    Some(format!(
        ", and the mean cosine between tokens goes from {} to {}",
        fixed(*first, 2),
        fixed(*last, 2)
    ))
}

/// What the tokens are measured against, by name.
fn frame_name(layer: &LayerReport) -> &'static str {
    if layer.frame_dimension > 1 { "the leading plane" } else { "v\u{2081}" }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn out_of(count: usize, all: usize, noun: &str) -> String {
    match (count, all) {
        (1, 1) => format!("the one {noun}"),
        (0, 1) => format!("not even the one {noun}"),
        (0, _) => format!("none of the {all} {noun}s"),
        _ if count == all => format!("all {all} {noun}s"),
        _ => format!("{count} of {all} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::labs::models::samples::{layer, report};

    #[test]
    fn a_complex_pair_close_to_the_next_promises_little() {
        let mut step =
            layer(&[[0.8077, 0.1156], [0.8077, -0.1156], [0.662, 0.6252]], &[0.09, 0.09], &[0.85, 0.85]);
        step.gap_shifted_modulus = Some(0.035_65);
        let found = verdict(&report(true, vec![step; 12]));
        assert_eq!(
            found.headline,
            "Over 12 layers the tokens tilt towards the leading plane: mean alignment rises from 0.09 to 0.85."
        );
        assert_eq!(
            found.expected,
            "λ₁ = 0.81 ± 0.12i is a complex pair: under uniform attention the tokens turn in its plane by 3.7° a layer, and their angle to the plane shrinks by × 0.980 a layer. After 12 steps 79 % of the angle is left, so the spectrum alone does not promise that they arrive."
        );
        assert_eq!(
            found.measured,
            "mean alignment rises at all 12 layers, and the mean cosine between tokens goes from 0.10 to 0.90."
        );
    }

    #[test]
    fn a_clear_real_leader_is_said_to_shrink_the_angle() {
        let mut step = layer(&[[1.24, 0.0], [0.2, 0.0]], &[0.1], &[0.9]);
        step.gap_shifted_modulus = Some(1.04);
        let found = verdict(&report(true, vec![step; 12]));
        assert_eq!(
            found.expected,
            "λ₁ = 1.24 is real: under uniform attention the angle to ±v₁ shrinks by × 0.54 a layer."
        );
        assert!(found.headline.contains("towards v₁"), "{found:?}");
    }

    #[test]
    fn a_negative_leader_changes_sides() {
        let mut step = layer(&[[-3.5, 0.0], [0.2, 0.0]], &[0.9], &[0.1]);
        step.gap_shifted_modulus = Some(1.3);
        let found = verdict(&report(true, vec![step; 12]));
        assert!(found.expected.contains("change sides at every layer"), "{found:?}");
        assert!(found.headline.contains("turn away from v₁: mean alignment falls"), "{found:?}");
    }

    #[test]
    fn another_order_may_put_a_weak_direction_first() {
        let mut step = layer(&[[0.7, 0.0], [-3.0, 0.0]], &[0.1], &[0.1]);
        step.gap_shifted_modulus = Some(-0.3);
        let found = verdict(&report(true, vec![step; 12]));
        assert!(found.expected.contains("no tilt towards v₁ is to be expected"), "{found:?}");
        assert!(found.headline.contains("hardly move"), "{found:?}");
    }

    #[test]
    fn layers_of_their_own_are_counted() {
        let mut rises = layer(&[[3.5, 0.0], [0.8, 0.0]], &[0.1, 0.1], &[0.6, 0.6]);
        rises.gap_shifted_modulus = Some(2.69);
        let mut falls = layer(&[[0.4, 0.1], [0.4, -0.1]], &[0.2, 0.2], &[0.1, 0.1]);
        falls.gap_shifted_modulus = None;
        let found = verdict(&report(false, vec![rises, falls]));
        assert!(found.headline.starts_with("At 1 of 2 layers the tokens come out closer"), "{found:?}");
        assert!(found.expected.contains("At 1 of 2 layers λ₁ is a complex pair"), "{found:?}");
        assert!(found.measured.contains("rise is at layer 0 (γ = +0.50, |μ₁| − |μ₂| = 2.69)"), "{found:?}");
        assert!(found.measured.contains("fall at layer 1 (γ = −0.10)"), "{found:?}");
        assert!(found.measured.contains("not tested against chance"), "{found:?}");
    }

    #[test]
    fn nothing_and_not_a_number_are_said_in_words() {
        assert!(verdict(&report(true, vec![])).headline.contains("nothing to measure"));
        let broken = layer(&[[1.0, 0.0]], &[f64::NAN], &[f64::NAN]);
        assert!(verdict(&report(true, vec![broken])).headline.contains("not numbers"));
    }
}

//! Reports as tables for a terminal.

use std::fmt::Write;

use crate::report::{ForwardReport, ModelSummary, Report, Transfer};

/// The analysis: one line a step, then one line a token.
pub(super) fn analysis(report: &Report) -> String {
    let mut out = head(&report.model, &report.notes);
    if let Some(transfer) = report.transfer {
        line(&mut out, &fetched(transfer));
    }
    let settings = &report.settings;
    let biases = if settings.biases { "with" } else { "without" };
    line(
        &mut out,
        &format!("radius {}, {biases} biases, eigenvalues by order {}", settings.radius, settings.order),
    );
    line(&mut out, "");
    line(
        &mut out,
        "step  layer  lambda_1            gap |mu|  gap Re   mean align      gamma     rho    cosine  spread",
    );
    for (step, layer) in report.layers.iter().enumerate() {
        let optional = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.4}"));
        line(
            &mut out,
            &format!(
                "{:>4}  {:>5}  {:<18}  {:>8}  {:>7}  {:.4}->{:.4}  {:>+8.4}  {:>6}  {:>+7.4}  {:>6.4}",
                step + 1,
                layer.matrix,
                layer.eigenvalues.first().map_or_else(String::new, |&[re, im]| complex(re, im)),
                optional(layer.gap_shifted_modulus),
                optional(layer.gap_real),
                mean(&layer.align_before),
                mean(&layer.align_after),
                layer.gamma,
                optional(layer.rho),
                report.mean_pairwise_cosine[step + 1],
                report.spread[step + 1],
            ),
        );
    }
    if let (Some(first), Some(last)) = (report.layers.first(), report.layers.last()) {
        line(&mut out, "");
        line(&mut out, "   id  token                 align at start  at end");
        for (i, (id, piece)) in report.ids.iter().zip(&report.tokens).enumerate() {
            line(
                &mut out,
                &format!(
                    "{id:>5}  {piece:<20}  {:>14.4}  {:>6.4}",
                    first.align_before[i], last.align_after[i]
                ),
            );
        }
    }
    out
}

/// The faithful pass: one line a hidden state.
pub(super) fn forward(report: &ForwardReport) -> String {
    let mut out = head(&report.model, &report.notes);
    line(&mut out, "");
    line(&mut out, "state   cosine  last token, first entries");
    let states = report.mean_pairwise_cosine.iter().zip(&report.hidden_last_token_first8);
    for (index, (cosine, entries)) in states.enumerate() {
        let entries: Vec<String> = entries.iter().map(|value| format!("{value:>+8.4}")).collect();
        line(&mut out, &format!("{index:>5}  {cosine:>+7.4}  {}", entries.join(" ")));
    }
    out
}

fn head(model: &ModelSummary, notes: &[String]) -> String {
    let mut out = String::new();
    let shared = if model.shared { ", one layer shared by all steps" } else { "" };
    line(
        &mut out,
        &format!(
            "{} ({}): width {}, {} heads, {} layers{shared}",
            model.name, model.arch, model.width, model.heads, model.depth
        ),
    );
    for note in notes {
        line(&mut out, &format!("note: {note}"));
    }
    out
}

/// `fetched 14.3 MB of 90.9 MB`.
fn fetched(transfer: Transfer) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    format!("fetched {:.1} MB of {:.1} MB", megabytes(transfer.fetched), megabytes(transfer.whole))
}

fn complex(re: f64, im: f64) -> String {
    if im == 0.0 {
        format!("{re:.4}")
    } else {
        format!("{re:.4} {} {:.4}i", if im < 0.0 { '-' } else { '+' }, im.abs())
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn line(out: &mut String, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}

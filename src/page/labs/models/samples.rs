//! Small reports for the lab's tests.

use crate::{
    report::{LayerReport, ModelSummary, REPORT_VERSION, Report},
    settings::Settings,
};

/// A step with these leading eigenvalues and alignments.
pub fn layer(eigenvalues: &[[f64; 2]], before: &[f64], after: &[f64]) -> LayerReport {
    let gains: Vec<f64> = before.iter().zip(after).map(|(before, after)| after - before).collect();
    let complex = eigenvalues.first().is_some_and(|leading| leading[1] != 0.0);
    LayerReport {
        matrix: 0,
        eigenvalues: eigenvalues.to_vec(),
        residual: 1e-12,
        converged: true,
        frame_dimension: if complex { 2 } else { 1 },
        gap_real: Some(0.5),
        gap_shifted_modulus: Some(0.5),
        align_before: before.to_vec(),
        align_after: after.to_vec(),
        signed_after: None,
        gamma: gains.iter().sum::<f64>() / gains.len() as f64,
        rho: Some(gains.iter().filter(|&&gain| gain > 0.0).count() as f64 / gains.len() as f64),
    }
}

/// A report of these steps.
pub fn report(shared: bool, layers: Vec<LayerReport>) -> Report {
    let tokens = layers.first().map_or(0, |layer| layer.align_before.len());
    let steps = layers.len();
    let arch = if shared { "albert" } else { "gpt2" }.to_owned();
    let line = |from: f64, to: f64| -> Vec<f64> {
        (0..=steps).map(|step| from + (to - from) * step as f64 / steps.max(1) as f64).collect()
    };
    Report {
        version: REPORT_VERSION,
        arch: arch.clone(),
        model: ModelSummary {
            name: "sample".to_owned(),
            arch,
            width: 8,
            heads: 2,
            depth: steps,
            vocabulary: 16,
            positions: 32,
            shared,
            causal: !shared,
        },
        settings: Settings { steps: Some(steps), ..Settings::default() },
        text: "sample".to_owned(),
        ids: (0..tokens).map(|token| token as u32 + 5).collect(),
        tokens: (0..tokens).map(|token| format!("\u{2581}t{token}")).collect(),
        token_texts: (0..tokens).map(|token| format!(" t{token}")).collect(),
        notes: Vec::new(),
        transfer: None,
        layers,
        mean_pairwise_cosine: line(0.1, 0.9),
        spread: line(0.9, 0.1),
        final_token0_first8: Vec::new(),
        final_last_first8: Vec::new(),
    }
}

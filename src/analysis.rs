//! Puts the parts together: a text on a model becomes a [`Report`]. The worker and the native command call this.

use std::collections::HashMap;

use candle_core::Tensor;

use crate::{
    dynamics::{DynamicsError, State},
    measures,
    models::{
        AttentionLayer, Model, ModelError,
        tokenizer::{Input, TextError, Tokens, tokens},
    },
    protocol::{Progress, Stage},
    report::{ForwardReport, LayerReport, REPORT_VERSION, Report},
    settings::{MAX_EIGENVALUES, MAX_STEPS, Order, Settings},
    spectrum::{LayerMatrix, LeadingPairs, leading_pairs},
    watch::{Cancelled, Watch},
};

/// Pairs that a gap can need: a complex pair and the next eigenvalue.
const GAP_PAIRS: usize = 3;

/// Bytes that one layer's attention weights (heads x n x n in f32) may take; a few such arrays live at a time.
const MAX_ATTENTION_BYTES: usize = 256 << 20;

/// The largest number of tokens whose attention stays within [`MAX_ATTENTION_BYTES`].
fn most_tokens(heads: usize) -> usize {
    (MAX_ATTENTION_BYTES / (4 * heads)).isqrt().max(1)
}

/// Why an analysis could not be finished.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum AnalysisError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    #[error("{steps} steps are asked for; this model takes between 1 and {most}.{advice}")]
    Steps { steps: usize, most: usize, advice: &'static str },
    #[error(
        "No eigenpair of layer {layer} could be computed: its weights are too large, take another checkpoint."
    )]
    NoSpectrum { layer: usize },
    #[error("{count} eigenvalues are asked for; between 1 and {MAX_EIGENVALUES} can be had.")]
    Eigenvalues { count: usize },
}

impl AnalysisError {
    /// True where the reader asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            Self::Model(ModelError::Cancelled(_))
                | Self::Dynamics(DynamicsError::Model(ModelError::Cancelled(_)))
        )
    }
}

impl From<candle_core::Error> for AnalysisError {
    fn from(error: candle_core::Error) -> Self {
        Self::Model(error.into())
    }
}

impl From<Cancelled> for AnalysisError {
    fn from(error: Cancelled) -> Self {
        Self::Model(error.into())
    }
}

impl From<TextError> for AnalysisError {
    fn from(error: TextError) -> Self {
        Self::Model(error.into())
    }
}

/// A model together with the spectra that were computed for it: they do not depend on the text.
#[derive(Debug)]
pub struct Session {
    model: Model,
    /// For each layer and order the pairs of the largest count that was asked for, with that count.
    spectra: HashMap<(usize, Order), (usize, LeadingPairs)>,
}

impl Session {
    /// Nothing is computed yet.
    #[must_use]
    pub fn new(model: Model) -> Self {
        Self { model, spectra: HashMap::new() }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Runs the attention-only dynamics on `input` and measures them (SPEC 1 to 3).
    ///
    /// # Errors
    /// [`AnalysisError`] for an input or a setting that cannot be run, or where the watcher says stop.
    pub async fn analyze(
        &mut self,
        input: &Input,
        settings: &Settings,
        watch: &impl Watch,
    ) -> Result<Report, AnalysisError> {
        let steps = self.check(settings)?;
        let tokens = self.tokens(input)?;
        let embedding = self.model.embed(&tokens.ids).await?;
        self.compute_spectra(steps, settings, watch).await?;

        let stack = self.model.stack();
        let mut state = State::start(&embedding, settings.radius.length(stack.width))?;
        let mut rows = state.rows()?;
        let mut layers = Vec::with_capacity(steps);
        let mut mean_pairwise_cosine = vec![measures::mean_pairwise_cosine(&rows)];
        let mut spread = vec![measures::spread(&rows)];
        for step in 0..steps {
            watch.report(Progress { stage: Stage::Trajectory, done: step as u64, of: steps as u64 }).await?;
            let layer = stack.layer_of_step(step);
            let next = state.step(stack, layer, settings.biases, step + 1)?;
            let next_rows = next.rows()?;
            if let Some((_, pairs)) = self.spectra.get(&(layer, settings.order)) {
                layers.push(layer_report(layer, pairs, settings.eigenvalues, &rows, &next_rows));
            }
            (state, rows) = (next, next_rows);
            mean_pairwise_cosine.push(measures::mean_pairwise_cosine(&rows));
            spread.push(measures::spread(&rows));
        }

        let first8 =
            |row: Option<&Vec<f64>>| row.map_or_else(Vec::new, |r| r.iter().take(8).copied().collect());
        let mut notes = tokens.notes;
        notes.extend(unconverged(&layers));
        notes.extend(self.model.source_notes());
        let model = self.model.summary();
        Ok(Report {
            version: REPORT_VERSION,
            arch: model.arch.clone(),
            model,
            settings: Settings { steps: Some(steps), ..*settings },
            text: match input {
                Input::Text(text) => text.clone(),
                Input::Ids(_) => String::new(),
            },
            ids: tokens.ids,
            tokens: tokens.pieces,
            token_texts: tokens.texts,
            notes,
            transfer: self.model.transfer(),
            layers,
            mean_pairwise_cosine,
            spread,
            final_token0_first8: first8(rows.first()),
            final_last_first8: first8(rows.last()),
        })
    }

    /// Runs the faithful forward pass on `input` (SPEC 1).
    ///
    /// # Errors
    /// [`AnalysisError`] for an input that cannot be run, a missing weight, or where the watcher says stop.
    pub async fn forward(&self, input: &Input, watch: &impl Watch) -> Result<ForwardReport, AnalysisError> {
        let tokens = self.tokens(input)?;
        let states = self.model.forward(&tokens.ids, watch).await?;
        let mut hidden_last_token_first8 = Vec::new();
        let mut mean_pairwise_cosine = Vec::new();
        for state in states {
            let rows: Vec<Vec<f64>> = state.to_dtype(candle_core::DType::F64)?.to_vec2()?;
            hidden_last_token_first8
                .push(rows.last().map_or_else(Vec::new, |row| row.iter().take(8).copied().collect()));
            mean_pairwise_cosine.push(measures::mean_pairwise_cosine(&rows));
        }
        let model = self.model.summary();
        Ok(ForwardReport {
            version: REPORT_VERSION,
            arch: model.arch.clone(),
            model,
            ids: tokens.ids,
            tokens: tokens.pieces,
            notes: tokens.notes,
            hidden_last_token_first8,
            mean_pairwise_cosine,
        })
    }

    fn tokens(&self, input: &Input) -> Result<Tokens, TextError> {
        let (model, shape) = (&self.model, self.model.shape());
        let place = model.summary().name;
        let room = shape.positions.min(most_tokens(shape.heads));
        let mut tokens = tokens(model.tokenizer(), &place, input, shape.vocabulary, room)?;
        if room < shape.positions && tokens.ids.len() == room {
            tokens.notes.push(format!(
                "{} heads over {room} tokens are as much attention as is computed at once; the model itself takes {}.",
                shape.heads, shape.positions
            ));
        }
        Ok(tokens)
    }

    /// The number of steps to take, where the settings can be run.
    fn check(&self, settings: &Settings) -> Result<usize, AnalysisError> {
        if !(1..=MAX_EIGENVALUES).contains(&settings.eigenvalues) {
            return Err(AnalysisError::Eigenvalues { count: settings.eigenvalues });
        }
        let stack = self.model.stack();
        let steps = settings.steps.unwrap_or(stack.depth);
        let shared = stack.shared;
        let most = if shared { MAX_STEPS } else { stack.depth };
        if !(1..=most).contains(&steps) {
            let advice = if shared || steps == 0 {
                ""
            } else {
                " Only a model that shares one layer, such as ALBERT, can be run past its own depth."
            };
            return Err(AnalysisError::Steps { steps, most, advice });
        }
        Ok(steps)
    }

    async fn compute_spectra(
        &mut self,
        steps: usize,
        settings: &Settings,
        watch: &impl Watch,
    ) -> Result<(), AnalysisError> {
        let stack = self.model.stack();
        let needed = if stack.shared { 1 } else { steps };
        for layer in 0..needed {
            let key = (layer, settings.order);
            // Gaps need the first eigenvalue that is not the leading one's conjugate, however few are shown.
            let count = settings.eigenvalues.max(GAP_PAIRS);
            if self.spectra.get(&key).is_some_and(|(known, _)| *known >= count) {
                continue;
            }
            watch
                .report(Progress { stage: Stage::Spectra, done: layer as u64 + 1, of: needed as u64 })
                .await?;
            let pairs = layer_spectrum(&stack.layers[layer], stack.width, count, settings.order)?;
            if pairs.pairs.is_empty() {
                return Err(AnalysisError::NoSpectrum { layer });
            }
            self.spectra.insert(key, (count, pairs));
        }
        Ok(())
    }
}

fn layer_spectrum(
    layer: &AttentionLayer,
    width: usize,
    count: usize,
    order: Order,
) -> Result<LeadingPairs, AnalysisError> {
    let flat = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<f32>();
    let (output, value) = (flat(&layer.output.weight)?, flat(&layer.value.weight)?);
    let matrix = LayerMatrix { output: &output, value: &value, width };
    Ok(leading_pairs(&matrix, count, order))
}

/// One plain sentence where an eigenpair was not found to the accuracy that SPEC 2 asks for.
fn unconverged(layers: &[LayerReport]) -> Option<String> {
    let worst = layers.iter().filter(|l| !l.converged).max_by(|a, b| a.residual.total_cmp(&b.residual))?;
    Some(format!(
        "The eigenpairs of layer {} did not converge: their largest residual is {:.1e} |F|, so this layer's frame and gaps are approximate.",
        worst.matrix, worst.residual
    ))
}

fn layer_report(
    matrix: usize,
    pairs: &LeadingPairs,
    shown: usize,
    before: &[Vec<f64>],
    after: &[Vec<f64>],
) -> LayerReport {
    let values = pairs.values();
    // A complex pair is never cut.
    let cut = shown > 0 && values.get(shown - 1).is_some_and(|value| value.im > 0.0);
    let shown = if cut { shown + 1 } else { shown };
    let has_second = values.len() > if values.first().is_some_and(|v| v.is_complex()) { 2 } else { 1 };
    let frame = pairs.principal_frame();
    let gaps = pairs.gaps();
    let align_before = measures::alignments(&frame.columns, before);
    let align_after = measures::alignments(&frame.columns, after);
    let signed_after = match frame.columns.as_slice() {
        [v] => Some(measures::signed_alignments(v, after)),
        _ => None,
    };
    LayerReport {
        matrix,
        eigenvalues: values.iter().take(shown).map(|value| [value.re, value.im]).collect(),
        residual: pairs.largest_residual,
        converged: pairs.converged,
        frame_dimension: frame.columns.len(),
        gap_real: has_second.then_some(gaps.real),
        gap_shifted_modulus: has_second.then_some(gaps.shifted_modulus),
        gamma: measures::gamma(&align_before, &align_after),
        rho: measures::rho(&align_before, &align_after),
        align_before,
        align_after,
        signed_after,
    }
}

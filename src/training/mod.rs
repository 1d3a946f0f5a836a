//! `eigentilt train`: trains a small ALBERT or GPT-2 and its tokenizer on a text, in Hugging Face's layout.
//!
//! A run is decided by its settings and its text. The batch of a step depends on the seed and the step alone, so
//! an interrupted run continues as if nothing had happened; the batch is cut in two halves whatever the number
//! of threads, so the result does not depend on it.

mod albert;
mod checkpoint;
mod corpus;
mod error;
mod examples;
mod gpt2;
pub mod kernels;
mod model;
mod optimizer;
mod parameters;
mod progress;
mod random;
mod settings;
mod step;
mod tokenizer;

use std::path::Path;

use serde_json::json;
use tokenizers::Tokenizer;

pub use checkpoint::{Logged, State};
pub use corpus::Corpus;
pub use error::TrainError;
pub use model::{Model, Pass};
pub use optimizer::{AdamW, Gradients, rate_at};
pub use parameters::Parameters;
pub use progress::Report;
pub use random::Random;
pub use settings::{Family, Settings, TrainArguments};
pub use step::{gradients, mean_loss};

/// Masks of the validation during a run; the final figure is the mean over several.
const VALIDATION_MASKS: u64 = 7;
const FINAL_MASKS: std::ops::Range<u64> = 7..10;

/// The model that the settings describe.
#[must_use]
pub fn model(settings: &Settings) -> Box<dyn Model> {
    match settings.family {
        Family::Albert => Box::new(albert::Albert::new(settings)),
        Family::Gpt2 => Box::new(gpt2::Gpt2::new(settings)),
    }
}

/// Trains, telling standard error how it goes.
#[allow(clippy::needless_pass_by_value, reason = "the command hands its arguments over")]
pub fn run(arguments: TrainArguments) -> Result<(), TrainError> {
    run_with(&arguments, &mut progress::to_standard_error).map(|_| ())
}

/// Trains; lines about progress go to `report`. Returns the state at the end.
pub fn run_with(arguments: &TrainArguments, report: Report<'_>) -> Result<State, TrainError> {
    let settings = Settings::new(arguments)?;
    let out = arguments.out.as_path();
    std::fs::create_dir_all(out).map_err(TrainError::write(out))?;
    let text = corpus::read(&arguments.corpus)?;
    let pieces = corpus::pieces(&text, settings.family);
    let tokenizer = tokenizer(arguments, &settings, &pieces, report)?;
    let corpus = Corpus::new(&arguments.corpus, &pieces, &tokenizer, &settings)?;
    drop((text, pieces));

    let model = model(&settings);
    let mut state =
        State { parameters: model.initial(settings.seed, settings.neighbours)?, ..State::default() };
    if checkpoint::load(&mut state, &settings, out)? {
        report(&format!("continuing after step {}", state.step));
    } else if let Some(start) = &arguments.start {
        checkpoint::import(&mut state.parameters, start)?;
    }
    let (training, held_out) = corpus.counts();
    let weights = state.parameters.count();
    report(&format!("{weights} weights, {training} tokens to train on, {held_out} held out"));
    let mut run = Run { arguments, settings: &settings, corpus: &corpus, model: &*model, kept: state.step };
    run.train(&mut state, report)?;
    if state.step == settings.steps {
        run.finish(&state, &tokenizer, report)?;
    }
    Ok(state)
}

/// The tokenizer of the folder, the given one, or a new one; written to the folder.
fn tokenizer(
    arguments: &TrainArguments,
    settings: &Settings,
    pieces: &[String],
    report: Report<'_>,
) -> Result<Tokenizer, TrainError> {
    let path = arguments.out.join("tokenizer.json");
    let refused = |error: tokenizers::Error| TrainError::Tokenizer(error.to_string());
    let continued = checkpoint::state_file(&arguments.out).exists() && path.exists();
    let given = if continued { Some(&path) } else { arguments.tokenizer.as_ref() };
    let tokenizer = if let Some(given) = given {
        Tokenizer::from_file(given).map_err(refused)?
    } else {
        report(&format!("training a tokenizer of {} pieces", settings.vocabulary));
        tokenizer::train(pieces, settings.family, settings.vocabulary)?
    };
    let found = tokenizer.get_vocab_size(true);
    if found != settings.vocabulary {
        return Err(TrainError::Vocabulary { asked: settings.vocabulary, found });
    }
    checkpoint::write(&path, tokenizer.to_string(true).map_err(refused)?.as_bytes())?;
    Ok(tokenizer)
}

struct Run<'a> {
    arguments: &'a TrainArguments,
    settings: &'a Settings,
    corpus: &'a Corpus,
    model: &'a dyn Model,
    /// The step of the last state that was written.
    kept: usize,
}

impl Run<'_> {
    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.arguments.threads.unwrap_or_else(cores)
    }

    fn out(&self) -> &Path {
        &self.arguments.out
    }

    fn validation_loss(
        &self,
        parameters: &Parameters,
        whole_words: bool,
        masks: u64,
        applications: usize,
    ) -> Result<f64, TrainError> {
        let mut passes = self.corpus.validation(self.settings, whole_words, masks);
        for pass in &mut passes {
            pass.applications = applications;
        }
        Ok(mean_loss(self.model, parameters, &passes, self.threads())?)
    }

    fn layer_matrix_norm(&self, parameters: &Parameters) -> Result<f64, TrainError> {
        let matrices = self.model.layer_matrices(parameters)?;
        let mut total = 0.0;
        for matrix in &matrices {
            total += f64::from(matrix.sqr()?.sum_all()?.to_scalar::<f32>()?).sqrt();
        }
        Ok(total / matrices.len() as f64)
    }

    /// Validates, logs, and writes the state from which the run can be continued.
    fn log(
        &mut self,
        state: &mut State,
        training_loss: Option<f64>,
        left: &str,
        report: Report<'_>,
    ) -> Result<(), TrainError> {
        // A layer that is still growing is judged as it was trained.
        let applications = self.settings.applications(state.step.saturating_sub(1));
        let logged = Logged {
            step: state.step,
            training_loss,
            validation_loss: self.validation_loss(&state.parameters, true, VALIDATION_MASKS, applications)?,
            applications,
            layer_matrix_norm: self.layer_matrix_norm(&state.parameters)?,
        };
        let training = training_loss.map_or("-".to_owned(), |loss| format!("{loss:.4}"));
        report(&format!(
            "step {}: training {training}, validation {:.4}, |F| {:.2}, {left}",
            logged.step, logged.validation_loss, logged.layer_matrix_norm
        ));
        state.history.push(logged);
        checkpoint::save(state, self.settings, self.out())?;
        self.kept = state.step;
        Ok(())
    }

    fn keep_checkpoint(&self, state: &State) -> Result<(), TrainError> {
        if self.arguments.checkpoints.contains(&state.step) {
            checkpoint::export(&state.parameters, &self.out().join(format!("step-{}", state.step)))?;
        }
        Ok(())
    }

    fn train(&mut self, state: &mut State, report: Report<'_>) -> Result<(), TrainError> {
        let settings = self.settings;
        let clock = progress::Clock::new(state.step);
        let seconds = state.seconds;
        let last = self.arguments.stop_at.unwrap_or(settings.steps).min(settings.steps);
        let (mut total, mut count) = (0.0, 0);
        if state.step == 0 {
            self.keep_checkpoint(state)?;
            self.log(state, None, "", report)?;
        }
        while state.step < last {
            let shards = self.corpus.batch(settings, state.step);
            let (loss, mut found) = gradients(self.model, &state.parameters, &shards, self.threads())?;
            let length = optimizer::clip(&mut found, settings.clip);
            if !loss.is_finite() || !length.is_finite() {
                let (step, kept, folder) = (state.step, self.kept, self.out().to_owned());
                return Err(TrainError::NotFinite { step, loss, kept, folder });
            }
            let rate = rate_at(state.step, settings.steps, settings.warm_up, settings.rate);
            state.optimizer.step(&mut state.parameters, &found, rate, settings.decay)?;
            state.step += 1;
            state.seconds = seconds + clock.seconds();
            (total, count) = (total + loss, count + 1);
            self.keep_checkpoint(state)?;
            if state.step.is_multiple_of(self.arguments.every.max(1)) || state.step == last {
                let left = clock.left(state.step, settings.steps);
                self.log(state, Some(total / f64::from(count)), &left, report)?;
                (total, count) = (0.0, 0);
            }
        }
        Ok(())
    }

    /// Writes the folder as Hugging Face lays it out, and training.json.
    fn finish(&self, state: &State, tokenizer: &Tokenizer, report: Report<'_>) -> Result<(), TrainError> {
        let out = self.out();
        checkpoint::export(&state.parameters, out)?;
        let text = |value: &serde_json::Value| format!("{value:#}\n");
        checkpoint::write(&out.join("config.json"), text(&self.model.config()).as_bytes())?;
        // The figures are those of the weights as written, in half precision.
        let mut written = state.parameters.detached();
        checkpoint::import(&mut written, &out.join("model.safetensors"))?;
        let albert = self.settings.family == Family::Albert;
        let mut whole = Vec::new();
        let mut single = Vec::new();
        for masks in if albert { FINAL_MASKS } else { 0..1 } {
            whole.push(self.validation_loss(&written, true, masks, self.settings.depth)?);
            if albert {
                single.push(self.validation_loss(&written, false, masks, self.settings.depth)?);
            }
        }
        let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
        let validation = if albert {
            json!({
                "whole_words_masked": mean(&whole), "single_tokens_masked": mean(&single), "masked_share": corpus::VALIDATION_MASK,
                "sets_of_masks": whole.len(),
            })
        } else {
            json!({"next_token": mean(&whole)})
        };
        report(&format!("validation of the written weights: {validation}"));
        let examples = examples::examples(self.model, &written, tokenizer, self.settings)?;
        let (training, held_out) = self.corpus.counts();
        let written = json!({
            "settings": self.settings,
            "started_from": self.arguments.start.is_some().then_some("weights given with --start"),
            "weights": state.parameters.count(),
            "training_tokens": training,
            "held_out_tokens": held_out,
            "validation_loss": validation,
            "note": "losses are in nats a token and depend on the vocabulary: compare them within one tokenizer",
            "checkpoints": self.arguments.checkpoints,
            "seconds": state.seconds.round(),
            "history": state.history,
            "examples": examples,
        });
        checkpoint::write(&out.join("training.json"), text(&written).as_bytes())
    }
}

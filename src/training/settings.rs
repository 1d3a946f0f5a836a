//! What the reader of the command chose, and what follows from it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::error::TrainError;

/// Which kind of model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// One shared layer, masked tokens.
    Albert,
    /// Layers of their own, next token.
    Gpt2,
}

/// `eigentilt train`: trains a small model and its tokenizer on a text.
#[derive(Debug, Clone, Args)]
pub struct TrainArguments {
    /// Which kind of model.
    pub family: Family,
    /// The training text (UTF-8).
    #[arg(long)]
    pub corpus: PathBuf,
    /// The folder that receives the model; a run already there is continued.
    #[arg(long)]
    pub out: PathBuf,
    /// Model width d.
    #[arg(long, default_value_t = 128)]
    pub width: usize,
    /// Attention heads.
    #[arg(long, default_value_t = 4)]
    pub heads: usize,
    /// Layers (GPT-2) or applications of the shared layer (ALBERT) [default: 8 or 12].
    #[arg(long)]
    pub depth: Option<usize>,
    /// Width of ALBERT's embeddings.
    #[arg(long, default_value_t = 64)]
    pub embedding: usize,
    /// Pieces in the tokenizer.
    #[arg(long, default_value_t = 2048)]
    pub vocabulary: usize,
    /// Rows of the position table.
    #[arg(long, default_value_t = 128)]
    pub positions: usize,
    /// Tokens in a training sequence [default: 64 for ALBERT, all positions for GPT-2].
    #[arg(long)]
    pub length: Option<usize>,
    /// Training steps.
    #[arg(long, default_value_t = 6000)]
    pub steps: usize,
    /// Peak learning rate.
    #[arg(long, default_value_t = 2e-3)]
    pub rate: f64,
    /// Steps of linear warm-up.
    #[arg(long, default_value_t = 200)]
    pub warm_up: usize,
    /// Weight decay.
    #[arg(long, default_value_t = 0.05)]
    pub decay: f64,
    /// Greatest length of the gradient.
    #[arg(long, default_value_t = 1.0)]
    pub clip: f64,
    /// Share of values dropped in training (GPT-2).
    #[arg(long, default_value_t = 0.05)]
    pub dropout: f64,
    /// Sequences in a step [default: 32 for ALBERT, 16 for GPT-2].
    #[arg(long)]
    pub batch: Option<usize>,
    /// Share of tokens masked in training (ALBERT); validation always masks 15 %.
    #[arg(long, default_value_t = 0.2)]
    pub mask: f64,
    /// Applications of ALBERT's layer while it grows, as step:count pairs [default: all from the start].
    #[arg(long, value_delimiter = ',', value_parser = growth_pair)]
    pub growth: Vec<(usize, usize)>,
    /// Begin ALBERT's attention without the preference for neighbouring tokens.
    #[arg(long)]
    pub plain_start: bool,
    /// Seed of the weights, the batches and the masks.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Steps whose weights are kept in `step-N/`.
    #[arg(long, value_delimiter = ',')]
    pub checkpoints: Vec<usize>,
    /// Tokens at the end of the text that are held out for validation.
    #[arg(long, default_value_t = 20_000)]
    pub held_out: usize,
    /// Steps between validations, and between the saves from which a run can be continued.
    #[arg(long, default_value_t = 250)]
    pub every: usize,
    /// Use this tokenizer.json instead of training one.
    #[arg(long)]
    pub tokenizer: Option<PathBuf>,
    /// Begin with the weights of this model.safetensors of the same shape.
    #[arg(long)]
    pub start: Option<PathBuf>,
    /// Stop after this many steps in this call (to be continued later).
    #[arg(long)]
    pub stop_at: Option<usize>,
    /// Threads [default: one a core]; the result does not depend on it.
    #[arg(long)]
    pub threads: Option<usize>,
}

/// Reads `step:count`.
fn growth_pair(text: &str) -> Result<(usize, usize), String> {
    let pair = text.split_once(':').and_then(|(step, count)| Some((step.parse().ok()?, count.parse().ok()?)));
    pair.ok_or_else(|| format!("`{text}` is not step:count, for instance 0:4"))
}

/// Everything that decides the result of a run; written to training.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are TrainArguments' with their defaults filled in")]
pub struct Settings {
    pub family: Family,
    pub width: usize,
    pub heads: usize,
    pub depth: usize,
    pub embedding: usize,
    pub vocabulary: usize,
    pub positions: usize,
    pub length: usize,
    pub steps: usize,
    pub rate: f64,
    pub warm_up: usize,
    pub decay: f64,
    pub clip: f64,
    pub dropout: f64,
    pub batch: usize,
    pub mask: f64,
    pub growth: Vec<(usize, usize)>,
    pub neighbours: bool,
    pub seed: u64,
    pub held_out: usize,
}

impl Settings {
    /// Fills in the defaults and refuses what cannot work.
    pub fn new(arguments: &TrainArguments) -> Result<Self, TrainError> {
        let albert = arguments.family == Family::Albert;
        let settings = Self {
            family: arguments.family,
            width: arguments.width,
            heads: arguments.heads,
            depth: arguments.depth.unwrap_or(if albert { 12 } else { 8 }),
            embedding: arguments.embedding,
            vocabulary: arguments.vocabulary,
            positions: arguments.positions,
            length: arguments.length.unwrap_or(arguments.positions.min(if albert { 64 } else { usize::MAX })),
            steps: arguments.steps,
            rate: arguments.rate,
            warm_up: arguments.warm_up.min(arguments.steps / 2),
            decay: arguments.decay,
            clip: arguments.clip,
            dropout: if albert { 0.0 } else { arguments.dropout },
            batch: arguments.batch.unwrap_or(if albert { 32 } else { 16 }),
            mask: arguments.mask,
            growth: arguments.growth.clone(),
            neighbours: albert && !arguments.plain_start,
            seed: arguments.seed,
            held_out: arguments.held_out,
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), TrainError> {
        let problem = |setting, problem: String| Err(TrainError::Setting { setting, problem });
        if self.heads == 0 || self.width == 0 || !self.width.is_multiple_of(self.heads) {
            let text = format!("{} heads do not divide the width {}", self.heads, self.width);
            return problem("--heads", format!("{text}; choose a number of heads that does"));
        }
        for (setting, value, least) in [
            ("--depth", self.depth, 1),
            ("--embedding", self.embedding, 1),
            ("--vocabulary", self.vocabulary, 32),
            ("--length", self.length, 8),
            ("--steps", self.steps, 1),
            ("--batch", self.batch, 1),
            ("--held-out", self.held_out, self.length + 1),
        ] {
            if value < least {
                return problem(setting, format!("{value} is too few; give at least {least}"));
            }
        }
        if self.length > self.positions {
            let text = format!("sequences of {} need as many positions", self.length);
            return problem(
                "--positions",
                format!("{text}, not {}; raise it or lower --length", self.positions),
            );
        }
        for (setting, value, from, to) in [
            ("--rate", self.rate, 0.0, 10.0),
            ("--decay", self.decay, -f64::EPSILON, 1.0),
            ("--clip", self.clip, 0.0, f64::MAX),
            ("--dropout", self.dropout, -f64::EPSILON, 0.9),
            ("--mask", self.mask, 0.01, 0.9),
        ] {
            if !(value > from && value <= to) {
                return problem(setting, format!("{value} is outside what works ({from} to {to})"));
            }
        }
        if self.growth.iter().any(|&(_, count)| count == 0) {
            return problem("--growth", "a layer is applied at least once; give counts from 1".to_owned());
        }
        Ok(())
    }

    /// How often a shared layer is applied at a step: the last pair that has begun.
    #[must_use]
    pub fn applications(&self, step: usize) -> usize {
        let begun = self.growth.iter().filter(|&&(from, _)| from <= step);
        begun.max_by_key(|&&(from, _)| from).map_or(self.depth, |&(_, count)| count)
    }
}

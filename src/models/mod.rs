//! One file a family: it reads names and layouts into one shape, [`AttentionStack`], and knows the faithful
//! forward pass. To add a family, write its file and name it in [`Family`] and in the matches below.

mod albert;
pub mod attention;
mod bert;
mod blocks;
mod gpt2;
mod gpt_neo;
mod gpt_neox;
mod plan;
mod shape;
pub mod tokenizer;

use candle_core::Tensor;

use self::tokenizer::{TextError, Tokenizer};
pub use self::{
    attention::{AttentionLayer, AttentionStack, Mask, Projection, Rotary},
    shape::{Family, Shape},
};
use crate::{
    checkpoint::{Checkpoint, CheckpointError, plan::Plan},
    protocol::{Progress, Stage},
    report::{ModelSummary, Transfer},
    source::Source,
    watch::{Cancelled, Watch},
};

/// Why a model could not be read or run.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file is missing or damaged. Boxed: it names shapes and is rare.
    #[error(transparent)]
    Checkpoint(Box<CheckpointError>),
    /// The text cannot be analysed.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The reader asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// An operation on tensors failed.
    #[error("The computation failed ({0}): the checkpoint may be damaged, take another one.")]
    Computation(#[from] candle_core::Error),
}

impl From<CheckpointError> for ModelError {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(Box::new(error))
    }
}

/// Memory that a model may need, in bytes: wasm ends at 4 GB, and the computation takes its part.
#[cfg(target_arch = "wasm32")]
pub const MEMORY_LIMIT: u64 = 3_000_000_000;
/// Memory that a model may need, in bytes: this machine's own business.
#[cfg(not(target_arch = "wasm32"))]
pub const MEMORY_LIMIT: u64 = u64::MAX;

/// A model that is ready to run: its attention is in memory, everything else is read when it is needed.
#[derive(Debug)]
pub struct Model {
    checkpoint: Checkpoint,
    shape: Shape,
    stack: AttentionStack,
    tokenizer: Option<Tokenizer>,
}

impl Model {
    /// Opens the folder `source` and reads the attention of all layers and the tokenizer. Progress counts
    /// layers' bytes.
    ///
    /// # Errors
    /// [`ModelError`] that names the file, tensor or setting at fault. A folder without tokenizer.json is
    /// accepted: it can be run on token ids.
    pub async fn open(source: Source, watch: &impl Watch) -> Result<Self, ModelError> {
        Self::open_within(source, MEMORY_LIMIT, watch).await
    }

    /// As [`Self::open`] for a model that may need `limit` bytes of memory.
    ///
    /// # Errors
    /// As [`Self::open`], and [`CheckpointError::Memory`] before any weight is loaded.
    pub async fn open_within(source: Source, limit: u64, watch: &impl Watch) -> Result<Self, ModelError> {
        let checkpoint = Checkpoint::open(source).await?;
        let shape = Shape::read(&checkpoint)?;
        plan::check_memory(&checkpoint, &shape, limit)?;
        let tokenizer = Tokenizer::read(checkpoint.source(), shape.vocabulary).await?;
        let plans: Vec<Plan> =
            (0..plan::layer_count(&shape)).map(|layer| plan::attention(&checkpoint, &shape, layer)).collect();
        let of = plans.iter().map(Plan::bytes).sum();
        let mut done = 0;
        let mut layers = Vec::new();
        for group in plan::groups(&checkpoint, &plans) {
            watch.report(Progress { stage: Stage::Loading, done, of }).await?;
            let mut together = Plan::default();
            plans[group.clone()].iter().for_each(|plan| together.append(plan));
            checkpoint.prefetch(&together).await?;
            for index in group {
                watch.report(Progress { stage: Stage::Loading, done, of }).await?;
                layers.push(match shape.family {
                    Family::Albert => albert::attention(&checkpoint, &shape).await?,
                    Family::Bert => bert::attention(&checkpoint, &shape, index).await?,
                    Family::Gpt2 => gpt2::attention(&checkpoint, &shape, index).await?,
                    Family::GptNeo => gpt_neo::attention(&checkpoint, &shape, index).await?,
                    Family::GptNeoX => gpt_neox::attention(&checkpoint, &shape, index).await?,
                });
                checkpoint.release(&plans[index]);
                done += plans[index].bytes();
            }
            checkpoint.release(&together);
        }
        let rotary = match shape.family {
            Family::GptNeoX => Some(gpt_neox::rotary(checkpoint.config(), &shape)?),
            _ => None,
        };
        let stack = AttentionStack {
            width: shape.width,
            heads: shape.heads,
            depth: shape.depth,
            layers,
            shared: shape.family == Family::Albert,
            rotary,
        };
        Ok(Self { checkpoint, shape, stack, tokenizer })
    }

    /// The attention of all layers.
    #[must_use]
    pub fn stack(&self) -> &AttentionStack {
        &self.stack
    }

    /// Sizes and switches.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The tokenizer, where the folder has one.
    #[must_use]
    pub fn tokenizer(&self) -> Option<&Tokenizer> {
        self.tokenizer.as_ref()
    }

    /// The shape for a report.
    #[must_use]
    pub fn summary(&self) -> ModelSummary {
        ModelSummary {
            name: self.checkpoint.source().name().to_owned(),
            arch: self.shape.family.name().to_owned(),
            width: self.shape.width,
            heads: self.shape.heads,
            depth: self.shape.depth,
            vocabulary: self.shape.vocabulary,
            positions: self.shape.positions,
            shared: self.stack.shared,
            causal: self.shape.causal,
        }
    }

    /// What came over the network of the weights; `None` where none has to.
    #[must_use]
    pub fn transfer(&self) -> Option<Transfer> {
        self.checkpoint.transfer()
    }

    /// Plain sentences on what went wrong with fetching without being an error.
    #[must_use]
    pub fn source_notes(&self) -> Vec<String> {
        self.checkpoint.source().notes()
    }

    /// The model's own embedding of `ids`: [n, d], before any scaling (SPEC 1, x(0)).
    ///
    /// # Errors
    /// [`ModelError`] where an embedding is missing or damaged, or an id is beyond the vocabulary.
    pub async fn embed(&self, ids: &[u32]) -> Result<Tensor, ModelError> {
        let rows: Vec<usize> = ids.iter().map(|&id| id as usize).collect();
        if rows.iter().any(|&row| row >= self.shape.vocabulary) || rows.len() > self.shape.positions {
            return Err(candle_core::Error::msg("a token lies outside the embedding").into());
        }
        let (checkpoint, shape) = (&self.checkpoint, &self.shape);
        let plan = plan::embedding(checkpoint, shape, &rows);
        checkpoint.prefetch(&plan).await?;
        let embedded = match shape.family {
            Family::Albert => albert::embed(checkpoint, shape, &rows).await,
            Family::Bert => bert::embed(checkpoint, shape, &rows).await,
            Family::Gpt2 | Family::GptNeo => gpt2::embed(checkpoint, shape, &rows).await,
            Family::GptNeoX => gpt_neox::embed(checkpoint, shape, &rows).await,
        };
        checkpoint.release(&plan);
        embedded
    }

    /// All hidden states of the faithful forward pass, each [n, d]: the embedding first, then one a layer, the
    /// last after the final `LayerNorm` where the family has one (SPEC 1). The feed-forward network of a layer
    /// is in memory only while it runs.
    ///
    /// # Errors
    /// [`ModelError`] where a weight is missing or damaged, or the watcher says stop.
    pub async fn forward(&self, ids: &[u32], watch: &impl Watch) -> Result<Vec<Tensor>, ModelError> {
        let (checkpoint, shape, stack) = (&self.checkpoint, &self.shape, &self.stack);
        let mut x = self.embed(ids).await?;
        let mut states = vec![x.clone()];
        if shape.family == Family::Albert {
            checkpoint.prefetch(&plan::shared_rest(checkpoint, shape)).await?;
        }
        for index in 0..shape.depth {
            let progress = Progress { stage: Stage::Trajectory, done: index as u64, of: shape.depth as u64 };
            watch.report(progress).await?;
            x = match shape.family {
                Family::Albert => albert::layer(checkpoint, shape, stack, &x).await?,
                Family::Bert => bert::layer(checkpoint, shape, stack, index, &x).await?,
                Family::Gpt2 => gpt2::layer(checkpoint, shape, stack, index, &x).await?,
                Family::GptNeo => gpt_neo::layer(checkpoint, shape, stack, index, &x).await?,
                Family::GptNeoX => gpt_neox::layer(checkpoint, shape, stack, index, &x).await?,
            };
            states.push(x.clone());
        }
        if shape.family == Family::Albert {
            checkpoint.release(&plan::shared_rest(checkpoint, shape));
        }
        if let Some(last) = states.last_mut() {
            *last = match shape.family {
                Family::Albert | Family::Bert => x,
                Family::Gpt2 | Family::GptNeo => gpt2::final_norm(checkpoint, shape, &x).await?,
                Family::GptNeoX => gpt_neox::final_norm(checkpoint, shape, &x).await?,
            };
        }
        Ok(states)
    }
}

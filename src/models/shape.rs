//! What config.json says about a model, in the words of SPEC.

use std::fmt;

use super::{albert, bert, blocks::Activation, gpt_neo, gpt_neox, gpt2};
use crate::checkpoint::{
    Checkpoint, CheckpointError,
    config::{Config, problem},
};

/// The families whose checkpoints are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// One shared layer, no mask.
    Albert,
    /// No mask.
    Bert,
    /// Causal, fused projections stored as [in, out].
    Gpt2,
    /// Causal, global and local layers in turn.
    GptNeo,
    /// Causal, rotary positions (Pythia).
    GptNeoX,
}

impl Family {
    /// As `model_type` in config.json has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Albert => "albert",
            Self::Bert => "bert",
            Self::Gpt2 => "gpt2",
            Self::GptNeo => "gpt_neo",
            Self::GptNeoX => "gpt_neox",
        }
    }

    fn of(config: &Config) -> Result<Self, CheckpointError> {
        let all = [Self::Albert, Self::Bert, Self::Gpt2, Self::GptNeo, Self::GptNeoX];
        let name =
            config.text("model_type").ok_or_else(|| problem("\"model_type\" is missing".to_owned()))?;
        all.into_iter().find(|family| family.name() == name).ok_or_else(|| {
            problem(format!(
                "its model_type is \"{name}\", and the families that are read are albert, bert, gpt2, gpt_neo and gpt_neox"
            ))
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Sizes and switches of a model.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Which family.
    pub family: Family,
    /// In front of every tensor's name: `bert.`, `transformer.`, or nothing.
    pub prefix: &'static str,
    /// d.
    pub width: usize,
    /// H.
    pub heads: usize,
    /// L.
    pub depth: usize,
    /// Rows of the word embedding.
    pub vocabulary: usize,
    /// Largest number of tokens.
    pub positions: usize,
    /// Width of the feed-forward network.
    pub inner: usize,
    /// Epsilon of every `LayerNorm`.
    pub epsilon: f64,
    /// True where a token sees only itself and the tokens before it.
    pub causal: bool,
    pub(super) activation: Activation,
}

/// The keys under which a family's config.json keeps what all families have.
pub(super) struct Keys {
    pub(super) width: &'static str,
    pub(super) heads: &'static str,
    pub(super) depth: &'static str,
    pub(super) positions: &'static str,
    pub(super) inner: &'static str,
    pub(super) epsilon: &'static str,
    pub(super) activation: &'static str,
    pub(super) default_epsilon: f64,
    pub(super) default_activation: &'static str,
}

impl Shape {
    /// Reads config.json and finds the tensors' prefix.
    ///
    /// # Errors
    /// [`CheckpointError::Config`] for an unknown family, a missing setting, or one that is not read.
    pub fn read(checkpoint: &Checkpoint) -> Result<Self, CheckpointError> {
        let config = checkpoint.config();
        let family = Family::of(config)?;
        let mut shape = match family {
            Family::Albert => albert::shape(config),
            Family::Bert => bert::shape(config),
            Family::Gpt2 => gpt2::shape(config),
            Family::GptNeo => gpt_neo::shape(config),
            Family::GptNeoX => gpt_neox::shape(config),
        }?;
        let (prefix, known) = match family {
            Family::Albert => ("albert.", "embeddings.word_embeddings.weight"),
            Family::Bert => ("bert.", "embeddings.word_embeddings.weight"),
            Family::Gpt2 | Family::GptNeo => ("transformer.", "wte.weight"),
            Family::GptNeoX => ("gpt_neox.", "embed_in.weight"),
        };
        shape.prefix = if checkpoint.has(known) { "" } else { prefix };
        Ok(shape)
    }

    /// The part of a shape that all families say under keys of their own.
    pub(super) fn common(family: Family, config: &Config, keys: &Keys) -> Result<Self, CheckpointError> {
        let width = config.count(keys.width)?;
        let heads = config.count(keys.heads)?;
        if !width.is_multiple_of(heads) {
            return Err(problem(format!("the width {width} is no multiple of the {heads} heads")));
        }
        let depth = config.count(keys.depth)?;
        if depth > 1_000 {
            return Err(problem(format!("{depth} layers are more than any known model has")));
        }
        Ok(Self {
            family,
            prefix: "",
            width,
            heads,
            depth,
            vocabulary: config.count("vocab_size")?,
            positions: config.count(keys.positions)?,
            inner: config.count_or(keys.inner, 4 * width)?,
            epsilon: config.number_or(keys.epsilon, keys.default_epsilon)?,
            causal: !matches!(family, Family::Albert | Family::Bert),
            activation: Activation::named(config.text(keys.activation).unwrap_or(keys.default_activation))?,
        })
    }

    /// A tensor's name with the prefix in front.
    pub(super) fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// 1/sqrt(d/H).
    pub(super) fn scale(&self) -> f64 {
        ((self.width / self.heads) as f64).sqrt().recip()
    }
}

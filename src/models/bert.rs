//! BERT: no mask, `LayerNorm` after each part of a layer. ALBERT shares most of this file.

use candle_core::Tensor;

use super::{
    ModelError,
    attention::{AttentionLayer, AttentionStack, Mask, Projection},
    blocks::{FeedForward, Norm, Storage, projection},
    shape::{Family, Keys, Shape},
};
use crate::checkpoint::{
    Checkpoint, CheckpointError,
    config::{Config, problem},
};

pub(super) const KEYS: Keys = Keys {
    width: "hidden_size",
    heads: "num_attention_heads",
    depth: "num_hidden_layers",
    positions: "max_position_embeddings",
    inner: "intermediate_size",
    epsilon: "layer_norm_eps",
    activation: "hidden_act",
    default_epsilon: 1e-12,
    default_activation: "gelu",
};

pub(super) fn shape(config: &Config) -> Result<Shape, CheckpointError> {
    absolute_positions(config)?;
    let causal = config.flag_or("is_decoder", false);
    Ok(Shape { causal, ..Shape::common(Family::Bert, config, &KEYS)? })
}

/// Refuses the relative positions that a few checkpoints use.
pub(super) fn absolute_positions(config: &Config) -> Result<(), CheckpointError> {
    match config.text("position_embedding_type") {
        None | Some("absolute") => Ok(()),
        Some(other) => Err(problem(format!(
            "its position_embedding_type is \"{other}\", and only absolute positions are read"
        ))),
    }
}

/// Names of the q, k, v and output projections.
pub(super) fn projections(shape: &Shape, layer: usize) -> [String; 4] {
    let name = shape.name(&format!("encoder.layer.{layer}.attention"));
    ["self.query", "self.key", "self.value", "output.dense"].map(|part| format!("{name}.{part}"))
}

pub(super) async fn attention(
    checkpoint: &Checkpoint,
    shape: &Shape,
    layer: usize,
) -> Result<AttentionLayer, ModelError> {
    let mask = if shape.causal { Mask::Causal } else { Mask::None };
    attention_named(checkpoint, shape, projections(shape, layer), mask).await
}

/// Reads q, k, v and output projections of the given names, each [d, d] with a bias.
pub(super) async fn attention_named(
    checkpoint: &Checkpoint,
    shape: &Shape,
    [query, key, value, output]: [String; 4],
    mask: Mask,
) -> Result<AttentionLayer, ModelError> {
    let size = [shape.width; 2];
    let read = async |name: String| projection(checkpoint, &name, Storage::OutIn, size, true).await;
    Ok(AttentionLayer {
        query: read(query).await?,
        key: read(key).await?,
        value: read(value).await?,
        output: read(output).await?,
        mask,
        scale: shape.scale(),
    })
}

pub(super) async fn embed(
    checkpoint: &Checkpoint,
    shape: &Shape,
    ids: &[usize],
) -> Result<Tensor, ModelError> {
    embed_with_width(checkpoint, shape, ids, shape.width).await
}

/// Word, position and first-segment embeddings of `width` entries, summed and normalised: [n, width].
pub(super) async fn embed_with_width(
    checkpoint: &Checkpoint,
    shape: &Shape,
    ids: &[usize],
    width: usize,
) -> Result<Tensor, ModelError> {
    let name = |part: &str| shape.name(&format!("embeddings.{part}"));
    let words = checkpoint.rows(&name("word_embeddings.weight"), [shape.vocabulary, width], ids).await?;
    let order: Vec<usize> = (0..ids.len()).collect();
    let positions =
        checkpoint.rows(&name("position_embeddings.weight"), [shape.positions, width], &order).await?;
    let segments = checkpoint.config().count_or("type_vocab_size", 2)?;
    let segment = checkpoint.rows(&name("token_type_embeddings.weight"), [segments, width], &[0]).await?;
    let norm = Norm::read(checkpoint, &name("LayerNorm"), width, shape.epsilon).await?;
    Ok(norm.apply(&(words + positions)?.broadcast_add(&segment)?)?)
}

/// The parts of a layer beside its attention.
pub(super) struct Rest {
    pub(super) after_attention: Norm,
    pub(super) feed_forward: FeedForward,
    pub(super) after_feed_forward: Norm,
}

impl Rest {
    /// Reads it from tensors of the given names.
    pub(super) async fn read(
        checkpoint: &Checkpoint,
        shape: &Shape,
        [after_attention, into, out, after_feed_forward]: [String; 4],
    ) -> Result<Self, ModelError> {
        let norm = async |name: &str| Norm::read(checkpoint, name, shape.width, shape.epsilon).await;
        let (wide, narrow) = ([shape.inner, shape.width], [shape.width, shape.inner]);
        let linear = async |name: &str, size| -> Result<Projection, ModelError> {
            projection(checkpoint, name, Storage::OutIn, size, true).await
        };
        Ok(Self {
            after_attention: norm(&after_attention).await?,
            feed_forward: FeedForward {
                into: linear(&into, wide).await?,
                out: linear(&out, narrow).await?,
                activation: shape.activation,
            },
            after_feed_forward: norm(&after_feed_forward).await?,
        })
    }

    /// One whole layer on the rows of `x`.
    pub(super) fn layer(
        &self,
        stack: &AttentionStack,
        attention: &AttentionLayer,
        x: &Tensor,
    ) -> candle_core::Result<Tensor> {
        let x = self.after_attention.apply(&(x + stack.attend(attention, x, true)?)?)?;
        self.after_feed_forward.apply(&(&x + self.feed_forward.apply(&x)?)?)
    }
}

pub(super) async fn layer(
    checkpoint: &Checkpoint,
    shape: &Shape,
    stack: &AttentionStack,
    index: usize,
    x: &Tensor,
) -> Result<Tensor, ModelError> {
    let name = shape.name(&format!("encoder.layer.{index}"));
    let parts = ["attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"];
    let rest = Rest::read(checkpoint, shape, parts.map(|part| format!("{name}.{part}"))).await?;
    Ok(rest.layer(stack, &stack.layers[index], x)?)
}

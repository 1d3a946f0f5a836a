//! GPT-2: causal, `LayerNorm` before each part of a layer, fused q|k|v, matrices stored as [in, out].

use candle_core::Tensor;

use super::{
    ModelError,
    attention::{AttentionLayer, AttentionStack, Mask, Projection},
    blocks::{FeedForward, Norm, Storage, projection},
    shape::{Family, Keys, Shape},
};
use crate::checkpoint::{Checkpoint, CheckpointError, config::Config};

const KEYS: Keys = Keys {
    width: "n_embd",
    heads: "n_head",
    depth: "n_layer",
    positions: "n_positions",
    inner: "n_inner",
    epsilon: "layer_norm_epsilon",
    activation: "activation_function",
    default_epsilon: 1e-5,
    default_activation: "gelu_new",
};

pub(super) fn shape(config: &Config) -> Result<Shape, CheckpointError> {
    Shape::common(Family::Gpt2, config, &KEYS)
}

/// Names of the fused q|k|v projection and of the output projection.
pub(super) fn projections(shape: &Shape, layer: usize) -> [String; 2] {
    ["c_attn", "c_proj"].map(|part| shape.name(&format!("h.{layer}.attn.{part}")))
}

pub(super) async fn attention(
    checkpoint: &Checkpoint,
    shape: &Shape,
    layer: usize,
) -> Result<AttentionLayer, ModelError> {
    let [fused_name, output] = projections(shape, layer);
    let d = shape.width;
    let fused = checkpoint.tensor(&format!("{fused_name}.weight"), &[d, 3 * d]).await?;
    let fused_bias = checkpoint.tensor(&format!("{fused_name}.bias"), &[3 * d]).await?;
    let third = |k: usize| -> candle_core::Result<Projection> {
        Ok(Projection {
            weight: fused.narrow(1, k * d, d)?.t()?.contiguous()?,
            bias: Some(fused_bias.narrow(0, k * d, d)?.copy()?),
        })
    };
    let config = checkpoint.config();
    let mut scale = if config.flag_or("scale_attn_weights", true) { shape.scale() } else { 1.0 };
    if config.flag_or("scale_attn_by_inverse_layer_idx", false) {
        scale /= (layer + 1) as f64;
    }
    Ok(AttentionLayer {
        query: third(0)?,
        key: third(1)?,
        value: third(2)?,
        output: projection(checkpoint, &output, Storage::InOut, [d, d], true).await?,
        mask: Mask::Causal,
        scale,
    })
}

/// Word and position embeddings, summed: [n, d]. GPT-Neo has the same.
pub(super) async fn embed(
    checkpoint: &Checkpoint,
    shape: &Shape,
    ids: &[usize],
) -> Result<Tensor, ModelError> {
    let order: Vec<usize> = (0..ids.len()).collect();
    let words = checkpoint.rows(&shape.name("wte.weight"), [shape.vocabulary, shape.width], ids).await?;
    let positions =
        checkpoint.rows(&shape.name("wpe.weight"), [shape.positions, shape.width], &order).await?;
    Ok((words + positions)?)
}

pub(super) async fn layer(
    checkpoint: &Checkpoint,
    shape: &Shape,
    stack: &AttentionStack,
    index: usize,
    x: &Tensor,
) -> Result<Tensor, ModelError> {
    layer_stored(checkpoint, shape, stack, index, x, Storage::InOut).await
}

/// One whole layer on the rows of `x`; GPT-Neo's differs in how matrices are stored.
pub(super) async fn layer_stored(
    checkpoint: &Checkpoint,
    shape: &Shape,
    stack: &AttentionStack,
    index: usize,
    x: &Tensor,
    storage: Storage,
) -> Result<Tensor, ModelError> {
    let name = |part: &str| shape.name(&format!("h.{index}.{part}"));
    let norm = async |part: &str| Norm::read(checkpoint, &name(part), shape.width, shape.epsilon).await;
    let (wide, narrow) = ([shape.inner, shape.width], [shape.width, shape.inner]);
    let feed_forward = FeedForward {
        into: projection(checkpoint, &name("mlp.c_fc"), storage, wide, true).await?,
        out: projection(checkpoint, &name("mlp.c_proj"), storage, narrow, true).await?,
        activation: shape.activation,
    };
    let x = (x + stack.attend(&stack.layers[index], &norm("ln_1").await?.apply(x)?, true)?)?;
    Ok((&x + feed_forward.apply(&norm("ln_2").await?.apply(&x)?)?)?)
}

pub(super) async fn final_norm(
    checkpoint: &Checkpoint,
    shape: &Shape,
    x: &Tensor,
) -> Result<Tensor, ModelError> {
    let norm = Norm::read(checkpoint, &shape.name("ln_f"), shape.width, shape.epsilon).await?;
    Ok(norm.apply(x)?)
}

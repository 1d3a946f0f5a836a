//! GPT-NeoX and Pythia: causal, rotary positions, attention and feed-forward network side by side.

use candle_core::Tensor;

use super::{
    ModelError,
    attention::{AttentionLayer, AttentionStack, Mask, Projection, Rotary},
    blocks::{FeedForward, Norm, Storage, projection},
    shape::{Family, Keys, Shape},
};
use crate::checkpoint::{
    Checkpoint, CheckpointError,
    config::{Config, problem},
};

const KEYS: Keys = Keys {
    width: "hidden_size",
    heads: "num_attention_heads",
    depth: "num_hidden_layers",
    positions: "max_position_embeddings",
    inner: "intermediate_size",
    epsilon: "layer_norm_eps",
    activation: "hidden_act",
    default_epsilon: 1e-5,
    default_activation: "gelu",
};

pub(super) fn shape(config: &Config) -> Result<Shape, CheckpointError> {
    let shape = Shape::common(Family::GptNeoX, config, &KEYS)?;
    rotary(config, &shape)?;
    Ok(shape)
}

/// Older files say `rotary_pct` and `rotary_emb_base`, newer ones have a section `rope_parameters`.
pub(super) fn rotary(config: &Config, shape: &Shape) -> Result<Rotary, CheckpointError> {
    let section = config.section("rope_parameters").unwrap_or_default();
    let kind = section.text("rope_type").unwrap_or("default");
    if kind != "default" || config.get("rope_scaling").is_some() {
        return Err(problem("its rotary positions are scaled, and only unscaled ones are read".to_owned()));
    }
    let fraction = section.number_or("partial_rotary_factor", config.number_or("rotary_pct", 0.25)?)?;
    let base = section.number_or("rope_theta", config.number_or("rotary_emb_base", 10_000.0)?)?;
    let size = shape.width / shape.heads;
    let dimensions = (fraction * size as f64) as usize;
    if !(0.0..=1.0).contains(&fraction) || !dimensions.is_multiple_of(2) || dimensions == 0 || base <= 0.0 {
        return Err(problem(format!(
            "its rotary positions take {fraction} of {size} dimensions with base {base}, which is no even number of dimensions"
        )));
    }
    Ok(Rotary { dimensions, base })
}

/// Names of the fused q|k|v projection and of the output projection.
pub(super) fn projections(shape: &Shape, layer: usize) -> [String; 2] {
    ["query_key_value", "dense"].map(|part| shape.name(&format!("layers.{layer}.attention.{part}")))
}

pub(super) async fn attention(
    checkpoint: &Checkpoint,
    shape: &Shape,
    layer: usize,
) -> Result<AttentionLayer, ModelError> {
    let [fused_name, output] = projections(shape, layer);
    let (d, heads) = (shape.width, shape.heads);
    let size = d / heads;
    let with_bias = checkpoint.config().flag_or("attention_bias", true);
    // Rows are ordered by (head, q/k/v, dimension).
    let fused = checkpoint
        .tensor(&format!("{fused_name}.weight"), &[3 * d, d])
        .await?
        .reshape((heads, 3, size, d))?;
    let fused_bias = if with_bias {
        let bias = checkpoint.tensor(&format!("{fused_name}.bias"), &[3 * d]).await?;
        Some(bias.reshape((heads, 3, size))?)
    } else {
        None
    };
    let part = |k: usize| -> candle_core::Result<Projection> {
        let bias = match &fused_bias {
            Some(bias) => Some(bias.narrow(1, k, 1)?.contiguous()?.reshape(d)?),
            None => None,
        };
        Ok(Projection { weight: fused.narrow(1, k, 1)?.contiguous()?.reshape((d, d))?, bias })
    };
    Ok(AttentionLayer {
        query: part(0)?,
        key: part(1)?,
        value: part(2)?,
        output: projection(checkpoint, &output, Storage::OutIn, [d, d], with_bias).await?,
        mask: Mask::Causal,
        scale: shape.scale(),
    })
}

pub(super) async fn embed(
    checkpoint: &Checkpoint,
    shape: &Shape,
    ids: &[usize],
) -> Result<Tensor, ModelError> {
    let name = shape.name("embed_in.weight");
    Ok(checkpoint.rows(&name, [shape.vocabulary, shape.width], ids).await?)
}

pub(super) async fn layer(
    checkpoint: &Checkpoint,
    shape: &Shape,
    stack: &AttentionStack,
    index: usize,
    x: &Tensor,
) -> Result<Tensor, ModelError> {
    let name = |part: &str| shape.name(&format!("layers.{index}.{part}"));
    let norm = async |part: &str| Norm::read(checkpoint, &name(part), shape.width, shape.epsilon).await;
    let (wide, narrow) = ([shape.inner, shape.width], [shape.width, shape.inner]);
    let feed_forward = FeedForward {
        into: projection(checkpoint, &name("mlp.dense_h_to_4h"), Storage::OutIn, wide, true).await?,
        out: projection(checkpoint, &name("mlp.dense_4h_to_h"), Storage::OutIn, narrow, true).await?,
        activation: shape.activation,
    };
    let attended = stack.attend(&stack.layers[index], &norm("input_layernorm").await?.apply(x)?, true)?;
    let second = norm("post_attention_layernorm").await?;
    let parallel = checkpoint.config().flag_or("use_parallel_residual", true);
    let after = (x + attended)?;
    let fed = feed_forward.apply(&second.apply(if parallel { x } else { &after })?)?;
    Ok((after + fed)?)
}

pub(super) async fn final_norm(
    checkpoint: &Checkpoint,
    shape: &Shape,
    x: &Tensor,
) -> Result<Tensor, ModelError> {
    let norm = Norm::read(checkpoint, &shape.name("final_layer_norm"), shape.width, shape.epsilon).await?;
    Ok(norm.apply(x)?)
}

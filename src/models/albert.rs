//! ALBERT: BERT's layer, one for all steps, behind a narrow embedding that is mapped to width d.

use candle_core::Tensor;

use super::{
    ModelError,
    attention::{AttentionLayer, AttentionStack, Mask},
    bert,
    blocks::{Storage, projection},
    shape::{Family, Shape},
};
use crate::checkpoint::{
    Checkpoint, CheckpointError,
    config::{Config, problem},
};

const LAYER: &str = "encoder.albert_layer_groups.0.albert_layers.0";

pub(super) fn shape(config: &Config) -> Result<Shape, CheckpointError> {
    bert::absolute_positions(config)?;
    for key in ["num_hidden_groups", "inner_group_num"] {
        let count = config.count_or(key, 1)?;
        if count != 1 {
            return Err(problem(format!(
                "\"{key}\" is {count}, and only an ALBERT whose single layer is shared by all steps is read"
            )));
        }
    }
    // The configuration class's own defaults are the xxlarge model's, so nothing is left to a default here.
    config.count("embedding_size")?;
    config.count("intermediate_size")?;
    if config.text("hidden_act").is_none() {
        return Err(problem("\"hidden_act\" is missing".to_owned()));
    }
    Shape::common(Family::Albert, config, &bert::KEYS)
}

/// Names of the q, k, v and output projections.
pub(super) fn projections(shape: &Shape) -> [String; 4] {
    ["query", "key", "value", "dense"].map(|part| shape.name(&format!("{LAYER}.attention.{part}")))
}

pub(super) async fn attention(checkpoint: &Checkpoint, shape: &Shape) -> Result<AttentionLayer, ModelError> {
    bert::attention_named(checkpoint, shape, projections(shape), Mask::None).await
}

/// Name of the map from the narrow embedding to width d.
pub(super) fn mapping(shape: &Shape) -> String {
    shape.name("encoder.embedding_hidden_mapping_in")
}

/// Names of the parts of the shared layer beside its attention.
pub(super) fn rest(shape: &Shape) -> [String; 4] {
    let parts = ["attention.LayerNorm", "ffn", "ffn_output", "full_layer_layer_norm"];
    parts.map(|part| shape.name(&format!("{LAYER}.{part}")))
}

pub(super) async fn embed(
    checkpoint: &Checkpoint,
    shape: &Shape,
    ids: &[usize],
) -> Result<Tensor, ModelError> {
    let width = checkpoint.config().count("embedding_size")?;
    let narrow = bert::embed_with_width(checkpoint, shape, ids, width).await?;
    let mapping = projection(checkpoint, &mapping(shape), Storage::OutIn, [shape.width, width], true).await?;
    Ok(mapping.apply(&narrow, true)?)
}

/// The shared layer once more on the rows of `x`. Its weights are converted anew each time: they are small.
pub(super) async fn layer(
    checkpoint: &Checkpoint,
    shape: &Shape,
    stack: &AttentionStack,
    x: &Tensor,
) -> Result<Tensor, ModelError> {
    let rest = bert::Rest::read(checkpoint, shape, rest(shape)).await?;
    Ok(rest.layer(stack, &stack.layers[0], x)?)
}

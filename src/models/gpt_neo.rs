//! GPT-Neo: GPT-2's layer with separate q, k, v without biases, no 1/sqrt(d/H), global and local masks in turn.

use candle_core::Tensor;
use serde_json::Value;

use super::{
    ModelError,
    attention::{AttentionLayer, AttentionStack, Mask},
    blocks::{Storage, projection},
    gpt2,
    shape::{Family, Keys, Shape},
};
use crate::checkpoint::{
    Checkpoint, CheckpointError,
    config::{Config, problem},
};

const KEYS: Keys = Keys {
    width: "hidden_size",
    heads: "num_heads",
    depth: "num_layers",
    positions: "max_position_embeddings",
    inner: "intermediate_size",
    epsilon: "layer_norm_epsilon",
    activation: "activation_function",
    default_epsilon: 1e-5,
    default_activation: "gelu_new",
};

pub(super) fn shape(config: &Config) -> Result<Shape, CheckpointError> {
    let shape = Shape::common(Family::GptNeo, config, &KEYS)?;
    masks(config, shape.depth)?;
    Ok(shape)
}

/// One mask a layer, from `attention_layers`, or else from `attention_types` ([[[kinds], repetitions], …]).
fn masks(config: &Config, depth: usize) -> Result<Vec<Mask>, CheckpointError> {
    let window = config.count_or("window_size", 256)?;
    let unreadable = |key: &str| problem(format!("\"{key}\" is not a list of \"global\" and \"local\""));
    let kinds: Vec<String> = if let Some(list) = config.get("attention_layers") {
        serde_json::from_value(list.clone()).map_err(|_| unreadable("attention_layers"))?
    } else {
        let types = config.get("attention_types").cloned().unwrap_or(Value::Array(Vec::new()));
        let types: Vec<(Vec<String>, usize)> =
            serde_json::from_value(types).map_err(|_| unreadable("attention_types"))?;
        types
            .into_iter()
            .flat_map(|(kinds, times)| std::iter::repeat_n(kinds, times.min(depth)).flatten())
            // One more than fits is enough to see that there are too many.
            .take(depth + 1)
            .collect()
    };
    if kinds.len() != depth {
        return Err(problem(format!(
            "its attention types do not name {depth} layers, which is what \"num_layers\" says"
        )));
    }
    kinds
        .iter()
        .map(|kind| match kind.as_str() {
            "global" => Ok(Mask::Causal),
            "local" => Ok(Mask::Window(window)),
            other => {
                Err(problem(format!("the attention type \"{other}\" is neither \"global\" nor \"local\"")))
            }
        })
        .collect()
}

/// Names of the q, k, v and output projections.
pub(super) fn projections(shape: &Shape, layer: usize) -> [String; 4] {
    let name = shape.name(&format!("h.{layer}.attn.attention"));
    ["q_proj", "k_proj", "v_proj", "out_proj"].map(|part| format!("{name}.{part}"))
}

pub(super) async fn attention(
    checkpoint: &Checkpoint,
    shape: &Shape,
    layer: usize,
) -> Result<AttentionLayer, ModelError> {
    let [query, key, value, output] = projections(shape, layer);
    let read = async |name: &str, bias: bool| {
        projection(checkpoint, name, Storage::OutIn, [shape.width; 2], bias).await
    };
    Ok(AttentionLayer {
        query: read(&query, false).await?,
        key: read(&key, false).await?,
        value: read(&value, false).await?,
        output: read(&output, true).await?,
        mask: masks(checkpoint.config(), shape.depth)?[layer],
        scale: 1.0,
    })
}

pub(super) async fn layer(
    checkpoint: &Checkpoint,
    shape: &Shape,
    stack: &AttentionStack,
    index: usize,
    x: &Tensor,
) -> Result<Tensor, ModelError> {
    gpt2::layer_stored(checkpoint, shape, stack, index, x, Storage::OutIn).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masks_of(json: &str) -> Result<Vec<Mask>, CheckpointError> {
        masks(&Config::parse(json.as_bytes())?, 4)
    }

    #[test]
    fn both_spellings_of_the_attention_types_are_read() {
        let expected = [Mask::Causal, Mask::Window(8), Mask::Causal, Mask::Window(8)];
        let types = r#"{"attention_types":[[["global","local"],2]],"window_size":8}"#;
        assert_eq!(masks_of(types).unwrap(), expected);
        let layers = r#"{"attention_layers":["global","local","global","local"],"window_size":8}"#;
        assert_eq!(masks_of(layers).unwrap(), expected);
        assert!(masks_of("{}").unwrap_err().to_string().contains("do not name 4 layers"));
        assert!(masks_of(r#"{"attention_types":3}"#).is_err());
        let huge = r#"{"attention_types":[[["global","local"],18446744073709551615]]}"#;
        assert!(masks_of(huge).is_err());
        let huge = r#"{"attention_types":[[["global"],18446744073709551615]]}"#;
        assert_eq!(masks_of(huge).unwrap(), [Mask::Causal; 4]);
    }
}

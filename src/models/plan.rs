//! Which tensors a question needs, so that their bytes can be fetched together and the need of memory is known
//! before anything is loaded.

use super::{Family, Shape, albert, bert, gpt_neo, gpt_neox, gpt2};
use crate::checkpoint::{Checkpoint, CheckpointError, plan::Plan};

/// Layers are fetched in groups of about so many bytes: enough for several requests at once, and little beside
/// the weights that are in memory already.
const GROUP_BYTES: u64 = 32 << 20;

/// Number of layers that have weights of their own.
pub(super) fn layer_count(shape: &Shape) -> usize {
    if shape.family == Family::Albert { 1 } else { shape.depth }
}

/// Names of the tensors of one layer's attention. Some may not be there: not every family has biases.
fn attention_tensors(shape: &Shape, layer: usize) -> Vec<String> {
    let names = match shape.family {
        Family::Albert => albert::projections(shape).to_vec(),
        Family::Bert => bert::projections(shape, layer).to_vec(),
        Family::Gpt2 => gpt2::projections(shape, layer).to_vec(),
        Family::GptNeo => gpt_neo::projections(shape, layer).to_vec(),
        Family::GptNeoX => gpt_neox::projections(shape, layer).to_vec(),
    };
    with_parts(names)
}

fn with_parts(names: Vec<String>) -> Vec<String> {
    let parts = ["weight", "bias", "gamma", "beta"];
    names.into_iter().flat_map(|name| parts.map(|part| format!("{name}.{part}"))).collect()
}

/// The bytes of one layer's attention.
pub(super) fn attention(checkpoint: &Checkpoint, shape: &Shape, layer: usize) -> Plan {
    let names = attention_tensors(shape, layer);
    checkpoint.plan(names.iter().map(String::as_str))
}

/// The layers in groups that are fetched together; a single one where the host sends whole files only.
pub(super) fn groups(checkpoint: &Checkpoint, plans: &[Plan]) -> Vec<std::ops::Range<usize>> {
    let limit = if checkpoint.takes_ranges() { GROUP_BYTES } else { u64::MAX };
    let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (layer, plan) in plans.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if bytes + plan.bytes() <= limit => group.end = layer + 1,
            _ => {
                bytes = 0;
                groups.push(layer..layer + 1);
            }
        }
        bytes += plan.bytes();
    }
    groups
}

/// The bytes of the embedding of the tokens `rows`: word rows, position rows and what normalises and maps them.
pub(super) fn embedding(checkpoint: &Checkpoint, shape: &Shape, rows: &[usize]) -> Plan {
    let name = |part: &str| shape.name(part);
    let (words, positions, others) = match shape.family {
        Family::Albert | Family::Bert => (
            name("embeddings.word_embeddings.weight"),
            Some(name("embeddings.position_embeddings.weight")),
            vec![
                name("embeddings.token_type_embeddings"),
                name("embeddings.LayerNorm"),
                albert::mapping(shape),
            ],
        ),
        Family::Gpt2 | Family::GptNeo => (name("wte.weight"), Some(name("wpe.weight")), Vec::new()),
        Family::GptNeoX => (name("embed_in.weight"), None, Vec::new()),
    };
    let others = with_parts(others);
    let mut plan = checkpoint.plan(others.iter().map(String::as_str));
    plan.append(&checkpoint.plan_rows(&words, rows.iter().copied()));
    if let Some(positions) = positions {
        plan.append(&checkpoint.plan_rows(&positions, 0..rows.len()));
    }
    plan
}

/// The bytes of what ALBERT's shared layer has beside its attention: it is read at every step.
pub(super) fn shared_rest(checkpoint: &Checkpoint, shape: &Shape) -> Plan {
    let names = with_parts(albert::rest(shape).to_vec());
    checkpoint.plan(names.iter().map(String::as_str))
}

/// Bytes of memory that the attention of all layers needs as f32: the weights, and the largest layer three
/// times more while it is fetched, converted and rearranged, or copied for its spectrum.
pub(super) fn memory(checkpoint: &Checkpoint, shape: &Shape) -> u64 {
    let layers = (0..layer_count(shape)).map(|layer| {
        let names = attention_tensors(shape, layer);
        4 * checkpoint.elements(names.iter().map(String::as_str))
    });
    let (sum, largest) = layers.fold((0u64, 0), |(sum, largest), bytes| (sum + bytes, bytes.max(largest)));
    sum + (3 * largest).max(GROUP_BYTES)
}

/// Refuses a model that needs more than `limit` bytes of memory.
pub(super) fn check_memory(
    checkpoint: &Checkpoint,
    shape: &Shape,
    limit: u64,
) -> Result<(), CheckpointError> {
    let need = memory(checkpoint, shape);
    if need > limit {
        return Err(CheckpointError::Memory { need: need / 1_000_000, limit: limit / 1_000_000 });
    }
    Ok(())
}

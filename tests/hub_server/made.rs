//! Checkpoints of any size that are made while they are sent: a header, and numbers that follow from their place.

use serde_json::{Map, Value, json};

use super::Contents;

/// A safetensors file of small F32 numbers.
pub struct Made {
    header: Vec<u8>,
    length: u64,
}

impl Made {
    /// Tensors in the order given.
    pub fn new(tensors: &[(String, Vec<usize>)]) -> Self {
        let mut entries = Map::new();
        let mut at = 0;
        for (name, shape) in tensors {
            let end = at + 4 * shape.iter().product::<usize>();
            let entry = json!({ "dtype": "F32", "shape": shape, "data_offsets": [at, end] });
            entries.insert(name.clone(), entry);
            at = end;
        }
        let mut json = serde_json::to_vec(&Value::Object(entries)).unwrap();
        json.resize(json.len().next_multiple_of(8), b' ');
        let header = [&(json.len() as u64).to_le_bytes(), json.as_slice()].concat();
        Self { length: (header.len() + at) as u64, header }
    }
}

impl Contents for Made {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, start: u64, bytes: &mut [u8]) {
        let header = self.header.len() as u64;
        for (at, byte) in (start..).zip(bytes) {
            *byte = if at < header {
                self.header[at as usize]
            } else {
                let (element, part) = ((at - header) / 4, (at - header) % 4);
                let mixed = element.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                let value = (mixed as f32 / (1u64 << 24) as f32 - 0.5) * 0.1;
                value.to_le_bytes()[part as usize]
            };
        }
    }
}

/// The tensors of GPT-2 small as its file on the hub has them, causal masks included: 548 MB.
pub fn gpt2_small() -> Vec<(String, Vec<usize>)> {
    let d = 768;
    let mut tensors = Vec::new();
    for layer in 0..12 {
        let mut add =
            |name: &str, shape: &[usize]| tensors.push((format!("h.{layer}.{name}"), shape.to_vec()));
        add("attn.bias", &[1, 1, 1024, 1024]);
        add("attn.c_attn.bias", &[3 * d]);
        add("attn.c_attn.weight", &[d, 3 * d]);
        add("attn.c_proj.bias", &[d]);
        add("attn.c_proj.weight", &[d, d]);
        for norm in ["ln_1", "ln_2"] {
            add(&format!("{norm}.bias"), &[d]);
            add(&format!("{norm}.weight"), &[d]);
        }
        add("mlp.c_fc.bias", &[4 * d]);
        add("mlp.c_fc.weight", &[d, 4 * d]);
        add("mlp.c_proj.bias", &[d]);
        add("mlp.c_proj.weight", &[4 * d, d]);
    }
    for (name, shape) in [
        ("ln_f.bias", vec![d]),
        ("ln_f.weight", vec![d]),
        ("wpe.weight", vec![1024, d]),
        ("wte.weight", vec![50_257, d]),
    ] {
        tensors.push((name.to_owned(), shape));
    }
    tensors
}

/// The tensors of ALBERT base: 47 MB.
pub fn albert_base() -> Vec<(String, Vec<usize>)> {
    let (d, narrow, inner) = (768, 128, 3_072);
    let layer = "albert.encoder.albert_layer_groups.0.albert_layers.0";
    let mut tensors = vec![
        ("albert.embeddings.LayerNorm.bias".to_owned(), vec![narrow]),
        ("albert.embeddings.LayerNorm.weight".to_owned(), vec![narrow]),
        ("albert.embeddings.position_embeddings.weight".to_owned(), vec![512, narrow]),
        ("albert.embeddings.token_type_embeddings.weight".to_owned(), vec![2, narrow]),
        ("albert.embeddings.word_embeddings.weight".to_owned(), vec![30_000, narrow]),
    ];
    let linears = [
        ("attention.dense", d, d),
        ("attention.key", d, d),
        ("attention.query", d, d),
        ("attention.value", d, d),
        ("ffn", inner, d),
        ("ffn_output", d, inner),
    ];
    for norm in ["attention.LayerNorm", "full_layer_layer_norm"] {
        for part in ["bias", "weight"] {
            tensors.push((format!("{layer}.{norm}.{part}"), vec![d]));
        }
    }
    for (name, out, input) in linears {
        tensors.push((format!("{layer}.{name}.bias"), vec![out]));
        tensors.push((format!("{layer}.{name}.weight"), vec![out, input]));
    }
    for (part, shape) in [("bias", vec![d]), ("weight", vec![d, narrow])] {
        tensors.push((format!("albert.encoder.embedding_hidden_mapping_in.{part}"), shape));
    }
    tensors.push(("albert.pooler.weight".to_owned(), vec![d, d]));
    tensors
}

//! GPT-2 in Hugging Face's names and layout (`GPT2LMHeadModel`, `Conv1D` weights [in, out], tied head).

use candle_core::{DType, Result, Tensor};
use serde_json::{Value, json};

use super::kernels::{attention, cross_entropy, dropout, gelu_new, layer_norm, linear, linear_in_out};
use super::model::{Model, Pass};
use super::parameters::Parameters;
use super::random::Random;
use super::settings::Settings;

const EPSILON: f64 = 1e-5;

/// Pre-LayerNorm layers with causal attention, each with weights of its own.
#[derive(Debug, Clone)]
pub struct Gpt2 {
    width: usize,
    heads: usize,
    vocabulary: usize,
    positions: usize,
    depth: usize,
    dropout: f64,
}

impl Gpt2 {
    /// The architecture that the settings describe.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            width: settings.width,
            heads: settings.heads,
            vocabulary: settings.vocabulary,
            positions: settings.positions,
            depth: settings.depth,
            dropout: settings.dropout,
        }
    }

    fn norm(parameters: &Parameters, name: &str, x: &Tensor) -> Result<Tensor> {
        let (scale, shift) = (format!("transformer.{name}.weight"), format!("transformer.{name}.bias"));
        layer_norm(x, parameters.get(&scale)?, parameters.get(&shift)?, EPSILON)
    }

    fn linear(parameters: &Parameters, name: &str, x: &Tensor) -> Result<Tensor> {
        let (weight, bias) = (format!("transformer.{name}.weight"), format!("transformer.{name}.bias"));
        linear_in_out(x, parameters.get(&weight)?, parameters.get(&bias)?)
    }
}

impl Model for Gpt2 {
    fn initial(&self, seed: u64, _neighbours: bool) -> Result<Parameters> {
        let mut random = Random::new(seed, u64::MAX);
        let mut parameters = Parameters::default();
        let width = self.width;
        let table = 0.02;
        parameters.normal(&mut random, "transformer.wte.weight", &[self.vocabulary, width], table)?;
        parameters.normal(&mut random, "transformer.wpe.weight", &[self.positions, width], table)?;
        let inner = 0.5 / (width as f64).sqrt();
        let onto_stream = inner / (2.0 * self.depth as f64).sqrt();
        for layer in 0..self.depth {
            for (part, inputs, outputs, deviation) in [
                ("attn.c_attn", width, 3 * width, inner),
                ("attn.c_proj", width, width, onto_stream),
                ("mlp.c_fc", width, 4 * width, inner),
                ("mlp.c_proj", 4 * width, width, onto_stream),
            ] {
                let name = format!("transformer.h.{layer}.{part}");
                parameters.normal(&mut random, &format!("{name}.weight"), &[inputs, outputs], deviation)?;
                parameters.constant(&format!("{name}.bias"), &[outputs], 0.0)?;
            }
        }
        let norms = (0..self.depth).flat_map(|layer| [format!("h.{layer}.ln_1"), format!("h.{layer}.ln_2")]);
        for name in norms.chain(["ln_f".to_owned()]) {
            parameters.constant(&format!("transformer.{name}.weight"), &[width], 1.0)?;
            parameters.constant(&format!("transformer.{name}.bias"), &[width], 0.0)?;
        }
        Ok(parameters)
    }

    fn logits(&self, parameters: &Parameters, pass: &Pass) -> Result<Tensor> {
        let words = parameters.get("transformer.wte.weight")?;
        let positions = parameters.get("transformer.wpe.weight")?;
        let mut x =
            (words.index_select(&pass.ids()?, 0)? + positions.index_select(&pass.positions()?, 0)?)?;
        let mut dropped = 0;
        let mut drop = |x: Tensor| match pass.dropout_seed {
            Some(seed) => {
                dropped += 1;
                dropout(&x, self.dropout, seed.wrapping_add(dropped))
            }
            None => Ok(x),
        };
        x = drop(x)?;
        for layer in 0..self.depth {
            let normal = Self::norm(parameters, &format!("h.{layer}.ln_1"), &x)?;
            let packed = Self::linear(parameters, &format!("h.{layer}.attn.c_attn"), &normal)?;
            let mixed = attention(&packed, self.heads, pass.length, true)?;
            x = (x + drop(Self::linear(parameters, &format!("h.{layer}.attn.c_proj"), &mixed)?)?)?;
            let normal = Self::norm(parameters, &format!("h.{layer}.ln_2"), &x)?;
            let inner = gelu_new(&Self::linear(parameters, &format!("h.{layer}.mlp.c_fc"), &normal)?)?;
            x = (x + drop(Self::linear(parameters, &format!("h.{layer}.mlp.c_proj"), &inner)?)?)?;
        }
        let x = Self::norm(parameters, "ln_f", &x)?;
        let x = if pass.rows.len() == pass.ids.len() { x } else { x.index_select(&pass.rows()?, 0)? };
        linear(&x, words, &Tensor::zeros(self.vocabulary, DType::F32, x.device())?)
    }

    fn loss(&self, parameters: &Parameters, pass: &Pass, share: f64) -> Result<Tensor> {
        cross_entropy(&self.logits(parameters, pass)?, pass.targets.clone(), share)
    }

    fn layer_matrices(&self, parameters: &Parameters) -> Result<Vec<Tensor>> {
        let matrix = |layer: usize| {
            let packed = parameters.get(&format!("transformer.h.{layer}.attn.c_attn.weight"))?;
            let values = packed.narrow(1, 2 * self.width, self.width)?.contiguous()?;
            let output = parameters.get(&format!("transformer.h.{layer}.attn.c_proj.weight"))?;
            values.matmul(output)?.t()?.contiguous()
        };
        (0..self.depth).map(matrix).collect()
    }

    fn config(&self) -> Value {
        json!({
            "activation_function": "gelu_new",
            "add_cross_attention": false,
            "architectures": ["GPT2LMHeadModel"],
            "attn_pdrop": 0.0,
            "bos_token_id": 0,
            "dtype": "float16",
            "embd_pdrop": self.dropout,
            "eos_token_id": 0,
            "initializer_range": 0.02,
            "layer_norm_epsilon": EPSILON,
            "model_type": "gpt2",
            "n_embd": self.width,
            "n_head": self.heads,
            "n_inner": null,
            "n_layer": self.depth,
            "n_positions": self.positions,
            "pad_token_id": null,
            "reorder_and_upcast_attn": false,
            "resid_pdrop": self.dropout,
            "scale_attn_by_inverse_layer_idx": false,
            "scale_attn_weights": true,
            "tie_word_embeddings": true,
            "use_cache": true,
            "vocab_size": self.vocabulary,
        })
    }
}

//! ALBERT with a masked-token head, in Hugging Face's names and layout (`AlbertForMaskedLM`).

use candle_core::{Result, Tensor};
use serde_json::{Value, json};

use super::kernels::{attention, cross_entropy, gelu_new, layer_norm, linear};
use super::model::{Model, Pass};
use super::parameters::Parameters;
use super::random::Random;
use super::settings::Settings;

const EPSILON: f64 = 1e-12;
const EMBEDDINGS: &str = "albert.embeddings";
const MAPPING: &str = "albert.encoder.embedding_hidden_mapping_in";
const LAYER: &str = "albert.encoder.albert_layer_groups.0.albert_layers.0";

/// Wavelengths with which the position table begins: half the pairs are short enough to tell neighbours apart.
const PAIRS: usize = 8;
const SLOWEST: f64 = 0.15;
const FASTEST: f64 = 2.8;
/// Which neighbour each head begins with (0: no preference); further heads begin without one.
const SHIFTS: [f64; 4] = [-1.0, 1.0, -2.0, 2.0];

/// One shared post-LayerNorm layer, applied several times.
#[derive(Debug, Clone)]
pub struct Albert {
    width: usize,
    heads: usize,
    embedding: usize,
    vocabulary: usize,
    positions: usize,
    depth: usize,
}

impl Albert {
    /// The architecture that the settings describe.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            width: settings.width,
            heads: settings.heads,
            embedding: settings.embedding,
            vocabulary: settings.vocabulary,
            positions: settings.positions,
            depth: settings.depth,
        }
    }

    /// Replaces the random beginnings of positions, queries and keys by ones with which a head looks at a neighbour.
    ///
    /// Position p begins as (sin w p, cos w p) for a few frequencies w, in coordinates of their own; the query of a
    /// head reads them turned by w times the head's shift, its key reads them as they are. Query i and key j then
    /// agree most where j = i + shift. Nothing holds the weights there: they are trained like the others.
    fn look_at_neighbours(&self, parameters: &mut Parameters, random: &mut Random) -> Result<()> {
        let (width, embedding, size) = (self.width, self.embedding, self.width / self.heads);
        let pairs = PAIRS.min(embedding / 4).min(size / 2);
        if pairs < 2 {
            return Ok(());
        }
        let ratio = (FASTEST / SLOWEST).powf(1.0 / (pairs - 1) as f64);
        let frequency = |pair: usize| SLOWEST * ratio.powf(pair as f64);
        let first = embedding - 2 * pairs;

        let name = format!("{EMBEDDINGS}.position_embeddings.weight");
        let amplitude = 0.1 * (embedding as f64 / pairs as f64).sqrt();
        let mut table = parameters.values(&name)?;
        for position in 0..self.positions {
            for pair in 0..pairs {
                let (sin, cos) = (frequency(pair) * position as f64).sin_cos();
                let at = position * embedding + first + 2 * pair;
                table[at] = (amplitude * sin) as f32;
                table[at + 1] = (amplitude * cos) as f32;
            }
        }
        parameters.set(&name, table, &[self.positions, embedding])?;

        let name = format!("{EMBEDDINGS}.word_embeddings.weight");
        let mut words = parameters.values(&name)?;
        for row in words.chunks_exact_mut(embedding) {
            row[first..].iter_mut().for_each(|value| *value *= 0.1);
        }
        parameters.set(&name, words, &[self.vocabulary, embedding])?;

        // Columns of the mapping at right angles, so that its transpose reads the positions back.
        let name = format!("{MAPPING}.weight");
        let columns = orthonormal(random, width, embedding);
        let gain = (width as f64 / embedding as f64).sqrt();
        let mapping = (0..width * embedding)
            .map(|at| (gain * columns[at % embedding][at / embedding]) as f32)
            .collect();
        parameters.set(&name, mapping, &[width, embedding])?;

        for (part, turned) in [("query", true), ("key", false)] {
            let name = format!("{LAYER}.attention.{part}.weight");
            let mut weight = parameters.values(&name)?;
            for (head, &shift) in SHIFTS.iter().enumerate().take(self.heads) {
                for pair in 0..pairs {
                    let angle = if turned { frequency(pair) * shift } else { 0.0 };
                    let (sin, cos) = angle.sin_cos();
                    let (s, c) = (&columns[first + 2 * pair], &columns[first + 2 * pair + 1]);
                    let row = (head * size + 2 * pair) * width;
                    for i in 0..width {
                        weight[row + i] += (0.7 * (cos * s[i] + sin * c[i])) as f32;
                        weight[row + width + i] += (0.7 * (cos * c[i] - sin * s[i])) as f32;
                    }
                }
            }
            parameters.set(&name, weight, &[width, width])?;
        }
        Ok(())
    }

    fn norm(parameters: &Parameters, name: &str, x: &Tensor) -> Result<Tensor> {
        let (scale, shift) = (format!("{name}.weight"), format!("{name}.bias"));
        layer_norm(x, parameters.get(&scale)?, parameters.get(&shift)?, EPSILON)
    }

    fn linear(parameters: &Parameters, name: &str, x: &Tensor) -> Result<Tensor> {
        let (weight, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        linear(x, parameters.get(&weight)?, parameters.get(&bias)?)
    }
}

/// `count` random vectors of `size` values, at right angles and of length 1 (Gram and Schmidt, twice over).
fn orthonormal(random: &mut Random, size: usize, count: usize) -> Vec<Vec<f64>> {
    let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(count);
    for _ in 0..count {
        let mut next: Vec<f64> = (0..size).map(|_| random.normal()).collect();
        // More vectors than dimensions cannot all be at right angles: the later ones stay random.
        for vector in vectors.iter().chain(vectors.iter()).filter(|_| count <= size) {
            let along: f64 = vector.iter().zip(&next).map(|(a, b)| a * b).sum();
            next.iter_mut().zip(vector).for_each(|(value, other)| *value -= along * other);
        }
        let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        vectors.push(next.into_iter().map(|value| value / length).collect());
    }
    vectors
}

impl Model for Albert {
    fn initial(&self, seed: u64, neighbours: bool) -> Result<Parameters> {
        let mut random = Random::new(seed, u64::MAX);
        let mut parameters = Parameters::default();
        let (width, embedding) = (self.width, self.embedding);
        let narrow = 1.0 / (width as f64).sqrt();
        let mut matrix = |name: String, shape: [usize; 2], deviation: f64| {
            parameters.normal(&mut random, &format!("{name}.weight"), &shape, deviation)
        };
        matrix(format!("{EMBEDDINGS}.word_embeddings"), [self.vocabulary, embedding], 0.1)?;
        let positions = if neighbours { 0.01 } else { 0.1 };
        matrix(format!("{EMBEDDINGS}.position_embeddings"), [self.positions, embedding], positions)?;
        matrix(format!("{EMBEDDINGS}.token_type_embeddings"), [2, embedding], 0.01)?;
        matrix(MAPPING.to_owned(), [width, embedding], 1.0 / (embedding as f64).sqrt())?;
        let sharpness = if neighbours { 0.3 } else { 1.0 };
        matrix(format!("{LAYER}.attention.query"), [width, width], narrow * sharpness)?;
        matrix(format!("{LAYER}.attention.key"), [width, width], narrow * sharpness)?;
        matrix(format!("{LAYER}.attention.value"), [width, width], narrow)?;
        matrix(format!("{LAYER}.attention.dense"), [width, width], narrow)?;
        matrix(format!("{LAYER}.ffn"), [4 * width, width], narrow)?;
        matrix(format!("{LAYER}.ffn_output"), [width, 4 * width], narrow * 0.5)?;
        matrix("predictions.dense".to_owned(), [embedding, width], narrow)?;
        for (name, size) in [(MAPPING.to_owned(), width), (format!("{LAYER}.ffn"), 4 * width)]
            .into_iter()
            .chain(
                ["query", "key", "value", "dense"].map(|part| (format!("{LAYER}.attention.{part}"), width)),
            )
            .chain([(format!("{LAYER}.ffn_output"), width), ("predictions.dense".to_owned(), embedding)])
        {
            parameters.constant(&format!("{name}.bias"), &[size], 0.0)?;
        }
        parameters.constant("predictions.bias", &[self.vocabulary], 0.0)?;
        for (name, size) in [
            (format!("{EMBEDDINGS}.LayerNorm"), embedding),
            (format!("{LAYER}.attention.LayerNorm"), width),
            (format!("{LAYER}.full_layer_layer_norm"), width),
            ("predictions.LayerNorm".to_owned(), embedding),
        ] {
            parameters.constant(&format!("{name}.weight"), &[size], 1.0)?;
            parameters.constant(&format!("{name}.bias"), &[size], 0.0)?;
        }
        if neighbours {
            self.look_at_neighbours(&mut parameters, &mut random)?;
        }
        Ok(parameters)
    }

    fn logits(&self, parameters: &Parameters, pass: &Pass) -> Result<Tensor> {
        let table = |name: &str| parameters.get(&format!("{EMBEDDINGS}.{name}.weight"));
        let words = table("word_embeddings")?;
        let kind = table("token_type_embeddings")?.narrow(0, 0, 1)?;
        let positions = table("position_embeddings")?.broadcast_add(&kind)?;
        let x = (words.index_select(&pass.ids()?, 0)? + positions.index_select(&pass.positions()?, 0)?)?;
        let x = Self::norm(parameters, &format!("{EMBEDDINGS}.LayerNorm"), &x)?;
        let mut x = Self::linear(parameters, MAPPING, &x)?;

        // One product for queries, keys and values; the weights are joined once for all applications.
        let joined = |kind: &str| -> Result<Tensor> {
            let part = |part: &str| parameters.get(&format!("{LAYER}.attention.{part}.{kind}"));
            Tensor::cat(&[part("query")?, part("key")?, part("value")?], 0)
        };
        let (weight, bias) = (joined("weight")?, joined("bias")?);
        for _ in 0..pass.applications {
            let mixed = attention(&linear(&x, &weight, &bias)?, self.heads, pass.length, false)?;
            let mixed = Self::linear(parameters, &format!("{LAYER}.attention.dense"), &mixed)?;
            let y = Self::norm(parameters, &format!("{LAYER}.attention.LayerNorm"), &(mixed + &x)?)?;
            let inner = gelu_new(&Self::linear(parameters, &format!("{LAYER}.ffn"), &y)?)?;
            let outer = Self::linear(parameters, &format!("{LAYER}.ffn_output"), &inner)?;
            x = Self::norm(parameters, &format!("{LAYER}.full_layer_layer_norm"), &(outer + y)?)?;
        }

        let x = x.index_select(&pass.rows()?, 0)?;
        let x = gelu_new(&Self::linear(parameters, "predictions.dense", &x)?)?;
        let x = Self::norm(parameters, "predictions.LayerNorm", &x)?;
        linear(&x, words, parameters.get("predictions.bias")?)
    }

    fn loss(&self, parameters: &Parameters, pass: &Pass, share: f64) -> Result<Tensor> {
        cross_entropy(&self.logits(parameters, pass)?, pass.targets.clone(), share)
    }

    fn layer_matrices(&self, parameters: &Parameters) -> Result<Vec<Tensor>> {
        let output = parameters.get(&format!("{LAYER}.attention.dense.weight"))?;
        Ok(vec![output.matmul(parameters.get(&format!("{LAYER}.attention.value.weight"))?)?])
    }

    fn config(&self) -> Value {
        json!({
            "architectures": ["AlbertForMaskedLM"],
            "attention_probs_dropout_prob": 0.0,
            "bos_token_id": 2,
            "classifier_dropout_prob": 0.1,
            "dtype": "float16",
            "embedding_size": self.embedding,
            "eos_token_id": 3,
            "hidden_act": "gelu_new",
            "hidden_dropout_prob": 0.0,
            "hidden_size": self.width,
            "initializer_range": 0.1,
            "inner_group_num": 1,
            "intermediate_size": 4 * self.width,
            "layer_norm_eps": EPSILON,
            "max_position_embeddings": self.positions,
            "model_type": "albert",
            "num_attention_heads": self.heads,
            "num_hidden_groups": 1,
            "num_hidden_layers": self.depth,
            "pad_token_id": 0,
            "tie_word_embeddings": true,
            "type_vocab_size": 2,
            "vocab_size": self.vocabulary,
        })
    }
}

//! What the two families have in common for the training loop.

use candle_core::{Device, Result, Tensor};
use serde_json::Value;

use super::parameters::Parameters;

/// Sequences of equal length to run through a model, and the places where it is asked for a token.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pass {
    /// Token ids, sequence after sequence.
    pub ids: Vec<u32>,
    /// Position of each token in the position table.
    pub positions: Vec<u32>,
    /// Tokens in each sequence.
    pub length: usize,
    /// Rows (indices into `ids`) at which the model predicts, ascending.
    pub rows: Vec<u32>,
    /// The right token at each of these rows.
    pub targets: Vec<u32>,
    /// How often a shared layer is applied.
    pub applications: usize,
    /// Where dropout takes its numbers from; none outside training.
    pub dropout_seed: Option<u64>,
}

impl Pass {
    /// Ids as a tensor [tokens].
    pub fn ids(&self) -> Result<Tensor> {
        Tensor::from_slice(&self.ids, self.ids.len(), &Device::Cpu)
    }

    /// Positions as a tensor [tokens].
    pub fn positions(&self) -> Result<Tensor> {
        Tensor::from_slice(&self.positions, self.positions.len(), &Device::Cpu)
    }

    /// Rows as a tensor [predictions].
    pub fn rows(&self) -> Result<Tensor> {
        Tensor::from_slice(&self.rows, self.rows.len(), &Device::Cpu)
    }
}

/// A model that can be trained.
pub trait Model: Sync {
    /// Weights to begin with; with `neighbours` attention begins by looking at neighbouring tokens.
    fn initial(&self, seed: u64, neighbours: bool) -> Result<Parameters>;

    /// Logits [predictions, vocabulary] at the rows of the pass.
    fn logits(&self, parameters: &Parameters, pass: &Pass) -> Result<Tensor>;

    /// `share` times the sum of the cross-entropies at the rows of the pass, in nats.
    fn loss(&self, parameters: &Parameters, pass: &Pass, share: f64) -> Result<Tensor>;

    /// F = O V of every layer, each [width, width] ([PM]).
    fn layer_matrices(&self, parameters: &Parameters) -> Result<Vec<Tensor>>;

    /// The contents of config.json.
    fn config(&self) -> Value;
}

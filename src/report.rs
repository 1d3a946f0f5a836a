//! What an analysis found, as the native command prints it and the page draws it.
//!
//! Field names are those of the reference values in `tests/fixtures/*/golden.json`.

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// Version of [`Report`]'s JSON form. It goes up whenever a field changes its meaning or disappears.
pub const REPORT_VERSION: u32 = 1;

/// The shape of the model that was analysed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSummary {
    /// What the reader calls it: a bundled model's name, a folder, a repository.
    pub name: String,
    /// `albert`, `bert`, `gpt2`, `gpt_neo` or `gpt_neox`, as config.json says it in `model_type`.
    pub arch: String,
    /// d.
    pub width: usize,
    /// H.
    pub heads: usize,
    /// L, the number of layers that the model applies.
    pub depth: usize,
    /// Number of rows of the word embedding.
    pub vocabulary: usize,
    /// Largest number of tokens that the model takes.
    pub positions: usize,
    /// True where one layer is applied at every step (ALBERT), so that the trajectory can be unrolled.
    pub shared: bool,
    /// True where a token sees only itself and the tokens before it.
    pub causal: bool,
}

/// How much of a checkpoint on a host had to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Bytes of the weights' files that came over the network, since the model was opened.
    pub fetched: u64,
    /// Length of these files in bytes.
    pub whole: u64,
}

/// One step of the dynamics, measured against the layer matrix F that it used (SPEC 2 and 3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerReport {
    /// Index of the layer whose F this step used: 0 at every step of a shared-weight model.
    pub matrix: usize,
    /// Leading eigenvalues of F in the chosen order, [re, im]; complex pairs are whole, im > 0 first.
    pub eigenvalues: Vec<[f64; 2]>,
    /// Largest residual |F v - lambda v| of the leading pairs, divided by |F| (Frobenius).
    pub residual: f64,
    /// False where the residual stayed above 1e-8.
    pub converged: bool,
    /// Number of columns of the principal frame: 1 for a real `lambda_1`, 2 for a complex pair.
    pub frame_dimension: usize,
    /// Re `lambda_1` - Re `lambda_2`; absent where F has no second eigenvalue.
    pub gap_real: Option<f64>,
    /// |`mu_1`| - |`mu_2`|; absent where F has no second eigenvalue.
    pub gap_shifted_modulus: Option<f64>,
    /// Alignment of each token before the step, in [0, 1].
    pub align_before: Vec<f64>,
    /// Alignment of each token after the step with the same frame, in [0, 1].
    pub align_after: Vec<f64>,
    /// `v_1` . x / |x| of each token after the step, with its sign; absent for a complex pair.
    pub signed_after: Option<Vec<f64>>,
    /// Mean over tokens of `align_after` - `align_before`.
    pub gamma: f64,
    /// Fraction of tokens with `align_after` > `align_before`, ties left out; absent where all are ties.
    pub rho: Option<f64>,
}

/// The attention-only analysis of one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`REPORT_VERSION`] at the time of writing.
    pub version: u32,
    /// Same as `model.arch`.
    pub arch: String,
    /// The model's shape.
    pub model: ModelSummary,
    /// How the analysis was run; `steps` holds the number of steps that were taken.
    pub settings: Settings,
    /// The text as given; empty where token ids were given.
    pub text: String,
    /// Token ids.
    pub ids: Vec<u32>,
    /// The vocabulary's own spelling of each token, such as `Ġking` or `▁king`.
    pub tokens: Vec<String>,
    /// What a reader sees for each token, such as ` king`; bytes of an incomplete character as `<E2>`.
    pub token_texts: Vec<String>,
    /// Plain sentences the reader should know: a text that was cut, a tokenizer that looks foreign.
    pub notes: Vec<String>,
    /// What was fetched; absent for a model of this machine's disk or of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Transfer>,
    /// One entry a step.
    pub layers: Vec<LayerReport>,
    /// Mean cosine over all pairs of tokens, for the start and after each step: steps + 1 values.
    pub mean_pairwise_cosine: Vec<f64>,
    /// |X - 1 xbar^T| / |X| (Frobenius), for the start and after each step: steps + 1 values.
    pub spread: Vec<f64>,
    /// First eight entries of the first token after the last step.
    pub final_token0_first8: Vec<f64>,
    /// First eight entries of the last token after the last step.
    pub final_last_first8: Vec<f64>,
}

/// Hidden states of the faithful forward pass (SPEC 1), in the reference library's convention: the embedding
/// first; for GPT-2, GPT-Neo and GPT-NeoX the last one is after the final `LayerNorm`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForwardReport {
    /// [`REPORT_VERSION`] at the time of writing.
    pub version: u32,
    /// Same as `model.arch`.
    pub arch: String,
    /// The model's shape.
    pub model: ModelSummary,
    /// Token ids.
    pub ids: Vec<u32>,
    /// The vocabulary's own spelling of each token.
    pub tokens: Vec<String>,
    /// Plain sentences the reader should know.
    pub notes: Vec<String>,
    /// First eight entries of the last token, one list a hidden state (depth + 1 of them).
    pub hidden_last_token_first8: Vec<Vec<f64>>,
    /// Mean cosine over all pairs of tokens, one value a hidden state.
    pub mean_pairwise_cosine: Vec<f64>,
}

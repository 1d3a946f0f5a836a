//! The parts that the families' forward passes are put together from.

use candle_core::{D, Tensor};

use super::{ModelError, attention::Projection};
use crate::checkpoint::{Checkpoint, CheckpointError, config::problem};

/// `LayerNorm` over the last axis.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    weight: Tensor,
    bias: Tensor,
    epsilon: f64,
}

impl Norm {
    /// Reads `name.weight` and `name.bias`, or their old names gamma and beta; both [width].
    pub(super) async fn read(
        checkpoint: &Checkpoint,
        name: &str,
        width: usize,
        epsilon: f64,
    ) -> Result<Self, CheckpointError> {
        let old = checkpoint.has(&format!("{name}.gamma"));
        let (weight, bias) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        Ok(Self {
            weight: checkpoint.tensor(&format!("{name}.{weight}"), &[width]).await?,
            bias: checkpoint.tensor(&format!("{name}.{bias}"), &[width]).await?,
            epsilon,
        })
    }

    /// Normalises the rows of `x`.
    pub(super) fn apply(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        let centred = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
        let normal = centred.broadcast_div(&(variance + self.epsilon)?.sqrt()?)?;
        normal.broadcast_mul(&self.weight)?.broadcast_add(&self.bias)
    }
}

/// How a checkpoint stores a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// [out, in], as a linear layer has it.
    OutIn,
    /// [in, out], as GPT-2's `Conv1D` has it.
    InOut,
}

/// Reads `name.weight`, and `name.bias` where `bias` says so, as a map from `input` to `output` entries.
pub(super) async fn projection(
    checkpoint: &Checkpoint,
    name: &str,
    storage: Storage,
    [output, input]: [usize; 2],
    bias: bool,
) -> Result<Projection, ModelError> {
    let weight = format!("{name}.weight");
    let weight = match storage {
        Storage::OutIn => checkpoint.tensor(&weight, &[output, input]).await?,
        Storage::InOut => checkpoint.tensor(&weight, &[input, output]).await?.t()?.contiguous()?,
    };
    let bias = if bias { Some(checkpoint.tensor(&format!("{name}.bias"), &[output]).await?) } else { None };
    Ok(Projection { weight, bias })
}

/// The feed-forward network of a layer.
#[derive(Clone, Debug)]
pub(super) struct FeedForward {
    pub(super) into: Projection,
    pub(super) out: Projection,
    pub(super) activation: Activation,
}

impl FeedForward {
    /// Applies it to the rows of `x`.
    pub(super) fn apply(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        self.out.apply(&self.activation.apply(&self.into.apply(x, true)?)?, true)
    }
}

/// The nonlinearity of the feed-forward network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    GeluTanh,
    Relu,
    Silu,
}

impl Activation {
    /// Finds it by the name that config.json gives.
    pub(super) fn named(name: &str) -> Result<Self, CheckpointError> {
        match name {
            "gelu" => Ok(Self::Gelu),
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Ok(Self::GeluTanh),
            "relu" => Ok(Self::Relu),
            "silu" | "swish" => Ok(Self::Silu),
            other => Err(problem(format!(
                "the activation \"{other}\" is none of gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, relu, silu"
            ))),
        }
    }

    fn apply(self, x: &Tensor) -> candle_core::Result<Tensor> {
        match self {
            Self::Gelu => x.gelu_erf(),
            Self::GeluTanh => x.gelu(),
            Self::Relu => x.relu(),
            Self::Silu => x.silu(),
        }
    }
}

//! The layer as a dynamical system (SPEC 1): one step, and the trajectory it makes.

use candle_core::{D, DType, Tensor};

use crate::models::{AttentionStack, ModelError};

/// The state of all tokens between two steps.
#[derive(Clone, Debug)]
pub struct State {
    /// [n, d], every row of length r.
    pub tokens: Tensor,
    radius: f64,
}

/// Why a trajectory ends before its last step.
#[derive(Debug, thiserror::Error)]
pub enum DynamicsError {
    /// A token cannot be scaled to length r.
    #[error(
        "After step {step} token {token} has length {length}, which cannot be scaled to the radius: its embedding is zero or the weights are too large, try another text or model."
    )]
    Length {
        /// 0 for the embedding.
        step: usize,
        /// Counted from 0.
        token: usize,
        /// 0, NaN or infinite.
        length: f64,
    },
    /// An operation on tensors failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl From<candle_core::Error> for DynamicsError {
    fn from(error: candle_core::Error) -> Self {
        Self::Model(error.into())
    }
}

impl State {
    /// x(0): every row of `embedding` ([n, d]) scaled to length `radius`.
    ///
    /// # Errors
    /// [`DynamicsError::Length`] where a row is zero or not finite.
    pub fn start(embedding: &Tensor, radius: f64) -> Result<Self, DynamicsError> {
        Self::scaled(embedding, radius, 0)
    }

    /// x(t+1) = r (x(t) + y) / |x(t) + y| with y from layer `layer` of `stack`; `step` is t + 1, for messages.
    ///
    /// # Errors
    /// [`DynamicsError::Length`] where a token vanishes or overflows.
    pub fn step(
        &self,
        stack: &AttentionStack,
        layer: usize,
        biases: bool,
        step: usize,
    ) -> Result<Self, DynamicsError> {
        let y = stack.attend(&stack.layers[layer], &self.tokens, biases)?;
        Self::scaled(&(&self.tokens + y)?, self.radius, step)
    }

    /// The rows as f64, for measures.
    ///
    /// # Errors
    /// Where the tensor cannot be read.
    pub fn rows(&self) -> Result<Vec<Vec<f64>>, DynamicsError> {
        Ok(self.tokens.to_dtype(DType::F64)?.to_vec2()?)
    }

    fn scaled(x: &Tensor, radius: f64, step: usize) -> Result<Self, DynamicsError> {
        let lengths = x.sqr()?.sum_keepdim(D::Minus1)?.sqrt()?;
        for (token, &length) in lengths.flatten_all()?.to_vec1::<f32>()?.iter().enumerate() {
            if !length.is_finite() || length == 0.0 {
                return Err(DynamicsError::Length { step, token, length: f64::from(length) });
            }
        }
        Ok(Self { tokens: (x.broadcast_div(&lengths)? * radius)?, radius })
    }
}

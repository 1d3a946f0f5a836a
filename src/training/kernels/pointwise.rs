//! Operations on each value: GELU and dropout.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::{exp, values, with_values};
use crate::training::random::Random;

struct Gelu;

/// GELU in the tanh form that Hugging Face calls `gelu_new`.
pub fn gelu_new(x: &Tensor) -> Result<Tensor> {
    x.apply_op1(Gelu)
}

/// The gate sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3), so that GELU is x times the gate; and d(2u)/dx.
#[inline]
fn gate(x: f32) -> (f32, f32) {
    const TWICE: f32 = 1.595_769;
    let square = x * x;
    let inner = TWICE * x * (1.0 + 0.044_715 * square);
    (1.0 / (1.0 + exp(-inner)), TWICE * (1.0 + 0.134_145 * square))
}

impl CustomOp1 for Gelu {
    fn name(&self) -> &'static str {
        "gelu_new"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let y = values(x, layout)?.iter().map(|&x| x * gate(x).0).collect();
        Ok((CpuStorage::F32(y), layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, _y: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let grad = grad.contiguous()?;
        let grad_x: Vec<f32> = with_values(x, |x| {
            with_values(&grad, |grad| {
                let derivative = |(&x, &grad): (&f32, &f32)| {
                    let (gate, slope) = gate(x);
                    grad * gate * (1.0 + x * (1.0 - gate) * slope)
                };
                Ok(x.iter().zip(grad).map(derivative).collect())
            })
        })?;
        Ok(Some(Tensor::from_vec(grad_x, x.shape(), x.device())?))
    }
}

struct Dropout {
    share: f32,
    seed: u64,
}

/// Sets a share of the values to 0 and scales the others up; the same values for the same seed.
pub fn dropout(x: &Tensor, share: f64, seed: u64) -> Result<Tensor> {
    if share <= 0.0 { Ok(x.clone()) } else { x.apply_op1(Dropout { share: share as f32, seed }) }
}

impl Dropout {
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut random = Random::new(self.seed, 0);
        let limit = (self.share * 65_536.0) as u64;
        let scale = 1.0 / (1.0 - self.share);
        let mut y = Vec::with_capacity(x.len());
        for four in x.chunks(4) {
            let mut bits = random.bits();
            for &x in four {
                y.push(if bits & 0xFFFF < limit { 0.0 } else { x * scale });
                bits >>= 16;
            }
        }
        y
    }
}

impl CustomOp1 for Dropout {
    fn name(&self) -> &'static str {
        "dropout"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        Ok((CpuStorage::F32(self.apply(values(x, layout)?)), layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, _y: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let grad = with_values(&grad.contiguous()?, |grad| Ok(self.apply(grad)))?;
        Ok(Some(Tensor::from_vec(grad, x.shape(), x.device())?))
    }
}

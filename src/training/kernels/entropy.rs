//! Cross-entropy of rows of logits, in nats.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::{exp, greatest_of, sum_of, values, with_values};

struct CrossEntropy {
    targets: Vec<u32>,
    share: f32,
}

/// share * sum over rows of -ln softmax(logits)[target], for logits [rows, vocabulary]. With share = 1 / (rows of
/// the whole batch) the shards' losses, and their gradients, add up to the batch's mean.
pub fn cross_entropy(logits: &Tensor, targets: Vec<u32>, share: f64) -> Result<Tensor> {
    logits.apply_op1(CrossEntropy { targets, share: share as f32 })
}

/// The row's greatest value and the sum of exp(value - greatest).
fn partition(row: &[f32]) -> (f32, f32) {
    let greatest = greatest_of(row);
    (greatest, sum_of(row, |value| exp(value - greatest)))
}

impl CustomOp1 for CrossEntropy {
    fn name(&self) -> &'static str {
        "cross-entropy"
    }

    fn cpu_fwd(&self, logits: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (rows, vocabulary) = layout.shape().dims2()?;
        if rows != self.targets.len() || self.targets.iter().any(|&target| target as usize >= vocabulary) {
            candle_core::bail!("cross-entropy: {} targets do not fit {rows} rows", self.targets.len());
        }
        let mut loss = 0.0_f64;
        for (row, &target) in values(logits, layout)?.chunks_exact(vocabulary).zip(&self.targets) {
            let (greatest, total) = partition(row);
            loss += f64::from(greatest - row[target as usize]) + f64::from(total).ln();
        }
        Ok((CpuStorage::F32(vec![(loss * f64::from(self.share)) as f32]), Shape::from(())))
    }

    fn bwd(&self, logits: &Tensor, _loss: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let (_, vocabulary) = logits.dims2()?;
        let factor = grad.to_scalar::<f32>()? * self.share;
        let grad_logits = with_values(logits, |logits| {
            let mut grad_logits = vec![0.0; logits.len()];
            let rows = logits.chunks_exact(vocabulary).zip(grad_logits.chunks_exact_mut(vocabulary));
            for ((row, grad_row), &target) in rows.zip(&self.targets) {
                let (greatest, total) = partition(row);
                let scale = factor / total;
                for (value, grad) in row.iter().zip(grad_row.iter_mut()) {
                    *grad = exp(value - greatest) * scale;
                }
                grad_row[target as usize] -= factor;
            }
            Ok(grad_logits)
        })?;
        Ok(Some(Tensor::from_vec(grad_logits, logits.shape(), logits.device())?))
    }
}

//! Layer normalisation of each row.

use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor};

use super::{dot, sum_of, values, with_values};

struct LayerNorm {
    epsilon: f32,
}

/// (x - mean) / sqrt(variance + epsilon) * scale + shift for each row of x [rows, width].
pub fn layer_norm(x: &Tensor, scale: &Tensor, shift: &Tensor, epsilon: f64) -> Result<Tensor> {
    x.apply_op3(scale, shift, LayerNorm { epsilon: epsilon as f32 })
}

impl LayerNorm {
    /// The row's mean and 1 / sqrt(variance + epsilon).
    fn moments(&self, row: &[f32]) -> (f32, f32) {
        let width = row.len() as f32;
        let mean = sum_of(row, |value| value) / width;
        let variance = sum_of(row, |value| (value - mean) * (value - mean)) / width;
        // The floor keeps a constant row (a masked or empty one) from dividing by zero in f32.
        (mean, 1.0 / (variance + self.epsilon).sqrt().max(1e-12))
    }
}

impl CustomOp3 for LayerNorm {
    fn name(&self) -> &'static str {
        "layer norm"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        scale: &CpuStorage,
        scale_layout: &Layout,
        shift: &CpuStorage,
        shift_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (_, width) = x_layout.shape().dims2()?;
        let (x, scale, shift) =
            (values(x, x_layout)?, values(scale, scale_layout)?, values(shift, shift_layout)?);
        let mut y = vec![0.0; x.len()];
        for (x, y) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
            let (mean, inverse) = self.moments(x);
            for i in 0..width {
                y[i] = (x[i] - mean) * inverse * scale[i] + shift[i];
            }
        }
        Ok((CpuStorage::F32(y), x_layout.shape().clone()))
    }

    fn bwd(
        &self,
        x: &Tensor,
        scale: &Tensor,
        _shift: &Tensor,
        _y: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let (rows, width) = x.dims2()?;
        let grad = grad.contiguous()?;
        let mut grad_x = vec![0.0; rows * width];
        let mut grad_scale = vec![0.0; width];
        let mut grad_shift = vec![0.0; width];
        let mut normal = vec![0.0; width];
        let mut inner = vec![0.0; width];
        with_values(x, |x| {
            with_values(scale, |scale| {
                with_values(&grad, |grad| {
                    let rows = x.chunks_exact(width).zip(grad.chunks_exact(width));
                    for ((x, grad), grad_x) in rows.zip(grad_x.chunks_exact_mut(width)) {
                        let (mean, inverse) = self.moments(x);
                        for i in 0..width {
                            normal[i] = (x[i] - mean) * inverse;
                            inner[i] = grad[i] * scale[i];
                            grad_scale[i] += grad[i] * normal[i];
                            grad_shift[i] += grad[i];
                        }
                        let mean_inner = sum_of(&inner, |value| value) / width as f32;
                        let mean_product = dot(&inner, &normal) / width as f32;
                        for i in 0..width {
                            grad_x[i] = inverse * (inner[i] - mean_inner - normal[i] * mean_product);
                        }
                    }
                    Ok(())
                })
            })
        })?;
        let device = x.device();
        Ok((
            Some(Tensor::from_vec(grad_x, (rows, width), device)?),
            Some(Tensor::from_vec(grad_scale, width, device)?),
            Some(Tensor::from_vec(grad_shift, width, device)?),
        ))
    }
}

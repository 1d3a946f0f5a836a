//! y = x W^T + b and its derivatives.

use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor};

use super::{add_product, column_sums, matrix, matrix_mut, product, values, with_values};

/// Whether the weight is stored [out, in] or, as in GPT-2's `Conv1D`, [in, out].
struct Linear {
    in_out: bool,
}

/// x [rows, in] W [out, in] b [out] to [rows, out].
pub fn linear(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.apply_op3(weight, bias, Linear { in_out: false })
}

/// x [rows, in] W [in, out] b [out] to [rows, out].
pub fn linear_in_out(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.apply_op3(weight, bias, Linear { in_out: true })
}

impl Linear {
    /// (inputs, outputs) of a weight of this shape.
    fn sizes(&self, (first, second): (usize, usize)) -> (usize, usize) {
        if self.in_out { (first, second) } else { (second, first) }
    }
}

impl CustomOp3 for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        weight: &CpuStorage,
        weight_layout: &Layout,
        bias: &CpuStorage,
        bias_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (rows, inputs) = x_layout.shape().dims2()?;
        let shape = weight_layout.shape().dims2()?;
        let (expected, outputs) = self.sizes(shape);
        let (x, weight, bias) =
            (values(x, x_layout)?, values(weight, weight_layout)?, values(bias, bias_layout)?);
        if inputs != expected || bias.len() != outputs {
            candle_core::bail!("linear: {inputs} values a row meet a weight for {expected}");
        }
        let weight = matrix(weight, shape.0, shape.1, shape.1)?;
        let weight = if self.in_out { weight } else { weight.reversed_axes() };
        let mut y = bias.repeat(rows);
        add_product(matrix_mut(&mut y, rows, outputs, outputs)?, &matrix(x, rows, inputs, inputs)?, &weight);
        Ok((CpuStorage::F32(y), (rows, outputs).into()))
    }

    fn bwd(
        &self,
        x: &Tensor,
        weight: &Tensor,
        _bias: &Tensor,
        _y: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let (rows, inputs) = x.dims2()?;
        let shape = weight.dims2()?;
        let outputs = self.sizes(shape).1;
        let grad = grad.contiguous()?;
        let mut grad_x = vec![0.0; rows * inputs];
        let mut grad_weight = vec![0.0; inputs * outputs];
        let grad_bias = with_values(&grad, |grad| {
            let grad_matrix = matrix(grad, rows, outputs, outputs)?;
            with_values(weight, |weight| {
                let weight = matrix(weight, shape.0, shape.1, shape.1)?;
                let weight = if self.in_out { weight.reversed_axes() } else { weight };
                product(matrix_mut(&mut grad_x, rows, inputs, inputs)?, &grad_matrix, &weight, 1.0);
                Ok(())
            })?;
            with_values(x, |x| {
                let x = matrix(x, rows, inputs, inputs)?;
                let target = matrix_mut(&mut grad_weight, shape.0, shape.1, shape.1)?;
                if self.in_out {
                    product(target, &x.reversed_axes(), &grad_matrix, 1.0);
                } else {
                    product(target, &grad_matrix.reversed_axes(), &x, 1.0);
                }
                Ok(())
            })?;
            Ok(column_sums(grad, outputs))
        })?;
        let device = x.device();
        Ok((
            Some(Tensor::from_vec(grad_x, (rows, inputs), device)?),
            Some(Tensor::from_vec(grad_weight, shape, device)?),
            Some(Tensor::from_vec(grad_bias, outputs, device)?),
        ))
    }
}

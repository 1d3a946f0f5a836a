//! Multi-head attention on packed queries, keys and values.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::{dot, exp, greatest_of, matrix, matrix_mut, product, sum_of, values, with_values};

#[derive(Clone, Copy)]
struct Attention {
    heads: usize,
    length: usize,
    causal: bool,
}

/// Attention of sequences of `length` tokens: packed [sequences * length, 3 * width] with q | k | v in each row,
/// heads side by side in each, to [sequences * length, width]. Scores are scaled by 1/sqrt(width / heads).
pub fn attention(packed: &Tensor, heads: usize, length: usize, causal: bool) -> Result<Tensor> {
    packed.apply_op1(Attention { heads, length, causal })
}

impl Attention {
    /// Width of the model for packed rows, once the shape is known to fit.
    fn width(self, (rows, columns): (usize, usize)) -> Result<usize> {
        if !rows.is_multiple_of(self.length) || !columns.is_multiple_of(3 * self.heads) {
            candle_core::bail!("attention: {rows} x {columns} does not hold sequences of {}", self.length);
        }
        Ok(columns / 3)
    }

    /// Attention weights [length, length] of one head; `packed` starts at the head's first query.
    fn weights(self, packed: &[f32], width: usize, weights: &mut [f32]) -> Result<()> {
        let (size, length) = (width / self.heads, self.length);
        let queries = matrix(packed, length, size, 3 * width)?;
        let keys = matrix(&packed[width..], length, size, 3 * width)?;
        let scale = 1.0 / (size as f32).sqrt();
        product(matrix_mut(weights, length, length, length)?, &queries, &keys.reversed_axes(), scale);
        for (i, row) in weights.chunks_exact_mut(length).enumerate() {
            let (seen, hidden) = row.split_at_mut(if self.causal { i + 1 } else { length });
            let greatest = greatest_of(seen);
            for value in seen.iter_mut() {
                *value = exp(*value - greatest);
            }
            let inverse = 1.0 / sum_of(seen, |value| value);
            for value in seen.iter_mut() {
                *value *= inverse;
            }
            hidden.fill(0.0);
        }
        Ok(())
    }
}

/// The slice from `from` to the end of the last row's part: what a strided matrix of `length` rows spans.
fn span(from: usize, length: usize, stride: usize, size: usize) -> std::ops::Range<usize> {
    from..from + (length - 1) * stride + size
}

impl CustomOp1 for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn cpu_fwd(&self, packed: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (rows, columns) = layout.shape().dims2()?;
        let width = self.width((rows, columns))?;
        let (size, length) = (width / self.heads, self.length);
        let packed = values(packed, layout)?;
        let mut weights = vec![0.0; length * length];
        let mut output = vec![0.0; rows * width];
        for sequence in 0..rows / length {
            for head in 0..self.heads {
                let packed = &packed[sequence * length * columns + head * size..];
                self.weights(packed, width, &mut weights)?;
                let target = &mut output[span(sequence * length * width + head * size, length, width, size)];
                product(
                    matrix_mut(target, length, size, width)?,
                    &matrix(&weights, length, length, length)?,
                    &matrix(&packed[2 * width..], length, size, columns)?,
                    1.0,
                );
            }
        }
        Ok((CpuStorage::F32(output), (rows, width).into()))
    }

    /// The weights are computed again: that costs less than keeping them for every layer.
    fn bwd(&self, packed: &Tensor, _output: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let (rows, columns) = packed.dims2()?;
        let width = self.width((rows, columns))?;
        let (size, length) = (width / self.heads, self.length);
        let scale = 1.0 / (size as f32).sqrt();
        let grad = grad.contiguous()?;
        let mut weights = vec![0.0; length * length];
        let mut grad_weights = vec![0.0; length * length];
        let mut grad_packed = vec![0.0; rows * columns];
        with_values(packed, |packed| {
            with_values(&grad, |grad| {
                for sequence in 0..rows / length {
                    for head in 0..self.heads {
                        let start = sequence * length * columns + head * size;
                        let packed = &packed[start..];
                        self.weights(packed, width, &mut weights)?;
                        let at = span(sequence * length * width + head * size, length, width, size);
                        let grad = matrix(&grad[at], length, size, width)?;
                        let part = |index: usize| matrix(&packed[index * width..], length, size, columns);
                        product(
                            matrix_mut(&mut grad_weights, length, length, length)?,
                            &grad,
                            &part(2)?.reversed_axes(),
                            1.0,
                        );
                        let mut target = |index: usize, left: &[f32], transposed: bool, right: &_, factor| {
                            let to = span(start + index * width, length, columns, size);
                            let left = matrix(left, length, length, length)?;
                            let left = if transposed { left.reversed_axes() } else { left };
                            product(
                                matrix_mut(&mut grad_packed[to], length, size, columns)?,
                                &left,
                                right,
                                factor,
                            );
                            Ok::<(), candle_core::Error>(())
                        };
                        target(2, &weights, true, &grad, 1.0)?;
                        softmax_backward(&weights, &mut grad_weights, length);
                        target(0, &grad_weights, false, &part(1)?, scale)?;
                        target(1, &grad_weights, true, &part(0)?, scale)?;
                    }
                }
                Ok(())
            })
        })?;
        Ok(Some(Tensor::from_vec(grad_packed, (rows, columns), packed.device())?))
    }
}

/// Turns the gradient of softmax rows into that of the scores, in place.
fn softmax_backward(weights: &[f32], grad: &mut [f32], length: usize) {
    for (weights, grad) in weights.chunks_exact(length).zip(grad.chunks_exact_mut(length)) {
        let total = dot(weights, grad);
        for (weight, grad) in weights.iter().zip(grad.iter_mut()) {
            *grad = weight * (*grad - total);
        }
    }
}

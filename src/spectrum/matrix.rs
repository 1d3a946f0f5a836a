use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::SpectrumError;
use super::kernels::{Pair, PairMut, product, product_pair};

/// A layer matrix F = O V (d x d), borrowed as its two factors and never formed unless [`LayerMatrix::dense`] is
/// called. Both factors are row-major, y = W x (`[PM]`: heads are blocks of rows of V and of columns of O).
#[derive(Clone, Copy, Debug)]
pub struct LayerMatrix<'a> {
    /// O, d x d row-major.
    pub output: &'a [f32],
    /// V, d x d row-major.
    pub value: &'a [f32],
    /// d.
    pub width: usize,
}

impl<'a> LayerMatrix<'a> {
    /// Borrows the factors.
    ///
    /// # Errors
    /// [`SpectrumError::Shape`] when a factor does not have `width` x `width` entries.
    pub fn new(output: &'a [f32], value: &'a [f32], width: usize) -> Result<Self, SpectrumError> {
        let entries = width.checked_mul(width);
        for (matrix, weights) in [("output", output), ("value", value)] {
            if entries != Some(weights.len()) {
                return Err(SpectrumError::Shape { matrix, found: weights.len(), width });
            }
        }
        Ok(Self { output, value, width })
    }

    /// y = F x = O (V x); `scratch` holds V x. All three have d entries.
    pub fn apply(&self, x: &[f64], y: &mut [f64], scratch: &mut [f64]) {
        product(self.value, x, scratch);
        product(self.output, scratch, y);
    }

    /// Both products in one pass over the weights, which takes little longer than one product.
    pub(super) fn apply_pair(&self, x: Pair<'_>, y: PairMut<'_>, scratch: &mut [Vec<f64>; 2]) {
        let [s_0, s_1] = scratch;
        product_pair(self.value, x, [s_0, s_1]);
        product_pair(self.output, [s_0, s_1], y);
    }

    /// trace F = sum over i, j of `O_ij` `V_ji`, which is the sum of all eigenvalues.
    #[must_use]
    pub fn trace(&self) -> f64 {
        // Tiles keep the walk down V's columns within a few cache lines.
        const TILE: usize = 32;
        let d = self.width;
        let mut sum = 0.0;
        for top in (0..d).step_by(TILE) {
            for left in (0..d).step_by(TILE) {
                for i in top..d.min(top + TILE) {
                    for j in left..d.min(left + TILE) {
                        sum += f64::from(self.output[i * d + j]) * f64::from(self.value[j * d + i]);
                    }
                }
            }
        }
        sum
    }

    /// |F|, the Frobenius norm, exact to rounding. It costs as much as forming F (2 d^3 operations, there is no exact
    /// way below that), but holds only a few rows of it at a time.
    #[must_use]
    pub fn frobenius_norm(&self) -> f64 {
        const ROWS: usize = 64;
        let value = widened(self.value, self.width);
        let mut panel = Mat::<f64>::zeros(ROWS, self.width);
        let mut squares = 0.0;
        for rows in self.output.chunks(ROWS * self.width.max(1)) {
            let rows = widened(rows, self.width);
            let mut product = panel.as_mut().subrows_mut(0, rows.nrows());
            matmul(product.as_mut(), Accum::Replace, rows.as_ref(), value.as_ref(), 1.0, Par::Seq);
            squares += product.as_ref().squared_norm_l2();
        }
        squares.sqrt()
    }

    /// F itself, d x d: for the full eigenproblem of one layer and for small widths.
    #[must_use]
    pub fn dense(&self) -> Mat<f64> {
        let (output, value) = (widened(self.output, self.width), widened(self.value, self.width));
        let mut product = Mat::zeros(self.width, self.width);
        matmul(product.as_mut(), Accum::Replace, output.as_ref(), value.as_ref(), 1.0, Par::Seq);
        product
    }
}

/// Rows of f32 weights as an f64 matrix.
pub(super) fn widened(rows: &[f32], width: usize) -> Mat<f64> {
    let height = rows.len() / width.max(1);
    let rows = MatRef::from_row_major_slice(&rows[..height * width], height, width);
    Mat::from_fn(height, width, |i, j| f64::from(rows[(i, j)]))
}

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

use super::dense::{eigenvalues, in_order};
use super::matrix::widened;
use super::{Eigenvalue, LayerMatrix, Order, SpectrumError};

/// The nonzero eigenvalues of every head's matrix `O_h V_h` (d x d, rank at most `d_h`), which are those of `V_h O_h`
/// (`d_h` x `d_h`, `d_h` = d / H); zeros fill up where the rank is lower. One list of `d_h` eigenvalues a head, by
/// |1 + lambda| (SPEC section 2).
///
/// `output` and `value` are O and V, d x d row-major. Head h owns rows h `d_h` .. (h + 1) `d_h` of V and the same
/// columns of O.
///
/// # Errors
/// Wrong shapes, numbers that are not finite, or no convergence.
pub fn head_spectra(
    output: &[f32],
    value: &[f32],
    width: usize,
    heads: usize,
) -> Result<Vec<Vec<Eigenvalue>>, SpectrumError> {
    LayerMatrix::new(output, value, width)?;
    if heads == 0 || width == 0 || !width.is_multiple_of(heads) {
        return Err(SpectrumError::Heads { width, heads });
    }
    let size = width / heads;
    let output = widened(output, width);
    let mut small = Mat::<f64>::zeros(size, size);
    let mut spectra = Vec::with_capacity(heads);
    for (head, rows) in value.chunks_exact(size * width).enumerate() {
        let columns = output.subcols(head * size, size);
        matmul(small.as_mut(), Accum::Replace, widened(rows, width).as_ref(), columns, 1.0, Par::Seq);
        spectra.push(in_order(&eigenvalues(small.as_ref())?, Order::Shifted));
    }
    Ok(spectra)
}

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_real, evd_scratch};
use faer::linalg::matmul::matmul;
use faer::prelude::default;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::{EigenPair, EigenVector, Eigenvalue, LayerMatrix, Order, SpectrumError};

/// All d eigenvalues of a layer matrix, in order, conjugates next to each other with the positive imaginary part first.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// The eigenvalues; their sum is the trace of F.
    pub values: Vec<Eigenvalue>,
    /// The order they are in.
    pub order: Order,
    /// The pairs in the same order, if they were asked for; otherwise empty.
    pub pairs: Vec<EigenPair>,
}

/// All eigenvalues of F, without vectors. O(d^3): for one layer at a time.
///
/// # Errors
/// [`SpectrumError::NotFinite`] for NaN or infinite entries, [`SpectrumError::NoConvergence`] if the QR iteration stops.
pub fn full_spectrum(matrix: &LayerMatrix, order: Order) -> Result<Spectrum, SpectrumError> {
    let values = in_order(&eigenvalues(matrix.dense().as_ref())?, order);
    Ok(Spectrum { values, order, pairs: Vec::new() })
}

/// All eigenvalues of F with unit eigenvectors and residuals; about twice the time of [`full_spectrum`], and
/// 16 d^2 bytes or more for the vectors.
///
/// # Errors
/// As [`full_spectrum`].
pub fn full_spectrum_with_vectors(matrix: &LayerMatrix, order: Order) -> Result<Spectrum, SpectrumError> {
    let pairs = dense_pairs(matrix.dense().as_ref(), order)?;
    Ok(Spectrum { values: pairs.iter().map(|pair| pair.value).collect(), order, pairs })
}

/// Eigenvalues of a real matrix, one for each conjugate pair (the one with im > 0), in no order.
pub(super) fn eigenvalues(matrix: MatRef<'_, f64>) -> Result<Vec<Eigenvalue>, SpectrumError> {
    Ok(decompose(matrix, None)?.into_iter().map(|(value, _)| value).collect())
}

/// Spells out the conjugates of `values` (one of each pair), in order.
pub(super) fn in_order(values: &[Eigenvalue], order: Order) -> Vec<Eigenvalue> {
    let mut ordered = Vec::with_capacity(2 * values.len());
    for index in order.ranking(values) {
        ordered.push(values[index]);
        if values[index].is_complex() {
            ordered.push(values[index].conjugate());
        }
    }
    ordered
}

/// All eigenpairs of a real matrix, in order.
pub(super) fn dense_pairs(matrix: MatRef<'_, f64>, order: Order) -> Result<Vec<EigenPair>, SpectrumError> {
    let d = matrix.nrows();
    let mut vectors = Mat::zeros(d, d);
    let found = decompose(matrix, Some(vectors.as_mut()))?;
    let values: Vec<Eigenvalue> = found.iter().map(|(value, _)| *value).collect();

    // Columns: a real vector, or Re v and Im v next to each other.
    let mut images = Mat::zeros(d, d);
    matmul(images.as_mut(), Accum::Replace, matrix, vectors.as_ref(), 1.0, Par::Seq);

    let mut pairs = Vec::with_capacity(d);
    for index in order.ranking(&values) {
        let (value, column) = found[index];
        let pair = pair_from_columns(value, vectors.as_ref(), images.as_ref(), column);
        if value.is_complex() {
            let conjugate = pair.conjugate();
            pairs.extend([pair, conjugate]);
        } else {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

/// The unit eigenpair whose vector is in one or two columns of `vectors`, and whose product with F is in the same
/// columns of `images`. The residual is that of the given vector divided by its length.
pub(super) fn pair_from_columns(
    value: Eigenvalue,
    vectors: MatRef<'_, f64>,
    images: MatRef<'_, f64>,
    column: usize,
) -> EigenPair {
    let take =
        |matrix: MatRef<'_, f64>, column: usize| matrix.col(column).iter().copied().collect::<Vec<f64>>();
    let (re, image_re) = (take(vectors, column), take(images, column));
    let (im, image_im) = if value.is_complex() {
        (take(vectors, column + 1), take(images, column + 1))
    } else {
        (Vec::new(), Vec::new())
    };
    let mut residual = 0.0;
    let mut length = 0.0;
    for i in 0..re.len() {
        let (x, y) = (re[i], im.get(i).copied().unwrap_or(0.0));
        let real = image_re[i] - (value.re * x - value.im * y);
        let imaginary = image_im.get(i).copied().unwrap_or(0.0) - (value.re * y + value.im * x);
        residual += real * real + imaginary * imaginary;
        length += x * x + y * y;
    }
    let residual = if length > 0.0 { (residual / length).sqrt() } else { f64::NAN };
    EigenPair { value, vector: EigenVector::normalised(re, im), residual }
}

/// Eigenvalues (im >= 0) with the column where their vector starts in `vectors`.
pub(super) fn decompose(
    matrix: MatRef<'_, f64>,
    vectors: Option<MatMut<'_, f64>>,
) -> Result<Vec<(Eigenvalue, usize)>, SpectrumError> {
    let d = matrix.nrows();
    if d == 0 {
        return Ok(Vec::new());
    }
    if !matrix.is_all_finite() {
        return Err(SpectrumError::NotFinite);
    }
    // The solver's thresholds are absolute. A power of two scales every entry exactly.
    let largest = matrix.norm_max();
    let scale = if largest > 0.0 { largest.log2().round().exp2() } else { 1.0 };
    let scaled = Mat::from_fn(d, d, |i, j| matrix[(i, j)] / scale);
    let (mut re, mut im) = (Diag::<f64>::zeros(d), Diag::<f64>::zeros(d));
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let scratch = evd_scratch::<f64>(d, ComputeEigenvectors::No, wanted, Par::Seq, default());
    evd_real(
        scaled.as_ref(),
        re.as_mut(),
        im.as_mut(),
        None,
        vectors,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        default(),
    )
    .map_err(|_| SpectrumError::NoConvergence)?;

    let mut found = Vec::with_capacity(d);
    let mut column = 0;
    while column < d {
        let value = Eigenvalue { re: re[column] * scale, im: im[column] * scale };
        if !value.re.is_finite() || !value.im.is_finite() {
            return Err(SpectrumError::NoConvergence);
        }
        found.push((value, column));
        column += if value.is_complex() { 2 } else { 1 };
    }
    Ok(found)
}

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_real, evd_scratch};
use faer::linalg::matmul::matmul;
use faer::prelude::default;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::repair::repair;
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
    let Decomposition { found, vectors, images } = Decomposition::of(matrix)?;
    let values: Vec<Eigenvalue> = found.iter().map(|(value, _)| *value).collect();
    let mut pairs = Vec::with_capacity(matrix.nrows());
    for index in order.ranking(&values) {
        let (value, column) = found[index];
        let columns = column..column + value.columns();
        pairs.extend(pairs_from_columns(value, vectors.get(.., columns.clone()), images.get(.., columns)));
    }
    Ok(pairs)
}

/// The unit eigenpair, and its conjugate if it is complex, whose vector is in the one or two columns (real and
/// imaginary part) of `vector`, and whose product with F is in those of `image`.
pub(super) fn pairs_from_columns(
    value: Eigenvalue,
    vector: MatRef<'_, f64>,
    image: MatRef<'_, f64>,
) -> impl Iterator<Item = EigenPair> {
    let part = |column: usize| -> Vec<f64> { vector.col(column).iter().copied().collect() };
    let im = if value.is_complex() { part(1) } else { Vec::new() };
    let residual = residual(value, vector, image);
    let pair = EigenPair { value, vector: EigenVector::normalised(part(0), im), residual };
    let conjugate = value.is_complex().then(|| pair.conjugate());
    std::iter::once(pair).chain(conjugate)
}

/// |F v - lambda v| / |v|, for v and F v in one column each, or in two (real and imaginary part) where lambda is
/// complex.
pub(super) fn residual(value: Eigenvalue, vector: MatRef<'_, f64>, image: MatRef<'_, f64>) -> f64 {
    let imaginary = |matrix: MatRef<'_, f64>, i: usize| if value.is_complex() { matrix[(i, 1)] } else { 0.0 };
    let (mut rest, mut length) = (0.0, 0.0);
    for i in 0..vector.nrows() {
        let (x, y) = (vector[(i, 0)], imaginary(vector, i));
        let re = image[(i, 0)] - (value.re * x - value.im * y);
        let im = imaginary(image, i) - (value.re * y + value.im * x);
        rest += re * re + im * im;
        length += x * x + y * y;
    }
    f64::sqrt(rest / length)
}

/// The eigenvectors of a real matrix.
pub(super) struct Decomposition {
    /// Eigenvalues (im >= 0) in no order, with the column where their vector starts.
    pub(super) found: Vec<(Eigenvalue, usize)>,
    /// The vectors, of any length: one column for a real value, two (real and imaginary part) for a complex one.
    pub(super) vectors: Mat<f64>,
    /// The matrix times the vectors.
    pub(super) images: Mat<f64>,
}

impl Decomposition {
    /// Solves the full eigenproblem.
    pub(super) fn of(matrix: MatRef<'_, f64>) -> Result<Self, SpectrumError> {
        let d = matrix.nrows();
        let (mut vectors, mut images) = (Mat::zeros(d, d), Mat::zeros(d, d));
        let found = decompose(matrix, Some(vectors.as_mut()))?;
        matmul(images.as_mut(), Accum::Replace, matrix, vectors.as_ref(), 1.0, Par::Seq);
        repair(matrix, &found, &mut vectors, &mut images);
        Ok(Self { found, vectors, images })
    }
}

/// Eigenvalues (im >= 0) with the column where their vector starts in `vectors`.
fn decompose(
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
        column += value.columns();
    }
    Ok(found)
}

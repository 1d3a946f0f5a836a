use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::{Mat, MatRef};

use super::Eigenvalue;
use super::dense::residual;
use super::random::Random;

/// Residuals above this, relative to the matrix's norm, are not rounding.
const DOUBTFUL: f64 = 1e-11;

/// Replaces eigenvectors that are none. faer 0.24 loses those of a conjugate pair that occurs twice; inverse iteration
/// (Golub and Van Loan, section 7.6.1) from a random vector finds one, and another one from another start.
///
/// `vectors` and `images` = matrix x vectors hold one column for a real value, and two (real and imaginary part) for a
/// complex one, beginning where `found` says.
pub(super) fn repair(
    matrix: MatRef<'_, f64>,
    found: &[(Eigenvalue, usize)],
    vectors: &mut Mat<f64>,
    images: &mut Mat<f64>,
) {
    let norm = matrix.norm_l2();
    let mut random = Random::new(1);
    let mut last: Option<(Eigenvalue, PartialPivLu<f64>)> = None;
    for &(value, column) in found {
        let columns = column..column + value.columns();
        let part = |all: &Mat<f64>| all.get(.., columns.clone()).to_owned();
        let before = residual(value, part(vectors).as_ref(), part(images).as_ref());
        if before <= DOUBTFUL * norm {
            continue;
        }
        let inverse = match last.take() {
            Some((known, inverse)) if near(known, value, norm) => inverse,
            _ => shifted(matrix, value, norm).partial_piv_lu(),
        };
        let vector = eigenvector(&inverse, matrix.nrows(), value.columns(), &mut random);
        let image = matrix * &vector;
        let after = residual(value, vector.as_ref(), image.as_ref());
        if after < before || (before.is_nan() && after.is_finite()) {
            vectors.get_mut(.., columns.clone()).copy_from(&vector);
            images.get_mut(.., columns).copy_from(&image);
        }
        last = Some((value, inverse));
    }
}

fn near(a: Eigenvalue, b: Eigenvalue, norm: f64) -> bool {
    a.columns() == b.columns() && (a.re - b.re).hypot(a.im - b.im) <= 16.0 * f64::EPSILON * norm
}

/// A - lambda I, a little beside the eigenvalue; for a complex lambda = a + i b the real matrix of twice the size
/// [A - a I, b I; -b I, A - a I], which acts on (x, y) as A - lambda I acts on x + i y.
fn shifted(matrix: MatRef<'_, f64>, value: Eigenvalue, norm: f64) -> Mat<f64> {
    let n = matrix.nrows();
    let re = value.re + 8.0 * f64::EPSILON * norm;
    Mat::from_fn(n * value.columns(), n * value.columns(), |i, j| {
        let diagonal = i % n == j % n;
        match (i / n, j / n) {
            (above, left) if above == left => matrix[(i % n, j % n)] - if diagonal { re } else { 0.0 },
            (0, _) if diagonal => value.im,
            (_, 0) if diagonal => -value.im,
            _ => 0.0,
        }
    })
}

/// Two steps of inverse iteration: n x 1, or n x 2 for real and imaginary part.
fn eigenvector(inverse: &PartialPivLu<f64>, n: usize, columns: usize, random: &mut Random) -> Mat<f64> {
    let mut vector = Mat::from_fn(n * columns, 1, |_, _| random.symmetric());
    for _ in 0..2 {
        vector = inverse.solve(&vector);
        let length = vector.norm_l2();
        vector.col_mut(0).iter_mut().for_each(|entry| *entry /= length);
    }
    Mat::from_fn(n, columns, |i, j| vector[(j * n + i, 0)])
}

use serde::{Deserialize, Serialize};

use super::{Eigenvalue, LeadingPairs};

/// What is left of a direction after removing the others must be longer than this to count as a new one; the
/// vectors themselves are exact to about as much.
const DEPENDENT: f64 = 1e-7;

/// Orthonormal columns, d entries each: a principal frame (SPEC section 2) or the span of several eigenvectors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The columns.
    pub columns: Vec<Vec<f64>>,
}

impl Frame {
    /// An orthonormal basis of the span of `directions`, by Gram-Schmidt in their order, each projected out twice.
    /// Directions that depend on those before them, up to rounding, add no column.
    pub(super) fn spanning<'a>(directions: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for direction in directions {
            let mut column = direction.to_vec();
            if !scale_to_unit(&mut column, 0.0) {
                continue;
            }
            for column_before in columns.iter().chain(&columns) {
                let along: f64 = column_before.iter().zip(&column).map(|(a, b)| a * b).sum();
                column.iter_mut().zip(column_before).for_each(|(a, b)| *a -= along * b);
            }
            if scale_to_unit(&mut column, DEPENDENT) {
                columns.push(column);
            }
        }
        Self { columns }
    }
}

fn scale_to_unit(column: &mut [f64], least: f64) -> bool {
    let length = column.iter().map(|a| a * a).sum::<f64>().sqrt();
    let usable = length > least && length.is_finite();
    if usable {
        for a in column.iter_mut() {
            *a /= length;
        }
    }
    usable
}

/// How far the first eigenvalue is ahead of the next one that is not its conjugate (SPEC section 2). Both are 0
/// where there is no such eigenvalue among the pairs, as for d = 1. A gap may be negative in the order that does
/// not compare it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// Re `lambda_1` - Re `lambda_2`, as in `[PM]`.
    pub real: f64,
    /// |`mu_1`| - |`mu_2`|, mu = 1 + lambda.
    pub shifted_modulus: f64,
}

impl Gaps {
    /// The gaps of eigenvalues that are in order.
    #[must_use]
    pub fn of(values: &[Eigenvalue]) -> Self {
        let Some(first) = values.first() else {
            return Self::default();
        };
        let Some(second) = values.get(if first.is_complex() { 2 } else { 1 }) else {
            return Self::default();
        };
        Self {
            real: first.re - second.re,
            shifted_modulus: first.shifted_modulus() - second.shifted_modulus(),
        }
    }
}

impl LeadingPairs {
    /// The eigenvalues, in order.
    #[must_use]
    pub fn values(&self) -> Vec<Eigenvalue> {
        self.pairs.iter().map(|pair| pair.value).collect()
    }

    /// `P_t`: the unit vector `v_1`, or an orthonormal basis of span(Re `v_1`, Im `v_1`) where `lambda_1` is complex. No
    /// columns when there are no pairs.
    #[must_use]
    pub fn principal_frame(&self) -> Frame {
        self.span_frame(1)
    }

    /// The gaps between the first eigenvalue and the next; ask for at least three pairs to have them for certain.
    #[must_use]
    pub fn gaps(&self) -> Gaps {
        Gaps::of(&self.values())
    }

    /// An orthonormal basis of the real span of `v_1` .. `v_k`, a conjugate pair kept whole (then k + 1 columns). The
    /// frame of a smaller k is the beginning of that of a larger one. Eigenvectors that coincide, as those of a
    /// defective matrix do, are counted once.
    #[must_use]
    pub fn span_frame(&self, k: usize) -> Frame {
        let chosen = self.pairs.iter().take(k).filter(|pair| pair.value.im >= 0.0);
        Frame::spanning(
            chosen
                .flat_map(|pair| [pair.vector.re.as_slice(), pair.vector.im.as_slice()])
                .filter(|part| !part.is_empty()),
        )
    }
}

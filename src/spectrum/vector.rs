use serde::{Deserialize, Serialize};

use super::Eigenvalue;

/// A unit eigenvector v = re + i im, |re|^2 + |im|^2 = 1.
///
/// Its sign or phase is fixed: the entry of largest modulus (the first of equals) is real and positive. The vectors of
/// a conjugate pair are each other's conjugates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EigenVector {
    /// Real part, d entries.
    pub re: Vec<f64>,
    /// Imaginary part, d entries; empty for a real eigenvector.
    pub im: Vec<f64>,
}

impl EigenVector {
    /// Scales to length 1 and fixes the sign or phase. An empty `im` means a real vector.
    pub(super) fn normalised(mut re: Vec<f64>, mut im: Vec<f64>) -> Self {
        let squared = |i: usize| re[i] * re[i] + im.get(i).map_or(0.0, |y| y * y);
        let mut largest = 0;
        for i in 1..re.len() {
            if squared(i) > squared(largest) {
                largest = i;
            }
        }
        let length = (0..re.len()).map(squared).sum::<f64>().sqrt();
        let (x, y) = (re.get(largest).copied().unwrap_or(0.0), im.get(largest).copied().unwrap_or(0.0));
        let size = x.hypot(y);
        if size > 0.0 && length > 0.0 {
            // Multiply by conj(x + i y) / (size length).
            let (cosine, sine) = (x / size / length, y / size / length);
            if im.is_empty() {
                for a in &mut re {
                    *a *= cosine;
                }
            } else {
                for (a, b) in re.iter_mut().zip(&mut im) {
                    (*a, *b) = (*a * cosine + *b * sine, *b * cosine - *a * sine);
                }
                im[largest] = 0.0;
            }
        }
        Self { re, im }
    }

    /// Whether all entries are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.im.is_empty()
    }

    /// The conjugate vector; a real one is its own.
    #[must_use]
    pub fn conjugate(&self) -> Self {
        Self { re: self.re.clone(), im: self.im.iter().map(|y| -y).collect() }
    }
}

/// An eigenvalue with its unit eigenvector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EigenPair {
    /// lambda.
    pub value: Eigenvalue,
    /// v, with |v| = 1.
    pub vector: EigenVector,
    /// |F v - lambda v|, absolute.
    pub residual: f64,
}

impl EigenPair {
    /// The pair of the conjugate eigenvalue, with the same residual since F is real.
    pub(super) fn conjugate(&self) -> Self {
        Self { value: self.value.conjugate(), vector: self.vector.conjugate(), residual: self.residual }
    }
}

use serde::{Deserialize, Serialize};

/// An eigenvalue lambda = re + i im of a layer matrix. Serialises as `[re, im]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
pub struct Eigenvalue {
    /// Real part.
    pub re: f64,
    /// Imaginary part; exactly 0 for a real eigenvalue.
    pub im: f64,
}

impl Eigenvalue {
    /// |lambda|.
    #[must_use]
    pub fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// |mu| = |1 + lambda|: what one step with uniform attention multiplies the eigenvector by.
    #[must_use]
    pub fn shifted_modulus(self) -> f64 {
        (1.0 + self.re).hypot(self.im)
    }

    /// Whether it is one of a conjugate pair.
    #[must_use]
    pub fn is_complex(self) -> bool {
        self.im != 0.0
    }

    /// Columns that its vector takes in a real matrix: 2 for real and imaginary part, otherwise 1.
    pub(super) fn columns(self) -> usize {
        if self.is_complex() { 2 } else { 1 }
    }

    /// The conjugate eigenvalue; a real one is its own.
    #[must_use]
    pub fn conjugate(self) -> Self {
        Self { re: self.re, im: if self.is_complex() { -self.im } else { self.im } }
    }
}

impl From<[f64; 2]> for Eigenvalue {
    fn from([re, im]: [f64; 2]) -> Self {
        Self { re, im }
    }
}

impl From<Eigenvalue> for [f64; 2] {
    fn from(value: Eigenvalue) -> Self {
        [value.re, value.im]
    }
}

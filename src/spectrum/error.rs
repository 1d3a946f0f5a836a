use thiserror::Error;

/// Why a spectrum could not be computed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpectrumError {
    /// A weight matrix does not have width x width entries.
    #[error("the {matrix} matrix has {found} entries, but a layer of width {width} needs {width} x {width}")]
    Shape {
        /// Which weight: "output" or "value".
        matrix: &'static str,
        /// Number of entries that came.
        found: usize,
        /// Model width d.
        width: usize,
    },
    /// The width is 0 or is not a multiple of the number of heads.
    #[error("a layer of width {width} cannot be split into {heads} heads")]
    Heads {
        /// Model width d.
        width: usize,
        /// Number of heads H.
        heads: usize,
    },
    /// A weight, or a product of weights, is NaN or infinite.
    #[error("the layer's weights hold a number that is not finite, so they have no eigenvalues")]
    NotFinite,
    /// The QR iteration gave up.
    #[error("the eigenvalue iteration did not converge on this layer's matrix")]
    NoConvergence,
}

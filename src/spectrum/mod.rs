//! Spectra of the layer matrices F = O V (`[PM]` section on eigenvalues; SPEC section 2).
//!
//! [`leading_pairs`] is what a page asks for every layer: a few leading eigenpairs, F never formed.
//! [`full_spectrum`] solves the whole eigenproblem of one layer, and [`head_spectra`] those of its heads.

mod dense;
mod eigenvalue;
mod error;
mod frame;
mod heads;
mod iteration;
mod kernels;
mod krylov;
mod lanes;
mod leading;
mod matrix;
mod order;
mod random;
mod reorder;
mod repair;
mod ritz;
mod schur;
mod vector;

pub use crate::settings::Order;
pub use dense::{Spectrum, full_spectrum, full_spectrum_with_vectors};
pub use eigenvalue::Eigenvalue;
pub use error::SpectrumError;
pub use frame::{Frame, Gaps};
pub use heads::head_spectra;
pub use leading::{DEFAULT_COUNT, LeadingPairs, RESIDUAL_TOLERANCE, leading_pairs};
pub use matrix::LayerMatrix;
pub use vector::{EigenPair, EigenVector};

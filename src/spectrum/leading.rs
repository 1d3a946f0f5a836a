use serde::{Deserialize, Serialize};

use super::dense::dense_pairs;
use super::iteration::{Plan, iterate};
use super::{EigenPair, LayerMatrix, Order, SpectrumError};

/// How many leading pairs a layer is shown with unless the reader asks for another number.
pub const DEFAULT_COUNT: usize = 6;

/// A pair has converged when |F v - lambda v| is at most this times |F| (SPEC section 2).
pub const RESIDUAL_TOLERANCE: f64 = 1e-8;

/// The first eigenpairs of a layer matrix in some order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeadingPairs {
    /// The pairs. A conjugate pair is kept whole, positive imaginary part first, so there may be one more than was
    /// asked for; there are fewer when d is smaller, or when the iteration did not get so far.
    pub pairs: Vec<EigenPair>,
    /// The order they are in.
    pub order: Order,
    /// Products F x that were spent; 0 where only the full eigenproblem was solved.
    pub products: usize,
    /// The largest |F v - lambda v| / |F| among the pairs; 0 for F = 0.
    pub largest_residual: f64,
    /// Whether all pairs that were asked for came, each with a residual of at most [`RESIDUAL_TOLERANCE`] |F|.
    pub converged: bool,
}

/// Up to this width the full eigenproblem takes a fraction of a second and stands in where the iteration stalls.
const FALLBACK_WIDTH: usize = 512;

/// The `count` leading eigenpairs of F in `order`.
///
/// Wide layers are treated by a restarted block Krylov iteration that never forms F. The full eigenproblem is solved
/// instead for small layers, where many of the eigenvalues are wanted, and up to a width of 512 where the iteration
/// stalls, as it does for hundreds of eigenvalues on one circle.
///
/// Never panics: if the weights hold a number that is not finite, no pairs come back and `converged` is false.
#[must_use]
pub fn leading_pairs(matrix: &LayerMatrix, count: usize, order: Order) -> LeadingPairs {
    let count = count.min(matrix.width);
    let Some(plan) = Plan::new(matrix.width, count) else {
        return dense_leading(matrix, count, order, 0);
    };
    match iterate(matrix, count, order, &plan) {
        Ok(leading) if leading.converged || matrix.width > FALLBACK_WIDTH => leading,
        Ok(leading) => dense_leading(matrix, count, order, leading.products),
        Err(SpectrumError::NoConvergence) if matrix.width <= FALLBACK_WIDTH => {
            dense_leading(matrix, count, order, 0)
        }
        Err(_) => LeadingPairs::none(order, 0),
    }
}

fn dense_leading(matrix: &LayerMatrix, count: usize, order: Order, products: usize) -> LeadingPairs {
    let dense = matrix.dense();
    let norm = dense.norm_l2();
    match dense_pairs(dense.as_ref(), order) {
        Ok(pairs) => LeadingPairs::new(keep_whole(pairs, count), order, products, norm, count),
        Err(_) => LeadingPairs::none(order, products),
    }
}

/// The first `count` pairs, and one more if the cut would part two conjugates.
fn keep_whole(mut pairs: Vec<EigenPair>, count: usize) -> Vec<EigenPair> {
    let parted = count > 0 && pairs.get(count - 1).is_some_and(|pair| pair.value.im > 0.0);
    pairs.truncate(if parted { count + 1 } else { count });
    pairs
}

impl LeadingPairs {
    /// Collects `pairs` and judges them against `norm` = |F| and the number that was `wanted`.
    pub(super) fn new(
        pairs: Vec<EigenPair>,
        order: Order,
        products: usize,
        norm: f64,
        wanted: usize,
    ) -> Self {
        let largest = pairs.iter().map(|pair| pair.residual).fold(0.0, f64::max);
        let broken = pairs.iter().any(|pair| !pair.residual.is_finite());
        let largest_residual = match (broken, largest == 0.0) {
            (true, _) => f64::MAX,
            (false, true) => 0.0,
            (false, false) => largest / norm,
        };
        let converged = pairs.len() >= wanted && largest_residual <= RESIDUAL_TOLERANCE;
        Self { pairs, order, products, largest_residual, converged }
    }

    /// What comes back when there is nothing to iterate on.
    pub(super) fn none(order: Order, products: usize) -> Self {
        Self { pairs: Vec::new(), order, products, largest_residual: f64::MAX, converged: false }
    }
}

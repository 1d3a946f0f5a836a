use faer::Mat;

use super::dense::pairs_from_columns;
use super::krylov::{BLOCK, Krylov};
use super::leading::{LeadingPairs, RESIDUAL_TOLERANCE};
use super::ritz::{Ritz, RitzPairs};
use super::{Eigenvalue, LayerMatrix, Order, SpectrumError};

/// The iteration stops at this part of the tolerance, so that rounding does not lift the final residual above it.
const MARGIN: f64 = 0.5;

/// Vectors that are added to a locked basis before it is believed that no further copy of an eigenvalue is missing.
const PROBE: usize = 30;

/// How far the Krylov space may grow, and how often.
pub(super) struct Plan {
    /// Size at which to look at the eigenvalues, and to restart unless the end is in sight.
    usual: usize,
    /// Size never to exceed.
    most: usize,
    /// Size after a restart.
    kept: usize,
    /// Products after which to give up.
    budget: usize,
}

impl Plan {
    /// `None` where the full eigenproblem is the better way.
    pub(super) fn new(width: usize, count: usize) -> Option<Self> {
        let most = 80.max(4 * count);
        (width >= 64.max(most + 2 * BLOCK)).then_some(Self {
            usual: 60.max(3 * count),
            most,
            kept: 40.max(2 * count),
            // What the full eigenproblem would cost, or half a second for common widths.
            budget: 3000.min(4 * width).max(400),
        })
    }
}

/// Krylov-Schur iteration until the pairs have converged or the plan's budget is spent.
///
/// # Errors
/// Products that are not finite, or small eigenproblems that fail.
pub(super) fn iterate(
    matrix: &LayerMatrix<'_>,
    count: usize,
    order: Order,
    plan: &Plan,
) -> Result<LeadingPairs, SpectrumError> {
    let mut krylov = Krylov::new(*matrix, plan.most);
    let mut locked: Option<Vec<Eigenvalue>> = None;
    let mut target = plan.usual;
    let mut before: Option<(usize, f64)> = None;
    loop {
        krylov.expand(target)?;
        let mut ritz = Ritz::of(&krylov, order)?;
        let wanted = ritz.blocks_for(count);
        let pairs = ritz.pairs(wanted)?;
        let (worst, goal) = (pairs.worst(), MARGIN * RESIDUAL_TOLERANCE * krylov.norm());

        if worst <= goal {
            let known = locked.as_ref().is_some_and(|values| pairs.agree_with(values, krylov.norm()));
            if known || !pairs.has_copies(krylov.norm()) || krylov.products() >= plan.budget {
                return Ok(finish(matrix, &krylov, &pairs, order, count));
            }
            krylov.lock(ritz.invariant_basis(wanted));
            locked = Some(pairs.values);
            target = krylov.size() + PROBE;
            before = None;
            continue;
        }
        if krylov.products() >= plan.budget {
            return Ok(finish(matrix, &krylov, &pairs, order, count));
        }
        let missing = missing_products(before, krylov.products(), worst, goal);
        before = Some((krylov.products(), worst));
        if krylov.size() + missing > plan.most && krylov.size() + BLOCK > plan.usual {
            let kept = ritz.blocks_for(plan.kept);
            krylov.restart(ritz.invariant_basis(kept));
        }
        let end = krylov.size().saturating_add(missing);
        target = if end <= plan.most { end } else { plan.usual };
    }
}

/// How many more products it takes at the rate since the last look; many if there is no rate yet.
fn missing_products(before: Option<(usize, f64)>, products: usize, worst: f64, goal: f64) -> usize {
    let Some((products_before, worst_before)) = before else {
        return usize::MAX / 2;
    };
    let rate = (worst_before / worst).ln() / products.saturating_sub(products_before) as f64;
    let missing = (worst / goal).ln() / rate;
    if missing.is_finite() && missing > 0.0 && missing < 1e6 { missing as usize + 1 } else { usize::MAX / 2 }
}

/// Ritz vectors in full length, with residuals from one more product each.
fn finish(
    matrix: &LayerMatrix<'_>,
    krylov: &Krylov<'_>,
    ritz: &RitzPairs,
    order: Order,
    count: usize,
) -> LeadingPairs {
    let d = matrix.width;
    let vectors = krylov.lift(ritz.coordinates.as_ref());
    let mut images = Mat::<f64>::zeros(d, vectors.ncols());
    let mut scratch = [vec![0.0; d], vec![0.0; d]];
    let mut spare = [vec![0.0; d], vec![0.0; d]];
    let column =
        |index: usize| vectors.col(index.min(vectors.ncols() - 1)).iter().copied().collect::<Vec<f64>>();
    for first in (0..vectors.ncols()).step_by(BLOCK) {
        let (x_0, x_1) = (column(first), column(first + 1));
        let [y_0, y_1] = &mut spare;
        matrix.apply_pair([&x_0, &x_1], [y_0, y_1], &mut scratch);
        for (offset, spare) in spare.iter().enumerate().take(vectors.ncols() - first) {
            images.col_mut(first + offset).iter_mut().zip(spare).for_each(|(to, from)| *to = *from);
        }
    }
    let mut pairs = Vec::new();
    let mut start = 0;
    for &value in &ritz.values {
        let columns = start..start + value.columns();
        start = columns.end;
        pairs.extend(pairs_from_columns(value, vectors.get(.., columns.clone()), images.get(.., columns)));
    }
    LeadingPairs::new(pairs, order, krylov.products() + vectors.ncols(), krylov.norm(), count)
}

use faer::{Mat, MatRef};

use super::dense::Decomposition;
use super::krylov::{BLOCK, Krylov};
use super::schur::{Block, Schur};
use super::{Eigenvalue, Order, SpectrumError};

/// Two eigenvalues closer than this, relative to |H|, may be copies of one.
const COPIES: f64 = 1e-6;

/// The eigenvalues of the projected matrix H, through its real Schur form with the first ones sorted to the top.
pub(super) struct Ritz {
    schur: Schur,
    /// The place in the order of each diagonal block of the Schur form.
    places: Vec<usize>,
    /// How many blocks at the top are in order.
    arranged: usize,
    /// The blocks in order: one for a real value or a conjugate pair.
    blocks: Vec<Block>,
    order: Order,
    /// What couples H to the next Krylov block, 2 x p, in the basis of H.
    coupling: Mat<f64>,
}

/// Leading Ritz pairs: values with im >= 0, in order.
pub(super) struct RitzPairs {
    pub(super) values: Vec<Eigenvalue>,
    /// |F v - lambda v| for the unit vectors v, before rounding.
    pub(super) residuals: Vec<f64>,
    /// Coordinates of the vectors in the Krylov basis: p rows, one column for a real value, two (real and imaginary part)
    /// for a complex one.
    pub(super) coordinates: Mat<f64>,
}

impl RitzPairs {
    /// The largest residual.
    pub(super) fn worst(&self) -> f64 {
        self.residuals.iter().copied().fold(0.0, f64::max)
    }

    /// Whether two values are so close, relative to `norm` = |H|, that they may be copies of one.
    pub(super) fn has_copies(&self, norm: f64) -> bool {
        let values = &self.values;
        (1..values.len()).any(|i| values[..i].iter().any(|&other| same(values[i], other, norm)))
    }

    /// Whether the values are those of `others`.
    pub(super) fn agree_with(&self, others: &[Eigenvalue], norm: f64) -> bool {
        self.values.len() == others.len() && self.values.iter().zip(others).all(|(&a, &b)| same(a, b, norm))
    }
}

fn same(a: Eigenvalue, b: Eigenvalue, norm: f64) -> bool {
    (a.re - b.re).hypot(a.im - b.im) <= COPIES * norm
}

impl Ritz {
    /// Solves the projected eigenproblem.
    ///
    /// # Errors
    /// When the small QR iteration gives up.
    pub(super) fn of(krylov: &Krylov<'_>, order: Order) -> Result<Self, SpectrumError> {
        let projected = krylov.projected();
        let form = projected.col_iter().flat_map(|column| column.iter().copied()).collect();
        let schur = Schur::of(form, krylov.size())?;
        let values: Vec<Eigenvalue> = schur.blocks.iter().map(|block| block.value).collect();
        let ranking = order.ranking(&values);
        let blocks = ranking.iter().map(|&index| schur.blocks[index]).collect();
        let mut places = vec![0; ranking.len()];
        for (place, index) in ranking.into_iter().enumerate() {
            places[index] = place;
        }
        let coupling = krylov.coupling().to_owned();
        Ok(Self { schur, places, arranged: 0, blocks, order, coupling })
    }

    /// How many blocks hold the first `count` eigenvalues, conjugates counted and pairs kept whole.
    pub(super) fn blocks_for(&self, count: usize) -> usize {
        let mut eigenvalues = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            if eigenvalues >= count {
                return index;
            }
            eigenvalues += block.size;
        }
        self.blocks.len()
    }

    /// An orthonormal basis (p x k) of the space that belongs to the first blocks and that H maps into itself. In it H is
    /// quasi-triangular. Defective matrices have one too.
    pub(super) fn invariant_basis(&mut self, blocks: usize) -> MatRef<'_, f64> {
        let columns = self.arrange(blocks);
        let p = self.schur.size;
        MatRef::from_column_major_slice(&self.schur.basis[..columns * p], p, columns)
    }

    /// The Ritz pairs of the first blocks.
    ///
    /// # Errors
    /// When the small eigenproblem does not converge.
    pub(super) fn pairs(&mut self, blocks: usize) -> Result<RitzPairs, SpectrumError> {
        let size = self.arrange(blocks);
        let top = Mat::from_fn(size, size, |i, j| self.schur.entry(i, j));
        let Decomposition { found, vectors, .. } = Decomposition::of(top.as_ref())?;
        let unordered: Vec<Eigenvalue> = found.iter().map(|(value, _)| *value).collect();

        let (mut values, mut columns) = (Vec::new(), Vec::new());
        for index in self.order.ranking(&unordered) {
            let (value, column) = found[index];
            values.push(value);
            columns.extend(column..column + value.columns());
        }
        let sorted = Mat::from_fn(size, size, |i, j| vectors[(i, columns[j])]);
        let coordinates = self.invariant_basis(blocks) * &sorted;
        let couplings = &self.coupling * &coordinates;
        let mut residuals = Vec::new();
        let mut start = 0;
        for &value in &values {
            let length = |matrix: &Mat<f64>| matrix.as_ref().subcols(start, value.columns()).norm_l2();
            residuals.push(length(&couplings) / length(&sorted));
            start += value.columns();
        }
        debug_assert_eq!(couplings.nrows(), BLOCK);
        Ok(RitzPairs { values, residuals, coordinates })
    }

    /// Sorts the first blocks to the top of the Schur form, and says how many columns they take.
    fn arrange(&mut self, blocks: usize) -> usize {
        while self.arranged < blocks.min(self.places.len()) {
            let Some(found) = self.places.iter().position(|&place| place == self.arranged) else {
                break;
            };
            for index in (self.arranged..found).rev() {
                self.schur.swap(index);
                self.places.swap(index, index + 1);
            }
            self.arranged += 1;
        }
        self.schur.blocks.iter().take(blocks).map(|block| block.size).sum()
    }
}

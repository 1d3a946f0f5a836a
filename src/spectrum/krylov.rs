use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::kernels::{column_dots, dot, subtract, subtract_columns};
use super::random::Random;
use super::{LayerMatrix, SpectrumError};

/// Vectors that are multiplied together.
pub(super) const BLOCK: usize = 2;

/// What is left of a vector below this, relative to |F|, is rounding: the Krylov space is closed in that direction.
const NOTHING_LEFT: f64 = 1e-14;

/// Projecting again is needed where the first projection left less than this of a vector's length (Daniel, Gragg,
/// Kaufman and Stewart 1976).
const SHRUNK: f64 = 0.7;

/// A Krylov decomposition of F by blocks of two vectors:
///
/// `F V = [V W] H`, where V (d x p) and W (d x 2) have orthonormal columns and H is (p + 2) x p.
///
/// Stewart (2001, "A Krylov-Schur algorithm for large eigenproblems") gives it for one vector and shows that it
/// may be rotated and cut at will; Zhou and Saad (2008) extend it to blocks.
pub(super) struct Krylov<'a> {
    matrix: LayerMatrix<'a>,
    /// Columns of V, then of W, d entries each.
    basis: Vec<f64>,
    /// H, with rows and columns to spare.
    projected: Mat<f64>,
    /// p.
    size: usize,
    /// The largest p there is room for.
    room: usize,
    /// |H| is at most |F|, since H is F between orthonormal vectors; the largest that was seen.
    norm: f64,
    /// Products F x so far.
    products: usize,
    random: Random,
    images: [Vec<f64>; BLOCK],
    scratch: [Vec<f64>; BLOCK],
    factors: Vec<[f64; BLOCK]>,
}

impl<'a> Krylov<'a> {
    /// p = 0 and a random W. Needs room + 2 <= d.
    pub(super) fn new(matrix: LayerMatrix<'a>, room: usize) -> Self {
        let d = matrix.width;
        let mut krylov = Self {
            matrix,
            basis: vec![0.0; (room + BLOCK) * d],
            projected: Mat::zeros(room + BLOCK, room),
            size: 0,
            room,
            norm: 0.0,
            products: 0,
            random: Random::new(0),
            images: [vec![0.0; d], vec![0.0; d]],
            scratch: [vec![0.0; d], vec![0.0; d]],
            factors: vec![[0.0; BLOCK]; room + BLOCK],
        };
        krylov.refill(0);
        krylov.refill(1);
        krylov
    }

    /// p.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// A lower bound of the Frobenius norm |F|; a residual that is small against it is small against |F|.
    pub(super) fn norm(&self) -> f64 {
        self.norm
    }

    /// Products F x so far.
    pub(super) fn products(&self) -> usize {
        self.products
    }

    /// F between the vectors of V: p x p.
    pub(super) fn projected(&self) -> MatRef<'_, f64> {
        self.projected.submatrix(0, 0, self.size, self.size)
    }

    /// What F V has along W: 2 x p. A Ritz vector V s has the residual |coupling s|.
    pub(super) fn coupling(&self) -> MatRef<'_, f64> {
        self.projected.submatrix(self.size, 0, BLOCK, self.size)
    }

    /// V s for every column s of `coordinates` (p x k): d x k.
    pub(super) fn lift(&self, coordinates: MatRef<'_, f64>) -> Mat<f64> {
        let d = self.matrix.width;
        let basis = MatRef::from_column_major_slice(&self.basis[..self.size * d], d, self.size);
        let mut lifted = Mat::zeros(d, coordinates.ncols());
        matmul(lifted.as_mut(), Accum::Replace, basis, coordinates, 1.0, Par::Seq);
        lifted
    }

    /// Adds blocks until p is at least `target` or there is no room.
    ///
    /// # Errors
    /// [`SpectrumError::NotFinite`] when a product is not finite.
    pub(super) fn expand(&mut self, target: usize) -> Result<(), SpectrumError> {
        while self.size < target && self.size + BLOCK <= self.room {
            self.step()?;
        }
        let all = self.projected.submatrix(0, 0, self.size + BLOCK, self.size).norm_l2();
        self.norm = self.norm.max(all);
        Ok(())
    }

    /// Multiplies W, moves it to V, and makes what is new in F W the next W.
    fn step(&mut self) -> Result<(), SpectrumError> {
        let (d, p) = (self.matrix.width, self.size);
        let (first, second) = self.basis[p * d..(p + BLOCK) * d].split_at(d);
        let [y_0, y_1] = &mut self.images;
        self.matrix.apply_pair([first, second], [y_0, y_1], &mut self.scratch);
        self.products += BLOCK;
        let lengths = self.images.each_ref().map(|image| length(image));
        if lengths.iter().any(|length| !length.is_finite()) {
            return Err(SpectrumError::NotFinite);
        }

        self.size += BLOCK;
        for k in 0..BLOCK {
            self.projected.col_mut(p + k).fill(0.0);
        }
        self.project_images();
        if (0..BLOCK).any(|k| length(&self.images[k]) < SHRUNK * lengths[k]) {
            self.project_images();
        }
        for (k, &before) in lengths.iter().enumerate() {
            self.adopt(k, before.max(self.norm));
        }
        Ok(())
    }

    /// Takes the part along V out of both images and adds it to H.
    fn project_images(&mut self) {
        let d = self.matrix.width;
        let columns = &self.basis[..self.size * d];
        let factors = &mut self.factors[..self.size];
        let [y_0, y_1] = &mut self.images;
        column_dots(columns, [y_0, y_1], factors);
        subtract_columns(columns, factors, [y_0, y_1]);
        for (row, factors) in factors.iter().enumerate() {
            for (k, factor) in factors.iter().enumerate() {
                self.projected[(row, self.size - BLOCK + k)] += factor;
            }
        }
    }

    /// Makes what is left of image k the k-th column of W, or a random direction if nothing is left of `scale`.
    fn adopt(&mut self, k: usize, scale: f64) {
        let d = self.matrix.width;
        let (row, column) = (self.size + k, self.size - BLOCK + k);
        let (before, after) = self.basis.split_at_mut(row * d);
        let image = &mut self.images[k];
        if k > 0 {
            // Orthogonal to V so far, not yet to the other column of W.
            let mut longest = length(image);
            let mut start = self.size;
            for _ in 0..3 {
                for (index, other) in before.chunks_exact(d).enumerate().skip(start) {
                    self.projected[(index, column)] += remove(other, image);
                }
                let left = length(image);
                if left >= SHRUNK * longest || left <= NOTHING_LEFT * scale {
                    break;
                }
                (longest, start) = (left, 0);
            }
        }
        let left = length(image);
        if left > NOTHING_LEFT * scale {
            self.projected[(row, column)] = left;
            for (to, from) in after.iter_mut().zip(image.iter()) {
                *to = from / left;
            }
        } else {
            self.refill(row);
        }
    }

    /// Makes column `index` of the basis a random direction, orthogonal to those before it.
    fn refill(&mut self, index: usize) {
        let d = self.matrix.width;
        let (before, after) = self.basis.split_at_mut(index * d);
        let column = &mut after[..d];
        self.random.fill(column);
        for other in before.chunks_exact(d).chain(before.chunks_exact(d)) {
            remove(other, column);
        }
        let length = length(column);
        for entry in column {
            *entry /= length;
        }
    }

    /// Goes on with V Q instead of V, Q being p x k with orthonormal columns that span a space which H maps into itself.
    /// `F V Q = [V Q, W] [Q^T H Q; coupling Q]` holds again.
    pub(super) fn restart(&mut self, rotation: MatRef<'_, f64>) {
        let (d, p, k) = (self.matrix.width, self.size, rotation.ncols());
        let rotated = self.lift(rotation);
        let mut image = Mat::<f64>::zeros(p + BLOCK, k);
        let full = self.projected.submatrix(0, 0, p + BLOCK, p);
        matmul(image.as_mut(), Accum::Replace, full, rotation, 1.0, Par::Seq);
        self.projected.fill(0.0);
        let kept = self.projected.as_mut().submatrix_mut(0, 0, k + BLOCK, k);
        let (mut square, mut coupling) = kept.split_at_row_mut(k);
        let inner = image.as_ref().subrows(0, p);
        matmul(square.as_mut(), Accum::Replace, rotation.transpose(), inner, 1.0, Par::Seq);
        coupling.copy_from(image.as_ref().subrows(p, BLOCK));

        let (front, back) = self.basis.split_at_mut(k * d);
        for (column, to) in front.chunks_exact_mut(d).enumerate() {
            to.iter_mut().zip(rotated.col(column).iter()).for_each(|(to, from)| *to = *from);
        }
        back.copy_within((p - k) * d..(p - k + BLOCK) * d, 0);
        self.size = k;
    }

    /// Restarts with V Q, drops its coupling to W, which must be as small as rounding allows or as the reader accepts,
    /// and draws a new W. What F has beside span(V Q) then shows in the further steps.
    pub(super) fn lock(&mut self, rotation: MatRef<'_, f64>) {
        self.restart(rotation);
        self.projected.as_mut().submatrix_mut(self.size, 0, BLOCK, self.size).fill(0.0);
        for k in 0..BLOCK {
            self.refill(self.size + k);
        }
    }
}

fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Takes the part along the unit vector `direction` out of `vector`, and says how much it was.
fn remove(direction: &[f64], vector: &mut [f64]) -> f64 {
    let along = dot(direction, vector);
    subtract(direction, along, vector);
    along
}

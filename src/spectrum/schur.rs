use super::kernels::dot;
use super::{Eigenvalue, SpectrumError};

/// Steps of the QR iteration allowed for one eigenvalue before giving up.
const PATIENCE: usize = 120;

/// A real Schur decomposition A = Z T Z^T of a small matrix: Z orthogonal, T upper triangular but for 2 x 2 blocks on the
/// diagonal, one for each conjugate pair. Householder reduction to Hessenberg form, then Francis' double-shift QR
/// iteration (Golub and Van Loan, "Matrix Computations", sections 7.4 and 7.5).
pub(super) struct Schur {
    /// n.
    pub(super) size: usize,
    /// T, n x n by columns.
    pub(super) form: Vec<f64>,
    /// Z, n x n by columns.
    pub(super) basis: Vec<f64>,
    /// The diagonal blocks from top to bottom.
    pub(super) blocks: Vec<Block>,
}

/// A diagonal block of T.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// 1, or 2 for a conjugate pair.
    pub(super) size: usize,
    /// Its eigenvalue, that with im >= 0.
    pub(super) value: Eigenvalue,
}

impl Schur {
    /// Decomposes the matrix `form`, n x n by columns.
    ///
    /// # Errors
    /// [`SpectrumError::NoConvergence`] when the iteration stalls, also for entries that are not finite.
    pub(super) fn of(form: Vec<f64>, size: usize) -> Result<Self, SpectrumError> {
        let mut basis = vec![0.0; size * size];
        basis.iter_mut().step_by(size + 1).for_each(|diagonal| *diagonal = 1.0);
        let mut schur = Self { size, form, basis, blocks: Vec::new() };
        schur.reduce_to_hessenberg();
        schur.iterate()?;
        schur.find_blocks();
        Ok(schur)
    }

    /// T(row, column).
    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        self.form[column * self.size + row]
    }

    /// Sets T(row, column).
    pub(super) fn set(&mut self, row: usize, column: usize, entry: f64) {
        self.form[column * self.size + row] = entry;
    }

    fn reduce_to_hessenberg(&mut self) {
        let n = self.size;
        for k in 0..n.saturating_sub(2) {
            let mut vector = self.form[k * n + k + 1..(k + 1) * n].to_vec();
            let Some(head) = householder(&mut vector) else {
                continue;
            };
            let tail = &mut self.form[k * n + k + 1..(k + 1) * n];
            tail.fill(0.0);
            tail[0] = head;
            for column in self.form.chunks_exact_mut(n).skip(k + 1) {
                reflect(&vector, &mut column[k + 1..]);
            }
            reflect_columns(&vector, &mut self.form[(k + 1) * n..], n, n);
            reflect_columns(&vector, &mut self.basis[(k + 1) * n..], n, n);
        }
    }

    fn iterate(&mut self) -> Result<(), SpectrumError> {
        // Measured against the whole matrix: the eigenvalues need not be exact relative to themselves, and a matrix with
        // many zero eigenvalues would never be done by a measure of its own small entries.
        let negligible = f64::EPSILON * dot(&self.form, &self.form).sqrt();
        let mut end = self.size;
        let mut steps = 0;
        while end > 0 {
            // Nilpotent blocks may dance for ever at the level of rounding; then a little more counts as rounding.
            let leniency = 10.0_f64.powf((steps / 15).min(4) as f64);
            let start = self.decoupled_from(end, negligible * leniency);
            match end - start {
                1 => (end, steps) = (start, 0),
                2 => {
                    self.split_if_real(start);
                    (end, steps) = (start, 0);
                }
                _ if steps >= PATIENCE => return Err(SpectrumError::NoConvergence),
                _ => {
                    steps += 1;
                    self.francis_step(start, end, steps);
                }
            }
        }
        Ok(())
    }

    /// The first row of the undivided block that ends before `end`; entries below the diagonal of at most `negligible`
    /// become 0.
    fn decoupled_from(&mut self, end: usize, negligible: f64) -> usize {
        for row in (1..end).rev() {
            if self.entry(row, row - 1).abs() <= negligible {
                self.set(row, row - 1, 0.0);
                return row;
            }
        }
        0
    }

    /// One implicit double-shift step on rows start .. end (at least three).
    fn francis_step(&mut self, start: usize, end: usize, steps: usize) {
        let (p, q) = (end - 2, end - 1);
        // The shifts are the eigenvalues of [a, .; ., d] with the given product of its other two entries.
        let (mut a, mut d) = (self.entry(p, p), self.entry(q, q));
        let mut product = self.entry(p, q) * self.entry(q, p);
        if steps.is_multiple_of(10) {
            // Shifts that break a cycle.
            let size = self.entry(q, p).abs() + self.entry(p, p - 1).abs();
            (a, d, product) = (d + 0.75 * size, d + 0.75 * size, -0.4375 * size * size);
        }
        // First column of (H - shift 1)(H - shift 2), divided by H(start + 1, start). By differences, so that nothing
        // cancels where all eigenvalues are nearly the same.
        let top = self.entry(start, start);
        let (a, d) = (a - top, d - top);
        let mut vector = [
            (a * d - product) / self.entry(start + 1, start) + self.entry(start, start + 1),
            self.entry(start + 1, start + 1) - top - a - d,
            self.entry(start + 2, start + 1),
        ];
        for k in start..q {
            let vector = &mut vector[..(end - k).min(3)];
            let rows = vector.len();
            if k > start {
                vector.copy_from_slice(&self.form[(k - 1) * self.size + k..][..rows]);
            }
            if let Some(head) = householder(vector) {
                if k > start {
                    let column = &mut self.form[(k - 1) * self.size + k..][..rows];
                    column.fill(0.0);
                    column[0] = head;
                }
                self.reflect_both(vector, k, k, (k + 4).min(end));
            }
        }
    }

    /// T := P T P, Z := Z P for P = I - v v^T on the rows and columns from `at`. Columns before `left` and rows from `height`
    /// on hold only zeros there, or what the caller sets.
    pub(super) fn reflect_both(&mut self, vector: &[f64], at: usize, left: usize, height: usize) {
        let n = self.size;
        for column in self.form.chunks_exact_mut(n).skip(left) {
            reflect(vector, &mut column[at..at + vector.len()]);
        }
        reflect_columns(vector, &mut self.form[at * n..], n, height);
        reflect_columns(vector, &mut self.basis[at * n..], n, n);
    }

    /// Makes the 2 x 2 block at `start` triangular if its eigenvalues are real.
    fn split_if_real(&mut self, start: usize) {
        let (a, d) = (self.entry(start, start), self.entry(start + 1, start + 1));
        let (b, c) = (self.entry(start, start + 1), self.entry(start + 1, start));
        let half = (a - d) / 2.0;
        let discriminant = half * half + b * c;
        if discriminant < 0.0 || c == 0.0 {
            return;
        }
        // (far, c) is an eigenvector of the eigenvalue d + far; reflect it onto the first axis.
        let far = half + discriminant.sqrt().copysign(half);
        let mut vector = [far, c];
        if householder(&mut vector).is_some() {
            self.reflect_both(&vector, start, start, start + 2);
        }
        self.set(start + 1, start, 0.0);
    }

    fn find_blocks(&mut self) {
        let mut row = 0;
        while row < self.size {
            let paired = row + 1 < self.size && self.entry(row + 1, row) != 0.0;
            let value =
                if paired { self.pair_value(row) } else { Eigenvalue { re: self.entry(row, row), im: 0.0 } };
            let size = if paired { 2 } else { 1 };
            self.blocks.push(Block { size, value });
            row += size;
        }
    }

    fn pair_value(&self, row: usize) -> Eigenvalue {
        let half = (self.entry(row, row) - self.entry(row + 1, row + 1)) / 2.0;
        let discriminant = half * half + self.entry(row, row + 1) * self.entry(row + 1, row);
        let re = f64::midpoint(self.entry(row, row), self.entry(row + 1, row + 1));
        Eigenvalue { re, im: (-discriminant).max(0.0).sqrt() }
    }
}

/// Turns x into v with |v|^2 = 2 such that (I - v v^T) x = (head, 0, ..), and gives head. `None` if x is 0.
pub(super) fn householder(vector: &mut [f64]) -> Option<f64> {
    let largest = vector.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    if largest.is_nan() || largest == 0.0 {
        return None;
    }
    for entry in &mut *vector {
        *entry /= largest;
    }
    let length = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let head = -length.copysign(vector[0]);
    vector[0] -= head;
    // |x - head e|^2 = 2 length (length + |x_0|).
    let scale = (length * vector[0].abs()).sqrt();
    for entry in &mut *vector {
        *entry /= scale;
    }
    Some(head * largest)
}

fn reflect(vector: &[f64], part: &mut [f64]) {
    if let (&[u, v, w], [x, y, z]) = (vector, &mut *part) {
        let along = u * *x + v * *y + w * *z;
        *x -= along * u;
        *y -= along * v;
        *z -= along * w;
        return;
    }
    let along = dot(vector, part);
    part.iter_mut().zip(vector).for_each(|(entry, v)| *entry -= along * v);
}

/// Multiplies columns by I - v v^T from the right: as many as v has entries, each `stride` long, rows below `height` left.
fn reflect_columns(vector: &[f64], columns: &mut [f64], stride: usize, height: usize) {
    if let [u, v, w] = *vector {
        let (first, rest) = columns.split_at_mut(stride);
        let (second, third) = rest.split_at_mut(stride);
        for ((x, y), z) in first[..height].iter_mut().zip(second).zip(third) {
            let along = u * *x + v * *y + w * *z;
            *x -= along * u;
            *y -= along * v;
            *z -= along * w;
        }
        return;
    }
    let mut along = vec![0.0; height];
    for (v, column) in vector.iter().zip(columns.chunks_exact(stride)) {
        along.iter_mut().zip(column).for_each(|(sum, entry)| *sum += v * entry);
    }
    for (v, column) in vector.iter().zip(columns.chunks_exact_mut(stride)) {
        column.iter_mut().zip(&along).for_each(|(entry, along)| *entry -= v * along);
    }
}

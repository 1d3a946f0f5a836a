use super::schur::{Schur, householder};

impl Schur {
    /// Exchanges the diagonal blocks `index` and `index + 1` (Bai and Demmel 1993): Z T Z^T stays the same matrix.
    pub(super) fn swap(&mut self, index: usize) {
        let start: usize = self.blocks[..index].iter().map(|block| block.size).sum();
        let (m, n) = (self.blocks[index].size, self.blocks[index + 1].size);
        let size = m + n;

        // [X; scale I] spans what belongs to the lower block B: A X - X B = -scale C, with [A C; 0 B] the window of T.
        let (solution, scale) = self.solve_sylvester(start, m, n);
        let mut span = [[0.0; 4]; 2];
        for (column, span) in span.iter_mut().enumerate().take(n) {
            span[..m].copy_from_slice(&solution[column * m..(column + 1) * m]);
            span[m + column] = scale;
        }
        // Reflect that span onto the first n axes of the window.
        for column in 0..n {
            let mut vector = span[column];
            let vector = &mut vector[column..size];
            if householder(vector).is_some() {
                for other in span.iter_mut().take(n).skip(column + 1) {
                    let part = &mut other[column..size];
                    let along: f64 = part.iter().zip(&*vector).map(|(a, b)| a * b).sum();
                    part.iter_mut().zip(&*vector).for_each(|(a, b)| *a -= along * b);
                }
                self.reflect_both(vector, start + column, start, start + size);
            }
        }
        for column in start..start + n {
            for row in start + n..start + size {
                self.set(row, column, 0.0);
            }
        }
        self.blocks.swap(index, index + 1);
    }

    /// X (m x n by columns, at most 2 x 2) and a scale in (0, 1] with A X - X B = -scale C for the blocks from `start`. Where
    /// A and B share an eigenvalue, a pivot of rounding size stands in for 0.
    fn solve_sylvester(&self, start: usize, m: usize, n: usize) -> ([f64; 4], f64) {
        let unknowns = m * n;
        let mut system = [[0.0; 5]; 4];
        let mut largest = 0.0_f64;
        for j in 0..n {
            for i in 0..m {
                let row = &mut system[j * m + i];
                for k in 0..m {
                    row[j * m + k] += self.entry(start + i, start + k);
                    largest = largest.max(self.entry(start + i, start + k).abs());
                }
                for k in 0..n {
                    row[k * m + i] -= self.entry(start + m + k, start + m + j);
                    largest = largest.max(self.entry(start + m + k, start + m + j).abs());
                }
                row[4] = -self.entry(start + i, start + m + j);
                largest = largest.max(row[4].abs());
            }
        }
        let floor = (f64::EPSILON * largest).max(f64::MIN_POSITIVE);
        let mut solution = solve(&mut system, unknowns, floor);
        let size = solution.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        for x in &mut solution {
            *x /= size;
        }
        (solution, 1.0 / size)
    }
}

/// Gaussian elimination with complete pivoting on `unknowns` rows; column 4 is the right-hand side.
fn solve(system: &mut [[f64; 5]; 4], unknowns: usize, floor: f64) -> [f64; 4] {
    let mut order = [0, 1, 2, 3];
    for step in 0..unknowns {
        let (mut row, mut column) = (step, step);
        for i in step..unknowns {
            for j in step..unknowns {
                if system[i][j].abs() > system[row][column].abs() {
                    (row, column) = (i, j);
                }
            }
        }
        system.swap(step, row);
        for line in system.iter_mut().take(unknowns) {
            line.swap(step, column);
        }
        order.swap(step, column);
        if system[step][step].abs() < floor {
            system[step][step] = floor;
        }
        let pivot = system[step];
        for line in system.iter_mut().take(unknowns).skip(step + 1) {
            let factor = line[step] / pivot[step];
            for (entry, pivot) in line.iter_mut().zip(pivot).skip(step) {
                *entry -= factor * pivot;
            }
        }
    }
    let mut solution = [0.0; 4];
    for step in (0..unknowns).rev() {
        let known: f64 = (step + 1..unknowns).map(|j| system[step][j] * solution[order[j]]).sum();
        solution[order[step]] = (system[step][4] - known) / system[step][step];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// max |A - Z T Z^T| over entries.
    fn error(matrix: &[f64], schur: &Schur) -> f64 {
        let n = schur.size;
        let mut worst = 0.0_f64;
        for i in 0..n {
            for j in 0..n {
                let mut sum = 0.0;
                for k in 0..n {
                    for l in 0..n {
                        sum += schur.basis[k * n + i] * schur.entry(k, l) * schur.basis[l * n + j];
                    }
                }
                worst = worst.max((sum - matrix[j * n + i]).abs());
            }
        }
        worst
    }

    #[test]
    fn decomposition_holds_before_and_after_swaps() {
        let mut random = Random::new(7);
        for n in [1, 2, 3, 4, 5, 8, 13, 20] {
            let mut matrix = vec![0.0; n * n];
            random.fill(&mut matrix);
            let mut schur = Schur::of(matrix.clone(), n).unwrap();
            assert!(error(&matrix, &schur) < 1e-13, "n = {n}");
            for index in
                (0..schur.blocks.len().saturating_sub(1)).chain(0..schur.blocks.len().saturating_sub(1))
            {
                schur.swap(index);
                let worst = error(&matrix, &schur);
                assert!(worst < 1e-12, "n = {n}, swap {index}: {worst} {:?}", schur.blocks);
            }
        }
    }

    #[test]
    fn eigenvalues_that_nearly_agree_are_separated() {
        let mut random = Random::new(3);
        for (middle, spread) in [(-1.0, 1e-8), (0.0, 1e-12), (1.0, 0.0), (3.0, 1e-15), (0.0, 0.0)] {
            let n = 40;
            let mut matrix = vec![0.0; n * n];
            random.fill(&mut matrix);
            for (k, entry) in matrix.iter_mut().enumerate() {
                *entry = spread * *entry + if k % (n + 1) == 0 { middle } else { 0.0 };
            }
            let schur = Schur::of(matrix.clone(), n).unwrap();
            assert!(error(&matrix, &schur) < 1e-13, "{middle} {spread}");
            assert!(schur.blocks.iter().all(|block| (block.value.re - middle).abs() < 10.0 * spread + 1e-14));
        }
    }
}

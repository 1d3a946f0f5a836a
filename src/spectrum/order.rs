use std::cmp::Ordering;

use super::Eigenvalue;
use crate::settings::Order;

/// Keys closer than this, relative to the largest, count as equal: rounding must not decide an order.
const TIE: f64 = 1e-10;

impl Order {
    /// The number that the order compares; equal for the two members of a conjugate pair.
    #[must_use]
    pub fn key(self, value: Eigenvalue) -> f64 {
        match self {
            Self::Shifted => value.shifted_modulus(),
            Self::Real => value.re,
            Self::Modulus => value.modulus(),
        }
    }

    /// Indices of `values` (one of each conjugate pair) from first to last in this order. Keys that are equal to
    /// within rounding are ordered by real part, then by size of the imaginary part, both falling.
    pub(super) fn ranking(self, values: &[Eigenvalue]) -> Vec<usize> {
        let key = |index: usize| self.key(values[index]);
        let falling = |a: f64, b: f64| b.total_cmp(&a);
        let mut ranking: Vec<usize> = (0..values.len()).collect();
        ranking.sort_by(|&a, &b| falling(key(a), key(b)).then_with(|| tie_break(values[a], values[b])));

        let scale = values.iter().map(|&value| self.key(value).abs()).fold(0.0, f64::max);
        let mut start = 0;
        for end in 1..=ranking.len() {
            let tied = end < ranking.len() && key(ranking[end - 1]) - key(ranking[end]) <= TIE * scale;
            if !tied {
                ranking[start..end].sort_by(|&a, &b| tie_break(values[a], values[b]));
                start = end;
            }
        }
        ranking
    }
}

fn tie_break(a: Eigenvalue, b: Eigenvalue) -> Ordering {
    b.re.total_cmp(&a.re).then_with(|| b.im.abs().total_cmp(&a.im.abs()))
}

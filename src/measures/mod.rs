//! What is measured on a trajectory (SPEC 3). Tokens are rows of length d in f64.

/// Differences of alignment smaller than this are ties (SPEC 3).
pub const TIE: f64 = 1e-9;

/// x . y.
#[must_use]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// |x|.
#[must_use]
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// `a_i = |P^T x_i| / |x_i|` for every token, in [0, 1]; `frame` holds the orthonormal columns of P.
#[must_use]
pub fn alignments(frame: &[Vec<f64>], tokens: &[Vec<f64>]) -> Vec<f64> {
    tokens
        .iter()
        .map(|x| {
            let projected: f64 = frame.iter().map(|column| dot(column, x).powi(2)).sum();
            (projected.sqrt() / norm(x)).min(1.0)
        })
        .collect()
}

/// `v . x_i / |x_i|` for every token, in [-1, 1]; `v` has length 1.
#[must_use]
pub fn signed_alignments(v: &[f64], tokens: &[Vec<f64>]) -> Vec<f64> {
    tokens.iter().map(|x| (dot(v, x) / norm(x)).clamp(-1.0, 1.0)).collect()
}

/// Mean over tokens of after - before.
#[must_use]
pub fn gamma(before: &[f64], after: &[f64]) -> f64 {
    before.iter().zip(after).map(|(b, a)| a - b).sum::<f64>() / before.len() as f64
}

/// Fraction of tokens with after > before, ties left out; `None` where all are ties.
#[must_use]
pub fn rho(before: &[f64], after: &[f64]) -> Option<f64> {
    let changes = before.iter().zip(after).map(|(b, a)| a - b);
    let (risen, decided) = changes
        .filter(|change| change.abs() >= TIE)
        .fold((0usize, 0usize), |(r, n), c| (r + usize::from(c > 0.0), n + 1));
    (decided > 0).then(|| risen as f64 / decided as f64)
}

/// Mean cosine over all pairs of different tokens; 1 for a single token.
#[must_use]
pub fn mean_pairwise_cosine(tokens: &[Vec<f64>]) -> f64 {
    let n = tokens.len() as f64;
    if tokens.len() < 2 {
        return 1.0;
    }
    // The sum over all pairs is |sum of unit vectors|^2, of which n are pairs of a token with itself.
    let width = tokens[0].len();
    let mut sum = vec![0.0; width];
    for x in tokens {
        let length = norm(x);
        for (s, value) in sum.iter_mut().zip(x) {
            *s += value / length;
        }
    }
    (dot(&sum, &sum) - n) / (n * (n - 1.0))
}

/// `|X - 1 xbar^T|_F / |X|_F`: 0 where all tokens are equal.
#[must_use]
pub fn spread(tokens: &[Vec<f64>]) -> f64 {
    let Some(first) = tokens.first() else { return 0.0 };
    let n = tokens.len() as f64;
    let mut mean = vec![0.0; first.len()];
    for x in tokens {
        for (m, value) in mean.iter_mut().zip(x) {
            *m += value / n;
        }
    }
    let total: f64 = tokens.iter().map(|x| dot(x, x)).sum();
    let off: f64 =
        tokens.iter().map(|x| x.iter().zip(&mean).map(|(value, m)| (value - m).powi(2)).sum::<f64>()).sum();
    (off / total).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn alignment_is_the_length_of_the_projection() {
        let tokens = vec![vec![3.0, 4.0, 0.0], vec![0.0, 0.0, 2.0]];
        let one = vec![vec![1.0, 0.0, 0.0]];
        let two = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
        close(alignments(&one, &tokens)[0], 0.6);
        close(alignments(&two, &tokens)[0], 1.0);
        close(alignments(&two, &tokens)[1], 0.0);
        close(signed_alignments(&[-1.0, 0.0, 0.0], &tokens)[0], -0.6);
    }

    #[test]
    fn ties_are_left_out_of_rho() {
        close(rho(&[0.1, 0.2, 0.3], &[0.2, 0.1, 0.3 + 1e-10]).unwrap(), 0.5);
        assert_eq!(rho(&[0.1], &[0.1]), None);
        close(gamma(&[0.1, 0.2], &[0.2, 0.5]), 0.2);
    }

    #[test]
    fn consensus_is_what_its_formula_says() {
        let tokens = vec![vec![1.0, 0.0], vec![0.0, 2.0], vec![3.0, 0.0]];
        close(mean_pairwise_cosine(&tokens), 1.0 / 3.0);
        close(mean_pairwise_cosine(&tokens[..1]), 1.0);
        close(spread(&[vec![1.0, 1.0], vec![1.0, 1.0]]), 0.0);
        close(spread(&[vec![1.0, 0.0], vec![-1.0, 0.0]]), 1.0);
    }
}

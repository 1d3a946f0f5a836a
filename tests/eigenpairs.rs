//! What must hold for eigenpairs whatever the matrix (SPEC 2): residual, trace, order, whole pairs, frames, gaps.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::FAMILIES;
use eigentilt::{
    measures::{dot, norm},
    settings::Order,
    spectrum::{LayerMatrix, LeadingPairs, RESIDUAL_TOLERANCE, full_spectrum, leading_pairs},
};
use pollster::block_on;
use proptest::prelude::*;

const ORDERS: [Order; 3] = [Order::Shifted, Order::Real, Order::Modulus];

/// F = O V in f64, row by row.
fn product(output: &[f32], value: &[f32], width: usize) -> Vec<Vec<f64>> {
    let entry = |row: usize, column: usize| {
        (0..width).map(|k| f64::from(output[row * width + k]) * f64::from(value[k * width + column])).sum()
    };
    (0..width).map(|row| (0..width).map(|column| entry(row, column)).collect()).collect()
}

fn apply(f: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    f.iter().map(|row| dot(row, x)).collect()
}

/// Checks everything that SPEC 2 says of the leading pairs of F.
fn check(what: &str, output: &[f32], value: &[f32], width: usize, count: usize) {
    let matrix = LayerMatrix::new(output, value, width).unwrap();
    let f = product(output, value, width);
    let frobenius = f.iter().map(|row| dot(row, row)).sum::<f64>().sqrt();
    for order in ORDERS {
        let leading = leading_pairs(&matrix, count, order);
        assert!(leading.converged, "{what} {order}: residual {}", leading.largest_residual);
        let full = full_spectrum(&matrix, order).unwrap().values;
        assert_eq!(full.len(), width, "{what}");
        let trace: f64 = (0..width).map(|k| f[k][k]).sum();
        let sum: f64 = full.iter().map(|value| value.re).sum();
        assert!((sum - trace).abs() <= 1e-9 * frobenius * width as f64, "{what}: {sum} is not {trace}");
        assert!((matrix.trace() - trace).abs() <= 1e-9 * frobenius * width as f64, "{what}");

        let got = leading.pairs.len();
        assert!(got == count.min(width) || got == count + 1, "{what} {order}: {got} pairs");
        for pair in &leading.pairs {
            let (re, im) = (pair.value.re, pair.value.im);
            let x = &pair.vector.re;
            let zero = vec![0.0; width];
            let y = if pair.vector.im.is_empty() { &zero } else { &pair.vector.im };
            assert!((dot(x, x) + dot(y, y) - 1.0).abs() < 1e-10, "{what}: unit length");
            // F (x + i y) = (re + i im) (x + i y), real and imaginary parts.
            let (fx, fy) = (apply(&f, x), apply(&f, y));
            let residual: f64 = (0..width)
                .map(|k| (fx[k] - re * x[k] + im * y[k]).powi(2) + (fy[k] - re * y[k] - im * x[k]).powi(2))
                .sum::<f64>()
                .sqrt();
            assert!(residual <= 1.1 * RESIDUAL_TOLERANCE * frobenius, "{what} {order}: residual {residual}");
        }
        // The keys are those of the full eigenproblem, in falling order.
        let keys: Vec<f64> = leading.pairs.iter().map(|pair| order.key(pair.value)).collect();
        for (index, (key, value)) in keys.iter().zip(&full).enumerate() {
            let expected = order.key(*value);
            let scale = 1.0 + frobenius;
            assert!((key - expected).abs() < 1e-6 * scale, "{what} {order} {index}: {key} is not {expected}");
        }
        whole_pairs(what, &leading);
        frames(what, &leading, width);
    }
}

fn whole_pairs(what: &str, leading: &LeadingPairs) {
    let values = leading.values();
    let mut index = 0;
    while index < values.len() {
        let value = values[index];
        if value.is_complex() {
            assert!(value.im > 0.0, "{what}: im > 0 comes first");
            let conjugate = values[index + 1];
            assert_eq!((conjugate.re, conjugate.im), (value.re, -value.im), "{what}: a pair is whole");
            index += 1;
        }
        index += 1;
    }
}

fn frames(what: &str, leading: &LeadingPairs, width: usize) {
    for k in 1..=leading.pairs.len() {
        let frame = leading.span_frame(k);
        assert!(!frame.columns.is_empty() && frame.columns.len() <= width.min(k + 1), "{what}");
        for (i, a) in frame.columns.iter().enumerate() {
            for (j, b) in frame.columns.iter().enumerate() {
                let expected = f64::from(u8::from(i == j));
                assert!((dot(a, b) - expected).abs() < 1e-9, "{what}: columns {i} and {j}");
            }
        }
    }
    let principal = leading.principal_frame();
    let complex = leading.pairs[0].value.is_complex();
    assert_eq!(principal.columns.len(), if complex { 2 } else { 1 }, "{what}");
}

#[test]
fn the_fixtures_layers() {
    for fixture in &FAMILIES {
        let session = block_on(fixture.session());
        let stack = session.model().stack();
        for (index, layer) in stack.layers.iter().enumerate() {
            let flat = |t: &candle_core::Tensor| t.flatten_all().unwrap().to_vec1::<f32>().unwrap();
            let (output, value) = (flat(&layer.output.weight), flat(&layer.value.weight));
            check(&format!("{} layer {index}", fixture.name), &output, &value, stack.width, 6);
        }
    }
}

/// Entries that look random and are the same everywhere.
fn entries(count: usize, mut state: u64) -> Vec<f32> {
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn larger_matrices_that_need_the_iteration() {
    for (seed, width) in [(1, 96), (2, 130), (3, 200)] {
        let scale = (width as f32).sqrt().recip();
        let output: Vec<f32> = entries(width * width, seed).iter().map(|x| x * scale).collect();
        let mut value: Vec<f32> = entries(width * width, seed + 50).iter().map(|x| x * scale).collect();
        // A few directions stand out, as in trained layers.
        for k in 0..6 {
            value[k * width + k] += 2.0;
        }
        check(&format!("random {width}"), &output, &value, width, 6);
    }
}

#[test]
fn the_smallest_and_the_emptiest() {
    let one = LayerMatrix::new(&[2.0], &[3.0], 1).unwrap();
    let pairs = leading_pairs(&one, 6, Order::Shifted);
    assert_eq!(pairs.pairs.len(), 1);
    assert!((pairs.pairs[0].value.re - 6.0).abs() < 1e-12);
    let zero = vec![0.0; 100];
    let nothing = LayerMatrix::new(&zero, &zero, 10).unwrap();
    let pairs = leading_pairs(&nothing, 6, Order::Shifted);
    assert!(pairs.converged && pairs.values().iter().all(|v| v.re.abs() < 1e-12 && v.im.abs() < 1e-12));
    // A turn by 90 degrees: one complex pair, and a frame that is the whole plane.
    let turn = LayerMatrix::new(&[0.0, -1.0, 1.0, 0.0], &[1.0, 0.0, 0.0, 1.0], 2).unwrap();
    let pairs = leading_pairs(&turn, 1, Order::Shifted);
    assert_eq!((pairs.pairs.len(), pairs.principal_frame().columns.len()), (2, 2));
    // A symmetric matrix with a known spectrum: gaps by hand, mu = 1 + lambda.
    let diagonal = LayerMatrix::new(
        &[0.5, 0.0, 0.0, 0.0, -1.75, 0.0, 0.0, 0.0, 0.1],
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        3,
    )
    .unwrap();
    let gaps = leading_pairs(&diagonal, 3, Order::Shifted).gaps();
    assert!((gaps.real - 0.4).abs() < 1e-6 && (gaps.shifted_modulus - 0.4).abs() < 1e-6, "{gaps:?}");
    let gaps = leading_pairs(&diagonal, 3, Order::Modulus).gaps();
    assert!((gaps.real + 2.25).abs() < 1e-6 && (gaps.shifted_modulus + 0.75).abs() < 1e-6, "{gaps:?}");
    // What is no number comes back as not converged.
    let broken = LayerMatrix::new(&[f32::NAN; 4], &[1.0; 4], 2).unwrap();
    assert!(!leading_pairs(&broken, 2, Order::Shifted).converged);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_small_matrix(width in 1usize..14, seed in 1u64..1_000_000, count in 1usize..8) {
        let output = entries(width * width, seed);
        let value = entries(width * width, seed.rotate_left(17) | 1);
        prop_assume!(norm(&output.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()) > 1e-3);
        check(&format!("{width} wide from {seed}"), &output, &value, width, count);
    }
}

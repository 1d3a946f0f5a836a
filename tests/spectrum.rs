//! Eigenpairs of layer matrices: leading pairs against the full eigenproblem, orders, frames and gaps.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use eigentilt::spectrum::{LayerMatrix, Order, full_spectrum, leading_pairs};

#[test]
fn diagonal_matrix_has_its_diagonal_as_spectrum() {
    let (output, value) = ([1.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, -3.0]);
    let matrix = LayerMatrix::new(&output, &value, 2).unwrap();
    let first = |order| leading_pairs(&matrix, 1, order).pairs[0].value.re;
    assert!((first(Order::Shifted) + 3.0).abs() < 1e-12);
    assert!((first(Order::Real) - 0.5).abs() < 1e-12);
    assert!((first(Order::Modulus) + 3.0).abs() < 1e-12);
    assert_eq!(full_spectrum(&matrix, Order::Real).unwrap().values.len(), 2);
}

//! The loops that the time goes into, on slices, for two vectors at once.
//!
//! A product with f32 weights is bound by memory: two vectors in one pass over the weights cost little more than one.
//! The loops are written so that they become vector instructions: eight lanes, sums kept apart, no branches inside. In the browser
//! `simd128` is asked for here, whatever the build's flags; every browser of today has it.

// Inlining is what gives the shared bodies the vector instructions of the function that they are used in.
#![allow(clippy::inline_always)]

/// Entries that are handled together.
const LANES: usize = 8;

/// Two vectors of equal length.
pub(super) type Pair<'a> = [&'a [f64]; 2];
/// Two vectors of equal length to write to.
pub(super) type PairMut<'a> = [&'a mut [f64]; 2];

#[inline(always)]
fn chunks<T>(values: &[T]) -> (&[[T; LANES]], &[T]) {
    values.as_chunks::<LANES>()
}

#[inline(always)]
fn multiply_add<T: Copy + Into<f64>>(sums: &mut [f64; LANES], a: &[T; LANES], b: &[f64; LANES]) {
    for lane in 0..LANES {
        sums[lane] += a[lane].into() * b[lane];
    }
}

#[inline(always)]
fn total(s: [f64; LANES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

#[inline(always)]
fn dots<T: Copy + Into<f64>>(a: &[T], [x, y]: Pair<'_>) -> [f64; 2] {
    let ((a, a_rest), (x, x_rest), (y, y_rest)) = (chunks(a), chunks(x), chunks(y));
    let (mut with_x, mut with_y) = ([0.0; LANES], [0.0; LANES]);
    for ((a, x), y) in a.iter().zip(x).zip(y) {
        multiply_add(&mut with_x, a, x);
        multiply_add(&mut with_y, a, y);
    }
    let (mut x_sum, mut y_sum) = (total(with_x), total(with_y));
    for ((&a, x), y) in a_rest.iter().zip(x_rest).zip(y_rest) {
        x_sum += a.into() * x;
        y_sum += a.into() * y;
    }
    [x_sum, y_sum]
}

#[inline(always)]
fn dot_of<T: Copy + Into<f64>>(a: &[T], x: &[f64]) -> f64 {
    let ((a, a_rest), (x, x_rest)) = (chunks(a), chunks(x));
    let mut sums = [0.0; LANES];
    for (a, x) in a.iter().zip(x) {
        multiply_add(&mut sums, a, x);
    }
    a_rest
        .iter()
        .zip(x_rest)
        .fold(total(sums), |sum, (&a, x)| sum + a.into() * x)
}

/// y = W x for row-major f32 weights, summed in f64.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn product(weights: &[f32], x: &[f64], y: &mut [f64]) {
    for (row, y) in weights.chunks_exact(x.len().max(1)).zip(y) {
        *y = dot_of(row, x);
    }
}

/// Two products in one pass over the weights.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn product_pair(weights: &[f32], x: Pair<'_>, y: PairMut<'_>) {
    let [y_0, y_1] = y;
    for ((row, y_0), y_1) in weights.chunks_exact(x[0].len().max(1)).zip(y_0).zip(y_1) {
        [*y_0, *y_1] = dots(row, x);
    }
}

/// The dot products of every column (of `x`'s length, one after another in `columns`) with both vectors.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn column_dots(columns: &[f64], x: Pair<'_>, sums: &mut [[f64; 2]]) {
    for (column, sums) in columns.chunks_exact(x[0].len().max(1)).zip(sums) {
        *sums = dots(column, x);
    }
}

/// Takes `factors`[j][k] times column j from vector k.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn subtract_columns(columns: &[f64], factors: &[[f64; 2]], y: PairMut<'_>) {
    let [y_0, y_1] = y;
    let width = y_0.len().max(1);
    let mut columns = columns.chunks_exact(width);
    let mut factors = factors.iter();
    // Two columns at a time, to read and write y half as often.
    while let (Some(a), Some(f)) = (columns.next(), factors.next()) {
        if let (Some(b), Some(g)) = (columns.next(), factors.next()) {
            for (((y_0, y_1), a), b) in y_0.iter_mut().zip(y_1.iter_mut()).zip(a).zip(b) {
                *y_0 -= f[0] * a + g[0] * b;
                *y_1 -= f[1] * a + g[1] * b;
            }
        } else {
            for ((y_0, y_1), a) in y_0.iter_mut().zip(y_1.iter_mut()).zip(a) {
                *y_0 -= f[0] * a;
                *y_1 -= f[1] * a;
            }
        }
    }
}

/// The dot product of two vectors.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    dot_of(a, b)
}

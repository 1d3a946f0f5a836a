//! The loops that the time goes into, on slices, for two vectors at once.
//!
//! A product with f32 weights waits for memory: two vectors in one pass over the weights take little longer than one.

// Inlining is what gives the shared bodies the vector instructions of the function that they are used in.
#![allow(clippy::inline_always)]

use super::lanes::{Entry, Lanes};

/// Two vectors of equal length.
pub(super) type Pair<'a> = [&'a [f64]; 2];
/// Two vectors of equal length to write to.
pub(super) type PairMut<'a> = [&'a mut [f64]; 2];

/// y = W x for row-major f32 weights, summed in f64.
pub(super) fn product(weights: &[f32], x: &[f64], y: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            for (row, y) in weights.chunks_exact(x.len().max(1)).zip(y) {
                *y = dot_of(row, x);
            }
        },
    );
}

/// Two products in one pass over the weights.
pub(super) fn product_pair(weights: &[f32], x: Pair<'_>, [y_0, y_1]: PairMut<'_>) {
    vectorised(
        #[inline(always)]
        || {
            // Two rows at a time read x half as often: a sixth less time in the browser.
            let width = x[0].len().max(1);
            let mut outputs = y_0.iter_mut().zip(y_1);
            for rows in weights.chunks(2 * width) {
                let (a, b) = rows.split_at(width.min(rows.len()));
                let sums = if b.len() == width { dots_of_two(a, b, x) } else { [dots_of(a, x); 2] };
                for (sums, (y_0, y_1)) in sums.into_iter().zip(&mut outputs) {
                    [*y_0, *y_1] = sums;
                }
            }
        },
    );
}

/// The dot products of every column (of `x`'s length, one after another in `columns`) with both vectors.
pub(super) fn column_dots(columns: &[f64], x: Pair<'_>, sums: &mut [[f64; 2]]) {
    vectorised(
        #[inline(always)]
        || {
            for (column, sums) in columns.chunks_exact(x[0].len().max(1)).zip(sums) {
                *sums = dots_of(column, x);
            }
        },
    );
}

/// Takes `factors`[j][k] times column j from vector k.
pub(super) fn subtract_columns(columns: &[f64], factors: &[[f64; 2]], [y_0, y_1]: PairMut<'_>) {
    vectorised(
        #[inline(always)]
        || {
            // Two columns at a time, to read and write y half as often.
            let mut columns = columns.chunks_exact(y_0.len().max(1));
            let mut factors = factors.iter();
            while let (Some(a), Some(&[f_0, f_1])) = (columns.next(), factors.next()) {
                if let (Some(b), Some(&[g_0, g_1])) = (columns.next(), factors.next()) {
                    take_two(a, f_0, b, g_0, y_0);
                    take_two(a, f_1, b, g_1, y_1);
                } else {
                    take_one(a, f_0, y_0);
                    take_one(a, f_1, y_1);
                }
            }
        },
    );
}

/// The dot product of two vectors.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    vectorised(
        #[inline(always)]
        || sum = dot_of(a, b),
    );
    sum
}

/// Takes `factor` times `column` from `y`.
pub(super) fn subtract(column: &[f64], factor: f64, y: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || take_one(column, factor, y),
    );
}

/// [`dot`] for use inside other vectorised loops.
#[inline(always)]
pub(super) fn dot_of<T: Entry>(a: &[T], x: &[f64]) -> f64 {
    let ((a, a_rest), (x, x_rest)) = (a.as_chunks(), x.as_chunks());
    let mut sums = Lanes::zero();
    for (a, x) in a.iter().zip(x) {
        sums = sums.plus_product(T::load(a), f64::load(x));
    }
    a_rest.iter().zip(x_rest).fold(sums.total(), |sum, (&a, x)| sum + a.into() * x)
}

#[inline(always)]
fn dots_of<T: Entry>(a: &[T], [x, y]: Pair<'_>) -> [f64; 2] {
    let ((a, a_rest), (x, x_rest), (y, y_rest)) = (a.as_chunks(), x.as_chunks(), y.as_chunks());
    let (mut with_x, mut with_y) = (Lanes::zero(), Lanes::zero());
    for ((a, x), y) in a.iter().zip(x).zip(y) {
        let a = T::load(a);
        with_x = with_x.plus_product(a, f64::load(x));
        with_y = with_y.plus_product(a, f64::load(y));
    }
    let mut sums = [with_x.total(), with_y.total()];
    for ((&a, x), y) in a_rest.iter().zip(x_rest).zip(y_rest) {
        sums[0] += a.into() * x;
        sums[1] += a.into() * y;
    }
    sums
}

#[inline(always)]
fn dots_of_two<T: Entry>(a: &[T], b: &[T], [x, y]: Pair<'_>) -> [[f64; 2]; 2] {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks(), b.as_chunks());
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks(), y.as_chunks());
    let zero = Lanes::zero();
    let (mut a_x, mut a_y, mut b_x, mut b_y) = (zero, zero, zero, zero);
    for (((a, b), x), y) in a.iter().zip(b).zip(x).zip(y) {
        let (a, b, x, y) = (T::load(a), T::load(b), f64::load(x), f64::load(y));
        a_x = a_x.plus_product(a, x);
        a_y = a_y.plus_product(a, y);
        b_x = b_x.plus_product(b, x);
        b_y = b_y.plus_product(b, y);
    }
    let mut sums = [[a_x.total(), a_y.total()], [b_x.total(), b_y.total()]];
    for (((&a, &b), x), y) in a_rest.iter().zip(b_rest).zip(x_rest).zip(y_rest) {
        sums[0][0] += a.into() * x;
        sums[0][1] += a.into() * y;
        sums[1][0] += b.into() * x;
        sums[1][1] += b.into() * y;
    }
    sums
}

#[inline(always)]
fn take_one(a: &[f64], f: f64, y: &mut [f64]) {
    for (y, a) in y.iter_mut().zip(a) {
        *y -= f * a;
    }
}

#[inline(always)]
fn take_two(a: &[f64], f: f64, b: &[f64], g: f64, y: &mut [f64]) {
    for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
        *y -= f * a + g * b;
    }
}

/// Runs the loop with the widest vector instructions that the processor has. The closure must be `inline(always)`.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn vectorised(work: impl FnOnce()) {
    struct Work<F>(F);

    impl<F: FnOnce()> pulp::WithSimd for Work<F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) {
            (self.0)();
        }
    }

    pulp::Arch::new().dispatch(Work(work));
}

/// Runs the loop with the vector instructions that every browser of today has, whatever the build's flags.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
pub(super) fn vectorised(work: impl FnOnce()) {
    work();
}

//! The few operations a transformer is made of, each with its derivative written by hand.
//!
//! Candle's own operations would do, but on a processor half of their time goes to copies and to one small
//! allocation after another. Here an operation is one pass over contiguous rows; candle keeps the graph.
//! Every tensor is f32, contiguous, with one row a token.

mod attention;
mod entropy;
mod linear;
mod pointwise;
mod rows;

pub use attention::attention;
pub use entropy::cross_entropy;
pub use linear::{linear, linear_in_out};
pub use pointwise::{dropout, gelu_new};
pub use rows::layer_norm;

use candle_core::{CpuStorage, Layout, Result, Storage, Tensor};
use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder};

/// The values of a contiguous f32 storage.
fn values<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(all), Some((from, to))) => Ok(&all[from..to]),
        _ => candle_core::bail!("the training operations need contiguous f32 tensors"),
    }
}

/// Runs `work` on the values of a tensor.
fn with_values<T>(tensor: &Tensor, work: impl FnOnce(&[f32]) -> Result<T>) -> Result<T> {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => work(values(storage, layout)?),
        _ => candle_core::bail!("the training operations run on the processor only"),
    }
}

/// A row-major matrix (rows x columns) whose rows start `stride` values apart.
fn matrix(values: &[f32], rows: usize, columns: usize, stride: usize) -> Result<ArrayView2<'_, f32>> {
    ArrayView2::from_shape((rows, columns).strides((stride, 1)), values).map_err(candle_core::Error::wrap)
}

/// [`matrix`], to be written to.
fn matrix_mut(
    values: &mut [f32],
    rows: usize,
    columns: usize,
    stride: usize,
) -> Result<ArrayViewMut2<'_, f32>> {
    ArrayViewMut2::from_shape((rows, columns).strides((stride, 1)), values).map_err(candle_core::Error::wrap)
}

/// target = factor * left * right, on the calling thread only: each shard of a batch has its own thread.
fn product(
    mut target: ArrayViewMut2<'_, f32>,
    left: &ArrayView2<'_, f32>,
    right: &ArrayView2<'_, f32>,
    factor: f32,
) {
    general_mat_mul(factor, left, right, 0.0, &mut target);
}

/// target += left * right.
fn add_product(mut target: ArrayViewMut2<'_, f32>, left: &ArrayView2<'_, f32>, right: &ArrayView2<'_, f32>) {
    general_mat_mul(1.0, left, right, 1.0, &mut target);
}

/// Column sums of a row-major matrix.
fn column_sums(values: &[f32], columns: usize) -> Vec<f32> {
    let mut sums = vec![0.0; columns];
    for row in values.chunks_exact(columns) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    sums
}

/// The sum of `term` over the values, in sixteen lanes so that it runs in vector registers.
#[inline]
fn sum_of(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0_f32; 16];
    let chunks = values.chunks_exact(16);
    let rest: f32 = chunks.remainder().iter().map(|&value| term(value)).sum();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += term(value);
        }
    }
    rest + lanes.iter().sum::<f32>()
}

/// The inner product of two slices of the same length, in sixteen lanes.
#[inline]
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 16];
    let (lefts, rights) = (left.chunks_exact(16), right.chunks_exact(16));
    let rest: f32 = lefts.remainder().iter().zip(rights.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in lefts.zip(rights) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    rest + lanes.iter().sum::<f32>()
}

/// The greatest value, in sixteen lanes.
#[inline]
fn greatest_of(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; 16];
    for chunk in values.chunks(16) {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    lanes.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// exp(x) to about 2e-7 relative, in a form that compilers turn into vector instructions (Cephes' polynomial).
#[inline]
fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let power = (x * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let r = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_2e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    (p * r * r + r + 1.0) * f32::from_bits(((power as i32 + 127) as u32) << 23)
}

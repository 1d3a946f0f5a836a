//! Eigenpairs of layer matrices: the Krylov iteration against the full eigenproblem, on matrices of many kinds.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]
// Widths and exponents are small.
#![allow(clippy::cast_possible_wrap)]

use eigentilt::{
    settings::Order,
    spectrum::{
        Eigenvalue, Gaps, LayerMatrix, LeadingPairs, RESIDUAL_TOLERANCE, full_spectrum,
        full_spectrum_with_vectors, head_spectra, leading_pairs,
    },
};

const ORDERS: [Order; 3] = [Order::Shifted, Order::Real, Order::Modulus];

/// A reproducible source of numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    /// Standard normal.
    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// A layer with its factors.
struct Layer {
    kind: &'static str,
    output: Vec<f32>,
    value: Vec<f32>,
    width: usize,
    /// Eigenvalues may move by this much of |F| under rounding: large for defective ones.
    accuracy: f64,
}

impl Layer {
    /// F = `rows`, with V the identity.
    fn of(kind: &'static str, rows: &[f64], width: usize, accuracy: f64) -> Self {
        let output = rows.iter().map(|&entry| entry as f32).collect();
        let value = (0..width * width).map(|k| if k % (width + 1) == 0 { 1.0 } else { 0.0 }).collect();
        Self { kind, output, value, width, accuracy }
    }

    fn matrix(&self) -> LayerMatrix<'_> {
        LayerMatrix::new(&self.output, &self.value, self.width).unwrap()
    }
}

fn gaussian(random: &mut Random, d: usize, scale: f64) -> Vec<f64> {
    (0..d * d).map(|_| random.normal() * scale / (d as f64).sqrt()).collect()
}

/// Blocks on a diagonal: [re] for im = 0, else [re im; -im re]. As many as fit.
fn block_diagonal(values: &[Eigenvalue], d: usize) -> Vec<f64> {
    let mut rows = vec![0.0; d * d];
    let mut at = 0;
    for value in values {
        if at + 1 < d && value.im != 0.0 {
            for (i, j, entry) in [(0, 0, value.re), (0, 1, value.im), (1, 0, -value.im), (1, 1, value.re)] {
                rows[(at + i) * d + at + j] = entry;
            }
            at += 2;
        } else if at < d {
            rows[at * d + at] = value.re;
            at += 1;
        }
    }
    rows
}

/// P A P with P = I - 2 u u^T / |u|^2, a few times: orthogonally similar, full.
fn reflected(random: &mut Random, mut rows: Vec<f64>, d: usize) -> Vec<f64> {
    for _ in 0..3 {
        let u: Vec<f64> = (0..d).map(|_| random.normal()).collect();
        let factor = 2.0 / u.iter().map(|x| x * x).sum::<f64>();
        for row in rows.chunks_exact_mut(d) {
            let along = factor * row.iter().zip(&u).map(|(a, b)| a * b).sum::<f64>();
            row.iter_mut().zip(&u).for_each(|(a, b)| *a -= along * b);
        }
        for column in 0..d {
            let along = factor * (0..d).map(|i| rows[i * d + column] * u[i]).sum::<f64>();
            (0..d).for_each(|i| rows[i * d + column] -= along * u[i]);
        }
    }
    rows
}

/// `E A E^-1` with `E = I +- e_i e_j^T`, many times: similar, and exact in f32 for entries that are small multiples of 1/8.
fn sheared(random: &mut Random, mut rows: Vec<f64>, d: usize) -> Vec<f64> {
    for _ in 0..2 * d {
        let (i, j) = (random.below(d), random.below(d));
        let sign = if random.unit() < 0.5 { 1.0 } else { -1.0 };
        if i == j {
            continue;
        }
        let mut next = rows.clone();
        (0..d).for_each(|k| next[i * d + k] += sign * rows[j * d + k]);
        (0..d).for_each(|k| next[k * d + j] -= sign * next[k * d + i]);
        if next.iter().all(|entry| entry.abs() < 64.0) {
            rows = next;
        }
    }
    rows
}

fn eighths(random: &mut Random, most: f64) -> f64 {
    (random.unit() * 2.0 * most * 8.0).round() / 8.0 - most
}

/// Values that fall off like those of real layers, complex pairs among them.
fn falling(random: &mut Random, d: usize, ratio: f64) -> Vec<Eigenvalue> {
    (0..d)
        .map(|k| {
            let size = 1.5 * ratio.powi(k.min(12) as i32) * 0.98_f64.powi(k as i32);
            let angle = random.unit() * 1.2;
            let im = if random.unit() < 0.5 { size * angle.sin() } else { 0.0 };
            Eigenvalue { re: if im == 0.0 { size } else { size * angle.cos() }, im }
        })
        .collect()
}

const KINDS: usize = 20;

// A catalogue: one arm a kind of matrix.
#[allow(clippy::too_many_lines)]
fn layer(seed: u64) -> Layer {
    let random = &mut Random::new(seed);
    let d = 90 + random.below(80);
    let real = |re: f64| Eigenvalue { re, im: 0.0 };
    match seed as usize % KINDS {
        0 => {
            let factors = [gaussian(random, d, 1.0), gaussian(random, d, 1.0)];
            let [output, value] = factors.map(|factor| factor.iter().map(|&entry| entry as f32).collect());
            Layer { kind: "gaussian factors", output, value, width: d, accuracy: 1e-7 }
        }
        1 => {
            let values = falling(random, d, 0.93);
            Layer::of("like a real layer", &reflected(random, block_diagonal(&values, d), d), d, 1e-7)
        }
        2 => {
            let blocks = block_diagonal(&falling(random, d, 0.93), d);
            let mut rows = reflected(random, blocks, d);
            rows.iter_mut().zip(gaussian(random, d, 0.3)).for_each(|(a, b)| *a += b);
            Layer::of("real layer with noise", &rows, d, 1e-7)
        }
        3 => {
            let tie = 10.0_f64.powi(-(2 + random.below(5) as i32));
            let values: Vec<_> =
                (0..d).map(|k| real(1.0 - tie * k.min(9) as f64 - 0.005 * k as f64)).collect();
            Layer::of("near ties", &reflected(random, block_diagonal(&values, d), d), d, 1e-7)
        }
        4 => {
            let mut values = falling(random, d, 0.95);
            values[1] = Eigenvalue { re: values[0].re, im: values[0].im + 1e-5 };
            values[3] = Eigenvalue { re: values[2].re - 1e-6, im: values[2].im };
            Layer::of("near ties of pairs", &reflected(random, block_diagonal(&values, d), d), d, 1e-6)
        }
        5 => {
            let noise = gaussian(random, d, 1.0);
            let rows: Vec<f64> = (0..d * d).map(|k| noise[k] + noise[k % d * d + k / d]).collect();
            Layer::of("symmetric", &rows, d, 1e-7)
        }
        6 => {
            let noise = gaussian(random, d, 1.0);
            let rows: Vec<f64> = (0..d * d).map(|k| noise[k] - noise[k % d * d + k / d]).collect();
            Layer::of("skew", &rows, d, 1e-7)
        }
        7 => {
            // Jordan blocks at the top: the eigenvalue is accurate to the root of rounding only.
            let size = 2 + random.below(2);
            let mut rows = block_diagonal(&(0..d).map(|_| real(eighths(random, 1.0))).collect::<Vec<_>>(), d);
            for k in 0..size {
                rows[k * d + k] = 3.0;
                if k + 1 < size {
                    rows[k * d + k + 1] = 1.0;
                }
            }
            Layer::of("defective", &sheared(random, rows, d), d, 1e-3)
        }
        8 => {
            let copies = 2 + random.below(6);
            let mut values: Vec<_> = (0..d).map(|_| real(eighths(random, 1.0))).collect();
            values[..copies].fill(real(2.0));
            Layer::of("repeated", &sheared(random, block_diagonal(&values, d), d), d, 1e-6)
        }
        9 => {
            let copies = 2 + random.below(2);
            let mut values: Vec<_> = (0..d).map(|_| real(eighths(random, 1.0))).collect();
            values[..copies].fill(Eigenvalue { re: 1.5, im: 0.5 });
            Layer::of("repeated pairs", &sheared(random, block_diagonal(&values, d), d), d, 1e-6)
        }
        10 => {
            let rank = 1 + random.below(12);
            let mut output = gaussian(random, d, 1.0);
            (0..d * d).filter(|k| k % d >= rank).for_each(|k| output[k] = 0.0);
            let value = gaussian(random, d, 1.0).iter().map(|&entry| entry as f32).collect();
            let output = output.iter().map(|&entry| entry as f32).collect();
            Layer { kind: "low rank", output, value, width: d, accuracy: 1e-6 }
        }
        11 => {
            let rows: Vec<f64> =
                (0..d * d).map(|k| if k % d == (k / d + 1) % d { 1.0 } else { 0.0 }).collect();
            Layer::of("cyclic shift", &rows, d, 1e-6)
        }
        12 => {
            let first: Vec<f64> = (0..d).map(|_| random.normal()).collect();
            let rows: Vec<f64> = (0..d * d).map(|k| first[(k % d + d - k / d) % d] / d as f64).collect();
            Layer::of("circulant", &rows, d, 1e-6)
        }
        13 => {
            let rows: Vec<f64> = (0..d * d).map(|k| if k % d == k / d { 0.5 } else { 0.0 }).collect();
            Layer::of("multiple of the identity", &rows, d, 1e-9)
        }
        14 => {
            let (u, v): (Vec<f64>, Vec<f64>) = (0..d).map(|_| (random.normal(), random.normal())).unzip();
            let rows: Vec<f64> = (0..d * d)
                .map(|k| u[k / d] * v[k % d] / d as f64 - f64::from(u8::from(k % d == k / d)))
                .collect();
            Layer::of("rank one minus the identity", &rows, d, 1e-6)
        }
        15 => {
            let values: Vec<_> = (0..d).map(|k| real(if k < d / 3 { 1.0 } else { 0.0 })).collect();
            Layer::of("projection", &sheared(random, block_diagonal(&values, d), d), d, 1e-6)
        }
        16 => {
            let values: Vec<_> =
                (0..d).map(|k| real(-0.1 * k as f64 / d as f64 - f64::from(u8::from(k < 3)))).collect();
            Layer::of("negative", &reflected(random, block_diagonal(&values, d), d), d, 1e-7)
        }
        17 => {
            let noise = gaussian(random, d, 1.0);
            let rows: Vec<f64> = (0..d * d)
                .map(|k| match (k / d).cmp(&(k % d)) {
                    std::cmp::Ordering::Less => 0.1 * noise[k],
                    std::cmp::Ordering::Equal => 1.0 - (k / d) as f64 / d as f64,
                    std::cmp::Ordering::Greater => 0.0,
                })
                .collect();
            Layer::of("triangular", &rows, d, 1e-6)
        }
        18 => {
            // Two halves that know nothing of each other, with the same eigenvalues.
            let half = d / 2;
            let noise = gaussian(random, half, 1.0);
            let mut rows = vec![0.0; d * d];
            for i in 0..half {
                for j in 0..half {
                    rows[i * d + j] = noise[i * half + j];
                    rows[(half + i) * d + half + j] = noise[i * half + j];
                }
            }
            Layer::of("two equal halves", &rows, d, 1e-6)
        }
        _ => {
            let scale = 10.0_f64.powi(random.below(50) as i32 - 25);
            Layer::of("large or tiny", &gaussian(random, d, scale), d, 1e-7)
        }
    }
}

/// |F v - lambda v| of every pair from F itself, and |F|.
fn residuals(matrix: &LayerMatrix, leading: &LeadingPairs) -> (Vec<f64>, f64) {
    let (dense, d) = (matrix.dense(), matrix.width);
    let apply = |x: &[f64]| -> Vec<f64> {
        (0..d).map(|i| if x.is_empty() { 0.0 } else { (0..d).map(|j| dense[(i, j)] * x[j]).sum() }).collect()
    };
    let one = |pair: &eigentilt::spectrum::EigenPair| {
        let (value, x) = (pair.value, &pair.vector.re);
        let y = if pair.vector.is_real() { vec![0.0; d] } else { pair.vector.im.clone() };
        let (fx, fy) = (apply(x), apply(&y));
        let length: f64 = x.iter().chain(&y).map(|a| a * a).sum();
        assert!((length - 1.0).abs() < 1e-12, "unit length");
        let squares = (0..d).map(|i| {
            (fx[i] - value.re * x[i] + value.im * y[i]).powi(2)
                + (fy[i] - value.re * y[i] - value.im * x[i]).powi(2)
        });
        squares.sum::<f64>().sqrt()
    };
    (leading.pairs.iter().map(one).collect(), dense.norm_l2())
}

fn check(seed: u64, layer: &Layer, order: Order, count: usize) {
    let what = format!("seed {seed}, {}, width {}, {order}", layer.kind, layer.width);
    let matrix = layer.matrix();
    let leading = leading_pairs(&matrix, count, order);
    assert!(leading.converged, "{what}: {:e} after {} products", leading.largest_residual, leading.products);
    let iterated = layer.width >= 84.max(4 * count + 4);
    assert!(
        !iterated || leading.products > 0,
        "{what}: the iteration failed and left it to the full problem"
    );

    let (found, norm) = residuals(&matrix, &leading);
    for (residual, pair) in found.iter().zip(&leading.pairs) {
        assert!(*residual <= 1.01 * RESIDUAL_TOLERANCE * norm, "{what}: residual {residual:e} of {norm:e}");
        assert!(
            (residual - pair.residual).abs() <= 1e-13 * norm,
            "{what}: {residual:e} is not {:e}",
            pair.residual
        );
    }
    // Both are computed in f64: below 1e-13 |F| they are rounding, which differs.
    let largest = found.iter().copied().fold(0.0, f64::max);
    assert!(leading.largest_residual * norm >= largest * 0.999 - 1e-13 * norm, "{what}");

    let full = full_spectrum(&matrix, order).unwrap().values;
    let got = leading.values();
    let parted = full[count - 1].im > 0.0;
    assert!(got.len() == count + usize::from(parted) || layer.accuracy > 1e-7, "{what}: {got:?} of {full:?}");
    for (k, value) in got.iter().enumerate() {
        let (a, b) = (order.key(*value), order.key(full[k]));
        assert!(
            (a - b).abs() <= layer.accuracy * norm,
            "{what}: {k}: {value:?} is not {:?}\n{got:?}\n{:?}",
            full[k],
            &full[..9]
        );
        let near = full
            .iter()
            .map(|other| (other.re - value.re).hypot(other.im - value.im))
            .fold(f64::MAX, f64::min);
        assert!(near <= layer.accuracy * norm, "{what}: {value:?} is no eigenvalue");
    }
    whole_pairs(&what, &got);
    frames(&what, &leading);
}

/// Conjugates follow each other, positive imaginary part first.
fn whole_pairs(what: &str, values: &[Eigenvalue]) {
    let mut k = 0;
    while k < values.len() {
        if values[k].is_complex() {
            assert!(
                values[k].im > 0.0 && values.get(k + 1) == Some(&values[k].conjugate()),
                "{what}: {values:?}"
            );
            k += 1;
        }
        k += 1;
    }
}

fn frames(what: &str, leading: &LeadingPairs) {
    for k in 0..=leading.pairs.len() {
        let columns = leading.span_frame(k).columns;
        let most = k + usize::from(k > 0 && leading.pairs[k - 1].value.im > 0.0);
        assert!(columns.len() <= most, "{what}: {} columns for {k} vectors", columns.len());
        for (i, a) in columns.iter().enumerate() {
            for (j, b) in columns.iter().enumerate() {
                let dot: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-12, "{what}: frame");
            }
        }
        // Every vector lies in the span.
        for vector in leading.pairs[..k].iter().map(|pair| &pair.vector) {
            for part in [&vector.re, &vector.im].into_iter().filter(|part| !part.is_empty()) {
                let mut rest = part.clone();
                for column in &columns {
                    let along: f64 = column.iter().zip(part).map(|(x, y)| x * y).sum();
                    rest.iter_mut().zip(column).for_each(|(x, y)| *x -= along * y);
                }
                assert!(rest.iter().map(|x| x * x).sum::<f64>().sqrt() < 1e-6, "{what}: span");
            }
        }
    }
    assert_eq!(leading.principal_frame(), leading.span_frame(1));
}

#[test]
fn leading_pairs_are_those_of_the_full_problem() {
    for seed in 0..200 {
        let layer = layer(seed);
        for order in ORDERS {
            check(seed, &layer, order, 6);
        }
    }
}

#[test]
fn iteration_needs_no_help_unless_everything_is_tied() {
    // Beyond a width of 512 it has none.
    let d = 600;
    let diagonal = |entry: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..d * d).map(|k| if k % (d + 1) == 0 { entry(k / d) } else { 0.0 }).collect()
    };
    let noise: Vec<f64> = (0..d * d).map(|k| 1e-8 * (k as f64).sin()).collect();
    let nearly: Vec<f64> = diagonal(&|_| -1.0).iter().zip(&noise).map(|(a, b)| a + b).collect();
    let shifted = |k: usize| f64::from(u8::from(k % d == k / d + 1));
    for (kind, rows) in [
        ("identity", diagonal(&|_| 1.0)),
        ("nearly minus the identity", nearly),
        ("five copies of the first", diagonal(&|i| if i % 120 == 7 { 2.0 } else { (i % 10) as f64 / 10.0 })),
        ("three values only", diagonal(&|i| (i % 3) as f64)),
        ("nilpotent", (0..d * d).map(|k| shifted(k) * f64::from(u8::from(k / d % 2 == 0))).collect()),
        (
            "one long Jordan block",
            diagonal(&|_| 1.0).iter().enumerate().map(|(k, a)| a + shifted(k)).collect(),
        ),
    ] {
        let layer = Layer::of(kind, &rows, d, 1e-6);
        for order in ORDERS {
            let leading = leading_pairs(&layer.matrix(), 6, order);
            if kind == "one long Jordan block" {
                // Its eigenvalues move by the 600th root of rounding: all that can be asked is an honest answer.
                let (found, norm) = residuals(&layer.matrix(), &leading);
                let largest = found.iter().copied().fold(0.0, f64::max);
                assert!(!leading.converged || largest <= 1.01 * RESIDUAL_TOLERANCE * norm, "{kind} {order}");
                continue;
            }
            let most = if kind == "nilpotent" { 3000 } else { 400 };
            assert!(
                leading.converged && leading.products < most,
                "{kind} {order}: {} products",
                leading.products
            );
            if kind == "five copies of the first" {
                let copies = leading.values().iter().filter(|value| (value.re - 2.0).abs() < 1e-6).count();
                assert_eq!(copies, 5, "{order}");
                assert!((leading.pairs[5].value.re - 0.9).abs() < 1e-6, "{order}");
                assert_eq!(leading.span_frame(6).columns.len(), 6);
            }
        }
    }
}

#[test]
fn any_number_of_pairs_can_be_asked_for() {
    for seed in [0, 1, 5, 8, 10] {
        let layer = layer(seed);
        for count in [1, 2, 3, 8, 15, 20, layer.width - 1, layer.width, layer.width + 5] {
            check(seed, &layer, Order::Shifted, count.min(layer.width));
        }
        assert_eq!(leading_pairs(&layer.matrix(), 0, Order::Shifted).pairs.len(), 0);
    }
}

#[test]
fn iteration_repeats_itself_exactly() {
    let layer = layer(1);
    let pairs = || leading_pairs(&layer.matrix(), 6, Order::Shifted);
    assert_eq!(pairs(), pairs());
}

#[test]
fn few_products_are_enough_for_layers_like_real_ones() {
    for seed in [1, 2, 21, 22, 41, 42] {
        let leading = leading_pairs(&layer(seed).matrix(), 6, Order::Shifted);
        assert!((1..=120).contains(&leading.products), "{} products", leading.products);
    }
}

#[test]
fn eigenvalues_sum_to_the_trace() {
    for seed in 0..20 {
        let layer = layer(seed);
        let matrix = layer.matrix();
        let norm = matrix.frobenius_norm();
        let values = full_spectrum(&matrix, Order::Shifted).unwrap().values;
        assert_eq!(values.len(), layer.width);
        let (re, im) = values.iter().fold((0.0, 0.0), |(re, im), value| (re + value.re, im + value.im));
        assert!((re - matrix.trace()).abs() <= 1e-10 * norm * layer.width as f64, "seed {seed}");
        assert!(im == 0.0, "seed {seed}");
        assert!((norm - matrix.dense().norm_l2()).abs() <= 1e-12 * norm, "seed {seed}");
    }
}

#[test]
fn full_problem_gives_pairs_on_request() {
    let layer = layer(1);
    let spectrum = full_spectrum_with_vectors(&layer.matrix(), Order::Real).unwrap();
    let norm = layer.matrix().frobenius_norm();
    assert_eq!(spectrum.pairs.len(), layer.width);
    assert!(spectrum.pairs.iter().all(|pair| pair.residual < 1e-12 * norm));
    for (a, b) in spectrum.values.iter().zip(full_spectrum(&layer.matrix(), Order::Real).unwrap().values) {
        assert!((a.re - b.re).hypot(a.im - b.im) < 1e-10 * norm);
    }
}

fn small(rows: &[f64], d: usize) -> Layer {
    Layer::of("small", rows, d, 1e-7)
}

#[test]
fn zero_matrix_has_zero_eigenvalues() {
    for d in [1, 2, 7, 150] {
        let layer = small(&vec![0.0; d * d], d);
        for order in ORDERS {
            let leading = leading_pairs(&layer.matrix(), 6, order);
            assert!(leading.converged && leading.largest_residual == 0.0, "width {d}");
            assert_eq!(leading.pairs.len(), d.min(6));
            assert!(leading.pairs.iter().all(|pair| pair.value == Eigenvalue::default()));
            assert_eq!(leading.principal_frame().columns.len(), 1);
            assert_eq!(leading.span_frame(6).columns.len(), d.min(6));
            assert_eq!(leading.gaps(), Gaps::default());
        }
    }
}

#[test]
fn one_by_one_matrix_is_its_eigenvalue() {
    let layer = small(&[-0.75], 1);
    for order in ORDERS {
        let leading = leading_pairs(&layer.matrix(), 6, order);
        assert!(leading.converged);
        assert_eq!(leading.values(), [Eigenvalue { re: -0.75, im: 0.0 }]);
        assert_eq!(leading.principal_frame().columns, [[1.0]]);
        assert_eq!(leading.gaps(), Gaps { real: 0.0, shifted_modulus: 0.0 });
    }
}

#[test]
fn rotation_has_one_whole_pair() {
    let layer = small(&[0.0, -1.0, 1.0, 0.0], 2);
    let leading = leading_pairs(&layer.matrix(), 1, Order::Shifted);
    assert_eq!(leading.pairs.len(), 2);
    assert!(
        (leading.pairs[0].value.im - 1.0).abs() < 1e-12 && (leading.pairs[1].value.im + 1.0).abs() < 1e-12
    );
    assert_eq!(leading.principal_frame().columns.len(), 2);
    assert_eq!(leading.gaps(), Gaps::default());
    assert_eq!(leading.pairs[0].vector.conjugate(), leading.pairs[1].vector);
}

#[test]
fn order_decides_what_leads() {
    let layer = small(&[0.5, 0.0, 0.0, -3.0], 2);
    let leading = |order| leading_pairs(&layer.matrix(), 2, order);
    for (order, first, real, shifted) in
        [(Order::Shifted, -3.0, -3.5, 0.5), (Order::Real, 0.5, 3.5, -0.5), (Order::Modulus, -3.0, -3.5, 0.5)]
    {
        let leading = leading(order);
        assert!((leading.pairs[0].value.re - first).abs() < 1e-12, "{order}");
        assert!((leading.gaps().real - real).abs() < 1e-12, "{order}");
        assert!((leading.gaps().shifted_modulus - shifted).abs() < 1e-12, "{order}");
    }
}

#[test]
fn gap_passes_over_the_conjugate() {
    let values = [[2.0, 0.5], [2.0, -0.5], [1.0, 0.0]].map(Eigenvalue::from);
    let gaps = Gaps::of(&values);
    assert!((gaps.real - 1.0).abs() < 1e-15);
    assert!((gaps.shifted_modulus - (3.0_f64.hypot(0.5) - 2.0)).abs() < 1e-15);
    assert_eq!(Gaps::of(&values[..2]), Gaps::default());
    assert_eq!(Gaps::of(&[]), Gaps::default());
}

#[test]
fn tied_eigenvalues_are_ordered_by_their_real_part() {
    // |1 + lambda| = 2 for 1 and for -3.
    let layer = small(&[-3.0, 0.0, 0.0, 1.0], 2);
    let leading = leading_pairs(&layer.matrix(), 2, Order::Shifted);
    assert!(leading.pairs[0].value.re > 0.0);
}

#[test]
fn sign_and_phase_are_fixed() {
    for seed in 0..6 {
        for pair in leading_pairs(&layer(seed).matrix(), 6, Order::Shifted).pairs {
            let (re, im) = (&pair.vector.re, &pair.vector.im);
            let squared = |i: usize| re[i].powi(2) + im.get(i).map_or(0.0, |y| y.powi(2));
            let largest = (0..re.len()).max_by(|&a, &b| squared(a).total_cmp(&squared(b))).unwrap();
            assert!(re[largest] > 0.0 && im.get(largest).is_none_or(|&y| y == 0.0), "seed {seed}");
        }
    }
}

#[test]
fn weights_that_are_not_finite_never_converge() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for d in [1, 3, 100] {
            for place in [0, d * d - 1, d * d / 2] {
                let mut layer = small(&vec![0.25; d * d], d);
                layer.output[place] = bad;
                let leading = leading_pairs(&layer.matrix(), 6, Order::Shifted);
                assert!(!leading.converged && leading.pairs.is_empty(), "{bad} at {place} of width {d}");
                assert!(full_spectrum(&layer.matrix(), Order::Real).is_err());
                let _ = (leading.gaps(), leading.principal_frame(), leading.span_frame(3));
                layer.output[place] = 0.0;
                layer.value[place] = bad;
                assert!(!leading_pairs(&layer.matrix(), 6, Order::Real).converged);
            }
        }
    }
}

#[test]
fn factors_of_the_wrong_size_are_refused() {
    assert!(LayerMatrix::new(&[0.0; 4], &[0.0; 3], 2).is_err());
    assert!(LayerMatrix::new(&[0.0; 3], &[0.0; 4], 2).is_err());
    assert!(LayerMatrix::new(&[], &[], usize::MAX).is_err());
    assert!(head_spectra(&[0.0; 4], &[0.0; 4], 2, 0).is_err());
    assert!(head_spectra(&[0.0; 9], &[0.0; 9], 3, 2).is_err());
    let empty = LayerMatrix::new(&[], &[], 0).unwrap();
    assert!(leading_pairs(&empty, 6, Order::Shifted).pairs.is_empty());
    assert!(full_spectrum(&empty, Order::Shifted).unwrap().values.is_empty());
}

#[test]
fn head_spectra_are_the_nonzero_spectra_of_the_heads() {
    let random = &mut Random::new(5);
    let (d, heads) = (24, 4);
    let size = d / heads;
    let [output, value]: [Vec<f32>; 2] =
        [(); 2].map(|()| gaussian(random, d, 1.0).iter().map(|&entry| entry as f32).collect());
    let spectra = head_spectra(&output, &value, d, heads).unwrap();
    assert_eq!(spectra.len(), heads);
    for (head, values) in spectra.iter().enumerate() {
        assert_eq!(values.len(), size);
        whole_pairs("head", values);
        // Only this head's columns of O and rows of V.
        let own = |k: usize| (head * size..(head + 1) * size).contains(&k);
        let output: Vec<f32> = (0..d * d).map(|k| if own(k % d) { output[k] } else { 0.0 }).collect();
        let value: Vec<f32> = (0..d * d).map(|k| if own(k / d) { value[k] } else { 0.0 }).collect();
        let full =
            full_spectrum(&LayerMatrix::new(&output, &value, d).unwrap(), Order::Modulus).unwrap().values;
        assert!(full[size..].iter().all(|value| value.modulus() < 1e-6), "rank");
        for value in values {
            let near = full[..size].iter().map(|other| (other.re - value.re).hypot(other.im - value.im));
            assert!(near.fold(f64::MAX, f64::min) < 1e-9, "head {head}: {value:?}");
        }
    }
}

#[test]
fn product_is_that_of_the_dense_matrix() {
    let layer = layer(0);
    let (matrix, d) = (layer.matrix(), layer.width);
    let (dense, x) = (matrix.dense(), (0..d).map(|k| (k as f64).sin()).collect::<Vec<_>>());
    let (mut y, mut scratch) = (vec![0.0; d], vec![0.0; d]);
    matrix.apply(&x, &mut y, &mut scratch);
    for (i, y) in y.iter().enumerate() {
        let expected: f64 = (0..d).map(|j| dense[(i, j)] * x[j]).sum();
        assert!((y - expected).abs() < 1e-12);
    }
}

#[test]
fn eigenvalues_are_written_as_two_numbers() {
    let value = Eigenvalue { re: 1.5, im: -0.25 };
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(text, "[1.5,-0.25]");
    assert_eq!(serde_json::from_str::<Eigenvalue>(&text).unwrap(), value);
    let leading = leading_pairs(&layer(1).matrix(), 2, Order::Modulus);
    let text = serde_json::to_string(&leading).unwrap();
    let again = serde_json::from_str::<LeadingPairs>(&text).unwrap();
    assert_eq!(
        (again.order, again.products, again.converged),
        (leading.order, leading.products, leading.converged)
    );
    for (a, b) in again.values().iter().zip(leading.values()) {
        // Decimal digits come back to the last bit or its neighbour.
        assert!((a.re - b.re).abs() <= 1e-15 * b.modulus() && (a.im - b.im).abs() <= 1e-15 * b.modulus());
    }
}

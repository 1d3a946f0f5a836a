//! A few numbers at a time, in vector registers: doubles, and floats widened to doubles.

// Inlining is what gives these the vector instructions of the function that they are used in.
#![allow(clippy::inline_always)]

/// Numbers that can be loaded into [`Lanes`].
pub(super) trait Entry: Copy + Into<f64> {
    /// Loads and widens.
    fn load(entries: &[Self; LANES]) -> Lanes;
}

pub(super) use chosen::{LANES, Lanes};

/// Plain arrays: the compiler turns them into whatever registers the function around may use.
#[cfg(not(target_arch = "wasm32"))]
mod chosen {
    use super::Entry;

    pub(in super::super) const LANES: usize = 8;

    #[derive(Clone, Copy)]
    pub(in super::super) struct Lanes([f64; LANES]);

    impl Lanes {
        #[inline(always)]
        pub(in super::super) fn zero() -> Self {
            Self([0.0; LANES])
        }

        /// self + a b. The products stand apart from the sums so that lanes, not vectors, are put together.
        #[inline(always)]
        pub(in super::super) fn plus_product(self, a: Self, b: Self) -> Self {
            let products: [f64; LANES] = std::array::from_fn(|lane| a.0[lane] * b.0[lane]);
            Self(std::array::from_fn(|lane| self.0[lane] + products[lane]))
        }

        /// The sum over the lanes. The black box keeps the compiler from vectorising a loop with two of these sums at its
        /// end across the two instead of along the lanes, which takes three times as long.
        #[inline(always)]
        pub(in super::super) fn total(self) -> f64 {
            let [a, b, c, d, e, f, g, h] = std::hint::black_box(self.0);
            ((a + e) + (c + g)) + ((b + f) + (d + h))
        }
    }

    impl Entry for f32 {
        #[inline(always)]
        fn load(entries: &[Self; LANES]) -> Lanes {
            Lanes(entries.map(f64::from))
        }
    }

    impl Entry for f64 {
        #[inline(always)]
        fn load(entries: &[Self; LANES]) -> Lanes {
            Lanes(*entries)
        }
    }
}

/// The instructions themselves: left alone, the compiler pairs the wrong numbers, at a third of the speed.
#[cfg(target_arch = "wasm32")]
mod chosen {
    use std::arch::wasm32::{
        f32x4, f64x2, f64x2_add, f64x2_extract_lane, f64x2_mul, f64x2_promote_low_f32x4, f64x2_splat,
        i32x4_shuffle, v128,
    };

    use super::Entry;

    pub(in super::super) const LANES: usize = 4;

    #[derive(Clone, Copy)]
    pub(in super::super) struct Lanes(v128, v128);

    impl Lanes {
        #[inline(always)]
        pub(in super::super) fn zero() -> Self {
            Self(f64x2_splat(0.0), f64x2_splat(0.0))
        }

        /// self + a b.
        #[inline(always)]
        pub(in super::super) fn plus_product(self, a: Self, b: Self) -> Self {
            Self(f64x2_add(self.0, f64x2_mul(a.0, b.0)), f64x2_add(self.1, f64x2_mul(a.1, b.1)))
        }

        #[inline(always)]
        pub(in super::super) fn total(self) -> f64 {
            let sum = f64x2_add(self.0, self.1);
            f64x2_extract_lane::<0>(sum) + f64x2_extract_lane::<1>(sum)
        }
    }

    impl Entry for f32 {
        #[inline(always)]
        fn load(&[a, b, c, d]: &[Self; LANES]) -> Lanes {
            let floats = f32x4(a, b, c, d);
            let upper = i32x4_shuffle::<2, 3, 2, 3>(floats, floats);
            Lanes(f64x2_promote_low_f32x4(floats), f64x2_promote_low_f32x4(upper))
        }
    }

    impl Entry for f64 {
        #[inline(always)]
        fn load(&[a, b, c, d]: &[Self; LANES]) -> Lanes {
            Lanes(f64x2(a, b), f64x2(c, d))
        }
    }
}

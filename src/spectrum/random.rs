/// Reproducible pseudo-random numbers: splitmix64 (Steele, Lea and Flood 2014). They start Krylov iterations, so their
/// quality matters little and their being the same on every machine matters much.
pub(super) struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform between -1 and 1.
    pub(super) fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Fills a vector.
    pub(super) fn fill(&mut self, vector: &mut [f64]) {
        for entry in vector {
            *entry = self.symmetric();
        }
    }
}

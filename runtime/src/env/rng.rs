//! A small seeded source of chance (SplitMix64; Steele, Lea and Flood, OOPSLA 2014). Not for secrets.

/// A seeded source of chance: the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A source that begins at `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// The next number, uniform over all of `u64`.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 when `n` is 0. The bias is below `n / 2^64`.
    pub fn below(&mut self, n: u64) -> u64 {
        u64::try_from((u128::from(self.next_u64()) * u128::from(n)) >> 64)
            .expect("a product of two u64, shifted by 64, fits")
    }
}

/// The FNV-1a hash of a label, for keying streams by name: the same on every machine and build.
#[must_use]
pub fn label_hash(label: &str) -> u64 {
    label
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

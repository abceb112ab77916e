//! Ranks for tests: often equal, sometimes extreme.

use std::fmt::Debug;

use proptest::prelude::*;

/// A small generator (splitmix64) for long runs, where proptest's would take most of the time.
pub struct Random(u64);

impl Random {
    /// The same numbers for the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "it has no end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform below `bound`, nearly.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// A rank that the suite can draw.
pub trait TestRank: Copy + Ord + Debug + 'static {
    /// Few values that tie, any value, and both extremes.
    fn strategy() -> BoxedStrategy<Self>;

    /// The same mixture for long runs.
    fn random(random: &mut Random) -> Self;
}

macro_rules! integers {
    ($($rank:ty),*) => {$(
        impl TestRank for $rank {
            fn strategy() -> BoxedStrategy<Self> {
                prop_oneof![
                    4 => 0..=3 as $rank, 3 => any::<$rank>(), 1 => Just(0), 1 => Just(<$rank>::MAX),
                ].boxed()
            }

            fn random(random: &mut Random) -> Self {
                match random.below(16) {
                    0 => 0,
                    1 => <$rank>::MAX,
                    2..=4 => 1000 + random.below(16) as $rank,
                    5..=8 => 1000 * random.below(4) as $rank, // a few very common ones
                    _ => random.next() as $rank,
                }
            }
        }
    )*};
}

integers!(u16, u32, u64);

impl TestRank for (u64, u32) {
    fn strategy() -> BoxedStrategy<Self> {
        (u64::strategy(), u32::strategy()).boxed()
    }

    fn random(random: &mut Random) -> Self {
        (random.below(50), u32::random(random))
    }
}

//! Spreading flow numbers over places: the finalizer of SplitMix64 over the flow and a seed, then
//! the high bits scaled to the number of places. O(1), the same on every machine.

/// A place below `places`, which must be at least 1.
#[inline]
pub(crate) fn spread(flow: u32, seed: u64, places: usize) -> usize {
    let mut mixed =
        (u64::from(flow) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed.rotate_left(32);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^= mixed >> 31;
    (((mixed >> 32) * places as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn consecutive_flows_spread_evenly_under_every_seed() {
        for seed in [0, 1, u64::MAX] {
            let mut counts = [0u32; 16];
            for flow in 0..16_000 {
                counts[spread(flow, seed, 16)] += 1;
            }
            assert!(counts.iter().all(|count| (850..1150).contains(count)), "{seed}: {counts:?}");
        }
        assert_eq!(spread(u32::MAX, 3, 1), 0);
    }
}

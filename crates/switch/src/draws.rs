//! Draws of switches: from a counter, so the same packets give the same results.

/// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub(crate) fn mix(counter: u64) -> u64 {
    let mut bits = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

//! Where a source's randomness comes from: one independent ChaCha8 substream per (seed, name,
//! index), and the two draws that the sources need, written with additions, products and quotients
//! only, so that every machine draws the same bits.
//!
//! **Version 1** of the derivation. The 256-bit ChaCha8 key is four little-endian 64-bit words: the
//! seed, the FNV-1a hash of the name's bytes, the index, and the version. So seeds and indices
//! never collide, and names collide only if their hashes do. Any change of the derivation or of a
//! draw raises the version, since it changes every result.

use rand::{Rng, SeedableRng};
pub use rand_chacha::ChaCha8Rng;

/// The version of the derivation and of the draws; part of the key.
pub const STREAM_VERSION: u64 = 1;

/// The substream `index` of those called `name`, under `seed`. O(length of the name).
///
/// ```
/// use forebay_workload::random::{exponential, stream};
/// let (mut a, mut b) = (stream(7, "flow gaps", 0), stream(7, "flow gaps", 1));
/// assert_ne!(exponential(&mut a), exponential(&mut b));
/// ```
#[must_use]
pub fn stream(seed: u64, name: &str, index: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    let words = [seed, fnv1a(name.as_bytes()), index, STREAM_VERSION];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// A draw from the uniform distribution on [0, 1): a multiple of 2⁻⁵³.
pub fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    (rng.next_u64() >> 11) as f64 * STEP
}

/// A draw from the exponential distribution of mean 1, by inversion; in (0, 37.5).
pub fn exponential<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    // The middle of one of the 2^53 intervals of (0, 1), rounded into (0, 1].
    let interval = (rng.next_u64() >> 11) as f64;
    (-natural_logarithm((interval + 0.5) * STEP)).max(f64::MIN_POSITIVE)
}

/// The natural logarithm of a normal positive number, to about two units in the last place.
///
/// The platforms' own logarithms differ. With x = m·2^e and m in [√½, √2): ln m = 2·artanh s =
/// 2·(s + s³/3 + s⁵/5 + …) for s = (m − 1)/(m + 1), and |s| < 0.172.
fn natural_logarithm(x: f64) -> f64 {
    const FRACTION_BITS: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits((bits & FRACTION_BITS) | 1f64.to_bits());
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = (0..11).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_derivation_is_pinned() {
        // These values change only together with STREAM_VERSION.
        let draws = |seed, name, index| stream(seed, name, index).next_u64();
        assert_eq!(draws(0, "", 0), 15_319_438_213_118_371_069);
        assert_eq!(draws(1, "flow sizes", 2), 13_628_773_232_847_525_958);
    }

    #[test]
    fn substreams_differ_in_every_coordinate() {
        let first = |seed, name, index| stream(seed, name, index).next_u64();
        let base = first(1, "a", 0);
        assert!([first(2, "a", 0), first(1, "b", 0), first(1, "a", 1)].iter().all(|x| *x != base));
    }

    #[test]
    fn draws_have_their_moments() {
        let mut rng = stream(3, "moments", 0);
        let n = 200_000;
        let (mut sum, mut squares, mut uniforms) = (0.0, 0.0, 0.0);
        for _ in 0..n {
            let x = exponential(&mut rng);
            sum += x;
            squares += x * x;
            uniforms += uniform(&mut rng);
        }
        let n = f64::from(n);
        // Four standard errors: the deviations are 1, √20 and √(1/12).
        assert!((sum / n - 1.0).abs() < 4.0 / n.sqrt());
        assert!((squares / n - 2.0).abs() < 4.0 * 20f64.sqrt() / n.sqrt());
        assert!((uniforms / n - 0.5).abs() < 4.0 / (12.0 * n).sqrt());
    }

    proptest! {
        #[test]
        fn the_logarithm_is_the_logarithm(x in 1e-17f64..1.0) {
            let (ours, theirs) = (natural_logarithm(x), x.ln());
            prop_assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs().max(1e-16));
        }
    }
}

//! How object ids are spread: over sets, over tables, over seeds. O(1).

use std::hash::{BuildHasherDefault, Hasher};

/// A bijection of 64 bits that lets every input bit move every output bit: two rounds of xor-shift
/// and odd multiplication.
#[inline]
pub(crate) fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// Hashes object ids by [`mix`]; for tables of ids only.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdHasher(u64);

/// Builds [`IdHasher`]s.
pub(crate) type MixHash = BuildHasherDefault<IdHasher>;

impl Hasher for IdHasher {
    #[inline]
    fn write_u64(&mut self, id: u64) {
        self.0 = mix(id);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0 ^ u64::from(*byte));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

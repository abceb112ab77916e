//! The random ranks of every case: the same sequence for every subject.

/// Uniform increments from 1 to a power of two: a xorshift generator, as cheap as can be, because
/// its time is counted.
pub(super) struct Increments {
    state: u64,
    mask: u32,
}

impl Increments {
    pub(super) fn new(span: u32) -> Self {
        Increments { state: 0x9E37_79B9_7F4A_7C15, mask: span - 1 }
    }

    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 32) as u32 & self.mask) + 1
    }
}

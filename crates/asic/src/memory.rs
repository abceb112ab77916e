//! Memories: how many bits, in which words, behind which ports.
//!
//! Source for what is stored: the model's own file. The mapping to block RAM follows the aspect
//! ratios of an 18 Kb block (16K × 1 to 512 × 36); that memories of at most 64 words become
//! distributed RAM is our reading of what the open synthesis flow does with BBQ.

use alloc::vec::Vec;

/// Words by bits of one 18 Kb block of RAM.
const BLOCK_SHAPES: [(u128, u128); 6] =
    [(16_384, 1), (8192, 2), (4096, 4), (2048, 9), (1024, 18), (512, 36)];
/// The largest memory in words that a synthesizer keeps out of block RAM.
const DISTRIBUTED_WORDS: u128 = 64;

/// Bits that number `count` things from zero; also the depth of a tree of two-input gates over
/// them.
pub(crate) const fn address_bits(count: u128) -> u32 {
    if count <= 1 { 0 } else { u128::BITS - (count - 1).leading_zeros() }
}

/// Bits of a counter from zero to `largest`.
pub(crate) const fn counter_bits(largest: u128) -> u128 {
    (u128::BITS - largest.leading_zeros()) as u128
}

/// Accesses to one memory in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// Words read per cycle.
    pub reads: u32,
    /// Words written per cycle.
    pub writes: u32,
}

impl Ports {
    /// One read and one write: a simple dual-port SRAM.
    pub const DUAL: Ports = Ports { reads: 1, writes: 1 };
}

/// One SRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bank {
    /// What it stores.
    pub what: &'static str,
    /// The level of the structure it belongs to, from 1 at the root; none if it belongs to all.
    pub level: Option<u32>,
    /// Words (addresses).
    pub words: u128,
    /// Bits per word.
    pub width: u128,
    /// How many accesses it serves in a cycle.
    pub ports: Ports,
}

impl Bank {
    /// Its size in bits.
    #[must_use]
    pub fn bits(&self) -> u128 {
        self.words * self.width
    }

    /// Blocks of 18 Kb it takes on an FPGA, in the best of the block's shapes; none for small
    /// memories, which become distributed RAM.
    #[must_use]
    pub fn blocks(&self) -> u128 {
        if self.words <= DISTRIBUTED_WORDS {
            return 0;
        }
        let of =
            |(words, bits): &(u128, u128)| self.words.div_ceil(*words) * self.width.div_ceil(*bits);
        BLOCK_SHAPES.iter().map(of).min().unwrap_or(0)
    }
}

/// All memories of a structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The SRAMs, from the root down.
    pub banks: Vec<Bank>,
    /// Bits in registers.
    pub register_bits: u128,
}

impl Memory {
    /// Bits in SRAM.
    #[must_use]
    pub fn sram_bits(&self) -> u128 {
        self.banks.iter().map(Bank::bits).sum()
    }

    /// Bits in SRAM and registers.
    #[must_use]
    pub fn bits(&self) -> u128 {
        self.sram_bits() + self.register_bits
    }

    /// Blocks of 18 Kb on an FPGA.
    #[must_use]
    pub fn blocks(&self) -> u128 {
        self.banks.iter().map(Bank::blocks).sum()
    }

    /// The most ports that any of its SRAMs needs; none without SRAM.
    #[must_use]
    pub fn ports(&self) -> Option<Ports> {
        let ports = self.banks.iter().map(|bank| bank.ports);
        ports.max_by_key(|ports| (ports.reads + ports.writes, ports.reads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_exact() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(address_bits), [0, 0, 1, 2, 2, 3]);
        assert_eq!([0, 1, 2, 3, 4].map(counter_bits), [0, 1, 2, 2, 3]);
        assert_eq!(address_bits(u128::MAX), 128);
    }

    #[test]
    fn blocks_take_their_best_shape() {
        let blocks = |words, width| {
            Bank { what: "", level: None, words, width, ports: Ports::DUAL }.blocks()
        };
        assert_eq!(blocks(64, 1000), 0);
        assert_eq!(blocks(512, 36), 1);
        assert_eq!(blocks(512, 37), 2);
        assert_eq!(blocks(4096, 32), 8);
        assert_eq!(blocks(1 << 17, 17), 128);
    }
}

//! Which held requests are for a given row: asked once for every activation.
//!
//! Each of 64 slots has a one-byte digest of its bank and row. A question compares eight digests at
//! a time within a 64-bit word and then checks the few that agree: O(slots / 8).

const SLOTS: usize = 64;
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// The bank of an empty slot.
const NO_BANK: u8 = u8::MAX;

#[derive(Clone, Debug)]
pub(crate) struct HeldRows {
    digests: [u64; SLOTS / 8],
    places: [(u8, u32); SLOTS],
    /// Words that have ever held a request.
    words: usize,
}

impl Default for HeldRows {
    fn default() -> Self {
        HeldRows { digests: [0; SLOTS / 8], places: [(NO_BANK, 0); SLOTS], words: 0 }
    }
}

fn digest(bank: usize, row: u32) -> u64 {
    let mixed = (u64::from(row) << 8 | bank as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed >> 56
}

impl HeldRows {
    /// `slot` holds a request for `row` of `bank`.
    pub(crate) fn set(&mut self, slot: usize, bank: usize, row: u32) {
        let shift = slot % 8 * 8;
        let word = &mut self.digests[slot / 8];
        *word = *word & !(0xff << shift) | digest(bank, row) << shift;
        self.places[slot] = (bank as u8, row);
        self.words = self.words.max(slot / 8 + 1);
    }

    /// `slot` holds nothing.
    pub(crate) fn clear(&mut self, slot: usize) {
        self.places[slot].0 = NO_BANK;
    }

    /// The slots that hold requests for `row` of `bank`, one bit each.
    pub(crate) fn matching(&self, bank: usize, row: u32) -> u64 {
        let wanted = digest(bank, row).wrapping_mul(LOW_BITS);
        let mut slots = 0;
        for (index, word) in self.digests[..self.words].iter().enumerate() {
            let differs = word ^ wanted;
            // A high bit wherever a byte is zero (and perhaps above one; those are checked anyway).
            let mut zero = differs.wrapping_sub(LOW_BITS) & !differs & HIGH_BITS;
            while zero != 0 {
                let slot = index * 8 + zero.trailing_zeros() as usize / 8;
                zero &= zero - 1;
                if self.places[slot] == (bank as u8, row) {
                    slots |= 1 << slot;
                }
            }
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_exactly_the_slots_of_a_row(
            writes in prop::collection::vec((0usize..64, 0usize..3, 0u32..400, any::<bool>()), 0..200),
            bank in 0usize..3,
        ) {
            let mut rows = HeldRows::default();
            let mut naive = [None; 64];
            for (slot, bank, row, clear) in writes {
                if clear {
                    rows.clear(slot);
                    naive[slot] = None;
                } else {
                    rows.set(slot, bank, row);
                    naive[slot] = Some((bank, row));
                }
            }
            for row in 0..400 {
                let expected = (0..64).filter(|&slot| naive[slot] == Some((bank, row)));
                prop_assert_eq!(rows.matching(bank, row), expected.fold(0, |set, slot| set | 1u64 << slot));
            }
        }
    }
}

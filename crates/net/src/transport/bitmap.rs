//! Which packets of a flow have arrived, from the first that has not.
//!
//! O(1) a packet but for what a search passes over, 64 packets at a time; a bit a packet between
//! the first that is missing and the last that has arrived.

use alloc::collections::VecDeque;

/// A set of packet numbers from a first one on.
#[derive(Clone, Debug, Default)]
pub(super) struct Bitmap {
    /// The number of the first word: packets below it are in none.
    first: u64,
    words: VecDeque<u64>,
}

const BITS: u64 = u64::BITS as u64;

impl Bitmap {
    /// Adds a packet; one below those that are kept is left out.
    pub(super) fn insert(&mut self, packet: u64) {
        let Some(word) = (packet / BITS).checked_sub(self.first) else { return };
        while self.words.len() as u64 <= word {
            self.words.push_back(0);
        }
        self.words[word as usize] |= 1 << (packet % BITS);
    }

    /// Whether it has a packet, which is not below those that are kept.
    pub(super) fn has(&self, packet: u64) -> bool {
        let word = (packet / BITS).checked_sub(self.first);
        let bits = word.and_then(|word| self.words.get(word as usize));
        bits.is_some_and(|bits| bits >> (packet % BITS) & 1 != 0)
    }

    /// The first packet from `from` on that it does not have.
    pub(super) fn gap(&self, from: u64) -> u64 {
        let mut packet = from;
        while let Some(word) = (packet / BITS).checked_sub(self.first)
            && let Some(&bits) = self.words.get(word as usize)
        {
            let missing = !bits >> (packet % BITS);
            if missing != 0 {
                return packet + u64::from(missing.trailing_zeros());
            }
            packet = (packet / BITS + 1) * BITS;
        }
        packet
    }

    /// Forgets packets below `packet`.
    pub(super) fn forget_below(&mut self, packet: u64) {
        while self.first < packet / BITS {
            self.words.pop_front();
            self.first = if self.words.is_empty() { packet / BITS } else { self.first + 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_agrees_with_a_list(
            steps in proptest::collection::vec((0u64..400, any::<bool>()), 1..80),
        ) {
            let (mut map, mut model, mut low) = (Bitmap::default(), [false; 600], 0);
            for (packet, forgets) in steps {
                if forgets {
                    low = low.max(packet);
                    map.forget_below(packet);
                } else if packet >= low {
                    map.insert(packet);
                    model[packet as usize] = true;
                }
                for from in low..420 {
                    prop_assert_eq!(map.has(from), model[from as usize]);
                    let gap = (from..600).find(|&p| !model[p as usize]).unwrap();
                    prop_assert_eq!(map.gap(from), gap);
                }
            }
        }
    }
}

//! What logical partitions waste: queue fragmentation.
//!
//! Source: thesis §4.4.1, "the worst-case fraction of queue elements lost to external fragmentation
//! when an instance is partitioned q ways", and what over-provisioning against it costs.

use crate::memory::address_bits;

/// How partitions share the elements of one physical queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Any partition may use any element.
    Whole,
    /// Elements come in sublists that belong to one partition at a time, in each of which no two
    /// neighbouring sublists are partly full (PIEO).
    Sublists {
        /// Sublists.
        count: u128,
        /// Elements per sublist.
        size: u128,
    },
    /// Each partition has its own share, fixed in advance.
    Split,
}

/// What a physical queue of a given size loses to partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// The elements it has.
    pub elements: u128,
    /// The elements that fit whatever the mixture over the partitions.
    pub guaranteed: u128,
    /// The elements to add so that all of them fit in any mixture.
    pub spare: u128,
}

impl Fragmentation {
    /// Elements that the worst mixture cannot use.
    #[must_use]
    pub fn lost(&self) -> u128 {
        self.elements.saturating_sub(self.guaranteed)
    }
}

impl Sharing {
    /// What `partitions` ways lose of `elements`.
    ///
    /// Both are at least one, and below 2^60 together; the sublists hold `elements` with one
    /// partition.
    #[must_use]
    pub fn loss(self, elements: u128, partitions: u128) -> Fragmentation {
        let partitions = partitions.max(1);
        let others = partitions - 1;
        match self {
            Sharing::Whole => Fragmentation { elements, guaranteed: elements, spare: 0 },
            Sharing::Split => Fragmentation {
                elements,
                guaranteed: elements / partitions,
                spare: elements.saturating_mul(others),
            },
            Sharing::Sublists { count, size } => Fragmentation {
                elements,
                guaranteed: elements.min(first_refused(count, size, partitions).saturating_sub(1)),
                spare: (others - others % 2).saturating_mul(size),
            },
        }
    }
}

/// The fewest elements that can need one sublist more than there are.
///
/// In a partition no two neighbours are partly full, so `u` sublists hold at least `floor(u/2)`
/// full ones and `ceil(u/2)` with one element. The cheapest way to `count + 1` sublists has an odd
/// number of them in as many partitions as parity allows. Each two further partitions save a full
/// one, so as many more sublists as there are other partitions, rounded down to even, always
/// suffice.
fn first_refused(count: u128, size: u128, partitions: u128) -> u128 {
    let needed = count + 1;
    let most = partitions.min(needed);
    let odd = if (needed - most).is_multiple_of(2) { most } else { most - 1 };
    let (full, partial) = ((needed - odd) / 2, (needed + odd) / 2);
    full.saturating_mul(size).saturating_add(partial)
}

/// The side of the smallest square that holds `elements`: PIEO's sublist size.
pub(crate) fn square_side(elements: u128) -> u128 {
    let mut side = 1u128 << address_bits(elements).div_ceil(2);
    // Newton's iteration from above falls to the floor of the root.
    loop {
        let next = (side + elements / side) / 2;
        if next >= side {
            break;
        }
        side = next;
    }
    if side * side < elements { side + 1 } else { side }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_ways_lose_87_percent_of_a_split_queue() {
        let loss = Sharing::Split.loss(65_536, 8);
        assert_eq!(loss.lost() * 1000 / loss.elements, 875, "thesis §4.4.1: up to 87 %");
        assert_eq!(loss.spare * 100 / loss.elements, 700, "thesis §4.4.1: 700 %");
        assert_eq!(
            Sharing::Whole.loss(9, 8),
            Fragmentation { elements: 9, guaranteed: 9, spare: 0 }
        );
    }

    #[test]
    fn one_partition_loses_nothing() {
        for elements in 1..600 {
            let size = square_side(elements);
            let pieo = Sharing::Sublists { count: 2 * size, size };
            for sharing in [Sharing::Whole, Sharing::Split, pieo] {
                let loss = sharing.loss(elements, 1);
                assert_eq!((loss.lost(), loss.spare), (0, 0), "{sharing:?}");
            }
        }
    }

    #[test]
    fn the_square_holds_and_is_the_smallest() {
        for elements in 1u128..5000 {
            let side = square_side(elements);
            assert!(side * side >= elements && (side - 1) * (side - 1) < elements);
        }
        assert_eq!(square_side(1 << 80), 1 << 40);
    }

    /// The fewest elements that need `needed` sublists in `partitions` partitions, by trying every
    /// split.
    fn cheapest(needed: u128, size: u128, partitions: u128) -> u128 {
        let one = |used: u128| (used / 2) * size + used.div_ceil(2);
        if partitions == 1 {
            return one(needed);
        }
        (0..=needed)
            .map(|used| one(used) + cheapest(needed - used, size, partitions - 1))
            .min()
            .unwrap()
    }

    #[test]
    fn sublists_lose_what_the_worst_split_loses() {
        for size in 1..5 {
            for partitions in 1..5 {
                for count in 1..9 {
                    let found = first_refused(count, size, partitions);
                    assert_eq!(found, cheapest(count + 1, size, partitions));
                }
                let elements = size * size;
                let spare =
                    Sharing::Sublists { count: 2 * size, size }.loss(elements, partitions).spare;
                let more = Sharing::Sublists { count: 2 * size + spare / size, size };
                assert_eq!(more.loss(elements, partitions).lost(), 0, "the spare ones suffice");
            }
        }
    }
}

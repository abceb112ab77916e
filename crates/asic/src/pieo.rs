//! PIEO: a sorted list in 2√N sublists of √N elements, with an eligibility test.
//!
//! Source: thesis §4.4.1 (the sublists; predicates filter sublists first, so a sublist belongs to
//! one logical queue), §4.6.2 (4 cycles to enqueue, 4 to dequeue), Fig. 4.16 (elements in SRAM).
//!
//! Assumed, where the thesis is silent:
//! - A sublist is one SRAM word of each of two memories: its elements by rank, and their times by
//!   time.
//! - Registers hold a pointer per sublist: its number, smallest rank, smallest time, element count.
//!   All are compared at once, then a priority encoder picks one.
//! - A time has as many bits as a rank.
//! - An operation moves an element to or from a neighbouring sublist, so two words are read and
//!   written.
//! - No two neighbouring sublists are partly full, within each logical queue when there are
//!   several.
//! - The four cycles do not overlap with those of the next operation.

use alloc::vec;

use crate::logic::{Comparators, Logic, Path};
use crate::memory::{Bank, Memory, Ports, address_bits, counter_bits};
use crate::sharing::square_side;
use crate::{CheckedShape, Cost, CostModel, Interval, Latency, Sharing, Timing, Tuning};

/// PIEO.
pub(crate) const PIEO: CostModel = CostModel {
    name: "pieo",
    title: "PIEO",
    source: "thesis §4.4.1, §4.6.2",
    tuning: Tuning::Nothing,
    note: "",
    formulas: pieo,
};

fn pieo(shape: &CheckedShape) -> Cost {
    let size = square_side(shape.n());
    let sharing = Sharing::Sublists { count: 2 * size, size };
    let sublists = 2 * size + sharing.loss(shape.n(), shape.m()).spare / size;
    let four_cycles = Interval::of(1, 4);
    Cost {
        capacity: size * size,
        timing: Timing { push: four_cycles, pop: four_cycles, replace: None },
        latency: Latency { result: 4, settled: 4 },
        logic: logic(shape, sublists, size),
        memory: memory(shape, sublists, size),
        sharing,
    }
}

fn logic(shape: &CheckedShape, sublists: u128, size: u128) -> Logic {
    let (rank, places) = (u128::from(shape.rank_bits), sublists + size);
    Logic {
        comparators: vec![
            Comparators { what: "rank", count: places, width: rank },
            Comparators { what: "eligible time", count: places, width: rank },
        ],
        path: Path { broadcast: sublists, find_first: sublists, ..Path::comparing(rank) },
        span: 1,
    }
}

fn memory(shape: &CheckedShape, sublists: u128, size: u128) -> Memory {
    let rank = u128::from(shape.rank_bits);
    let pointer = u128::from(address_bits(sublists)) + 2 * rank + counter_bits(size);
    let queue = u128::from(address_bits(shape.m()));
    let ports = Ports { reads: 2, writes: 2 };
    let bank = |what, width| Bank { what, level: None, words: sublists, width, ports };
    Memory {
        banks: vec![
            bank("elements by rank", size * (shape.element_bits() + rank)),
            bank("times by time", size * rank),
        ],
        register_bits: sublists * (pointer + queue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    #[test]
    fn sixteen_elements_counted_by_hand() {
        let shape = Shape { elements: 16, rank_bits: 5, item_bits: 7, ..Shape::default() };
        let cost = PIEO.cost(&shape.check().unwrap());
        assert_eq!(cost.timing.cycles_per_replace(), 8, "thesis §4.6.2: 4 and 4 cycles");
        // 8 sublists of 4: each element a rank, an item, a mark, a time, and the time again by
        // time.
        assert_eq!(cost.memory.sram_bits(), 8 * 4 * (5 + 7 + 1 + 5 + 5));
        // 8 pointers: 3 bits of number, a rank, a time, a count up to 4.
        assert_eq!(cost.memory.register_bits, 8 * (3 + 5 + 5 + 3));
        assert_eq!(cost.logic.comparator_count(), 2 * (8 + 4));
    }
}

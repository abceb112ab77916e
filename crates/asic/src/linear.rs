//! SR-PIFO: the sorted shift register of the original PIFO.
//!
//! Source: clubheap §1 (push and pop take 2 cycles each), §2.2 (all comparisons in one cycle, O(N)
//! comparators, a shift register); thesis §4.4.1 and Fig. 4.7 (every element carries the number of
//! its logical PIFO; one more comparator per element selects by it, then a priority decoder).
//!
//! The papers disagree on time: thesis §4.6.2 lets PIFO push and pop in the same cycle. Table 1 of
//! clubheap is followed here.
//!
//! Assumed: the two cycles are compare, then shift, and the next operation waits for the shift. A
//! register compares its rank with the new one and looks at its neighbour's outcome, so a push
//! needs no decoder; with one partition a pop takes the first register and needs none either.

use alloc::vec;

use crate::logic::{Comparators, Logic, Path};
use crate::memory::{Memory, address_bits};
use crate::{CheckedShape, Cost, CostModel, Interval, Latency, Sharing, Timing, Tuning};

/// SR-PIFO.
pub(crate) const SHIFT_REGISTER: CostModel = CostModel {
    name: "sr-pifo",
    title: "SR-PIFO",
    source: "clubheap §1, §2.2; thesis §4.4.1",
    tuning: Tuning::Nothing,
    note: "The thesis (§4.6.2) lets it push and pop in one cycle, clubheap (§1) gives each 2 \
           cycles; these are clubheap's.",
    formulas: shift_register,
};

fn shift_register(shape: &CheckedShape) -> Cost {
    let (n, rank) = (shape.n(), u128::from(shape.rank_bits));
    let id = u128::from(address_bits(shape.m()));
    let mut comparators = vec![Comparators { what: "rank", count: n, width: rank }];
    let push = Path { broadcast: n, select: 3, ..Path::comparing(rank) };
    let mut path = push;
    if id > 0 {
        comparators.push(Comparators { what: "logical PIFO", count: n, width: id });
        path = Path { broadcast: n, find_first: n, ..Path::comparing(id) }.or_longer(push);
    }
    let two_cycles = Interval::of(1, 2);
    Cost {
        capacity: n,
        timing: Timing { push: two_cycles, pop: two_cycles, replace: None },
        latency: Latency { result: 2, settled: 2 },
        logic: Logic { comparators, path, span: 1 },
        memory: Memory { banks: vec![], register_bits: n * (shape.element_bits() + id) },
        sharing: Sharing::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    #[test]
    fn four_registers_counted_by_hand() {
        let shape =
            Shape { elements: 4, rank_bits: 3, item_bits: 5, partitions: 2, ..Shape::default() };
        let cost = SHIFT_REGISTER.cost(&shape.check().unwrap());
        assert_eq!(cost.memory.bits(), 4 * (3 + 5 + 1 + 1));
        assert_eq!(cost.logic.comparator_count(), 4 + 4);
        assert_eq!(cost.timing.cycles_per_replace(), 4, "clubheap §1");
    }
}

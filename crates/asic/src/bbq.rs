//! BBQ: buckets under a tree of bitmaps with counters; and the latency-free BBQ, a small PIFO
//! before it.
//!
//! Source: thesis §4.2 (tree, buckets, linked lists, free list), Table 4.2 and §4.3.1 (p = 7 + 4 (D
//! − 1) stages; the root in registers, all else in SRAM), §4.3.2 (one operation per cycle), §4.3.3
//! (counters of log2(N + 1) bits with N = 2^k − 1, and a waterlevel bit each), §4.4.2 (partitions:
//! a mask over the root, or a steering stage in its place), §4.5.1 (the latency-free BBQ; Theorem
//! 4).
//!
//! Assumed, where the thesis is silent:
//! - The tree has exactly the M · P buckets it needs: an upper level may be narrower than a power
//!   of W.
//! - With steering, the root's two stages (1 and 2 in Table 4.2) become one.
//! - The longest stage is the speculative find-first-set and a selection, or the counter's
//!   decrement (counted as a comparator of its width).
//! - The small PIFO is one for each logical PIFO, and of the smallest size Theorem 4 allows: one
//!   more than the pipeline's depth in system cycles of two clock cycles.
//!
//! Compared with the published hardware in an open synthesis flow (tests below): the blocks of RAM
//! of all three configurations are met exactly, and the SRAM areas of thesis Table 4.4 to their
//! last digit.

use alloc::vec;
use alloc::vec::Vec;

use crate::linear::SHIFT_REGISTER;
use crate::logic::{Comparators, Logic, Path};
use crate::memory::{Bank, Memory, Ports, address_bits, counter_bits};
use crate::{CheckedShape, Cost, CostModel, Interval, Latency, Shape, Sharing, Timing, Tuning};

/// Why the marks of Table 1 and ours differ.
const NOTE: &str = "Partitions share out the P ranks of one BBQ (thesis §4.4.2), which costs no \
                    memory and is what the papers' LP mark means. Here each logical PIFO keeps P \
                    ranks of its own, so the index grows with M (clubheap §6.3 says the same).";

/// BBQ.
pub(crate) const BBQ: CostModel = CostModel {
    name: "bbq",
    title: "BBQ",
    source: "thesis §4.2 to §4.4",
    tuning: Tuning::BitmapWidth,
    note: NOTE,
    formulas: bbq,
};

fn bbq(shape: &CheckedShape) -> Cost {
    let index = Index::of(shape);
    let stages = index.stages();
    let memory = memory(shape, &index);
    Cost {
        capacity: elements(shape),
        timing: Timing { push: Interval::EVERY_CYCLE, pop: Interval::EVERY_CYCLE, replace: None },
        latency: Latency { result: stages, settled: stages },
        logic: logic(shape, &index),
        memory,
        sharing: Sharing::Whole,
    }
}

/// The latency-free BBQ.
pub(crate) const LATENCY_FREE_BBQ: CostModel = CostModel {
    name: "latency-free-bbq",
    title: "latency-free BBQ",
    source: "thesis §4.5.1",
    tuning: Tuning::BitmapWidth,
    note: "It counts on a PIFO that pushes and pops in one cycle, as the thesis does (§4.6.2).",
    formulas: latency_free_bbq,
};

fn latency_free_bbq(shape: &CheckedShape) -> Cost {
    let mut cost = BBQ.cost(shape);
    let stages = cost.latency.settled;
    let per_queue = stages.div_ceil(2) + 1;
    // Within the limits of a shape: at most 2^20 partitions of less than 2^8 elements.
    let small = Shape { elements: per_queue * shape.partitions, ..**shape };
    if let Ok(small) = small.check() {
        let pifo = SHIFT_REGISTER.cost(&small);
        cost.memory.register_bits += pifo.memory.register_bits;
        cost.logic.comparators.extend(pifo.logic.comparators);
        cost.logic.path = pifo.logic.path.or_longer(cost.logic.path);
    }
    let system_cycle = Interval::of(1, 2);
    cost.timing = Timing { push: system_cycle, pop: system_cycle, replace: Some(system_cycle) };
    cost.latency = Latency { result: 2, settled: stages + 2 };
    cost
}

/// The elements of the published BBQ: the next 2^k − 1 (§4.3.3).
fn elements(shape: &CheckedShape) -> u128 {
    (1 << address_bits(shape.n() + 1)) - 1
}

/// The tree of bitmaps.
struct Index {
    buckets: u128,
    width: u128,
    /// Bits of each level, root first.
    levels: Vec<u128>,
    /// Whether a steering stage stands in place of the levels that cannot tell partitions apart.
    steered: bool,
}

impl Index {
    fn of(shape: &CheckedShape) -> Self {
        let (ranks, width) = (1u128 << shape.rank_bits, u128::from(shape.bitmap_width));
        let buckets = ranks * shape.m();
        let (mut levels, mut bits, mut covered) = (vec![buckets], buckets, 1u128);
        let mut steered = false;
        while bits > width {
            covered *= width;
            if covered > ranks {
                steered = true; // a bit above would stand for several partitions (§4.4.2)
                break;
            }
            bits = bits.div_ceil(width);
            levels.push(bits);
        }
        levels.reverse();
        Index { buckets, width, levels, steered }
    }

    /// The root, in registers, unless it is steered past.
    fn root(&self) -> Option<u128> {
        self.levels.first().copied().filter(|_| !self.steered)
    }

    /// The levels in SRAM with their numbers, from the top down.
    fn in_sram(&self) -> impl Iterator<Item = (u32, u128)> {
        let all = (1..).zip(self.levels.iter().copied());
        all.skip(usize::from(!self.steered))
    }

    /// Table 4.2: one stage for inputs, two for the root (one for steering), four for each level in
    /// SRAM and four for the bucket.
    fn stages(&self) -> u64 {
        let root = if self.steered { 1 } else { 2 };
        1 + root + 4 * self.in_sram().count() as u64 + 4
    }
}

fn counter(shape: &CheckedShape) -> u128 {
    counter_bits(elements(shape))
}

fn logic(shape: &CheckedShape, index: &Index) -> Logic {
    let find = Path {
        broadcast: 1,
        comparators: 0,
        width: 1,
        find_first: index.width.min(index.buckets),
        select: 2,
    };
    // Each level checks its counter, and whether the operation before it went the same way.
    let levels = index.levels.len() as u128;
    let address = u128::from(address_bits(index.buckets));
    Logic {
        comparators: vec![
            Comparators { what: "counter", count: levels, width: counter(shape) },
            Comparators { what: "address conflict", count: 1, width: address },
        ],
        path: find.or_longer(Path::comparing(counter(shape))),
        span: 1,
    }
}

fn memory(shape: &CheckedShape, index: &Index) -> Memory {
    let n = elements(shape);
    // One word more than elements: the null pointer takes an address.
    let (words, pointer) = (n + 1, u128::from(address_bits(n + 1)));
    let per_bit = counter(shape) + 1;
    let bank = |what, level, words, width| Bank { what, level, words, width, ports: Ports::DUAL };
    let mut banks = Vec::new();
    for (number, bits) in index.in_sram() {
        let level = Some(number);
        banks.push(bank("bitmaps", level, bits.div_ceil(index.width), index.width));
        banks.push(bank("counters", level, bits, per_bit));
    }
    banks.push(bank("bucket heads and tails", None, index.buckets, 2 * pointer));
    banks.push(bank("items", None, words, shape.item_bits.into()));
    banks.push(bank("previous", None, words, pointer));
    banks.push(bank("next", None, words, pointer));
    banks.push(bank("free list", None, words, pointer));
    let register_bits = index.root().map_or(0, |bits| bits * (1 + per_bit));
    Memory { banks, register_bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(elements: u64, rank_bits: u32, width: u32, partitions: u64) -> CheckedShape {
        let shape =
            Shape { elements, rank_bits, bitmap_width: width, partitions, ..Shape::default() };
        shape.check().unwrap()
    }

    #[test]
    fn the_pipeline_is_as_deep_as_published() {
        for depth in 1..8 {
            let cost = BBQ.cost(&shape(1000, 3 * depth, 8, 1));
            assert_eq!(cost.latency.settled, u64::from(7 + 4 * (depth - 1)), "thesis §4.3.1");
        }
        assert_eq!(BBQ.cost(&shape(1000, 6, 8, 1)).timing.cycles_per_replace(), 2, "Table 1");
    }

    #[test]
    fn two_levels_of_three_counted_by_hand() {
        // Fig. 4.2 has w = 3 and 9 ranks; with 8 ranks a root of 3 bits over 8 leaves.
        let index = Index::of(&shape(7, 3, 3, 1));
        assert_eq!((index.levels.as_slice(), index.steered), ([3, 8].as_slice(), false));
        let memory = BBQ.cost(&shape(7, 3, 3, 1)).memory;
        assert_eq!(
            memory.register_bits,
            3 + 3 * 4,
            "a bit, 3 bits of counter and a waterlevel bit each"
        );
        let leaves = 3 * 3 + 8 * 4;
        assert_eq!(memory.sram_bits(), leaves + 8 * 6 + 8 * (32 + 3 + 3 + 3));
    }

    #[test]
    fn partitions_mask_the_root_or_steer_past_it() {
        // Fig. 4.9 and 4.10: w = 4, 16 buckets in all, 2 and 8 partitions.
        let masked = Index::of(&shape(7, 3, 4, 2));
        assert_eq!((masked.levels.as_slice(), masked.steered), ([4, 16].as_slice(), false));
        let steered = Index::of(&shape(7, 1, 4, 8));
        assert_eq!((steered.levels.as_slice(), steered.steered), ([16].as_slice(), true));
        assert_eq!(steered.stages(), masked.stages() - 1);
    }

    #[test]
    fn blocks_of_ram_are_those_of_the_published_hardware() {
        // The authors' sources, 32-bit data, synthesized with yosys for UltraScale+: RAMB36,
        // RAMB18.
        for (elements, depth, ramb36, ramb18) in
            [((1 << 11) - 1, 2, 5, 0), ((1 << 12) - 1, 3, 4, 11), ((1 << 17) - 1, 5, 371, 2)]
        {
            let memory = BBQ.cost(&shape(elements, 3 * depth, 8, 1)).memory;
            assert_eq!(memory.blocks(), 2 * ramb36 + ramb18, "D = {depth}");
        }
    }

    #[test]
    fn sram_area_is_that_of_table_4_4() {
        // 7 nm at 0.027 mm^2 per Mb (thesis §4.6.3), W = 8. The thesis does not give the width of
        // an item; that of a pointer meets all four areas to their last digit.
        for (pointer_bits, rank_bits, area, digit) in [
            (11, 9, 0.0029, 0.0001),
            (11, 15, 0.035, 0.001),
            (17, 9, 0.24, 0.01),
            (17, 15, 0.29, 0.01),
        ] {
            let shape = Shape {
                elements: (1 << pointer_bits) - 1,
                rank_bits,
                item_bits: pointer_bits,
                ..Shape::default()
            };
            let memory = BBQ.cost(&shape.check().unwrap()).memory;
            let found = memory.sram_bits() as f64 / 1e6 * 0.027;
            assert!((found - area).abs() <= digit / 2.0, "{found} for {area}");
        }
    }

    #[test]
    fn the_waterlevel_bit_costs_what_the_thesis_says() {
        // §4.3.3: about 4.75 kB for 32K priorities with 8-bit bitmaps: one bit for each counter.
        let index = Index::of(&shape((1 << 17) - 1, 15, 8, 1));
        let counters: u128 = index.levels.iter().sum();
        let kilobytes = counters as f64 / 8.0 / 1000.0;
        assert!((4.6..4.9).contains(&kilobytes), "{kilobytes}");
    }

    #[test]
    fn the_latency_free_form_hides_the_pipeline_behind_a_pifo() {
        let shape = shape(1000, 6, 8, 1);
        let (bare, free) = (BBQ.cost(&shape), LATENCY_FREE_BBQ.cost(&shape));
        assert_eq!(free.timing.cycles_per_replace(), 2, "one of each per system cycle of two");
        assert!(free.latency.result < bare.latency.result);
        // 11 stages are 6 system cycles, so 7 elements of 6 + 32 + 1 bits.
        assert_eq!(free.memory.register_bits - bare.memory.register_bits, 7 * 39);
    }
}

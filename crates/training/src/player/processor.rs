//! The processors of the ranks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_units::{Duration, Time};

use crate::job::Processor;

/// A processor: whether it computes, and what it will.
#[derive(Clone, Debug, Default)]
struct One {
    is_busy: bool,
    /// The smallest number first.
    waiting: BinaryHeap<Reverse<u32>>,
}

/// Those of a rank.
#[derive(Clone, Debug, Default)]
struct OfRank {
    accelerator: One,
    host: One,
    /// How many compute, and since when some do.
    busy: u32,
    since: Time,
    computed: Duration,
}

impl OfRank {
    fn on(&mut self, on: Processor) -> &mut One {
        match on {
            Processor::Accelerator => &mut self.accelerator,
            Processor::Host => &mut self.host,
        }
    }
}

/// The processors of all ranks.
#[derive(Clone, Debug)]
pub(super) struct Processors(Vec<OfRank>);

impl Processors {
    pub(super) fn of(ranks: usize) -> Self {
        Processors(vec![OfRank::default(); ranks])
    }

    /// A node waits for its processor.
    pub(super) fn queue(&mut self, rank: usize, on: Processor, node: u32) {
        self.0[rank].on(on).waiting.push(Reverse(node));
    }

    /// The node that begins now, if one waits and the processor is free.
    pub(super) fn take(&mut self, rank: usize, on: Processor, now: Time) -> Option<u32> {
        let of_rank = &mut self.0[rank];
        let one = of_rank.on(on);
        if one.is_busy {
            return None;
        }
        let Reverse(node) = one.waiting.pop()?;
        one.is_busy = true;
        if of_rank.busy == 0 {
            of_rank.since = now;
        }
        of_rank.busy += 1;
        Some(node)
    }

    /// A computation is over.
    pub(super) fn free(&mut self, rank: usize, on: Processor, now: Time) {
        let of_rank = &mut self.0[rank];
        of_rank.on(on).is_busy = false;
        of_rank.busy -= 1;
        if of_rank.busy == 0 {
            of_rank.computed += now.since(of_rank.since);
        }
    }

    /// While any of the rank's processors has computed until now.
    pub(super) fn computed(&self, rank: usize, now: Time) -> Duration {
        let OfRank { busy, since, computed, .. } = self.0[rank];
        if busy > 0 { computed + now.since(since) } else { computed }
    }
}

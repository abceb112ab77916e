//! WSJF with a fairness stage: flows share the processor by time while few jobs wait, and are
//! served by outstanding work per bit when many do.
//!
//! Source: an open question of thesis §3.7, which conjectures that switching between fair queueing
//! and WSJF "based on some goodput watermark" gives both. A scheduler cannot see goodput, since it
//! cannot tell the innocent from the others. It sees its backlog: our watermark is `fair_below`
//! waiting jobs. Offered more than the processor can do, the backlog grows past any watermark and
//! stays there, and then WSJF-Inorder decides both who is served and who is dropped. Below it
//! nothing is dropped, so fairness costs no goodput, only order.
//!
//! The fair order is self-clocked, by time; a flow's tag is that of its first job. While WSJF
//! serves, the clock stands still. Complexity: as WSJF-Inorder, and O(log flows) for the fair
//! order, with either kind of ranks. Memory: 40 bytes more per flow that waits.

use forebay_parameters::{Choice, Configure, Kind, Parameter, Source, Walk};
use forebay_pifo::{IndexedExact, IndexedQueue};
use forebay_units::{Duration, Time};

use super::flow_table::End;
use super::per_flow::{FlowOrder, buckets, exact};
use super::policy::Built;
use super::wsjf_inorder::by_work;
use super::{JobPolicy, PolicyShape, Ranks, ServiceOrder};
use crate::job::JobTable;
use crate::rank::FromKey;

/// The choice `wsjf-fair`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "fair by time while few jobs wait, wsjf-inorder when many do (thesis §3.7, ours)";
    Choice::new("wsjf-fair", about, Fair { below: 32 }, Fair::build).labelled("WSJF, fair")
}

const FAIR_BELOW: Parameter = Parameter::new(
    "fair_below",
    Kind::Int { min: 0, max: 1 << 24 },
    Source::assumed("few compared with k"),
    "While at most this many jobs wait, they are served fairly.",
);

/// At most this many waiting jobs are served fairly; more, by ratio.
#[derive(Clone, Copy)]
struct Fair {
    below: usize,
}

impl Configure for Fair {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&FAIR_BELOW, &mut self.below);
    }
}

impl Fair {
    fn build(&self, shape: &PolicyShape) -> Built {
        Ok(match shape.ranks {
            Ranks::Exact => Box::new(WsjfFair::new(exact(by_work, shape), self.below)),
            Ranks::Buckets => Box::new(WsjfFair::new(buckets(by_work, shape)?, self.below)),
        })
    }
}

struct WsjfFair<Q, R> {
    order: FlowOrder<Q, R>,
    /// Flows by the virtual finish of their first job, in picoseconds.
    fair: IndexedExact<u64>,
    clock: u64,
    jobs: usize,
    fair_below: usize,
}

impl<R: FromKey, Q: IndexedQueue<Rank = R> + Send> WsjfFair<Q, R> {
    fn new(order: FlowOrder<Q, R>, fair_below: usize) -> Self {
        WsjfFair { order, fair: IndexedExact::new(), clock: 0, jobs: 0, fair_below }
    }

    /// Takes a job of a flow from either end, and keeps the fair order.
    fn take(&mut self, slot: u32, end: End, jobs: &JobTable) -> Option<u32> {
        let id = self.order.take(slot, end, jobs)?;
        self.jobs -= 1;
        match self.order.flows.get(slot) {
            None => {
                self.fair.remove(slot);
            }
            Some(flow) if end == End::First => {
                let last = self.fair.rank_of(slot).unwrap_or(self.clock);
                let tag = self.finish(last, jobs.get(flow.head).work);
                self.fair.change_rank(slot, tag);
            }
            Some(_) => {}
        }
        Some(id)
    }

    /// The tag of a job that comes after one of tag `last`. A job that costs nothing counts as
    /// 1 ps.
    fn finish(&self, last: u64, work: Duration) -> u64 {
        last.max(self.clock).saturating_add(work.as_ps().max(1))
    }
}

impl<R: FromKey, Q: IndexedQueue<Rank = R> + Send> JobPolicy for WsjfFair<Q, R> {
    fn push(&mut self, _: Time, id: u32, jobs: &JobTable) -> bool {
        let Some(slot) = self.order.insert(id, jobs) else { return false };
        self.jobs += 1;
        if self.fair.rank_of(slot).is_none() {
            let tag = self.finish(0, jobs.get(id).work);
            if self.fair.push(tag, slot).is_err() {
                self.take(slot, End::Last, jobs);
                return false;
            }
        }
        true
    }

    fn pop(&mut self, jobs: &JobTable) -> Option<u32> {
        if self.jobs > self.fair_below {
            return self.take(self.order.first()?, End::First, jobs);
        }
        let (tag, slot) = self.fair.peek_min()?;
        self.clock = self.clock.max(tag);
        self.take(slot, End::First, jobs)
    }

    fn drop_largest(&mut self, jobs: &JobTable) -> Option<u32> {
        self.take(self.order.last()?, End::Last, jobs)
    }

    fn order(&self) -> Option<ServiceOrder> {
        self.order.order()
    }

    fn reads_secret(&self) -> bool {
        self.order.reads_secret()
    }
}

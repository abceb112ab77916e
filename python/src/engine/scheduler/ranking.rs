//! A scheduler with, if its rank is the user's, the rule that decides it.
//!
//! The rule is asked before the scheduler sees the packet, and the scheduler's rank function then answers
//! what was decided: a rule may raise, a rank function may not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forebay_pifo::ExactQueue;
use forebay_sched::functions::expression::values;
use forebay_sched::rank_queue::RankQueue;
use forebay_sched::scheduler::PacketScheduler;
use forebay_sched::{DropCause, Packet, Rank, RankFunction};
use forebay_units::{Bytes, Time};
use pyo3::prelude::*;

use crate::engine::rule::Rule;

/// The rank that was decided for the packet at hand.
#[derive(Clone, Default)]
struct Decided(Arc<AtomicU64>);

impl RankFunction for Decided {
    fn rank(&mut self, _now: Time, _packet: &Packet) -> Rank {
        Rank::new(self.0.load(Ordering::Relaxed))
    }
}

/// What decides ranks.
struct Ranking {
    rule: Arc<Rule>,
    decided: Decided,
    places: usize,
    /// The latest time seen: time does not go back.
    latest: Time,
}

impl Ranking {
    fn decide(&mut self, now: Time, packet: &Packet, waiting: usize) -> PyResult<()> {
        self.latest = self.latest.max(now);
        if waiting >= self.places {
            return Ok(()); // refused whatever its rank
        }
        let rank = u64::try_from(self.rule.value(&values(self.latest, packet))?).unwrap_or(0);
        self.decided.0.store(rank, Ordering::Relaxed);
        Ok(())
    }
}

/// A scheduler that is in use.
pub(super) struct Held {
    pub(super) scheduler: Box<dyn PacketScheduler>,
    ranking: Option<Ranking>,
}

impl Held {
    /// One that ranks by itself.
    pub(super) fn own(scheduler: Box<dyn PacketScheduler>) -> Self {
        Held { scheduler, ranking: None }
    }

    /// One that serves the smallest rank of a rule.
    pub(super) fn ranked(rule: Arc<Rule>, packets: u32, bytes: Bytes) -> Self {
        let (decided, places) = (Decided::default(), packets as usize);
        let queue = RankQueue::new(Box::new(decided.clone()), ExactQueue::new(places));
        let scheduler = Box::new(queue.with_byte_limit(bytes));
        Held { scheduler, ranking: Some(Ranking { rule, decided, places, latest: Time::ZERO }) }
    }

    /// A packet arrives; what its rule raises leaves everything as it was.
    #[inline]
    pub(super) fn enqueue(&mut self, now: Time, packet: Packet) -> PyResult<Result<(), DropCause>> {
        if let Some(ranking) = &mut self.ranking {
            ranking.decide(now, &packet, self.scheduler.len())?;
        }
        Ok(self.scheduler.enqueue(now, packet))
    }

    /// The packet that leaves.
    pub(super) fn dequeue(&mut self, now: Time) -> Option<Packet> {
        if let Some(ranking) = &mut self.ranking {
            ranking.latest = ranking.latest.max(now);
        }
        self.scheduler.dequeue(now)
    }
}

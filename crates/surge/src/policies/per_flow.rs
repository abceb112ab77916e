//! An order of flows: a flow's rank follows from its waiting jobs, and its jobs leave in order.
//!
//! Source: thesis §3.5.3. The paper does not say which job of the worst flow is dropped; we drop
//! its last, so that what remains of the flow is still a prefix. A flow whose rank does not change
//! by an arrival keeps its place among equals; one that was served goes behind them.
//!
//! Complexity: a hash lookup per arrival, and one change of rank per operation, in constant time
//! over buckets. Memory: the flow table's, and 32 (buckets) to 48 bytes per flow that waits.

use core::marker::PhantomData;

use forebay_parameters::ParameterError;
use forebay_pifo::{IndexedBuckets, IndexedExact, IndexedQueue};
use forebay_units::Time;

use super::flow_table::{End, Flow, FlowTable};
use super::policy::Built;
use super::{JobPolicy, PolicyShape, Ranks, ServiceOrder};
use crate::job::JobTable;
use crate::rank::{BUCKETS, FromKey, Key};

/// The key of a flow, a ratio over its waiting jobs.
pub(super) type FlowKey = fn(&Flow, &JobTable) -> Key;

/// Flows ordered by a key in the queue `Q` of ranks `R`.
pub(super) struct FlowOrder<Q, R> {
    key: FlowKey,
    pub(super) flows: FlowTable,
    order: Q,
    /// Whether the theorem on WSJF holds.
    is_bounded: bool,
    rank: PhantomData<R>,
}

impl<R: FromKey, Q: IndexedQueue<Rank = R> + Send> FlowOrder<Q, R> {
    pub(super) fn new(key: FlowKey, order: Q, secret: u64) -> Self {
        FlowOrder {
            key,
            flows: FlowTable::new(secret),
            order,
            is_bounded: false,
            rank: PhantomData,
        }
    }

    fn bounded(self) -> Self {
        FlowOrder { is_bounded: true, ..self }
    }

    /// Adds a job; the slot of its flow, or `None` if the order cannot hold it.
    #[inline]
    pub(super) fn insert(&mut self, id: u32, jobs: &JobTable) -> Option<u32> {
        let slot = self.flows.push(id, jobs);
        let rank = self.rank(slot, jobs)?;
        let placed = match self.order.rank_of(slot) {
            Some(old) if old == rank => true,
            Some(_) => self.order.change_rank(slot, rank),
            None => self.order.push(rank, slot).is_ok(),
        };
        if !placed {
            self.flows.take(slot, End::Last, jobs);
            return None;
        }
        Some(slot)
    }

    /// Takes a job of one flow and gives the flow its new rank.
    #[inline]
    pub(super) fn take(&mut self, slot: u32, end: End, jobs: &JobTable) -> Option<u32> {
        let id = self.flows.take(slot, end, jobs)?;
        match self.rank(slot, jobs) {
            Some(rank) => {
                self.order.change_rank(slot, rank);
            }
            None => {
                self.order.remove(slot);
            }
        }
        Some(id)
    }

    /// The slot of the first flow.
    pub(super) fn first(&self) -> Option<u32> {
        self.order.peek_min().map(|(_, slot)| slot)
    }

    /// The slot of the last flow.
    pub(super) fn last(&self) -> Option<u32> {
        self.order.peek_max().map(|(_, slot)| slot)
    }

    #[inline]
    fn rank(&self, slot: u32, jobs: &JobTable) -> Option<R> {
        Some(R::from_key((self.key)(&self.flows.get(slot)?, jobs)))
    }
}

impl<R: FromKey, Q: IndexedQueue<Rank = R> + Send> JobPolicy for FlowOrder<Q, R> {
    #[inline]
    fn push(&mut self, _: Time, id: u32, jobs: &JobTable) -> bool {
        self.insert(id, jobs).is_some()
    }

    #[inline]
    fn pop(&mut self, jobs: &JobTable) -> Option<u32> {
        self.take(self.first()?, End::First, jobs)
    }

    #[inline]
    fn drop_largest(&mut self, jobs: &JobTable) -> Option<u32> {
        self.take(self.last()?, End::Last, jobs)
    }

    fn order(&self) -> Option<ServiceOrder> {
        Some(ServiceOrder::ByRatio)
    }

    fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    fn reads_secret(&self) -> bool {
        true
    }
}

/// A queue of flows under exact ranks.
pub(super) fn exact(key: FlowKey, shape: &PolicyShape) -> FlowOrder<IndexedExact<u128>, u128> {
    FlowOrder::new(key, IndexedExact::new(), shape.secret)
}

/// A queue of flows under quantized ranks.
pub(super) fn buckets(
    key: FlowKey,
    shape: &PolicyShape,
) -> Result<FlowOrder<IndexedBuckets, u64>, ParameterError> {
    let order =
        IndexedBuckets::new(BUCKETS as u64).map_err(|_| super::per_job::too_many_buckets())?;
    Ok(FlowOrder::new(key, order, shape.secret))
}

/// The policy that orders flows by `key`.
pub(super) fn by_flow(key: FlowKey, shape: &PolicyShape) -> Built {
    Ok(match shape.ranks {
        Ranks::Exact => Box::new(exact(key, shape)),
        Ranks::Buckets => Box::new(buckets(key, shape)?),
    })
}

/// The same with a key under which the theorem on WSJF holds.
pub(super) fn by_flow_bounded(key: FlowKey, shape: &PolicyShape) -> Built {
    Ok(match shape.ranks {
        Ranks::Exact => Box::new(exact(key, shape).bounded()),
        Ranks::Buckets => Box::new(buckets(key, shape)?.bounded()),
    })
}

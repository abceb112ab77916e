//! ABM, Active Buffer Management (Addanki et al., SIGCOMM '22), a baseline of occamy §6.
//!
//! T = α · (free / n_p) · µ. n_p is how many queues of the same class are congested: each port's
//! queue counts min(1, q / 28 kB), brought up to date when a packet arrives at it, and n_p is at
//! least 1. µ is the share of the port's rate at which the queue was drained in the last interval;
//! values below 1 / classes or above 1 count as 1. A packet enters if its queue with it is within
//! T. Occamy's evaluation tags no packets of a flow's first round trip, so neither do we.
//!
//! Open: when an interval ends. Here at the first arrival at the queue after one interval, and µ is
//! the mean since the last such moment. O(1). Memory: 32 bytes a queue.

use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure};
use forebay_units::{Bytes, Duration, Rate, Time};

use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape, Removal};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;
use crate::threshold::{ALPHA, Alpha};

/// Parameters of [`Abm`].
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct AbmConfig {
    /// Threshold factor of queues that do not have their own.
    #[parameter(paper = "occamy §6.2", kind = ALPHA, default = Alpha::power_of_two(1))]
    pub alpha: Alpha,
    /// The time over which a queue's drain rate is measured.
    #[parameter(paper = "occamy §6.4: one round trip", default = Duration::from_us(80))]
    pub interval: Duration,
    /// From this length on a queue counts as wholly congested.
    #[parameter(assumed = "what its authors' simulator has", default = Bytes::new(28_000))]
    pub congested: Bytes,
}

/// One, in the fixed point of µ and n_p.
const ONE: u64 = 1 << 16;

#[derive(Clone, Copy, Debug)]
struct Queue {
    class: u16,
    alpha: Alpha,
    /// What it adds to n_p.
    congestion: u32,
    /// µ.
    drain: u32,
    /// Bytes dequeued since `since`.
    dequeued: u64,
    since: Time,
}

/// Thresholds by free buffer, congested queues and drain rate.
#[derive(Clone, Debug)]
pub struct Abm {
    queues: Vec<Queue>,
    /// n_p per class, before it is at least 1.
    congested: Vec<u64>,
    full: u64,
    interval: Duration,
    rate: Rate,
}

impl Abm {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &AbmConfig, shape: &PoolShape) -> Self {
        let queue = |queue: &super::QueueShape| Queue {
            class: queue.class,
            alpha: queue.alpha.unwrap_or(config.alpha),
            congestion: 0,
            drain: ONE as u32,
            dequeued: 0,
            since: Time::ZERO,
        };
        Abm {
            queues: shape.queues.iter().map(queue).collect(),
            congested: vec![0; usize::from(shape.classes)],
            full: config.congested.get().max(1),
            interval: config.interval.max(Duration::from_ps(1)),
            rate: shape.port_rate,
        }
    }

    /// Brings n_p and µ up to date with an arrival at `queue`.
    fn refresh(&mut self, pool: PoolView<'_>, queue: u32, now: Time) {
        let bytes = pool.account(queue).bytes().min(self.full);
        let classes = self.congested.len() as u64;
        let state = &mut self.queues[queue as usize];
        let congestion = (bytes * ONE / self.full) as u32;
        let sum = &mut self.congested[usize::from(state.class)];
        *sum = *sum - u64::from(state.congestion) + u64::from(congestion);
        state.congestion = congestion;
        let elapsed = now.since(state.since);
        if elapsed >= self.interval {
            let drained = Rate::mean(Bytes::new(state.dequeued), elapsed).as_bps();
            let share = (u128::from(drained) * u128::from(ONE)
                / u128::from(self.rate.as_bps().max(1)))
            .min(u128::from(u64::MAX)) as u64;
            // In this order: the product of a share above one may overflow.
            let believable = share <= ONE && share * classes >= ONE;
            state.drain = if believable { share as u32 } else { ONE as u32 };
            (state.dequeued, state.since) = (0, now);
        }
    }
}

/// The choice `abm`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "abm",
        "ABM",
        "the dynamic threshold divided among congested queues, times the drain rate",
        Abm::new,
    )
}

impl OnChipPolicy for Abm {
    fn reads_alpha(&self) -> bool {
        true
    }

    fn reads_port_rate(&self) -> bool {
        true
    }

    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let queue = arriving.queue;
        self.refresh(pool, queue, arriving.arrived);
        let threshold = self.threshold(pool, queue).unwrap_or(0);
        if pool.length(queue).saturating_add(cells) <= threshold {
            Admission::Accept
        } else {
            Admission::Drop
        }
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        let state = &self.queues[queue as usize];
        let congested = self.congested[usize::from(state.class)].max(ONE);
        let dynamic = u64::from(state.alpha.threshold(pool.free()));
        Some((dynamic * u64::from(state.drain) / congested) as u32)
    }

    fn removed(&mut self, _pool: PoolView<'_>, _id: u32, packet: &Descriptor, how: Removal) {
        if how == Removal::Dequeued {
            self.queues[packet.queue as usize].dequeued += u64::from(packet.packet.size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onchip::{ChipConfig, OnChipVerdict, SharedBuffer};
    use forebay_parameters::set;
    use forebay_sched::{Packet, Rank};

    #[test]
    fn a_drain_beyond_belief_counts_as_one() {
        // 1500 B in a picosecond from a port of 1 b/s: the share is beyond 64 bits.
        let chip = ChipConfig { port_rate: Rate::from_bps(1), classes: 2, ..ChipConfig::default() };
        let mut abm = choice();
        set(&mut abm, &[("interval", "1 ps")]).unwrap();
        let mut buffer = SharedBuffer::new(&chip, &abm).unwrap();
        let packet = Packet { size: 1500, ..Packet::default() };
        let (start, later) = (Time::ZERO, Time::ZERO + Duration::from_ps(1));
        assert_eq!(buffer.enqueue(start, 0, packet, Rank::default()), OnChipVerdict::Queued);
        assert!(buffer.dequeue(start, 0).is_some());
        let idle = buffer.threshold(0);
        assert_eq!(buffer.enqueue(later, 0, packet, Rank::default()), OnChipVerdict::Queued);
        assert!(buffer.dequeue(later, 0).is_some());
        assert_eq!(buffer.threshold(0), idle);
    }
}

//! What a run shows: flow completion times, slowdowns, drops, and where bytes went.
//!
//! A flow completes when its last byte has arrived at the receiver (all its bytes, in whatever order); the
//! flow completion time (FCT) counts from the flow's start. There is no handshake in it. The ideal is the
//! FCT on the empty network of a sender with an unlimited window: every packet back to back from the
//! start, stored and forwarded at each switch along the flow's own path. Slowdown is FCT over ideal, so it
//! is never below 1. Papers differ here; some simulate each flow alone, slow start included.
//! Percentiles are nearest-rank.

use alloc::vec::Vec;
use core::ops::Add;

use forebay_units::{Bytes, Duration, Time};

use crate::flow::Flow;
use crate::switch::DropCause;
use crate::topology::Node;
use crate::transport::Counters;

/// What became of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// The flow.
    pub flow: Flow,
    /// When its last byte arrived; `None` if it did not complete.
    pub finish: Option<Time>,
    /// Bytes that arrived.
    pub delivered: Bytes,
    /// Its FCT on the empty network.
    pub ideal: Duration,
    /// What its sender did.
    pub sender: Counters,
}

impl FlowRecord {
    /// The flow completion time.
    #[must_use]
    pub fn fct(&self) -> Option<Duration> {
        self.finish.map(|finish| finish.since(self.flow.start))
    }

    /// FCT over ideal.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        self.fct().map(|fct| fct.as_ps() as f64 / self.ideal.as_ps().max(1) as f64)
    }
}

/// Packets lost at one place for one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The switch or host that lost them: the sending one, if it was on a link.
    pub node: Node,
    /// Its output port; 0 of a host.
    pub port: u16,
    /// Why.
    pub cause: DropCause,
    /// How many packets.
    pub packets: u64,
    /// How many bytes on the wire.
    pub bytes: u64,
}

/// Totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets transmitted by a device, each counted at every device, acknowledgements included.
    pub packet_hops: u64,
    /// Events handled.
    pub events: u64,
    /// Packets that hosts made, and their bytes on the wire.
    pub made: Tally,
    /// Packets that arrived at their host.
    pub arrived: Tally,
    /// Packets that switches and links lost.
    pub dropped: Tally,
}

impl Add for Totals {
    type Output = Totals;

    fn add(self, other: Totals) -> Totals {
        Totals {
            packet_hops: self.packet_hops + other.packet_hops,
            events: self.events + other.events,
            made: self.made + other.made,
            arrived: self.arrived + other.arrived,
            dropped: self.dropped + other.dropped,
        }
    }
}

/// Packets and their bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many packets.
    pub packets: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

impl Tally {
    #[inline]
    pub(crate) fn count(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

/// FCT and slowdown of the flows of some sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Flows that completed.
    pub flows: usize,
    /// Mean FCT.
    pub mean_fct: Duration,
    /// FCT that half of the flows do not exceed.
    pub p50_fct: Duration,
    /// FCT that 99 % of the flows do not exceed.
    pub p99_fct: Duration,
    /// Mean slowdown.
    pub mean_slowdown: f64,
    /// Slowdown that 99 % of the flows do not exceed.
    pub p99_slowdown: f64,
}

/// The completed flows of `sizes` (from the first size up to, not including, the second); `None` if there
/// are none. O(n log n).
///
/// ```
/// use forebay_net::flow::Flow;
/// use forebay_net::measure::{FlowRecord, summarize};
/// use forebay_net::transport::Counters;
/// use forebay_units::{Bytes, Duration, Time};
///
/// let record = |us| FlowRecord {
///     flow: Flow::new(0, 1, Bytes::new(1000), Time::ZERO),
///     finish: Some(Time::ZERO + Duration::from_us(us)),
///     delivered: Bytes::new(1000),
///     ideal: Duration::from_us(10),
///     sender: Counters::default(),
/// };
/// let records: Vec<_> = (11..=110).map(record).collect();
/// let small = summarize(&records, Bytes::ZERO..Bytes::new(100_000)).ok_or("flows")?;
/// assert_eq!((small.flows, small.p99_fct), (100, Duration::from_us(109)));
/// assert_eq!(small.p99_slowdown, 10.9);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn summarize(records: &[FlowRecord], sizes: core::ops::Range<Bytes>) -> Option<Summary> {
    let wanted = || records.iter().filter(|record| sizes.contains(&record.flow.bytes));
    let mut times: Vec<Duration> = wanted().filter_map(FlowRecord::fct).collect();
    let mut slowdowns: Vec<f64> = wanted().filter_map(FlowRecord::slowdown).collect();
    times.sort_unstable();
    slowdowns.sort_unstable_by(f64::total_cmp);
    let sum: u128 = times.iter().map(|time| u128::from(time.as_ps())).sum();
    let mean = sum.checked_div(times.len() as u128)?;
    Some(Summary {
        flows: times.len(),
        mean_fct: Duration::from_ps(u64::try_from(mean).unwrap_or(u64::MAX)),
        p50_fct: percentile(&times, 50)?,
        p99_fct: percentile(&times, 99)?,
        mean_slowdown: slowdowns.iter().sum::<f64>() / slowdowns.len() as f64,
        p99_slowdown: percentile(&slowdowns, 99)?,
    })
}

/// The nearest-rank percentile of sorted values.
fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// One link of a path: the time of a full packet, of the flow's last packet, and the delay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathLink {
    pub(crate) full: Duration,
    pub(crate) last: Duration,
    pub(crate) delay: Duration,
}

/// When the last of `packets` packets arrives that are sent back to back from 0 over empty links; all are
/// full but the last.
pub(crate) fn ideal(packets: u64, path: &[PathLink]) -> Duration {
    // Since all full packets are alike, the m-th one leaves a link m - 1 times the slowest link so far
    // after the first one does. Only the last packet can be faster than what precedes it.
    let full = packets.saturating_sub(1);
    let (mut first, mut slowest, mut last) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for link in path {
        first += link.full;
        slowest = slowest.max(link.full);
        let before = if full == 0 { Duration::ZERO } else { first + slowest * (full - 1) };
        last = last.max(before) + link.last + link.delay;
        first += link.delay;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against every packet at every link.
        #[test]
        fn the_ideal_is_that_of_every_packet(
            packets in 1u64..40,
            links in proptest::collection::vec((1u64..100, 1u64..100, 0u64..100), 1..6),
        ) {
            let path: Vec<_> = links
                .iter()
                .map(|&(full, last, delay)| PathLink {
                    full: Duration::from_ps(full),
                    last: Duration::from_ps(last.min(full)),
                    delay: Duration::from_ps(delay),
                })
                .collect();
            let mut free = alloc::vec![0; path.len()];
            let mut arrival = 0;
            for packet in 1..=packets {
                arrival = 0;
                for (link, free) in path.iter().zip(&mut free) {
                    let time = if packet == packets { link.last } else { link.full };
                    *free = arrival.max(*free) + time.as_ps();
                    arrival = *free + link.delay.as_ps();
                }
            }
            prop_assert_eq!(ideal(packets, &path).as_ps(), arrival);
        }
    }

    #[test]
    fn percentiles_are_nearest_rank() {
        assert_eq!(percentile::<u32>(&[], 50), None);
        assert_eq!(percentile(&[7], 99), Some(7));
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!([50, 99, 100].map(|p| percentile(&hundred, p)), [Some(50), Some(99), Some(100)]);
    }
}

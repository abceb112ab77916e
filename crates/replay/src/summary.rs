//! What left, what was lost and why, and how long packets took, by port.
//!
//! A delay is from a packet's arrival to its last bit on the port's link, transmission included.
//! Percentiles are nearest-rank and exact: 8 bytes a packet that was sent.

use forebay_sched::{DropCause, DropTally, Tally};
use forebay_units::{Duration, Rate, Time};
use serde::Serialize;

use crate::drive::{End, Ended, Fate, Witness};
use crate::plan::{Offered, ReplayPlan};

/// How long packets took, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Delays {
    /// The mean delay, in microseconds.
    pub mean_us: f64,
    /// Half of them took at most so long.
    pub p50_us: f64,
    /// 99 in 100 took at most so long.
    pub p99_us: f64,
    /// The longest delay, in microseconds.
    pub max_us: f64,
}

/// Packets lost for one cause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lost {
    /// The cause's name, as [`DropCause::name`].
    pub cause: &'static str,
    /// How many.
    #[serde(flatten)]
    pub count: Tally,
}

/// What happened at a port.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortSummary {
    /// The port's number, from 0.
    pub port: u16,
    /// The port's rate, in bits per second.
    pub bps: u64,
    /// What was sent or lost.
    pub arrived: Tally,
    /// What was sent.
    pub sent: Tally,
    /// Marked packets among them.
    pub marked: u64,
    /// What was lost, by cause.
    pub lost: Vec<Lost>,
    /// The share of the replay's time in which it sent.
    pub utilization: f64,
    /// How long packets took; `None` if none was sent.
    pub delay: Option<Delays>,
}

/// What a replay has shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayReport {
    /// Whether every packet was sent or lost; otherwise the replay was stopped.
    pub finished: bool,
    /// How many times as fast as recorded time passed.
    pub speed: f64,
    /// From the first arrival to the end.
    pub simulated_us: f64,
    /// What the capture holds.
    pub offered: Tally,
    /// What was sent.
    pub sent: Tally,
    /// What was lost.
    pub lost: Tally,
    /// The same by cause.
    pub causes: Vec<Lost>,
    /// Ports, in their order.
    pub ports: Vec<PortSummary>,
}

/// Counts what becomes of packets.
#[derive(Clone, Debug)]
pub struct Summary {
    rates: Vec<Rate>,
    speed: f64,
    offered: Tally,
    ports: Vec<PortTally>,
    unrouted: DropTally,
}

#[derive(Clone, Debug, Default)]
struct PortTally {
    sent: Tally,
    marked: u64,
    lost: DropTally,
    sending: Duration,
    delays: Vec<u64>,
}

impl Summary {
    /// Nothing yet.
    #[must_use]
    pub fn new(plan: &ReplayPlan<'_>) -> Self {
        let recording = plan.recording();
        Summary {
            rates: plan.ports().to_vec(),
            speed: plan.speed(),
            offered: Tally { packets: u64::from(plan.packets()), bytes: recording.bytes() },
            ports: vec![PortTally::default(); plan.ports().len()],
            unrouted: DropTally::default(),
        }
    }

    /// What has been seen until `end`. O(packets · log packets).
    #[must_use]
    pub fn report(mut self, end: End) -> ReplayReport {
        let span = end.at.since(Time::ZERO);
        let mut causes = self.unrouted;
        self.ports.iter().for_each(|port| causes += port.lost);
        let ports: Vec<PortSummary> = (self.ports.iter_mut().zip(&self.rates).zip(0..))
            .map(|((tally, rate), port)| tally.report(port, *rate, span))
            .collect();
        ReplayReport {
            finished: end.how == Ended::Finished,
            speed: self.speed,
            simulated_us: microseconds(span.as_ps() as f64),
            offered: self.offered,
            sent: ports.iter().map(|port| port.sent).sum(),
            lost: causes.total(),
            causes: by_cause(&causes),
            ports,
        }
    }
}

impl Witness for Summary {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        let bytes = packet.recorded.bytes;
        let Some(port) = packet.port.and_then(|port| self.ports.get_mut(usize::from(port))) else {
            self.unrouted.count(DropCause::NoRoute, bytes);
            return;
        };
        match *fate {
            Fate::Sent { begin, end, marked } => {
                port.sent.count(bytes);
                port.marked += u64::from(marked);
                port.sending += end - begin;
                port.delays.push((end - packet.at).as_ps());
            }
            Fate::Lost { cause, .. } => port.lost.count(cause, bytes),
        }
    }
}

impl PortTally {
    fn report(&mut self, port: u16, rate: Rate, span: Duration) -> PortSummary {
        let share = self.sending.as_secs_f64() / span.as_secs_f64();
        PortSummary {
            port,
            bps: rate.as_bps(),
            arrived: self.sent + self.lost.total(),
            sent: self.sent,
            marked: self.marked,
            lost: by_cause(&self.lost),
            utilization: if share.is_finite() { share } else { 0.0 },
            delay: delays(&mut self.delays),
        }
    }
}

fn by_cause(lost: &DropTally) -> Vec<Lost> {
    lost.causes().map(|(cause, count)| Lost { cause: cause.name(), count }).collect()
}

fn delays(all: &mut [u64]) -> Option<Delays> {
    all.sort_unstable();
    let max = *all.last()?;
    // Nearest rank: the smallest that so many are at most.
    let percentile = |percent: usize| all[(all.len() * percent).div_ceil(100).max(1) - 1];
    let sum: u128 = all.iter().map(|delay| u128::from(*delay)).sum();
    let us = |ps: u64| microseconds(ps as f64);
    Some(Delays {
        mean_us: microseconds(sum as f64 / all.len() as f64),
        p50_us: us(percentile(50)),
        p99_us: us(percentile(99)),
        max_us: us(max),
    })
}

fn microseconds(ps: f64) -> f64 {
    ps / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_rank() {
        let mut all: Vec<u64> = (1..=200).rev().map(|us| us * 1_000_000).collect();
        let found = delays(&mut all).unwrap();
        let expected = Delays { mean_us: 100.5, p50_us: 100.0, p99_us: 198.0, max_us: 200.0 };
        assert_eq!(found, expected);
        assert_eq!(delays(&mut [7_000_000]).unwrap().p99_us, 7.0);
        assert_eq!(delays(&mut []), None);
    }
}

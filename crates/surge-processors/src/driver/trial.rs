//! A processor with its innocent traffic and its attack, measured once, then run under any policy.
//!
//! Source: the experiments of thesis §3.6.1. The innocent packets repeat a capture. Reassembly is
//! attacked with a [`Flood`]: of full windows where a policy is best attacked with the longest
//! jobs, otherwise of as many segments as make their average what Eq. 3.8 or 3.9 asks for. It uses
//! one flow at a time: the paper's fifty would take seconds to become long at small rates. Rule
//! matching has [`MatchingTrial`](super::MatchingTrial).

use forebay_surge::model::{Arrivals, Recorded, SurgeOutcome, Traffic, optimal_attack};
use forebay_surge::policies::policies;
use forebay_surge::{ProtectConfig, Statistics, SurgeError};
use forebay_units::Rate;

use super::saturation::{SATURATIONS, Saturation};
use super::{
    Clock, Flood, ItemArrival, MeasureError, NamedCounts, Paced, ReassemblyCosts,
    ReassemblyStation, Repeated, Span, Station, merged, run,
};
use crate::packet::Packet;
use crate::tcp::{ReassemblyConfig, SegmentStore};

/// How much innocent traffic and attack a trial offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// r_I, the rate of innocent traffic.
    pub innocent: Rate,
    /// r_A; 0 for no attack.
    pub attack: Rate,
    /// N, the packets of an attack flow, if they are not all alike.
    pub segments: u32,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// Bytes, and latencies of the innocent.
    pub outcome: SurgeOutcome,
    /// Jobs, waits, and the estimator's error.
    pub statistics: Statistics,
    /// The processor's counters.
    pub counts: NamedCounts,
}

/// A processor, its innocent traffic and its attack.
pub trait Trial {
    /// How long the packets of both take, each alone.
    fn recorded(&self) -> &Recorded;

    /// Runs it under a policy, for the time of `span` on the virtual clock.
    ///
    /// # Errors
    /// A parameter out of range.
    fn run(
        &self,
        protect: &ProtectConfig,
        offered: Offered,
        span: Span,
    ) -> Result<Ran, MeasureError>;

    /// r_max as the paper finds it (§3.6.1): the rate that is served under too much innocent
    /// traffic, in order of arrival and without attack. It is lower than the packets' own job sizes
    /// suggest, since the caches are shared with the scheduler. Job sizes are measured, so it is
    /// found [`SATURATIONS`] times.
    ///
    /// # Errors
    /// A parameter out of range; nothing served in the counted span.
    fn saturation(&self, protect: &ProtectConfig, span: Span) -> Result<Saturation, MeasureError> {
        let most = self.recorded().joint()?.max_rate();
        let innocent = Rate::from_bps((most * OVERLOAD) as u64);
        let offered = Offered { innocent, attack: Rate::from_bps(0), segments: 1 };
        let mut protect = protect.clone();
        protect.scheduler.policy = policies().named("fcfs").map_err(SurgeError::from)?.clone();
        let mut served = [Rate::from_bps(0); SATURATIONS];
        for rate in &mut served {
            *rate = self.run(&protect, offered, span)?.outcome.goodput();
        }
        Saturation::of(served)
    }

    /// N for the optimal attack on a policy (§3.6.1) of a processor that serves `most`.
    ///
    /// # Errors
    /// A parameter of the policy that does not fit; for traffic measured by
    /// [`recorded`](Self::recorded) nothing else.
    fn segments_against(
        &self,
        protect: &ProtectConfig,
        [most, innocent, attack]: [Rate; 3],
    ) -> Result<u32, MeasureError> {
        let mut recorded = self.recorded().clone();
        recorded.scale(recorded.joint()?.max_rate() / most.as_bps().max(1) as f64);
        let (joint, arrivals) = (recorded.joint()?, Arrivals::Constant);
        let traffic = Traffic { joint, rate: innocent, arrivals, flows: 1, seed: 0 };
        let order = protect.scheduler.built().map_err(SurgeError::from)?.order();
        let best = optimal_attack(order, &traffic, 1, &recorded.means(), attack);
        Ok(u32::try_from(recorded.segments_against(order, &best)).unwrap_or(u32::MAX))
    }
}

/// The load offered to find r_max, relative to what job sizes promise.
const OVERLOAD: f64 = 1.5;

/// TCP reassembly over the store `S`.
pub struct ReassemblyTrial {
    packets: Vec<Packet>,
    costs: ReassemblyCosts,
    build: Build,
}

/// Builds a station over the chosen store.
type Build = Box<dyn Fn(&ProtectConfig, &ReassemblyCosts) -> Built>;

type Built = Result<Box<dyn Station<Packet>>, MeasureError>;

impl ReassemblyTrial {
    /// Measures a reassembler over the store `S` on these packets; those that are not TCP are left
    /// out.
    ///
    /// # Errors
    /// As for [`ReassemblyCosts::measure`].
    pub fn new<S: SegmentStore + 'static>(
        packets: &[Packet],
        config: ReassemblyConfig,
        clock: &Clock,
    ) -> Result<Self, MeasureError> {
        let costs = ReassemblyCosts::measure::<S>(packets, config, clock)?;
        let packets = packets.iter().filter(|p| p.segment().is_some()).cloned().collect();
        let clock = clock.clone();
        let build = Box::new(move |protect: &ProtectConfig, costs: &ReassemblyCosts| {
            ReassemblyStation::build::<S>(protect, config, costs, &clock)
        });
        Ok(ReassemblyTrial { packets, costs, build })
    }

    /// The cost of its steps.
    #[must_use]
    pub fn costs(&self) -> &ReassemblyCosts {
        &self.costs
    }
}

impl Trial for ReassemblyTrial {
    fn recorded(&self) -> &Recorded {
        &self.costs.recorded
    }

    fn run(
        &self,
        protect: &ProtectConfig,
        offered: Offered,
        span: Span,
    ) -> Result<Ran, MeasureError> {
        let station = (self.build)(protect, &self.costs)?;
        let innocent = Repeated::new(&self.packets);
        let mean = innocent.mean_size();
        let innocent = innocent.map(|(_, packet)| (packet.size, packet));
        let innocent = Paced::innocent(innocent, offered.innocent, mean);
        let flood = Flood::new(offered.segments, 1).map(|packet| (packet.size, packet));
        Ok(ran(station, merged(innocent, Paced::attack(flood, offered.attack)), span))
    }
}

pub(super) fn ran<T>(
    mut station: Box<dyn Station<T>>,
    arrivals: impl Iterator<Item = ItemArrival<T>>,
    span: Span,
) -> Ran {
    let outcome = run(station.as_mut(), arrivals, span);
    Ran { outcome, statistics: station.statistics(), counts: station.counts() }
}

#[cfg(test)]
mod tests {
    use super::super::MatchingTrial;
    use super::*;
    use crate::EXAMPLE_RULES;
    use crate::error::ProcessorError;
    use crate::packet::read_packets;
    use crate::rules::{MatchConfig, Matcher};
    use crate::tcp::ListStore;
    use forebay_units::{Bytes, Duration, Time};
    use forebay_workload::CaptureLimits;
    use std::cell::Cell;
    use std::rc::Rc;

    fn packets() -> Vec<Packet> {
        let file = &include_bytes!("../../data/made-disorder.pcap")[..];
        read_packets(file, "made-disorder.pcap", CaptureLimits::default()).unwrap().packets
    }

    fn ticking() -> Clock {
        let ticks = Cell::new(0);
        Clock::new(move || {
            ticks.set(ticks.get() + 1_000_000);
            Time::from_ps(ticks.get())
        })
    }

    fn check(trial: &dyn Trial) {
        let span = Span { warmup: Duration::from_us(10), measured: Duration::from_us(100) };
        let most = trial.saturation(&ProtectConfig::default(), span).unwrap().median;
        let [innocent, attack] = [0.5, 0.01].map(|part| most.scaled(part));
        for policy in ["fcfs", "wsjf-inorder"] {
            let protect = ProtectConfig::under(policy).unwrap();
            let segments = trial.segments_against(&protect, [most, innocent, attack]).unwrap();
            assert!(segments >= 1);
            let ran = trial.run(&protect, Offered { innocent, attack, segments }, span).unwrap();
            assert!(
                ran.outcome.innocent.completed > Bytes::ZERO && ran.statistics.counts.served > 0
            );
            assert!(ran.outcome.latency.max >= ran.outcome.latency.p50 && !ran.counts.is_empty());
        }
        let csv = trial.recorded().to_csv();
        let again = Recorded::read(csv.as_bytes()).unwrap();
        assert_eq!(again.innocent.len(), trial.recorded().innocent.len());
    }

    #[test]
    fn both_processors_are_recorded_and_run() {
        let (packets, clock) = (packets(), ticking());
        let config = ReassemblyConfig { window: 200, ..ReassemblyConfig::paper() };
        let trial = ReassemblyTrial::new::<ListStore>(&packets, config, &clock).unwrap();
        assert_eq!(trial.recorded().attack.len(), 100);
        assert!(trial.recorded().innocent.iter().any(|row| row.flow > 3));
        check(&trial);
        let matcher = Rc::new(Matcher::new(EXAMPLE_RULES, MatchConfig::default()));
        check(&MatchingTrial::new(&packets, matcher, 1000, &clock).unwrap());
    }

    #[test]
    fn rules_that_cannot_be_attacked_are_told_from_captures_without_work() {
        let refused = |rule: &str| {
            let text = format!("alert tcp any any -> any {rule}");
            let matcher = Rc::new(Matcher::new(text, MatchConfig::default()));
            MatchingTrial::new(&packets(), matcher, 1000, &ticking()).err().unwrap()
        };
        let plain = refused("any (content:\"GET\"; sid:1;)");
        assert_eq!(plain, ProcessorError::NoExpression.into());
        let elsewhere = refused("9 (content:\"GET\"; pcre:\"/a+b/\"; sid:1;)");
        assert_eq!(elsewhere, ProcessorError::NotReached.into());
    }
}

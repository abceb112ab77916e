//! HPCC's window: what is in flight on the fullest link, as switches measure it.
//!
//! Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1, as
//! others describe it. Each acknowledgement brings what the ports on the path recorded. Of each,
//! the bytes in flight are its queue and what it sends in a base round trip T, relative to what its
//! link holds; the largest, averaged over T, is U. The window follows from the reference window of
//! the last round trip: divided by U / η if U is above η, or after `max_stage` round trips of
//! additive increase; W_AI is added in any case. Packets are paced at W / T.
//!
//! Left open, chosen here: U begins at 1; the window is at most what the path holds, which it is at
//! first, and at least a byte; an acknowledgement that took another path than the last begins a new
//! record and changes nothing, so under packet spraying HPCC hardly reacts. O(ports) an
//! acknowledgement, 380 bytes.

use alloc::boxed::Box;

use forebay_parameters::{Configure, ParameterError, Source, check};
use forebay_units::{Bytes, Duration, Rate, Time};

use super::reports::LastReports;
use crate::transport::report::PortReport;
use crate::transport::roce::{Path, RateConfig, RateControl, RateSample};

/// HPCC's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct HpccConfig {
    /// The share of a link that is aimed at (η).
    #[parameter(source = CITED, range = 0.1..=1.0, default = 0.95)]
    pub target: f64,
    /// Round trips of additive increase until the window is measured anew.
    #[parameter(source = CITED, range = 0..=1000, default = 5)]
    pub max_stage: u32,
    /// What is added to the window (W_AI).
    #[parameter(source = CITED, default = Bytes::new(80))]
    pub additive: Bytes,
    /// The base round trip (T); 0: that of the flow's empty path.
    #[parameter(default = None)]
    #[parameter(assumed = "the paper has one for the whole network, just above the longest")]
    pub base_rtt: Option<Duration>,
}

// The paper's text was not at hand.
const CITED: Source = Source::assumed("what others cite of hpcc; not compared with its own text");

impl HpccConfig {
    /// That its parameters are within their ranges.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })
    }
}

impl RateConfig for HpccConfig {
    fn start(&self, path: &Path, _: Bytes) -> Box<dyn RateControl> {
        Box::new(Hpcc::new(self, path))
    }

    fn reads_telemetry(&self) -> bool {
        true
    }
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub struct Hpcc {
    config: HpccConfig,
    line: Rate,
    /// T, in seconds.
    base: f64,
    /// The largest window: what the path holds.
    most: f64,
    window: f64,
    /// W_c.
    reference: f64,
    /// U.
    utilization: f64,
    stage: u32,
    /// The reference window moves when this position is acknowledged.
    updates_at: u64,
    last: LastReports,
}

impl Hpcc {
    /// That of a flow that has sent nothing.
    #[must_use]
    pub fn new(config: &HpccConfig, path: &Path) -> Self {
        let path = path.with_round_trip(config.base_rtt);
        let most = path.capacity().get().max(1) as f64;
        Hpcc {
            config: *config,
            line: path.line,
            base: path.round_trip.as_secs_f64(),
            most,
            window: most,
            reference: most,
            utilization: 1.0,
            stage: 0,
            updates_at: 0,
            last: LastReports::default(),
        }
    }

    /// The averaged bytes in flight on the fullest link, over what it holds.
    #[must_use]
    pub fn utilization(&self) -> f64 {
        self.utilization
    }

    /// MeasureInflight: averages in what these reports say; false if they say nothing.
    fn measure(&mut self, reports: &[PortReport]) -> bool {
        let (mut fullest, mut span) = (0.0, 0.0);
        let base = self.base;
        let is_known = self.last.compare(reports, |now, before| {
            let elapsed = now.at.since(before.at).as_secs_f64();
            let bytes_per_second = now.rate.as_bps() as f64 / 8.0;
            let queue = now.queue.min(before.queue).get() as f64;
            let sends = (now.sent - before.sent).get() as f64 / elapsed;
            let share = queue / (bytes_per_second * base) + sends / bytes_per_second;
            if share > fullest {
                (fullest, span) = (share, elapsed);
            }
        });
        if is_known {
            let weight = span.min(base) / base;
            self.utilization = (1.0 - weight) * self.utilization + weight * fullest;
        }
        is_known
    }

    /// ComputeWind: the window from the reference window, which becomes it if `moves`.
    fn resize(&mut self, moves: bool) {
        let additive = self.config.additive.get() as f64;
        let ratio = self.utilization / self.config.target;
        let is_full = ratio >= 1.0 || self.stage >= self.config.max_stage;
        let scaled = if is_full { self.reference / ratio.max(1e-6) } else { self.reference };
        self.window = (scaled + additive).clamp(1.0, self.most);
        if moves {
            self.stage = if is_full { 0 } else { self.stage + 1 };
            self.reference = self.window;
        }
    }
}

impl RateControl for Hpcc {
    fn rate(&mut self, _: Time) -> Rate {
        let rate = (self.window * 8.0 / self.base).round();
        Rate::from_bps(rate as u64).min(self.line).max(Rate::from_bps(1))
    }

    fn window(&self) -> Bytes {
        Bytes::new(self.window as u64)
    }

    fn on_ack(&mut self, sample: &RateSample<'_>) {
        if !self.measure(sample.telemetry) {
            return;
        }
        let moves = sample.una > self.updates_at;
        self.resize(moves);
        if moves {
            self.updates_at = sample.sent;
        }
    }
}

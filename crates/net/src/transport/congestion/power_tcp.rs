//! PowerTCP's window: divided by the power of the path, its queue times the rate at which that
//! grows.
//!
//! Source: Addanki et al., "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI
//! 2022, algorithm 1, as others describe it. Of each port on the path, *voltage* is its queue and
//! what its link holds in a base round trip τ, *current* what it sends and what its queue grows by
//! in a second; their product over that of a full link with an empty queue is the power. The
//! largest, averaged over τ, divides the window of a round trip ago; β is added, and the result
//! counts γ.
//!
//! Left open, chosen here: the window is at most what the path holds, which it is at first; an
//! acknowledgement that took another path than the last begins a new record and changes nothing.
//! O(ports) an acknowledgement, 380 bytes.

use alloc::boxed::Box;

use forebay_parameters::{Configure, ParameterError, Source, check};
use forebay_units::{Bytes, Duration, Rate, Time};

use super::reports::LastReports;
use crate::transport::report::PortReport;
use crate::transport::roce::{Path, RateConfig, RateControl, RateSample};

/// PowerTCP's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct PowerTcpConfig {
    /// How much a new window counts against the present one (γ).
    #[parameter(source = CITED, range = 0.01..=1.0, default = 0.9)]
    pub gamma: f64,
    /// The flows that share a host's link: β, which is added to a window, is what the path holds
    /// divided by it.
    #[parameter(range = 1..=1_000_000, default = 10)]
    #[parameter(assumed = "the number is the network's; not compared with the paper's text")]
    pub flows: u32,
    /// The base round trip (τ); 0: that of the flow's empty path.
    #[parameter(default = None)]
    #[parameter(assumed = "the paper has one for the whole network")]
    pub base_rtt: Option<Duration>,
}

// The paper's text was not at hand.
const CITED: Source =
    Source::assumed("what others cite of powertcp; not compared with its own text");

impl PowerTcpConfig {
    /// That its parameters are within their ranges.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })
    }
}

impl RateConfig for PowerTcpConfig {
    fn start(&self, path: &Path, _: Bytes) -> Box<dyn RateControl> {
        Box::new(PowerTcp::new(self, path))
    }

    fn reads_telemetry(&self) -> bool {
        true
    }
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub struct PowerTcp {
    gamma: f64,
    /// β, in bytes.
    beta: f64,
    line: Rate,
    /// τ, in seconds.
    base: f64,
    /// The largest window: what the path holds.
    most: f64,
    window: f64,
    /// The window of a round trip ago.
    old: f64,
    /// The averaged power; 1 in equilibrium.
    power: f64,
    /// The old window is the present one again when this position is acknowledged.
    updates_at: u64,
    last: LastReports,
}

impl PowerTcp {
    /// That of a flow that has sent nothing.
    #[must_use]
    pub fn new(config: &PowerTcpConfig, path: &Path) -> Self {
        let path = path.with_round_trip(config.base_rtt);
        let most = path.capacity().get().max(1) as f64;
        PowerTcp {
            gamma: config.gamma,
            beta: most / f64::from(config.flows),
            line: path.line,
            base: path.round_trip.as_secs_f64(),
            most,
            window: most,
            old: most,
            power: 1.0,
            updates_at: 0,
            last: LastReports::default(),
        }
    }

    /// The averaged power of the path; 1 where a link is full and its queue empty.
    #[must_use]
    pub fn power(&self) -> f64 {
        self.power
    }

    /// NormPower: averages in what these reports say; false if they say nothing.
    fn measure(&mut self, reports: &[PortReport]) -> bool {
        let (mut largest, mut span) = (0.0, 0.0);
        let base = self.base;
        let is_known = self.last.compare(reports, |now, before| {
            let elapsed = now.at.since(before.at).as_secs_f64();
            let rate = now.rate.as_bps() as f64 / 8.0;
            let grows = now.queue.get() as f64 - before.queue.get() as f64;
            let sends = (now.sent - before.sent).get() as f64;
            let current = (grows + sends) / elapsed;
            let voltage = now.queue.get() as f64 + rate * base;
            let power = current * voltage / (rate * rate * base);
            if power > largest {
                (largest, span) = (power, elapsed);
            }
        });
        if is_known {
            let weight = span.min(base) / base;
            self.power = (1.0 - weight) * self.power + weight * largest;
        }
        is_known
    }
}

impl RateControl for PowerTcp {
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
        let new = self.old / self.power.max(1e-6) + self.beta;
        let mixed = self.gamma * new + (1.0 - self.gamma) * self.window;
        self.window = mixed.clamp(1.0, self.most);
        if sample.una > self.updates_at {
            (self.old, self.updates_at) = (self.window, sample.sent);
        }
    }
}

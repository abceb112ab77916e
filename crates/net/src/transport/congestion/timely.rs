//! TIMELY's rate: by the round trip, and by whether it grows.
//!
//! Source: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
//! algorithm 1, as others describe it. Once a segment is acknowledged, the rate is raised by δ if
//! the round trip is below T_low, and reduced if it is above T_high; between them it follows the
//! gradient of round trips, averaged by α: raised by δ if that is not above zero, by Nδ from the
//! fifth time in a row on (hyperactive increase), and reduced by β times it otherwise.
//!
//! Left open, chosen here: the round trip is that of the packet which completes a segment, and its
//! time on the host's own link is in it; the first rate is that of the host's link, as if the flow
//! were its only one; a rate never falls below a floor. Constant time, 120 bytes.

use alloc::boxed::Box;

use forebay_parameters::{Configure, ParameterError, Source, check};
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::roce::{Path, RateConfig, RateControl, RateSample};

/// TIMELY's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct TimelyConfig {
    /// Below this round trip the rate is raised (T_low).
    #[parameter(source = CITED, default = Duration::from_us(50))]
    pub low: Duration,
    /// Above this round trip the rate is reduced (T_high).
    #[parameter(source = CITED, default = Duration::from_us(500))]
    pub high: Duration,
    /// A step of additive increase (δ).
    #[parameter(source = CITED, default = Rate::from_bps(10_000_000))]
    pub step: Rate,
    /// How strongly the rate is reduced (β).
    #[parameter(source = CITED, range = 0.0..=1.0, default = 0.8)]
    pub beta: f64,
    /// How much a new difference of round trips counts in their average (α).
    #[parameter(source = CITED, range = 0.0..=1.0, default = 0.875)]
    pub alpha: f64,
    /// Steps of hyperactive increase, and how often in a row the gradient has to be at most zero
    /// before it (N).
    #[parameter(source = CITED, range = 1..=1000, default = 5)]
    pub hyper: u32,
    /// The round trip that gradients are relative to; 0: that of the flow's empty path.
    #[parameter(default = None)]
    #[parameter(assumed = "the shortest; 20 us is what others cite")]
    pub least_rtt: Option<Duration>,
    /// Bytes whose acknowledgement is one completion.
    #[parameter(source = CITED, default = Bytes::new(16_000))]
    pub segment: Bytes,
    /// The rate below which nothing is reduced.
    #[parameter(default = Rate::from_bps(10_000_000))]
    #[parameter(assumed = "a sender must go on")]
    pub floor: Rate,
}

// The paper's text was not at hand.
const CITED: Source = Source::assumed("what others cite of timely; not compared with its own text");

impl TimelyConfig {
    /// That its parameters are within their ranges, and its flows go on.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })?;
        if self.low > self.high {
            return Err(TimelyConfig::HIGH.refuse("it is below `low`: give a longer one"));
        }
        if self.floor.as_bps() == 0 {
            return Err(TimelyConfig::FLOOR.refuse("a flow at 0 b/s never ends: give a rate"));
        }
        Ok(())
    }
}

impl RateConfig for TimelyConfig {
    fn start(&self, path: &Path, _: Bytes) -> Box<dyn RateControl> {
        Box::new(Timely::new(self, path))
    }
}

/// The rate of one flow.
#[derive(Clone, Debug)]
pub struct Timely {
    config: TimelyConfig,
    line: f64,
    /// In bits per second.
    rate: f64,
    least: Duration,
    /// The round trip of the last completion.
    before: Option<Duration>,
    /// The averaged difference of round trips, in seconds.
    difference: f64,
    /// How often in a row the gradient counted and was at most zero.
    calm: u32,
    /// Bytes acknowledged towards the next completion.
    acked: u64,
}

impl Timely {
    /// That of a flow that has sent nothing.
    #[must_use]
    pub fn new(config: &TimelyConfig, path: &Path) -> Self {
        let line = path.line.as_bps().max(1) as f64;
        let least = config.least_rtt.unwrap_or(path.round_trip).max(Duration::from_ns(1));
        let config = *config;
        Timely { config, line, rate: line, least, before: None, difference: 0.0, calm: 0, acked: 0 }
    }

    /// A segment has been acknowledged after this round trip.
    pub fn on_completion(&mut self, rtt: Duration) {
        let new = self.before.map_or(0.0, |before| rtt.as_secs_f64() - before.as_secs_f64());
        self.before = Some(rtt);
        let alpha = self.config.alpha;
        self.difference = (1.0 - alpha) * self.difference + alpha * new;
        let gradient = self.difference / self.least.as_secs_f64();
        let step = self.config.step.as_bps() as f64;
        let calm = core::mem::take(&mut self.calm);
        if rtt < self.config.low {
            self.rate += step;
        } else if rtt > self.config.high {
            let beyond = 1.0 - self.config.high.as_secs_f64() / rtt.as_secs_f64();
            self.rate *= 1.0 - self.config.beta * beyond;
        } else if gradient <= 0.0 {
            self.calm = calm.saturating_add(1);
            let steps = if self.calm >= self.config.hyper { self.config.hyper } else { 1 };
            self.rate += f64::from(steps) * step;
        } else {
            self.rate *= 1.0 - self.config.beta * gradient.min(1.0);
        }
        let floor = (self.config.floor.as_bps() as f64).min(self.line);
        self.rate = self.rate.clamp(floor, self.line);
    }
}

impl RateControl for Timely {
    fn rate(&mut self, _: Time) -> Rate {
        Rate::from_bps(self.rate as u64)
    }

    fn on_ack(&mut self, sample: &RateSample<'_>) {
        self.acked += sample.acked.get();
        if self.acked >= self.config.segment.get() && sample.rtt > Duration::ZERO {
            self.acked = 0;
            self.on_completion(sample.rtt);
        }
    }
}

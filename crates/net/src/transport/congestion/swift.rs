//! Swift's window: by the round trip against a target that depends on the path and on the window.
//!
//! Source: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
//! Datacenter", SIGCOMM 2020, algorithm 1 and §3.5 (target delay), as others describe it. Below the
//! target the window grows by AI packets a round trip; above it, it shrinks once a round trip, by β
//! times how far it is above and at most by `max_mdf`. The target is a base, a share for each hop,
//! and more for small windows (flow scaling). Below one packet, packets are spaced by rtt / cwnd.
//!
//! Left out: the window of the receiver's host, since hosts take no time here. Left open, chosen
//! here: the base, if not given, is the flow's empty round trip; the window is at first what the
//! path holds, and never more than `most`. Constant time, 140 bytes.

use alloc::boxed::Box;

use forebay_parameters::{Configure, ParameterError, Source, check};
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::roce::{Path, RateConfig, RateControl, RateSample};

/// Swift's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct SwiftConfig {
    /// Packets added to the window in a round trip (AI).
    #[parameter(source = CITED, range = 0.001..=1000.0, default = 1.0)]
    pub additive: f64,
    /// How strongly the window is reduced (β).
    #[parameter(source = CITED, range = 0.0..=1.0, default = 0.8)]
    pub beta: f64,
    /// The largest share by which it is reduced at once (max_mdf).
    #[parameter(source = CITED, range = 0.0..=1.0, default = 0.5)]
    pub max_decrease: f64,
    /// The target of a path without hops; 0: the flow's empty round trip.
    #[parameter(default = None)]
    #[parameter(assumed = "the deployed number is that of a network with other links")]
    pub base_target: Option<Duration>,
    /// What each link of the path adds to the target (ħ).
    #[parameter(default = Duration::from_us(1))]
    #[parameter(assumed = "not compared with the paper's text")]
    pub per_hop: Duration,
    /// What flow scaling adds to the target at most (fs_range).
    #[parameter(default = Duration::from_us(50))]
    #[parameter(assumed = "not compared with the paper's text")]
    pub scaling: Duration,
    /// The window at and below which it adds the most, in packets (fs_min_cwnd).
    #[parameter(source = CITED, range = 0.001..=1000.0, default = 0.1)]
    pub scaling_from: f64,
    /// The window at and above which it adds nothing, in packets (fs_max_cwnd).
    #[parameter(source = CITED, range = 0.001..=100_000.0, default = 100.0)]
    pub scaling_to: f64,
    /// The smallest window, in packets.
    #[parameter(range = 0.000_001..=1.0, default = 0.001)]
    #[parameter(assumed = "not compared with the paper's text")]
    pub least: f64,
    /// The largest window, in packets.
    #[parameter(range = 1.0..=1e9, default = 10_000.0)]
    #[parameter(assumed = "not compared with the paper's text")]
    pub most: f64,
    /// Timeouts in a row after which the window is the smallest (RETX_RESET_THRESHOLD).
    #[parameter(range = 1..=40, default = 5)]
    #[parameter(assumed = "not compared with the paper's text")]
    pub reset_after: u8,
}

// The paper's text was not at hand.
const CITED: Source = Source::assumed("what others cite of swift; not compared with its own text");

impl SwiftConfig {
    /// That its parameters are within their ranges, and flow scaling has one.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })?;
        if self.scaling_from >= self.scaling_to {
            let problem = "it is not above `scaling_from`: give a larger window";
            return Err(SwiftConfig::SCALING_TO.refuse(problem));
        }
        Ok(())
    }
}

impl RateConfig for SwiftConfig {
    fn start(&self, path: &Path, mtu: Bytes) -> Box<dyn RateControl> {
        Box::new(Swift::new(self, path, mtu))
    }
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub struct Swift {
    config: SwiftConfig,
    line: Rate,
    mtu: f64,
    /// The target without flow scaling, in seconds.
    target: f64,
    /// In packets.
    window: f64,
    /// The last round trip measured.
    rtt: Duration,
    /// Not reduced again before.
    decreases_from: Time,
}

impl Swift {
    /// That of a flow that has sent nothing.
    #[must_use]
    pub fn new(config: &SwiftConfig, path: &Path, mtu: Bytes) -> Self {
        let base = config.base_target.unwrap_or(path.round_trip);
        let mtu = mtu.get().max(1) as f64;
        Swift {
            config: *config,
            line: path.line,
            mtu,
            target: (base + config.per_hop * u64::from(path.hops)).as_secs_f64(),
            window: (path.capacity().get() as f64 / mtu).clamp(1.0, config.most),
            rtt: path.round_trip,
            decreases_from: Time::ZERO,
        }
    }

    /// The window, in packets.
    #[must_use]
    pub fn packets(&self) -> f64 {
        self.window
    }

    /// The delay that is aimed at now.
    #[must_use]
    pub fn target(&self) -> Duration {
        Duration::from_ps((self.target_seconds() * 1e12 + 0.5) as u64)
    }

    fn target_seconds(&self) -> f64 {
        let SwiftConfig { scaling_from, scaling_to, .. } = self.config;
        let root = |window: f64| 1.0 / window.sqrt();
        let range = self.config.scaling.as_secs_f64();
        let alpha = range / (root(scaling_from) - root(scaling_to));
        let scaled = alpha * (root(self.window) - root(scaling_to));
        self.target + scaled.clamp(0.0, range)
    }

    /// Reduces the window to a share, unless it was reduced in this round trip.
    fn decrease(&mut self, now: Time, share: f64) {
        if now >= self.decreases_from {
            self.window *= share.max(1.0 - self.config.max_decrease);
            self.decreases_from = now + self.rtt;
        }
    }

    fn limit(&mut self) {
        self.window = self.window.clamp(self.config.least, self.config.most);
    }
}

impl RateControl for Swift {
    fn rate(&mut self, _: Time) -> Rate {
        if self.window >= 1.0 || self.rtt == Duration::ZERO {
            return self.line;
        }
        let paced = self.window * self.mtu * 8.0 / self.rtt.as_secs_f64();
        Rate::from_bps(paced as u64).max(Rate::from_bps(1)).min(self.line)
    }

    fn window(&self) -> Bytes {
        Bytes::new((self.window * self.mtu) as u64)
    }

    fn on_ack(&mut self, sample: &RateSample<'_>) {
        if sample.rtt == Duration::ZERO {
            return;
        }
        self.rtt = sample.rtt;
        let (delay, target) = (sample.rtt.as_secs_f64(), self.target_seconds());
        if delay < target {
            let packets = sample.acked.get() as f64 / self.mtu;
            self.window += self.config.additive * packets / self.window.max(1.0);
        } else {
            self.decrease(sample.now, 1.0 - self.config.beta * (delay - target) / delay);
        }
        self.limit();
    }

    fn on_loss(&mut self, now: Time, timeouts: u8) {
        if timeouts >= self.config.reset_after {
            self.window = self.config.least;
        } else {
            self.decrease(now, 0.0);
        }
        self.limit();
    }
}

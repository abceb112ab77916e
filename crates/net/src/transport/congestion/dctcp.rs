//! DCTCP's window: reduced by half the estimated fraction of marked bytes.
//!
//! Source: RFC 8257, §3.3 to §3.5; growth and the response to loss are NewReno's. What the RFC
//! leaves open: α is kept in floating point, so that it decays to zero where a rounded one would
//! get stuck; the threshold's floor of two segments also applies to the reduction by α. As in the
//! RFC, the first acknowledgement ends the first observation window. Constant time, 40 bytes.

use forebay_parameters::{Choice, Configure, ParameterError, check};
use forebay_units::Bytes;

use super::new_reno::{NewReno, NewRenoConfig};
use super::{AckSample, Cause, Congestion, CongestionControl, Controller, EcnEcho};
use crate::transport::window::Window;

/// DCTCP's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct DctcpConfig {
    /// The estimation gain is g = 2^-`gain_shift`.
    #[parameter(paper = "RFC 8257: g = 1/16", range = 0..=31, default = 4)]
    pub gain_shift: u8,
    /// α before the first mark: at 1 the first reduction halves.
    #[parameter(paper = "RFC 8257", range = 0.0..=1.0, default = 1.0)]
    pub initial_alpha: f64,
    /// The growth of the window.
    #[parameter(part)]
    pub growth: NewRenoConfig,
}

/// The window of one DCTCP flow.
///
/// ```
/// use forebay_net::transport::{Cause, Congestion, CongestionControl, Dctcp, DctcpConfig, Window};
/// use forebay_units::{Bytes, Time};
///
/// let mut control = Dctcp::new(&DctcpConfig { initial_alpha: 0.25, ..DctcpConfig::default() })?;
/// let mss = Bytes::new(1000);
/// let window = Window { cwnd: mss * 80, ssthresh: mss * 80, mss };
/// let echo = Congestion { now: Time::ZERO, cause: Cause::Echo, flight: mss * 80 };
/// assert_eq!(control.on_congestion(&window, &echo), mss * 70); // 80 · (1 − 0.25 / 2)
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dctcp {
    alpha: f64,
    /// The observation window ends when this position is acknowledged.
    window_end: u64,
    /// Bytes acknowledged in the observation window, and those with an echo.
    acked: u32,
    marked: u32,
    growth: NewReno,
    gain_shift: u8,
}

impl Dctcp {
    /// The choice `dctcp`.
    #[must_use]
    pub fn choice() -> Choice<dyn CongestionControl> {
        let about = "reduced by the fraction of marked bytes (RFC 8257)";
        Choice::new("dctcp", about, DctcpConfig::default(), |config: &DctcpConfig, ()| {
            Dctcp::new(config).map(Controller::Dctcp)
        })
    }

    /// Builds the controller for a flow.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &DctcpConfig) -> Result<Self, ParameterError> {
        check(&mut config.clone())?;
        Ok(Dctcp {
            alpha: config.initial_alpha,
            window_end: 0,
            acked: 0,
            marked: 0,
            growth: NewReno::new(&config.growth)?,
            gain_shift: config.gain_shift,
        })
    }

    /// The estimated fraction of marked bytes.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    fn end_observation(&mut self, sent: u64) {
        let fraction = f64::from(self.marked) / f64::from(self.acked.max(1));
        let gain = 1.0 / (1u64 << self.gain_shift) as f64;
        self.alpha = (1.0 - gain) * self.alpha + gain * fraction;
        (self.acked, self.marked, self.window_end) = (0, 0, sent);
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
        let acked = u32::try_from(sample.acked.get()).unwrap_or(u32::MAX);
        self.acked = self.acked.saturating_add(acked);
        if sample.ece {
            self.marked = self.marked.saturating_add(acked);
        }
        if sample.una > self.window_end {
            self.end_observation(sample.sent);
        }
        self.growth.on_ack(window, sample);
    }

    fn on_congestion(&mut self, window: &Window, congestion: &Congestion) -> Bytes {
        let halved = self.growth.on_congestion(window, congestion);
        match congestion.cause {
            Cause::Loss | Cause::Timeout => halved,
            Cause::Echo => Bytes::new((window.cwnd.get() as f64 * (1.0 - self.alpha / 2.0)) as u64),
        }
    }

    fn ecn_echo(&self) -> EcnEcho {
        EcnEcho::Exact
    }
}

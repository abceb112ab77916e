//! NewReno's window: one more segment per round trip, halved at congestion.
//!
//! Source: RFC 5681, §3.1, which RFC 6582 keeps. It leaves open how congestion avoidance counts. We
//! count acknowledged bytes and add a segment per full window, the form that RFC 5681 recommends,
//! so that the window stays a whole number of segments. Constant time, 8 bytes.

use forebay_parameters::{Choice, Configure, ParameterError, check};
use forebay_units::Bytes;

use super::{AckSample, Congestion, CongestionControl, Controller};
use crate::transport::window::Window;

/// NewReno's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct NewRenoConfig {
    /// The most segments by which one acknowledgement widens the window in slow start: L of
    /// RFC 3465.
    #[parameter(paper = "RFC 5681, eq. 2", range = 1..=255, default = 1)]
    pub slow_start_limit: u8,
}

/// Additive increase, multiplicative decrease.
///
/// ```
/// use forebay_net::transport::{Cause, Congestion, CongestionControl, NewReno, NewRenoConfig, Window};
/// use forebay_units::{Bytes, Time};
///
/// let mut control = NewReno::new(&NewRenoConfig::default())?;
/// let mss = Bytes::new(1000);
/// let window = Window { cwnd: mss * 20, ssthresh: mss * 50, mss };
/// let loss = Congestion { now: Time::ZERO, cause: Cause::Loss, flight: mss * 18 };
/// assert_eq!(control.on_congestion(&window, &loss), mss * 9);
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewReno {
    /// Bytes acknowledged towards the next segment of congestion avoidance.
    credit: u32,
    slow_start_limit: u8,
}

impl NewReno {
    /// The choice `new-reno`.
    #[must_use]
    pub fn choice() -> Choice<dyn CongestionControl> {
        let about = "additive increase, halved at congestion (RFC 5681, RFC 6582)";
        Choice::new("new-reno", about, NewRenoConfig::default(), |config: &NewRenoConfig, ()| {
            NewReno::new(config).map(Controller::NewReno)
        })
    }

    /// Builds the controller for a flow.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &NewRenoConfig) -> Result<Self, ParameterError> {
        check(&mut config.clone())?;
        Ok(NewReno { credit: 0, slow_start_limit: config.slow_start_limit })
    }

    fn avoid_congestion(&mut self, window: &mut Window, acked: Bytes) {
        let credit = Bytes::new(u64::from(self.credit)) + acked;
        let rest = if credit >= window.cwnd {
            let rest = credit - window.cwnd;
            window.cwnd += window.mss;
            rest
        } else {
            credit
        };
        self.credit = u32::try_from(rest.get()).unwrap_or(u32::MAX);
    }
}

impl CongestionControl for NewReno {
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
        if !sample.grow {
            return;
        }
        if window.in_slow_start() {
            window.slow_start(sample.acked, self.slow_start_limit);
        } else {
            self.avoid_congestion(window, sample.acked);
        }
    }

    fn on_congestion(&mut self, _: &Window, congestion: &Congestion) -> Bytes {
        self.credit = 0;
        Bytes::new(congestion.flight.get() / 2)
    }
}

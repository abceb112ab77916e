//! CUBIC's window: a cubic function of the time since congestion, never below what Reno would have.
//!
//! Source: RFC 9438, §4 (equations numbered as there). Windows are in segments, times in seconds.
//! Left out: HyStart++ (RFC 9406), which §4.10 recommends, and undoing spurious reductions (§4.9).
//! The window's fraction of a byte is carried along, since one acknowledgement may be worth less
//! than a byte. The cube root uses Newton's iteration in plain arithmetic, so it is the same on
//! every machine. Constant time, 56 bytes.

use alloc::sync::Arc;

use forebay_parameters::{Choice, Configure, ParameterError, check};
use forebay_units::{Bytes, Duration, Time};

use super::{AckSample, Cause, Congestion, CongestionControl, Controller, NewRenoConfig};
use crate::transport::window::Window;

/// CUBIC's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct CubicConfig {
    /// C, how steep the cubic is, in segments per cubic second.
    #[parameter(paper = "RFC 9438, §5.1", range = 1e-6..=1e6, default = 0.4)]
    pub c: f64,
    /// β, the fraction of the window that is left after congestion.
    #[parameter(paper = "RFC 9438, §4.6", range = 0.001..=0.999, default = 0.7)]
    pub beta: f64,
    /// Aim lower when the window shrinks from one congestion to the next.
    #[parameter(paper = "RFC 9438, §4.7", default = true)]
    pub fast_convergence: bool,
    /// As in [`NewRenoConfig`].
    #[parameter(declared = NewRenoConfig::SLOW_START_LIMIT, default = 1)]
    pub slow_start_limit: u8,
}

/// The choice `cubic`.
pub(super) fn choice() -> Choice<dyn CongestionControl> {
    let about = "a cubic of the time since congestion (RFC 9438)";
    Choice::new("cubic", about, CubicConfig::default(), |config: &CubicConfig, ()| {
        Cubic::new(&Arc::new(*config)).map(Controller::Cubic)
    })
}

impl CubicConfig {
    /// Reno's increase per round trip for the same average window at β (§4.3): 3 (1 − β) / (1 + β).
    fn reno_increase(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }
}

/// The window of one CUBIC flow.
///
/// ```
/// use std::sync::Arc;
/// use forebay_net::transport::{Cause, Congestion, CongestionControl, Cubic, CubicConfig, Window};
/// use forebay_units::{Bytes, Time};
///
/// let mut control = Cubic::new(&Arc::new(CubicConfig::default()))?;
/// let mss = Bytes::new(1000);
/// let window = Window { cwnd: mss * 100, ssthresh: mss * 100, mss };
/// let loss = Congestion { now: Time::ZERO, cause: Cause::Loss, flight: mss * 100 };
/// assert_eq!(control.on_congestion(&window, &loss), mss * 70);
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cubic {
    config: Arc<CubicConfig>,
    /// Start of this period of congestion avoidance; `Time::MAX` before its first acknowledgement.
    epoch: Time,
    /// Window just before the last reduction (lower with fast convergence); 0 if there was none, or
    /// after a timeout.
    w_max: f64,
    /// When the cubic is back at `w_max`.
    k: f64,
    /// What Reno's window would be.
    w_est: f64,
    /// Window just before the last reduction, unchanged.
    prior: f64,
    /// Fraction of a byte not yet in the window.
    carry: f64,
}

impl Cubic {
    /// Builds the controller for a flow.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &Arc<CubicConfig>) -> Result<Self, ParameterError> {
        check(&mut CubicConfig::clone(config))?;
        Ok(Cubic {
            config: Arc::clone(config),
            epoch: Time::MAX,
            w_max: 0.0,
            k: 0.0,
            w_est: 0.0,
            prior: 0.0,
            carry: 0.0,
        })
    }

    /// Begins a period of congestion avoidance at a window of `cwnd` segments: equation 2. Without
    /// an earlier maximum the cubic starts at its inflection (§4.8, §4.10).
    fn start_epoch(&mut self, now: Time, cwnd: f64) {
        self.epoch = now;
        self.w_est = cwnd;
        if self.w_max > cwnd {
            self.k = cube_root((self.w_max - cwnd) / self.config.c);
        } else {
            (self.w_max, self.k) = (cwnd, 0.0);
        }
    }

    /// Equation 1: the window `t` seconds into the period.
    fn curve(&self, t: f64) -> f64 {
        let x = t - self.k;
        self.config.c * x * x * x + self.w_max
    }

    /// Equation 4, then the choice of region (§4.3 to §4.5): the window after `acked` segments.
    fn grown(&mut self, cwnd: f64, acked: f64, t: f64, rtt: f64) -> f64 {
        let increase = if self.w_est < self.prior { self.config.reno_increase() } else { 1.0 };
        self.w_est += increase * acked / cwnd;
        if self.curve(t) < self.w_est {
            return self.w_est.max(cwnd);
        }
        let target = self.curve(t + rtt).clamp(cwnd, 1.5 * cwnd);
        (cwnd + (target - cwnd) / cwnd * acked).min(target)
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, window: &mut Window, sample: &AckSample<'_>) {
        if !sample.grow {
            return;
        }
        if window.in_slow_start() {
            window.slow_start(sample.acked, self.config.slow_start_limit);
            return;
        }
        let mss = window.mss.get() as f64;
        let cwnd = window.segments() + self.carry / mss;
        if self.epoch == Time::MAX {
            self.start_epoch(sample.now, cwnd);
        }
        let t = sample.now.since(self.epoch).as_secs_f64();
        let rtt = sample.smoothed_rtt.unwrap_or(Duration::ZERO).as_secs_f64();
        let bytes = self.grown(cwnd, sample.acked.get() as f64 / mss, t, rtt) * mss;
        let whole = bytes as u64;
        self.carry = bytes - whole as f64;
        window.cwnd = Bytes::new(whole);
    }

    fn on_congestion(&mut self, window: &Window, congestion: &Congestion) -> Bytes {
        let cwnd = window.segments();
        let beta = self.config.beta;
        self.w_max = match congestion.cause {
            Cause::Timeout => 0.0,
            Cause::Loss | Cause::Echo if self.config.fast_convergence && cwnd < self.w_max => {
                cwnd * (1.0 + beta) / 2.0
            }
            Cause::Loss | Cause::Echo => cwnd,
        };
        (self.prior, self.epoch, self.carry) = (cwnd, Time::MAX, 0.0);
        Bytes::new((congestion.flight.get() as f64 * beta) as u64)
    }
}

/// The cube root of a non-negative number. A third of the exponent is right within a few percent,
/// and each of Newton's steps doubles the number of right digits.
fn cube_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    const TWO_THIRDS_OF_BIAS: u64 = 682 << 52;
    let mut root = f64::from_bits(x.to_bits() / 3 + TWO_THIRDS_OF_BIAS);
    for _ in 0..5 {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots() {
        for root in [1e-6, 0.01, 0.3, 1.0, 1.7, 4.217, 100.0, 12_345.678] {
            let found = cube_root(root * root * root);
            assert!((found - root).abs() <= 1e-12 * root, "{found} for {root}");
        }
        assert_eq!(cube_root(0.0), 0.0);
    }
}

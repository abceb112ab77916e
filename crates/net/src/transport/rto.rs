//! The retransmission timeout: a smoothed round-trip time, its variation, and exponential back-off.
//!
//! Source: RFC 6298. SRTT and RTTVAR follow §2 with α = 1/8, β = 1/4, K = 4; the back-off of §5.5
//! doubles and lasts until the next measurement (§5, closing note). It leaves open how often to
//! measure. We take every measurement the sender offers (each acknowledgement of new data with
//! timestamps, one per round trip without). Integer picoseconds throughout, constant time, 24
//! bytes.

use forebay_units::Duration;

use super::config::ConfigError;

/// The most doublings of the timeout that are applied and counted: beyond that, the maximum is
/// reached from any sensible minimum.
pub const MAX_BACKOFF: u8 = 40;

/// The limits of the retransmission timeout.
///
/// The default is RFC 6298's: initially and at least 1 s, at most 60 s, and the finest clock.
/// Data-centre studies lower the minimum: 5 ms (Occamy §6.4), 0.24 ms (Themis §6.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoConfig {
    /// The timeout before the first measurement.
    pub initial: Duration,
    /// The least timeout that measurements can lead to.
    pub min: Duration,
    /// The maximum, backed off or not.
    pub max: Duration,
    /// Clock granularity G: the least that the variation contributes.
    pub granularity: Duration,
}

impl Default for RtoConfig {
    fn default() -> Self {
        RtoConfig {
            initial: Duration::from_ms(1000),
            min: Duration::from_ms(1000),
            max: Duration::from_ms(60_000),
            granularity: Duration::from_ps(1),
        }
    }
}

impl RtoConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.min == Duration::ZERO || self.initial == Duration::ZERO || self.min > self.max {
            return Err(ConfigError::RtoBounds {
                initial: self.initial,
                min: self.min,
                max: self.max,
            });
        }
        Ok(())
    }
}

/// The estimator of one flow.
///
/// ```
/// use forebay_net::transport::{RtoConfig, RttEstimator};
/// use forebay_units::Duration;
///
/// let limits = RtoConfig { min: Duration::from_us(1), ..RtoConfig::default() };
/// let mut rtt = RttEstimator::default();
/// rtt.sample(Duration::from_us(80));
/// assert_eq!(rtt.rto(&limits), Duration::from_us(240)); // 80 + 4 · 40
/// rtt.back_off();
/// assert_eq!(rtt.rto(&limits), Duration::from_us(480));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RttEstimator {
    /// Zero until the first measurement.
    srtt: Duration,
    rttvar: Duration,
    backoff: u8,
}

impl RttEstimator {
    /// Adds a measured round trip and ends any back-off. A zero measurement counts as one
    /// picosecond.
    pub fn sample(&mut self, rtt: Duration) {
        let rtt = rtt.max(Duration::from_ps(1));
        if self.srtt == Duration::ZERO {
            (self.srtt, self.rttvar) = (rtt, rtt / 2);
        } else {
            let deviation = if rtt > self.srtt { rtt - self.srtt } else { self.srtt - rtt };
            self.rttvar = self.rttvar - self.rttvar / 4 + deviation / 4;
            self.srtt = self.srtt - self.srtt / 8 + rtt / 8;
        }
        self.backoff = 0;
    }

    /// Doubles the timeout until the next measurement.
    pub fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(MAX_BACKOFF);
    }

    /// How many times the timeout has been doubled since the last measurement.
    #[must_use]
    pub const fn backoff(&self) -> u8 {
        self.backoff
    }

    /// The smoothed round-trip time, once there is one.
    #[must_use]
    pub fn smoothed(&self) -> Option<Duration> {
        (self.srtt != Duration::ZERO).then_some(self.srtt)
    }

    /// The timeout to use now.
    #[must_use]
    pub fn rto(&self, limits: &RtoConfig) -> Duration {
        let base = match self.smoothed() {
            Some(srtt) => srtt + (self.rttvar * 4).max(limits.granularity),
            None => limits.initial,
        };
        (base.max(limits.min) * (1 << self.backoff)).min(limits.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(min_ms: u64) -> RtoConfig {
        RtoConfig { min: Duration::from_ms(min_ms), ..RtoConfig::default() }
    }

    #[test]
    fn the_numbers_of_the_rfc() {
        let mut rtt = RttEstimator::default();
        assert_eq!(rtt.rto(&limits(1)), Duration::from_ms(1000), "before any measurement");
        // §2.2: R = 100 ms gives SRTT 100, RTTVAR 50, RTO 100 + 4 · 50.
        rtt.sample(Duration::from_ms(100));
        assert_eq!(rtt.rto(&limits(1)), Duration::from_ms(300));
        assert_eq!(rtt.rto(&limits(1000)), Duration::from_ms(1000), "§2.4: the minimum");
        // §2.3: R' = 180 ms gives RTTVAR 3/4 · 50 + 1/4 · 80 = 57.5, SRTT 7/8 · 100 + 1/8 · 180 =
        // 110, RTO 110 + 230.
        rtt.sample(Duration::from_ms(180));
        assert_eq!(rtt.smoothed(), Some(Duration::from_ms(110)));
        assert_eq!(rtt.rto(&limits(1)), Duration::from_ms(340));
    }

    #[test]
    fn back_off_doubles_up_to_the_maximum_and_ends_with_a_measurement() {
        let mut rtt = RttEstimator::default();
        rtt.sample(Duration::from_ms(100));
        for expected in [600, 1200, 2400, 4800, 9600, 19_200, 38_400, 60_000, 60_000] {
            rtt.back_off();
            assert_eq!(rtt.rto(&limits(1)), Duration::from_ms(expected));
        }
        (0..300).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(&limits(1)), Duration::from_ms(60_000));
        rtt.sample(Duration::from_ms(100));
        assert_eq!((rtt.backoff(), rtt.rto(&limits(1))), (0, Duration::from_us(250_000)));
    }

    #[test]
    fn a_steady_round_trip_leaves_the_granularity() {
        let mut rtt = RttEstimator::default();
        (0..200).for_each(|_| rtt.sample(Duration::from_us(80)));
        let coarse = RtoConfig { granularity: Duration::from_us(20), ..limits(0) };
        assert_eq!(rtt.rto(&coarse), Duration::from_us(100));
    }
}

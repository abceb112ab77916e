//! A sender at a constant rate, without feedback.
//!
//! Datagrams leave one serialization time apart. The spacing carries its integer remainder along,
//! so that the rate is met exactly however long the flow runs. Constant time, 64 bytes.

use forebay_units::{Bytes, Duration, Rate, Time};

use super::config::{ConfigError, check_mss};
use super::segment::Segment;

const PS_PER_S: u128 = 1_000_000_000_000;

/// Datagrams of one size at one rate.
///
/// ```
/// use forebay_net::transport::ConstantRate;
/// use forebay_units::{Bytes, Duration, Rate, Time};
///
/// // 1250 bytes on the wire at 10 Gb/s: one datagram a microsecond.
/// let (payload, headers) = (Bytes::new(1222), Bytes::new(28));
/// let mut udp =
///     ConstantRate::new(Time::ZERO, Rate::from_gbps(10), payload, headers, Some(Bytes::new(2000)))?;
/// assert_eq!(udp.poll(Time::ZERO).map(|d| d.len), Some(1222));
/// assert_eq!(udp.poll(Time::ZERO), None);
/// assert_eq!(udp.deadline(), Some(Time::ZERO + Duration::from_us(1)));
/// assert_eq!(udp.poll(Time::ZERO + Duration::from_us(1)).map(|d| (d.len, d.fin)), Some((778, true)));
/// assert!(udp.is_finished());
/// # Ok::<(), forebay_net::transport::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstantRate {
    next_at: Time,
    sent: u64,
    end: u64,
    payload: u32,
    /// Spacing of full datagrams: whole picoseconds, and the remainder in units of 1/rate
    /// picoseconds.
    whole: u64,
    rest: u64,
    owed: u64,
    rate: Rate,
}

impl ConstantRate {
    /// Datagrams of `payload` bytes from `start` on, spaced so that `payload` + `headers` bytes per
    /// datagram amount to `rate`, until `length` bytes of payload are sent (`None`: endless).
    pub fn new(
        start: Time,
        rate: Rate,
        payload: Bytes,
        headers: Bytes,
        length: Option<Bytes>,
    ) -> Result<Self, ConfigError> {
        check_mss(payload)?;
        let bps = u128::from(rate.as_bps());
        let units = (payload + headers).bits() * PS_PER_S;
        let (Some(whole), Some(rest)) = (units.checked_div(bps), units.checked_rem(bps)) else {
            return Err(ConfigError::NoRate);
        };
        Ok(ConstantRate {
            next_at: start,
            sent: 0,
            end: length.map_or(u64::MAX, Bytes::get),
            payload: payload.get() as u32,
            whole: u64::try_from(whole).unwrap_or(u64::MAX),
            rest: rest as u64,
            owed: 0,
            rate,
        })
    }

    /// The datagram due at `now`, if one is.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        if self.is_finished() || now < self.next_at {
            return None;
        }
        let len = (self.end - self.sent).min(u64::from(self.payload));
        let datagram = Segment {
            seq: self.sent,
            sent_at: now,
            len: len as u32,
            fin: self.sent + len == self.end,
            ..Segment::default()
        };
        self.sent += len;
        self.owed = self.owed.saturating_add(self.rest);
        let carried = self.owed >= self.rate.as_bps();
        if carried {
            self.owed -= self.rate.as_bps();
        }
        let spacing = self.whole.saturating_add(u64::from(carried));
        self.next_at += Duration::from_ps(spacing);
        Some(datagram)
    }

    /// When the next datagram is due; `None` after the last one.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        (!self.is_finished()).then_some(self.next_at)
    }

    /// Whether everything has been sent.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.sent >= self.end
    }

    /// Payload bytes sent.
    #[must_use]
    pub const fn sent(&self) -> Bytes {
        Bytes::new(self.sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_does_not_drift() {
        // 7 bytes at 3 b/s take 18 2/3 s each: after 300,000 datagrams exactly 5.6e6 s.
        let (payload, none) = (Bytes::new(7), Bytes::ZERO);
        let mut udp =
            ConstantRate::new(Time::ZERO, Rate::from_bps(3), payload, none, None).unwrap();
        for _ in 0..300_000 {
            let due = udp.deadline().unwrap();
            assert!(udp.poll(due).is_some() && udp.poll(due).is_none());
        }
        assert_eq!(udp.deadline().unwrap().as_ps(), 5_600_000 * 1_000_000_000_000);
        assert_eq!(udp.sent(), Bytes::new(2_100_000));
    }

    #[test]
    fn bad_parameters() {
        let make = |rate, payload| {
            ConstantRate::new(
                Time::ZERO,
                Rate::from_bps(rate),
                Bytes::new(payload),
                Bytes::ZERO,
                None,
            )
        };
        assert_eq!(make(0, 1000).unwrap_err(), ConfigError::NoRate);
        assert_eq!(make(1, 0).unwrap_err(), ConfigError::SegmentSize(Bytes::ZERO));
    }
}

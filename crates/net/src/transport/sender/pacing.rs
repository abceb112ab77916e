//! How soon the next segment may go, where more than the window decides.
//!
//! A flow is paced by its congestion control ([`CongestionControl::pacing_rate`]), by its own choice
//! ([`SenderConfig::pacing`]), or by a window below a segment: one segment may then be in flight, and the next
//! goes so much later that a window goes in a smoothed round trip. Of several the slowest counts. Rates are of
//! payload. Chosen here: what is sent again is paced too, and a segment that goes late is not made up for.
//! Constant time; what is not paced has one comparison a segment.
//!
//! [`SenderConfig::pacing`]: crate::transport::SenderConfig::pacing

use forebay_units::{Bytes, Duration, Rate, Time};

use super::Sender;
use crate::transport::congestion::CongestionControl;

impl<C: CongestionControl> Sender<C> {
    /// Whether what would go now is held back: then [`deadline`](Sender::deadline) says until when.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.held
    }

    /// A segment of `bytes` goes now: sets when the next one may.
    #[inline]
    pub(super) fn pace(&mut self, now: Time, bytes: u64) {
        let by = |rate: Option<Rate>| {
            rate.map_or(Duration::ZERO, |rate| rate.time_for(Bytes::new(bytes)))
        };
        let mut gap = by(self.control.pacing_rate()).max(by(self.config.pacing));
        if self.window.cwnd < self.window.mss {
            gap = gap.max(self.gap_of_small_window(bytes));
        }
        if gap > Duration::ZERO {
            self.paced_until = now + gap;
        }
    }

    /// What `bytes` take if a window goes in a round trip; no time before one is measured.
    #[cold]
    fn gap_of_small_window(&self, bytes: u64) -> Duration {
        let round_trip = self.rtt.smoothed().unwrap_or_default().as_ps();
        let gap = u128::from(round_trip) * u128::from(bytes) / u128::from(self.cwnd().max(1));
        Duration::from_ps(u64::try_from(gap).unwrap_or(u64::MAX))
    }
}

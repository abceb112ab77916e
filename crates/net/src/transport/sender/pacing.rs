//! How soon the next segment may be sent, where more than the window decides.
//!
//! A flow is paced by its congestion control ([`CongestionControl::pacing_rate`]), by its own
//! choice ([`SenderConfig::pacing`]), or by a window below a segment: then one segment may be in
//! flight, and the next is delayed so that one window is sent per smoothed round trip. The slowest
//! of these counts. Rates count payload. Our choices: retransmissions are paced too, and a late
//! segment is not made up for. Constant time; flows that are not paced cost one comparison per
//! segment.
//!
//! [`SenderConfig::pacing`]: crate::transport::SenderConfig::pacing

use forebay_units::{Bytes, Duration, Rate, Time};

use super::Sender;
use crate::transport::congestion::CongestionControl;

impl<C: CongestionControl> Sender<C> {
    /// Whether what would be sent now is held back; [`deadline`](Sender::deadline) then says until
    /// when.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.held
    }

    /// A segment of `bytes` is sent now: sets when the next one may be.
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

    /// How long `bytes` take if one window is sent per round trip; zero before a round trip is
    /// measured.
    #[cold]
    fn gap_of_small_window(&self, bytes: u64) -> Duration {
        let round_trip = self.rtt.smoothed().unwrap_or_default().as_ps();
        let gap = u128::from(round_trip) * u128::from(bytes) / u128::from(self.cwnd().max(1));
        Duration::from_ps(u64::try_from(gap).unwrap_or(u64::MAX))
    }
}

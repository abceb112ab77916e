//! The congestion window and the slow-start threshold, in bytes.
//!
//! Source: RFC 5681, §2 and §3.1. The sender owns it, the congestion control resizes it. 24 bytes.

use forebay_units::Bytes;

/// How much a flow may have in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The congestion window.
    pub cwnd: Bytes,
    /// Below it the window grows by slow start, from it on by congestion avoidance.
    pub ssthresh: Bytes,
    /// The payload of a full segment.
    pub mss: Bytes,
}

impl Window {
    /// Whether slow start governs growth.
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows by what one acknowledgement covered, `acked`, at most `limit` segments (RFC 5681, eq. 2 with
    /// `limit` 1; RFC 3465 allows 2).
    pub fn slow_start(&mut self, acked: Bytes, limit: u8) {
        self.cwnd += acked.min(self.mss * u64::from(limit));
    }

    /// The window in segments, fraction included.
    #[must_use]
    pub fn segments(&self) -> f64 {
        self.cwnd.get() as f64 / self.mss.get() as f64
    }

    /// The least slow-start threshold: two segments (RFC 5681, eq. 4).
    #[must_use]
    pub fn floor(&self) -> Bytes {
        self.mss * 2
    }
}

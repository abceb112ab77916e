//! The congestion window and the slow-start threshold, in bytes.
//!
//! Source: RFC 5681, §2 and §3.1. Owned by the sender, resized by the congestion control. 24 bytes.

use forebay_units::Bytes;

/// How much a flow may have in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The bytes that may be in flight, as congestion control has it.
    pub cwnd: Bytes,
    /// Below this size the window grows by slow start, from it on by congestion avoidance.
    pub ssthresh: Bytes,
    /// The payload of a full segment.
    pub mss: Bytes,
}

impl Window {
    /// Whether the window grows by slow start.
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows by what one acknowledgement covered, `acked`, up to `limit` segments (RFC 5681, eq. 2
    /// with `limit` 1; RFC 3465 allows 2).
    pub fn slow_start(&mut self, acked: Bytes, limit: u8) {
        self.cwnd += acked.min(self.mss * u64::from(limit));
    }

    /// The window in segments, including a fraction.
    #[must_use]
    pub fn segments(&self) -> f64 {
        self.cwnd.get() as f64 / self.mss.get() as f64
    }

    /// The smallest slow-start threshold: two segments (RFC 5681, eq. 4).
    #[must_use]
    pub fn floor(&self) -> Bytes {
        self.mss * 2
    }
}

//! What is counted of both sides.

use forebay_sched::Tally;
use serde::Serialize;

use super::events::{Leaving, Verdict};

/// What became of packets, on either side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HybridTotals {
    /// Well-formed packets that came.
    pub came: Tally,
    /// Of them: bound for HBM, and lost before a full staging buffer.
    pub staging: Tally,
    /// Lost before a full queue.
    pub full: Tally,
    /// Sent from SRAM.
    pub sent_near: Tally,
    /// Sent from HBM.
    pub sent_far: Tally,
    /// Let in, and dropped as the largest rank in SRAM.
    pub dropped: Tally,
}

impl HybridTotals {
    /// A packet of so many bytes has come, with this verdict.
    pub(super) fn came(&mut self, verdict: Verdict, bytes: u32) {
        self.came.count(bytes);
        match verdict {
            Verdict::Near | Verdict::Far => {}
            Verdict::Staging => self.staging.count(bytes),
            Verdict::Full => self.full.count(bytes),
        }
    }

    /// A packet of so many bytes has left the queue.
    pub(super) fn left(&mut self, leaving: Leaving, bytes: u32) {
        match leaving {
            Leaving::SentNear => &mut self.sent_near,
            Leaving::SentFar => &mut self.sent_far,
            Leaving::Dropped => &mut self.dropped,
        }
        .count(bytes);
    }

    /// Those of both.
    pub(super) fn add(&mut self, other: &HybridTotals) {
        self.came += other.came;
        self.staging += other.staging;
        self.full += other.full;
        self.sent_near += other.sent_near;
        self.sent_far += other.sent_far;
        self.dropped += other.dropped;
    }

    /// The core's counters of a port, by their numbers; no register refuses packets here.
    pub(super) fn counters(&self) -> [Tally; 7] {
        let refused = Tally::default();
        let HybridTotals { came, staging, full, sent_near, sent_far, dropped } = *self;
        [came, refused, staging, full, sent_near, sent_far, dropped]
    }
}

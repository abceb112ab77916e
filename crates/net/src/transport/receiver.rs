//! The receiving side of a flow: what has arrived, and which acknowledgement to send.
//!
//! Sources: RFC 5681, §4.2 (when to acknowledge), RFC 2018 (SACK blocks), RFC 7323, §4.3 (which
//! timestamp to echo), RFC 3168, §6.1.3 and RFC 8257, §3.2 (ECN echo).
//!
//! What these leave open, and our choices: the segment with the last byte of a flow is acknowledged
//! at once, as a FIN is in practice, so that no flow ends on a delayed acknowledgement. When the
//! mark of a segment differs from those of the segments that wait for their acknowledgement, these
//! are acknowledged first with the old flag; if the new segment must also be acknowledged at once,
//! the timer is set to now, so that no call ever returns two. The application reads at once: the
//! receive window never shrinks. Bytes once acknowledged selectively are never taken back.
//!
//! Constant time in order, otherwise linear in the ranges beyond a gap. 56 bytes per flow; a flow
//! that has seen a gap has 64 more and 16 per range, up to the limit.

use alloc::boxed::Box;
use alloc::sync::Arc;
use forebay_units::{Bytes, Time};

use forebay_switch::Ecn;

use super::config::{ConfigError, ReceiverConfig};
use super::congestion::EcnEcho;
use super::ranges::RangeSet;
use super::segment::{Ack, MAX_SACK_BLOCKS, Segment};

/// How a segment relates to what has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// The next bytes, and nothing waits beyond a gap.
    InOrder,
    /// The next bytes, below data beyond a gap.
    Filling,
    /// Beyond a gap.
    OutOfOrder,
    /// Nothing new, or no room for it.
    Useless,
}

/// What arrived beyond a gap.
#[derive(Clone, Debug)]
struct Disorder {
    ranges: RangeSet,
    /// A position in each recently reported block, the newest first (RFC 2018, §4).
    recent: [Option<u64>; MAX_SACK_BLOCKS],
}

/// The receiver of one flow.
///
/// ```
/// use std::sync::Arc;
/// use forebay_net::transport::{Receiver, ReceiverConfig, Segment};
/// use forebay_units::Time;
///
/// let mut receiver = Receiver::new(Arc::new(ReceiverConfig::default()))?;
/// let late = Segment { seq: 1448, len: 1448, ..Segment::default() };
/// let ack = receiver.on_segment(Time::ZERO, &late).ok_or("acknowledged at once")?;
/// assert_eq!(ack.cumulative, 0);
/// assert_eq!(ack.sack_blocks().collect::<Vec<_>>(), [(1448, 2896)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Receiver {
    config: Arc<ReceiverConfig>,
    /// All bytes below it have arrived.
    next: u64,
    /// The cumulative position of the last acknowledgement.
    acknowledged: u64,
    /// The timestamp to echo.
    echo: Time,
    /// When the delayed acknowledgement must be sent.
    deadline: Time,
    disorder: Option<Box<Disorder>>,
    /// Segments without an acknowledgement.
    waiting: u16,
    /// The ECN flag of the next acknowledgement.
    ece: bool,
    refused: u32,
}

impl Receiver {
    /// A flow of which nothing has arrived yet.
    pub fn new(config: Arc<ReceiverConfig>) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Receiver {
            config,
            next: 0,
            acknowledged: 0,
            echo: Time::MAX,
            deadline: Time::MAX,
            disorder: None,
            waiting: 0,
            ece: false,
            refused: 0,
        })
    }

    /// Processes a segment that arrived at `now`, and returns the acknowledgement to send, if one
    /// is due.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) -> Option<Ack> {
        let earlier = self.note_mark(segment);
        self.note_timestamp(segment);
        let arrival = self.accept(segment);
        self.waiting = self.waiting.saturating_add(1);
        let hold = self.config.delayed_ack.filter(|delayed| {
            arrival == Arrival::InOrder && !segment.fin && self.waiting < delayed.every
        });
        match hold {
            Some(delayed) => {
                self.deadline = self.deadline.min(now + delayed.timer);
                earlier
            }
            None if earlier.is_some() => {
                self.deadline = now;
                earlier
            }
            None => Some(self.acknowledge()),
        }
    }

    /// Returns the delayed acknowledgement, if it is due by `now`.
    pub fn on_deadline(&mut self, now: Time) -> Option<Ack> {
        (self.waiting > 0 && now >= self.deadline).then(|| self.acknowledge())
    }

    /// When [`on_deadline`](Receiver::on_deadline) must be called, if an acknowledgement is
    /// delayed. This may be the instant of the segment just processed.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        (self.deadline != Time::MAX).then_some(self.deadline)
    }

    /// Bytes that arrived in order, each counted once.
    #[must_use]
    pub const fn delivered(&self) -> Bytes {
        Bytes::new(self.next)
    }

    /// Segments dropped because [`ReceiverConfig::max_ranges`] was reached.
    #[must_use]
    pub const fn refused(&self) -> u32 {
        self.refused
    }

    /// Updates the ECN flag. Returns the acknowledgement of the waiting segments, if this one's
    /// mark changes the flag under exact echo.
    fn note_mark(&mut self, segment: &Segment) -> Option<Ack> {
        let marked = segment.ecn == Ecn::Experienced;
        match self.config.ecn {
            EcnEcho::Off => None,
            EcnEcho::Latched => {
                self.ece = marked || (self.ece && !segment.cwr);
                None
            }
            EcnEcho::Exact => {
                let earlier = (marked != self.ece && self.waiting > 0).then(|| self.acknowledge());
                self.ece = marked;
                earlier
            }
        }
    }

    /// TS.Recent: the timestamp of the first of the segments that one acknowledgement covers is
    /// echoed.
    fn note_timestamp(&mut self, segment: &Segment) {
        let newer = self.echo == Time::MAX || segment.sent_at >= self.echo;
        if segment.seq <= self.acknowledged && newer {
            self.echo = segment.sent_at;
        }
    }

    fn accept(&mut self, segment: &Segment) -> Arrival {
        let end = segment.end();
        if end <= self.next || segment.len == 0 {
            return Arrival::Useless;
        }
        if segment.seq > self.next {
            return self.accept_beyond_gap(segment.seq, end);
        }
        self.next = end;
        let Some(disorder) = self.disorder.as_deref_mut() else { return Arrival::InOrder };
        if disorder.ranges.as_slice().is_empty() {
            return Arrival::InOrder;
        }
        if let Some(joined) = disorder.ranges.at(end) {
            self.next = joined.end;
        }
        disorder.ranges.remove_below(self.next);
        Arrival::Filling
    }

    fn accept_beyond_gap(&mut self, start: u64, end: u64) -> Arrival {
        let limit = self.config.max_ranges;
        let disorder = self.disorder.get_or_insert_with(|| {
            Box::new(Disorder { ranges: RangeSet::new(limit), recent: [None; MAX_SACK_BLOCKS] })
        });
        if disorder.ranges.insert(start, end).is_none() {
            self.refused = self.refused.saturating_add(1);
            return Arrival::Useless;
        }
        disorder.report_first(start);
        Arrival::OutOfOrder
    }

    fn acknowledge(&mut self) -> Ack {
        (self.waiting, self.deadline, self.acknowledged) = (0, Time::MAX, self.next);
        let mut ack = Ack::cumulative(self.next);
        (ack.echo, ack.ece) = (self.echo, self.ece);
        if let Some(disorder) = self.disorder.as_deref().filter(|_| self.config.sack) {
            for range in disorder.recent.iter().flatten().filter_map(|&p| disorder.ranges.at(p)) {
                ack.add_sack(range.start, range.end);
            }
        }
        ack
    }
}

impl Disorder {
    /// Puts the block that holds `position` first, and removes blocks that are gone or have merged
    /// with it.
    fn report_first(&mut self, position: u64) {
        let mut kept = [Some(position), None, None];
        let mut starts = [self.ranges.at(position).map(|r| r.start), None, None];
        let mut count = 1;
        for old in self.recent.iter().flatten() {
            let start = self.ranges.at(*old).map(|r| r.start);
            if count < MAX_SACK_BLOCKS && start.is_some() && !starts.contains(&start) {
                (kept[count], starts[count]) = (Some(*old), start);
                count += 1;
            }
        }
        self.recent = kept;
    }
}

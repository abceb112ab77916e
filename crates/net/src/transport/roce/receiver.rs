//! The receiving side of a queue pair.
//!
//! O(1) a packet, 40 bytes, and a bit for each packet beyond a hole under selective repeat.

use alloc::boxed::Box;

use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Time};

use super::RoceConfig;
use super::selective::Recovery;
use crate::fabrics::{held, held_mut};
use crate::transport::bitmap::Bitmap;
use crate::transport::segment::{Ack, Segment};

/// Takes the packets of a flow: in order alone, or those beyond a hole as well if its sender
/// repeats selectively.
///
/// ```
/// use std::sync::Arc;
/// use forebay_net::transport::{DcqcnConfig, Recovery, RoceConfig, RoceReceiver, Segment};
/// use forebay_units::{Bytes, Duration, Time};
///
/// let (mtu, timeout) = (Bytes::new(1000), Duration::from_ms(1));
/// let control = Arc::new(DcqcnConfig::default());
/// let (recovery, telemetry) = (Recovery::GoBackN, RoceConfig::TELEMETRY);
/// let config = RoceConfig { mtu, timeout, recovery, telemetry, control };
/// let mut receiver = RoceReceiver::new(&config);
/// let packet = |seq| Segment { seq, len: 1000, ..Segment::default() };
/// let ack = receiver.on_segment(Time::ZERO, &packet(0)).unwrap();
/// assert_eq!((ack.cumulative, ack.nack), (1000, false));
/// // The packet at 1000 is missing: it is asked for once, and what follows is thrown away.
/// let ack = receiver.on_segment(Time::ZERO, &packet(2000)).unwrap();
/// assert_eq!((ack.cumulative, ack.nack), (1000, true));
/// assert_eq!(receiver.on_segment(Time::ZERO, &packet(3000)), None);
/// assert_eq!(receiver.delivered(), Bytes::new(1000));
/// ```
#[derive(Clone, Debug)]
pub struct RoceReceiver {
    /// All bytes before it have arrived.
    expected: u64,
    /// No notification before this.
    notifies_from: Time,
    notify_every: Option<Duration>,
    /// Whether it has asked for what is missing, which has not come.
    has_asked: bool,
    /// What has arrived beyond a hole, if that is kept.
    beyond: Option<Box<Beyond>>,
}

/// What has arrived beyond a hole.
#[derive(Clone, Debug)]
struct Beyond {
    mtu: u64,
    arrived: Bitmap,
    /// The flow's length, once its last packet has arrived.
    length: u64,
}

impl RoceReceiver {
    /// One that has received nothing.
    #[must_use]
    pub fn new(config: &RoceConfig) -> Self {
        let mtu = config.mtu.get();
        let beyond = Beyond { mtu, arrived: Bitmap::default(), length: u64::MAX };
        RoceReceiver {
            expected: 0,
            notifies_from: Time::ZERO,
            notify_every: config.control.notify_every(),
            has_asked: false,
            beyond: match config.recovery {
                Recovery::Selective(_) if cfg!(feature = "fabrics") => Some(Box::new(beyond)),
                Recovery::Selective(_) | Recovery::GoBackN => None,
            },
        }
    }

    /// A packet has arrived at `now`: returns the answer, if there is one.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) -> Option<Ack> {
        let ece = self.notifies(now, segment);
        let is_beyond = segment.seq > self.expected;
        // Of packets that are kept, each is told.
        let asks = is_beyond && (held(&self.beyond).is_some() || !self.has_asked);
        if is_beyond {
            self.has_asked = true;
        } else if segment.end() > self.expected {
            self.expected = segment.end();
            self.has_asked = false;
        }
        if let Some(beyond) = held_mut(&mut self.beyond) {
            self.expected = beyond.note(segment, self.expected);
        }
        // What came again is acknowledged again: its acknowledgement may have been lost.
        if is_beyond && !asks && !ece {
            return None;
        }
        let mut ack = Ack::cumulative(self.expected);
        (ack.echo, ack.ece, ack.nack) = (segment.sent_at, ece, asks);
        if asks && held(&self.beyond).is_some() {
            ack.add_sack(segment.seq, segment.end());
        }
        Some(ack)
    }

    /// Whether the sender is told of a mark.
    fn notifies(&mut self, now: Time, segment: &Segment) -> bool {
        let Some(every) = self.notify_every else { return false };
        let told = segment.ecn == Ecn::Experienced && now >= self.notifies_from;
        if told {
            self.notifies_from = now + every;
        }
        told
    }

    /// Bytes that have arrived in order.
    #[must_use]
    pub const fn delivered(&self) -> Bytes {
        Bytes::new(self.expected)
    }
}

impl Beyond {
    /// Keeps a packet; all before `expected` have arrived. Returns how far they have then.
    fn note(&mut self, segment: &Segment, expected: u64) -> u64 {
        if segment.fin {
            self.length = segment.end();
        }
        self.arrived.insert(segment.seq / self.mtu);
        // The last packet is shorter.
        let first = self.arrived.gap(expected.div_ceil(self.mtu));
        self.arrived.forget_below(first);
        (first * self.mtu).min(self.length)
    }
}

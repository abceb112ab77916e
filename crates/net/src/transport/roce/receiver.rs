//! The receiving side of a queue pair.
//!
//! O(1) a packet, 24 bytes.

use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Time};

use crate::transport::segment::{Ack, Segment};

/// Takes the packets of a flow in order.
///
/// ```
/// use forebay_net::transport::{RoceReceiver, Segment};
/// use forebay_units::{Bytes, Duration, Time};
///
/// let mut receiver = RoceReceiver::new(Duration::from_us(50));
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
    notify_every: Duration,
    /// Whether it has asked for what is missing, which has not come.
    has_asked: bool,
}

impl RoceReceiver {
    /// One that has received nothing, and notifies its sender of marks at most once in
    /// `notify_every`.
    #[must_use]
    pub fn new(notify_every: Duration) -> Self {
        RoceReceiver { expected: 0, notifies_from: Time::ZERO, notify_every, has_asked: false }
    }

    /// A packet has arrived at `now`: returns the answer, if there is one.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) -> Option<Ack> {
        let ece = segment.ecn == Ecn::Experienced && now >= self.notifies_from;
        if ece {
            self.notifies_from = now + self.notify_every;
        }
        let is_beyond = segment.seq > self.expected;
        let asks = is_beyond && !self.has_asked;
        if is_beyond {
            self.has_asked = true;
        } else if segment.end() > self.expected {
            self.expected = segment.end();
            self.has_asked = false;
        }
        // What came again is acknowledged again: its acknowledgement may have been lost.
        if is_beyond && !asks && !ece {
            return None;
        }
        let mut ack = Ack::cumulative(self.expected);
        (ack.echo, ack.ece, ack.nack) = (segment.sent_at, ece, asks);
        Some(ack)
    }

    /// Bytes that have arrived in order.
    #[must_use]
    pub const fn delivered(&self) -> Bytes {
        Bytes::new(self.expected)
    }
}

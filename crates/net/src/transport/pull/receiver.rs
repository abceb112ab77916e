//! The receiving side: answers, and how many packets it still wants.
//!
//! O(1) a packet, 120 bytes and a bit for each packet beyond a hole.

use forebay_units::Bytes;

use super::sender::PullTransport;
use crate::transport::bitmap::Bitmap;
use crate::transport::segment::{Ack, Segment};

/// Takes the packets of a flow in any order, and says when one more may be pulled.
///
/// ```
/// use forebay_net::transport::{PullConfig, PullReceiver, PullTransport, Segment};
/// use forebay_units::Bytes;
///
/// let (mtu, config) = (Bytes::new(1000), PullConfig::default());
/// let mut receiver = PullReceiver::new(&PullTransport { mtu, config });
/// let packet = |seq| Segment { seq, len: 1000, ..Segment::default() };
/// let ack = receiver.on_packet(&packet(1000));
/// assert_eq!((ack.cumulative, ack.sack_blocks().next()), (0, Some((1000, 2000))));
/// // Of the first packet a header is left: it is asked for again.
/// let ack = receiver.on_header(&packet(0));
/// assert_eq!((ack.cumulative, ack.nack, ack.has_sack()), (0, true, false));
/// // Each of the two lets one more be pulled.
/// assert_eq!([receiver.pull(), receiver.pull(), receiver.pull()], [Some(1), Some(2), None]);
/// assert_eq!(receiver.delivered(), Bytes::new(1000));
/// ```
#[derive(Clone, Debug)]
pub struct PullReceiver {
    mtu: u64,
    /// Packets that the sender sends unasked.
    window: u64,
    arrived: Bitmap,
    /// All packets below it have arrived.
    first: u64,
    /// Packets that arrived, each counted once, and their bytes.
    received: u64,
    bytes: u64,
    /// How many packets the flow has, and its length, once its last one has come or its header.
    end: Option<(u64, u64)>,
    /// Packets and headers that came, whatever of.
    answered: u64,
    /// Pulls that are due.
    due: u64,
    /// Pulls that were sent: the number of the last.
    pulled: u64,
    /// Whether it waits among its host's flows for its turn to pull.
    pub(crate) has_turn: bool,
}

impl PullReceiver {
    /// One that has received nothing.
    #[must_use]
    pub fn new(transport: &PullTransport) -> Self {
        PullReceiver {
            mtu: transport.mtu.get(),
            window: transport.config.first_window.into(),
            arrived: Bitmap::default(),
            first: 0,
            received: 0,
            bytes: 0,
            end: None,
            answered: 0,
            due: 0,
            pulled: 0,
            has_turn: false,
        }
    }

    /// A packet has arrived: returns the acknowledgement.
    pub fn on_packet(&mut self, segment: &Segment) -> Ack {
        let packet = segment.seq / self.mtu;
        if !self.has(packet) {
            self.arrived.insert(packet);
            self.received += 1;
            self.bytes += u64::from(segment.len);
            self.first = self.arrived.gap(self.first);
            self.arrived.forget_below(self.first);
        }
        self.count(segment);
        self.answer(segment)
    }

    /// What switches have left of a packet has arrived: returns the negative acknowledgement, of
    /// the packet at the cumulative point if it names no other; or an acknowledgement, if the
    /// packet is there already.
    pub fn on_header(&mut self, segment: &Segment) -> Ack {
        self.count(segment);
        let ack = self.answer(segment);
        if self.has(segment.seq / self.mtu) { ack } else { ack.negative() }
    }

    fn has(&self, packet: u64) -> bool {
        packet < self.first || self.arrived.has(packet)
    }

    fn answer(&self, segment: &Segment) -> Ack {
        let length = self.end.map_or(u64::MAX, |(_, length)| length);
        let mut ack = Ack::cumulative((self.first * self.mtu).min(length));
        ack.echo = segment.sent_at;
        ack.add_sack(segment.seq, segment.end());
        ack
    }

    /// Each packet and each header lets one more be pulled, until it is known what is missing.
    fn count(&mut self, segment: &Segment) {
        self.answered += 1;
        self.due += 1;
        if segment.fin {
            self.end = Some((segment.seq / self.mtu + 1, segment.end()));
        }
        if let Some((packets, _)) = self.end {
            let sent = self.window.min(packets) + self.pulled;
            let under_way = sent.saturating_sub(self.answered);
            self.due = (packets - self.received).saturating_sub(under_way);
        }
    }

    /// Whether a pull is due.
    #[must_use]
    pub const fn is_due(&self) -> bool {
        self.due > 0
    }

    /// The number of the pull that is sent now, if one is due.
    pub fn pull(&mut self) -> Option<u64> {
        self.due = self.due.checked_sub(1)?;
        self.pulled += 1;
        Some(self.pulled)
    }

    /// Bytes that have arrived, each counted once.
    #[must_use]
    pub const fn delivered(&self) -> Bytes {
        Bytes::new(self.bytes)
    }
}

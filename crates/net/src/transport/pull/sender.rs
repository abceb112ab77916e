//! The sending side: a first window, then a packet for each pull.
//!
//! O(1) a packet; O(packets that are not acknowledged) a timeout. 160 bytes, and a byte for each
//! packet from the first that is not acknowledged on.

use alloc::collections::VecDeque;

use forebay_units::{Bytes, Duration, Time};

use super::config::PullConfig;
use crate::transport::config::{ConfigError, check_mss};
use crate::transport::segment::{Ack, Segment};
use crate::transport::sender::SenderCounters;

/// How flows are sent that their receivers pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PullTransport {
    /// Payload of a full packet.
    pub mtu: Bytes,
    /// NDP's own parameters.
    pub config: PullConfig,
}

impl PullTransport {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        check_mss(self.mtu)?;
        Ok(self.config.validate()?)
    }
}

/// What a sender knows of a packet that it has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Nothing.
    UnderWay,
    /// It has arrived.
    Arrived,
    /// It was trimmed, and its receiver will pull it.
    Trimmed,
    /// It was sent back, or nothing was heard of it: no pull is due for it.
    Lost,
}

/// How often the time until the next timeout doubles.
const MOST_DOUBLED: u8 = 10;

/// The sender of one flow.
///
/// As of every sender, the caller sends what [`poll`](PullSender::poll) returns until it returns
/// nothing.
///
/// ```
/// use forebay_net::transport::{Ack, PullConfig, PullSender, PullTransport};
/// use forebay_units::{Bytes, Time};
///
/// let config = PullConfig { first_window: 2, ..PullConfig::default() };
/// let transport = PullTransport { mtu: Bytes::new(1000), config };
/// let mut sender = PullSender::new(&transport, Bytes::new(5000))?;
/// let sent = |sender: &mut PullSender| sender.poll(Time::ZERO).map(|packet| packet.seq);
/// let three = |sender: &mut PullSender| [sent(sender), sent(sender), sent(sender)];
/// assert_eq!(three(&mut sender), [Some(0), Some(1000), None]);
/// // The first was trimmed: it goes before what has not been sent.
/// sender.on_ack(Time::ZERO, &Ack::cumulative(0).negative());
/// assert_eq!(sent(&mut sender), None);
/// sender.on_pull(Time::ZERO, 2); // the pull before it was lost
/// assert_eq!(three(&mut sender), [Some(0), Some(2000), None]);
/// # Ok::<(), forebay_net::transport::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct PullSender {
    mtu: u64,
    timeout: Duration,
    /// The flow's length, and how many packets that is.
    end: u64,
    packets: u64,
    /// All packets below it have arrived.
    una: u64,
    /// The next packet that has not been sent.
    next: u64,
    /// What is known of the packets between these two.
    fates: VecDeque<Fate>,
    /// Packets to send again, the first one first; some may have arrived since.
    again: VecDeque<u64>,
    /// How many of them were trimmed.
    trimmed: u64,
    under_way: u64,
    /// Packets that may be sent.
    credit: u64,
    /// The highest number of a pull.
    pulled: u64,
    /// Packets that were answered, and are followed by a pull unless the flow ends.
    answered: u64,
    /// Since when it has heard nothing.
    waits_since: Time,
    backoff: u8,
    counters: SenderCounters,
}

impl PullSender {
    /// A flow of `length` bytes, of which nothing has been sent.
    ///
    /// # Errors
    /// [`ConfigError`] if nothing could be sent so.
    pub fn new(transport: &PullTransport, length: Bytes) -> Result<Self, ConfigError> {
        transport.check()?;
        let mtu = transport.mtu.get();
        Ok(PullSender {
            mtu,
            timeout: transport.config.timeout,
            end: length.get(),
            packets: length.get().div_ceil(mtu),
            una: 0,
            next: 0,
            fates: VecDeque::new(),
            again: VecDeque::new(),
            trimmed: 0,
            under_way: 0,
            credit: transport.config.first_window.into(),
            pulled: 0,
            answered: 0,
            waits_since: Time::MAX,
            backoff: 0,
            counters: SenderCounters::default(),
        })
    }

    /// The packet that may be sent at `now`, if any.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        self.credit.checked_sub(1)?;
        let repeated = self.repeated();
        let packet = match repeated {
            Some(packet) => packet,
            None if self.next < self.packets => {
                self.fates.push_back(Fate::UnderWay);
                self.under_way += 1;
                self.next += 1;
                self.next - 1
            }
            None => return None,
        };
        self.credit -= 1;
        if self.waits_since == Time::MAX {
            self.waits_since = now;
        }
        let seq = packet * self.mtu;
        let len = self.mtu.min(self.end - seq);
        self.counters.segments += 1;
        self.counters.resent += u32::from(repeated.is_some());
        Some(Segment {
            seq,
            sent_at: now,
            len: len as u32,
            fin: seq + len == self.end,
            resent: repeated.is_some(),
            ..Segment::default()
        })
    }

    /// The next packet to send again, which is then under way.
    fn repeated(&mut self) -> Option<u64> {
        while let Some(packet) = self.again.pop_front() {
            let Some(fate) = self.fate(packet) else { continue };
            if matches!(fate, Fate::Trimmed | Fate::Lost) {
                self.put(packet, Fate::UnderWay);
                return Some(packet);
            }
        }
        None
    }

    /// An acknowledgement has arrived, or a negative one.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.heard(now);
        self.answered += 1;
        let first = match ack.cumulative >= self.end {
            true => self.packets,
            false => ack.cumulative / self.mtu,
        };
        for packet in self.una..first.min(self.next) {
            self.put(packet, Fate::Arrived);
        }
        let named = ack.sack_blocks().next().map_or(first, |(start, _)| start / self.mtu);
        match self.fate(named) {
            Some(Fate::UnderWay) if ack.nack => {
                self.put(named, Fate::Trimmed);
                self.again.push_back(named);
            }
            Some(_) if ack.has_sack() && !ack.nack => self.put(named, Fate::Arrived),
            Some(_) | None => {}
        }
        while self.fates.front() == Some(&Fate::Arrived) {
            self.fates.pop_front();
            self.una += 1;
        }
        self.go_on();
    }

    /// The pull of this number has arrived, or will stand for those before it.
    pub fn on_pull(&mut self, now: Time, number: u64) {
        self.heard(now);
        self.credit += number.saturating_sub(self.pulled);
        self.pulled = self.pulled.max(number);
    }

    /// A packet has come back without its data.
    pub fn on_returned(&mut self, now: Time, segment: &Segment) {
        self.heard(now);
        let packet = segment.seq / self.mtu;
        if self.fate(packet) == Some(Fate::UnderWay) {
            self.put(packet, Fate::Lost);
            self.again.push_back(packet);
        }
        self.go_on();
    }

    /// Lets one packet go that no pull is due for, if nothing is to come that would bring one.
    fn go_on(&mut self) {
        let expects_pull = self.trimmed > 0 || self.answered > self.pulled && !self.has_sent_all();
        if self.credit == 0 && self.under_way == 0 && !expects_pull && self.has_lost() {
            self.credit = 1;
        }
    }

    fn has_sent_all(&self) -> bool {
        self.next == self.packets
    }

    fn has_lost(&self) -> bool {
        self.again.iter().any(|packet| self.fate(*packet) == Some(Fate::Lost))
    }

    fn fate(&self, packet: u64) -> Option<Fate> {
        self.fates.get(packet.checked_sub(self.una)? as usize).copied()
    }

    fn put(&mut self, packet: u64, fate: Fate) {
        let place = packet.checked_sub(self.una).and_then(|at| self.fates.get_mut(at as usize));
        let Some(place) = place else { return };
        let before = core::mem::replace(place, fate);
        self.under_way += u64::from(fate == Fate::UnderWay);
        self.under_way -= u64::from(before == Fate::UnderWay);
        self.trimmed += u64::from(fate == Fate::Trimmed);
        self.trimmed -= u64::from(before == Fate::Trimmed);
    }

    fn heard(&mut self, now: Time) {
        self.backoff = 0;
        if self.waits_since < Time::MAX {
            self.waits_since = now;
        }
    }

    /// The timer may have expired: what was not answered is sent again, and one packet at least.
    pub fn on_deadline(&mut self, now: Time) {
        if self.deadline().is_none_or(|deadline| deadline > now) {
            return;
        }
        self.waits_since = now;
        if self.is_ready() {
            // It is the host's link that keeps it waiting.
            return;
        }
        self.counters.timeouts += 1;
        self.backoff = self.backoff.saturating_add(1);
        self.credit = self.under_way.max(1);
        self.again.clear();
        for packet in self.una..self.next {
            match self.fate(packet) {
                Some(Fate::UnderWay | Fate::Trimmed | Fate::Lost) => {
                    self.put(packet, Fate::Lost);
                    self.again.push_back(packet);
                }
                Some(Fate::Arrived) | None => {}
            }
        }
    }

    /// When the timer expires.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        if self.waits_since == Time::MAX || self.is_finished() {
            return None;
        }
        Some(self.waits_since + self.timeout * (1 << self.backoff.min(MOST_DOUBLED)))
    }

    /// Whether it may send something now, and waits for its turn.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.credit > 0 && (!self.has_sent_all() || !self.again.is_empty())
    }

    /// Whether everything is acknowledged.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.una >= self.packets
    }

    /// Timeouts in a row.
    #[must_use]
    pub const fn backoff(&self) -> u8 {
        self.backoff
    }

    /// What it has done so far.
    #[must_use]
    pub const fn counters(&self) -> SenderCounters {
        self.counters
    }
}

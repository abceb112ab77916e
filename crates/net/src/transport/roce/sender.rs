//! The sending side of a queue pair.
//!
//! O(1) a call, 200 bytes.

use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::config::{ConfigError, check_mss};
use crate::transport::congestion::{Dcqcn, DcqcnConfig};
use crate::transport::segment::{Ack, Segment};
use crate::transport::sender::SenderCounters;

/// How a queue pair is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct RoceConfig {
    /// Payload of a full packet.
    pub mtu: Bytes,
    /// How long without progress until everything that is not acknowledged is sent again.
    pub timeout: Duration,
    /// What sizes the rate.
    pub control: DcqcnConfig,
}

impl RoceConfig {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        check_mss(self.mtu)?;
        self.control.validate()?;
        if self.timeout == Duration::ZERO {
            let (min, max) = (self.timeout, self.timeout);
            return Err(ConfigError::RtoBounds { initial: Duration::from_ms(1), min, max });
        }
        Ok(())
    }
}

/// The sender of one flow.
///
/// As of every sender, the caller sends what [`poll`](RoceSender::poll) returns until it returns
/// nothing.
///
/// ```
/// use forebay_net::transport::{Ack, DcqcnConfig, RoceConfig, RoceSender};
/// use forebay_units::{Bytes, Duration, Rate, Time};
///
/// let control = DcqcnConfig::default();
/// let config = RoceConfig { mtu: Bytes::new(948), timeout: Duration::from_ms(1), control };
/// // A packet of 1000 bytes takes 200 ns at the link's rate.
/// let mut sender = RoceSender::new(&config, Bytes::new(3000), 52, Rate::from_gbps(40))?;
/// assert_eq!(sender.poll(Time::ZERO).map(|packet| packet.seq), Some(0));
/// assert_eq!((sender.poll(Time::ZERO), sender.is_held()), (None, true));
/// let next = Time::ZERO + Duration::from_ns(200);
/// assert_eq!(sender.deadline(), Some(next));
/// assert_eq!(sender.poll(next).map(|packet| packet.seq), Some(948));
/// # Ok::<(), forebay_net::transport::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RoceSender {
    control: Dcqcn,
    mtu: u64,
    headers: u32,
    timeout: Duration,
    /// All bytes below it are acknowledged.
    una: u64,
    /// The next byte to send; below `high` after it has gone back.
    next: u64,
    /// One past the highest byte sent.
    high: u64,
    end: u64,
    /// The next packet may be sent from here on.
    free_at: Time,
    /// When it gives up waiting for progress.
    gives_up: Time,
    held: bool,
    backoff: u8,
    counters: SenderCounters,
}

impl RoceSender {
    /// A flow of `length` bytes, of which nothing has been sent, in packets with so many bytes of
    /// `headers`, at a link of the rate `line`.
    ///
    /// # Errors
    /// [`ConfigError`] if nothing could be sent so.
    pub fn new(
        config: &RoceConfig,
        length: Bytes,
        headers: u32,
        line: Rate,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(RoceSender {
            control: Dcqcn::new(&config.control, line),
            mtu: config.mtu.get(),
            headers,
            timeout: config.timeout,
            una: 0,
            next: 0,
            high: 0,
            end: length.get(),
            free_at: Time::ZERO,
            gives_up: Time::MAX,
            held: false,
            backoff: 0,
            counters: SenderCounters::default(),
        })
    }

    /// The packet that may be sent at `now`, if any.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        let waits = self.next < self.end;
        self.held = waits && now < self.free_at;
        if !waits || self.held {
            return None;
        }
        let len = self.mtu.min(self.end - self.next);
        let resent = self.next < self.high;
        let segment = Segment {
            seq: self.next,
            sent_at: now,
            len: len as u32,
            ecn: Ecn::Capable,
            fin: self.next + len == self.end,
            resent,
            ..Segment::default()
        };
        self.next += len;
        self.high = self.high.max(self.next);
        self.counters.segments += 1;
        self.counters.resent += u32::from(resent);
        let on_wire = len + u64::from(self.headers);
        self.free_at = now + self.control.rate(now).time_for(Bytes::new(on_wire));
        self.control.on_sent(now, on_wire);
        if self.gives_up == Time::MAX {
            self.gives_up = now + self.timeout;
        }
        Some(segment)
    }

    /// An acknowledgement has arrived.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        if ack.ece {
            self.counters.echoes += 1;
            self.control.on_notification(now);
        }
        if ack.cumulative > self.una {
            self.una = ack.cumulative.min(self.end);
            self.next = self.next.max(self.una);
            self.backoff = 0;
            self.gives_up = if self.una < self.high { now + self.timeout } else { Time::MAX };
        }
        // One that was overtaken asks for what has arrived since.
        if ack.nack && ack.cumulative == self.una && self.next > self.una {
            self.next = self.una;
            self.counters.recoveries += 1;
        }
    }

    /// The timer may have expired.
    pub fn on_deadline(&mut self, now: Time) {
        if self.gives_up > now {
            return;
        }
        self.next = self.una;
        self.counters.timeouts += 1;
        self.backoff = self.backoff.saturating_add(1);
        self.gives_up = now + self.timeout;
    }

    /// When the timer expires, or what is held may be sent.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        let next = if self.held { self.free_at.min(self.gives_up) } else { self.gives_up };
        (next < Time::MAX).then_some(next)
    }

    /// Whether what would be sent now is held back.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.held
    }

    /// Whether everything is acknowledged.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.una >= self.end
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

    /// The rate at which it may send at `now`.
    pub fn rate(&mut self, now: Time) -> Rate {
        self.control.rate(now)
    }
}

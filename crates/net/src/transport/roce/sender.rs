//! The sending side of a queue pair.
//!
//! O(1) a call, 200 bytes and those of its control.

use alloc::boxed::Box;
use alloc::sync::Arc;

use forebay_switch::Ecn;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::control::{Path, RateConfig, RateControl, RateSample};
use super::selective::{Recovery, Selective};
use crate::fabrics::{held, held_mut};
use crate::transport::config::{ConfigError, check_mss};
use crate::transport::report::PortReport;
use crate::transport::segment::{Ack, Segment};
use crate::transport::sender::SenderCounters;

/// How a queue pair is sent.
#[derive(Clone, Debug)]
pub struct RoceConfig {
    /// Payload of a full packet.
    pub mtu: Bytes,
    /// How long without progress until everything that is not acknowledged is sent again; selective
    /// repeat has timeouts of its own.
    pub timeout: Duration,
    /// How packets that were lost are sent again.
    pub recovery: Recovery,
    /// What switches' reports add to a packet and its acknowledgement, if the control reads them:
    /// room for all of them from the start.
    pub telemetry: Bytes,
    /// What sizes the rate.
    pub control: Arc<dyn RateConfig>,
}

impl RoceConfig {
    /// Five ports of 8 bytes each, and 2: what others cite of HPCC.
    pub const TELEMETRY: Bytes = Bytes::new(42);

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        check_mss(self.mtu)?;
        let least = match self.recovery {
            Recovery::GoBackN => self.timeout,
            Recovery::Selective(config) => config.rto_low.min(config.rto_high),
        };
        if least == Duration::ZERO {
            let (min, max) = (least, least);
            return Err(ConfigError::RtoBounds { initial: Duration::from_ms(1), min, max });
        }
        Ok(())
    }

    /// Whether it asks for more of a path than its first link.
    pub(crate) fn reads_path(&self) -> bool {
        cfg!(feature = "fabrics")
            && (matches!(self.recovery, Recovery::Selective(_)) || self.control.reads_path())
    }
}

/// The sender of one flow.
///
/// As of every sender, the caller sends what [`poll`](RoceSender::poll) returns until it returns
/// nothing.
///
/// ```
/// use forebay_net::transport::{Ack, DcqcnConfig, Path, Recovery, RoceConfig, RoceSender};
/// use forebay_units::{Bytes, Duration, Rate, Time};
///
/// let control = std::sync::Arc::new(DcqcnConfig::default());
/// let (mtu, timeout) = (Bytes::new(948), Duration::from_ms(1));
/// let (recovery, telemetry) = (Recovery::GoBackN, RoceConfig::TELEMETRY);
/// let config = RoceConfig { mtu, timeout, recovery, telemetry, control };
/// // A packet of 1000 bytes takes 200 ns at the link's rate.
/// let path = Path::of_line(Rate::from_gbps(40));
/// let mut sender = RoceSender::new(&config, Bytes::new(3000), 52, &path)?;
/// assert_eq!(sender.poll(Time::ZERO).map(|packet| packet.seq), Some(0));
/// assert_eq!((sender.poll(Time::ZERO), sender.is_held()), (None, true));
/// let next = Time::ZERO + Duration::from_ns(200);
/// assert_eq!(sender.deadline(), Some(next));
/// assert_eq!(sender.poll(next).map(|packet| packet.seq), Some(948));
/// # Ok::<(), forebay_net::transport::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct RoceSender {
    control: Box<dyn RateControl>,
    /// Selective repeat; without it, it goes back.
    selective: Option<Box<Selective>>,
    /// How long it waits for progress before it goes back.
    timeout: Duration,
    mtu: u64,
    headers: u32,
    /// Whether switches may mark its packets.
    ecn: Ecn,
    /// All bytes below it are acknowledged.
    una: u64,
    /// The next byte to send; below `high` after it has gone back.
    next: u64,
    /// One past the highest byte sent.
    high: u64,
    end: u64,
    /// The next packet may be sent from here on.
    free_at: Time,
    /// Since when it waits for progress.
    waits_since: Time,
    held: bool,
    backoff: u8,
    counters: SenderCounters,
}

impl RoceSender {
    /// A flow of `length` bytes, of which nothing has been sent, in packets with so many bytes of
    /// `headers`, over a path.
    ///
    /// # Errors
    /// [`ConfigError`] if nothing could be sent so.
    pub fn new(
        config: &RoceConfig,
        length: Bytes,
        headers: u32,
        path: &Path,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let mtu = config.mtu.get();
        let selective = match config.recovery {
            Recovery::Selective(own) if cfg!(feature = "fabrics") => {
                Some(Box::new(Selective::new(own, path, mtu)))
            }
            Recovery::Selective(_) | Recovery::GoBackN => None,
        };
        let marks = config.control.notify_every().is_some();
        Ok(RoceSender {
            control: config.control.start(path, config.mtu),
            selective,
            timeout: config.timeout,
            mtu,
            headers,
            ecn: if marks { Ecn::Capable } else { Ecn::NotCapable },
            una: 0,
            next: 0,
            high: 0,
            end: length.get(),
            free_at: Time::ZERO,
            waits_since: Time::MAX,
            held: false,
            backoff: 0,
            counters: SenderCounters::default(),
        })
    }

    /// The packet that may be sent at `now`, if any.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        let start = self.upcoming();
        self.held = start.is_some() && now < self.free_at;
        let start = start.filter(|_| !self.held)?;
        let len = self.mtu.min(self.end - start);
        let resent = start < self.high;
        let segment = Segment {
            seq: start,
            sent_at: now,
            len: len as u32,
            ecn: self.ecn,
            fin: start + len == self.end,
            resent,
            ..Segment::default()
        };
        match held_mut(&mut self.selective) {
            Some(selective) if resent => selective.repeat(start),
            Some(_) | None => self.next = start + len,
        }
        self.high = self.high.max(self.next);
        self.counters.segments += 1;
        self.counters.resent += u32::from(resent);
        let on_wire = len + u64::from(self.headers);
        self.free_at = now + self.control.rate(now).time_for(Bytes::new(on_wire));
        self.control.on_sent(now, on_wire);
        if self.waits_since == Time::MAX {
            self.waits_since = now;
        }
        Some(segment)
    }

    /// The position of the packet to be sent next, whatever the rate.
    fn upcoming(&self) -> Option<u64> {
        let mut most = self.control.window().get();
        if let Some(selective) = held(&self.selective) {
            if let Some(lost) = selective.lost(self.una) {
                return Some(lost);
            }
            most = most.min(selective.cap());
        }
        let stop = self.end.min(self.next.saturating_add(self.mtu));
        let fits = stop - self.una <= most.max(self.mtu);
        (self.next < self.end && fits).then_some(self.next)
    }

    /// An acknowledgement has arrived.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.on_ack_with(now, ack, &[]);
    }

    /// Like [`on_ack`](RoceSender::on_ack), with the telemetry that ports on the packet's path
    /// recorded and the receiver returned.
    pub fn on_ack_with(&mut self, now: Time, ack: &Ack, telemetry: &[PortReport]) {
        self.counters.echoes += u32::from(ack.ece);
        let before = self.una;
        if ack.cumulative > self.una {
            self.una = ack.cumulative.min(self.end);
            self.next = self.next.max(self.una);
            self.backoff = 0;
            self.waits_since = if self.una < self.high { now } else { Time::MAX };
        }
        let sample = RateSample {
            now,
            acked: Bytes::new(self.una - before),
            una: self.una,
            sent: self.high,
            rtt: if ack.echo <= now { now.since(ack.echo) } else { Duration::ZERO },
            notified: ack.ece,
            telemetry,
        };
        self.control.on_ack(&sample);
        let is_lost = match held_mut(&mut self.selective) {
            // One that was overtaken asks for what has arrived since.
            None => ack.nack && ack.cumulative == self.una && self.next > self.una,
            Some(selective) => selective.on_ack(ack, self.una, self.high),
        };
        if is_lost {
            self.counters.recoveries += 1;
            self.control.on_loss(now, 0);
            if held(&self.selective).is_none() {
                self.next = self.una;
            }
        }
    }

    /// The timer may have expired.
    pub fn on_deadline(&mut self, now: Time) {
        if self.gives_up() > now {
            return;
        }
        self.counters.timeouts += 1;
        self.backoff = self.backoff.saturating_add(1);
        self.waits_since = now;
        match held_mut(&mut self.selective) {
            None => self.next = self.una,
            Some(selective) => selective.begin(self.una, self.high),
        }
        self.control.on_loss(now, self.backoff);
    }

    /// When it gives up waiting for progress.
    fn gives_up(&self) -> Time {
        if self.waits_since == Time::MAX {
            return Time::MAX;
        }
        let timeout = match held(&self.selective) {
            None => self.timeout,
            Some(selective) => selective.timeout(self.high - self.una),
        };
        self.waits_since + timeout
    }

    /// When the timer expires, or what is held may be sent.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        let gives_up = self.gives_up();
        let next = if self.held { self.free_at.min(gives_up) } else { gives_up };
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

//! The sending side of a flow: which bytes may go now, and what an acknowledgement changes.
//!
//! Sources: RFC 5681 (windows), RFC 6582 (NewReno recovery), RFC 6675 (SACK recovery), RFC 3042 (limited
//! transmit), RFC 6298 (timer), RFC 3168 (ECN). A handshake is in `handshake.rs`, what goes next in `poll.rs`,
//! how soon in `pacing.rs`, what an acknowledgement changes in `ack.rs`, what a loss, a mark or a timeout
//! changes in `recovery.rs`.
//!
//! Left open there, chosen here: after a timeout everything not selectively acknowledged is sent again in
//! order (go-back-N that skips SACKed ranges); no check for spurious timeouts (F-RTO, Eifel) and no undo;
//! no restart after idle, since a flow is never idle; nothing is given up however often the timer runs
//! out (see [`Sender::backoff`]).
//!
//! Constant time per call without SACK blocks, linear in the ranges with them. No allocation except, at
//! the first block, the scoreboard. Memory: 256 bytes a flow with any registered controller.

mod ack;
mod handshake;
mod pacing;
mod poll;
mod recovery;

use core::num::NonZeroU64;

use alloc::boxed::Box;
use alloc::sync::Arc;
use forebay_units::{Bytes, Time};

use super::config::{ConfigError, SenderConfig};
use super::congestion::CongestionControl;
use super::rto::RttEstimator;
use super::scoreboard::Scoreboard;
use super::window::Window;

/// What the sender is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Waits for the answer of a handshake.
    Connecting,
    /// No loss known: slow start or congestion avoidance.
    Open,
    /// Fast recovery of RFC 6582.
    FastRecovery,
    /// Loss recovery of RFC 6675.
    SackRecovery,
    /// Sending again what a timeout gave up for lost.
    AfterTimeout,
}

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments sent, again or not.
    pub segments: u64,
    /// Of these, segments sent again.
    pub resent: u32,
    /// Fast retransmits: entries into a recovery phase.
    pub recoveries: u32,
    /// Times the retransmission timer ran out.
    pub timeouts: u32,
    /// Reductions because of an ECN echo.
    pub echoes: u32,
}

/// The segment being timed where there are no timestamps. So made that not to have one takes no room.
#[derive(Clone, Copy, Debug)]
struct Timed {
    end: u64,
    /// One more than the picoseconds.
    sent_at: NonZeroU64,
}

impl Timed {
    fn new(end: u64, sent_at: Time) -> Self {
        Timed { end, sent_at: NonZeroU64::MIN.saturating_add(sent_at.as_ps()) }
    }

    fn sent_at(self) -> Time {
        Time::from_ps(self.sent_at.get() - 1)
    }
}

/// The sender of one flow.
///
/// The caller sends what [`poll`](Sender::poll) gives until it gives nothing, whenever the flow starts, an
/// acknowledgement was taken in, or the timer ran out.
///
/// ```
/// use std::sync::Arc;
/// use forebay_net::transport::{Ack, NewReno, NewRenoConfig, Sender, SenderConfig};
/// use forebay_units::{Bytes, Duration, Time};
///
/// let config = SenderConfig { initial_window: 2, ..SenderConfig::default() };
/// let control = NewReno::new(&NewRenoConfig::default())?;
/// let mut sender = Sender::new(Arc::new(config), None, control)?;
///
/// let start = Time::ZERO;
/// let first = sender.poll(start).ok_or("a window of two segments")?;
/// assert_eq!((first.seq, first.len), (0, 1448));
/// assert!(sender.poll(start).is_some() && sender.poll(start).is_none());
///
/// sender.on_ack(start + Duration::from_us(80), &Ack::cumulative(first.end()));
/// assert_eq!(sender.window().cwnd, Bytes::new(3 * 1448));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[repr(C, align(64))] // What every segment touches comes first: three cache lines with NewReno.
pub struct Sender<C> {
    config: Arc<SenderConfig>,
    /// All bytes below it are acknowledged.
    una: u64,
    /// The next byte to send in order; below `high` while data is sent again after a timeout.
    next: u64,
    /// One past the highest byte sent.
    high: u64,
    /// One past the last byte of the flow.
    end: u64,
    window: Window,
    deadline: Time,
    scoreboard: Option<Box<Scoreboard>>,
    rtt: RttEstimator,
    counters: Counters,
    duplicates: u32,
    /// By how much the last new acknowledgement advanced.
    last_advance: u32,
    phase: Phase,
    /// The segment at `una` is due, whatever the window; before an answer, the one that asks.
    resend_first: bool,
    /// A partial acknowledgement was seen in this recovery.
    partial_seen: bool,
    /// The segment at `una` was already given up by the timer.
    first_timed_out: bool,
    /// Bytes sent by limited transmit since the last new acknowledgement.
    limited: u32,
    /// The next new segment tells of the reduction.
    cwr_due: bool,
    /// What would go now waits for `paced_until`.
    held: bool,
    control: C,
    /// The recovery, or the time after a timeout, lasts until here.
    recover: u64,
    /// An ECN echo is acted on again beyond here.
    reduced_until: u64,
    timed: Option<Timed>,
    /// No segment goes before; in the past for a flow that is not paced.
    paced_until: Time,
}

impl<C: CongestionControl> Sender<C> {
    /// A flow of `length` bytes (`None`: without end), nothing of it sent yet. A flow of no bytes is
    /// finished at once.
    pub fn new(
        config: Arc<SenderConfig>,
        length: Option<Bytes>,
        control: C,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let mut rtt = RttEstimator::default();
        if let Some(handshake) = config.handshake_rtt {
            rtt.sample(handshake);
        }
        let asks = config.handshake && length != Some(Bytes::ZERO);
        let mss = config.mss;
        let cwnd = mss * u64::from(config.initial_window);
        Ok(Sender {
            window: Window { cwnd, ssthresh: config.initial_ssthresh, mss },
            config,
            una: 0,
            next: 0,
            high: 0,
            end: length.map_or(u64::MAX, Bytes::get),
            recover: 0,
            reduced_until: 0,
            deadline: Time::MAX,
            scoreboard: None,
            rtt,
            duplicates: 0,
            limited: 0,
            last_advance: 0,
            phase: if asks { Phase::Connecting } else { Phase::Open },
            resend_first: asks,
            partial_seen: false,
            first_timed_out: false,
            cwr_due: false,
            held: false,
            control,
            timed: None,
            paced_until: Time::ZERO,
            counters: Counters::default(),
        })
    }

    fn arm_timer(&mut self, now: Time) {
        self.deadline = now + self.rtt.rto(&self.config.rto);
    }

    fn mss(&self) -> u64 {
        self.window.mss.get()
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd.get()
    }

    /// When [`on_deadline`](Sender::on_deadline), then [`poll`](Sender::poll) must be called: the timer of
    /// what is outstanding, or the next segment of a paced flow. `None` if neither is.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        let next = if self.held { self.deadline.min(self.paced_until) } else { self.deadline };
        (next != Time::MAX).then_some(next)
    }

    /// Whether every byte is acknowledged. The sender may then be dropped; keep its [`Counters`].
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.una >= self.end
    }

    /// The window and the slow-start threshold.
    #[must_use]
    pub const fn window(&self) -> &Window {
        &self.window
    }

    /// Bytes in the network, as far as the sender can tell: in SACK recovery the pipe of RFC 6675, else
    /// what was sent in order and is acknowledged neither cumulatively nor selectively.
    #[must_use]
    pub fn bytes_in_flight(&self) -> Bytes {
        Bytes::new(self.occupied())
    }

    /// Bytes acknowledged in order.
    #[must_use]
    pub const fn acknowledged(&self) -> Bytes {
        Bytes::new(self.una)
    }

    /// What the sender is about.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Timeouts in a row without a measurement since: how a simulation sees that a flow is stuck.
    #[must_use]
    pub const fn backoff(&self) -> u8 {
        self.rtt.backoff()
    }

    /// The round-trip estimate.
    #[must_use]
    pub const fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// The congestion control.
    #[must_use]
    pub const fn control(&self) -> &C {
        &self.control
    }

    /// What was done so far.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }
}

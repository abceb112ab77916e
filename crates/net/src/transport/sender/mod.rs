//! The sending side of a flow: which bytes may be sent now, and how an acknowledgement changes
//! that.
//!
//! Sources: RFC 5681 (windows), RFC 6582 (NewReno recovery), RFC 6675 (SACK recovery), RFC 3042
//! (limited transmit), RFC 6298 (timer), RFC 8985 (losses by time, if asked for: `by_time.rs`), RFC
//! 3168 (ECN). The handshake is in `handshake.rs`, what
//! is sent next in `poll.rs`, how soon in `pacing.rs`, the effects of an acknowledgement in
//! `ack.rs`, those of a loss, a mark or a timeout in `recovery.rs`.
//!
//! What these leave open, and our choices: after a timeout everything not selectively acknowledged
//! is sent again in order (go-back-N that skips SACKed ranges); no check for spurious timeouts
//! (F-RTO, Eifel) and no undo; no restart after idle, since a flow is never idle; a flow is never
//! given up, however often its timer expires (see [`Sender::backoff`]).
//!
//! Constant time per call without SACK blocks, linear in the ranges with them. No allocation except
//! for the scoreboard, at the first block. Memory: 256 bytes per flow with any registered
//! controller.

mod ack;
mod by_time;
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
pub(super) use by_time::ByTime;

/// The phase of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Waiting for the answer to a handshake.
    Connecting,
    /// No loss known: slow start or congestion avoidance.
    Open,
    /// Fast recovery of RFC 6582.
    FastRecovery,
    /// Loss recovery of RFC 6675.
    SackRecovery,
    /// Sending again what a timeout declared lost.
    AfterTimeout,
}

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Segments sent, including retransmissions.
    pub segments: u64,
    /// Retransmitted segments.
    pub resent: u32,
    /// Fast retransmits: entries into a recovery phase.
    pub recoveries: u32,
    /// Expirations of the retransmission timer.
    pub timeouts: u32,
    /// Reductions because of an ECN echo.
    pub echoes: u32,
}

/// The segment being timed if there are no timestamps, laid out so that `None` takes no extra
/// space.
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
/// The caller sends what [`poll`](Sender::poll) returns until it returns nothing: when the flow
/// starts, after each acknowledgement, and when the timer expires.
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
    counters: SenderCounters,
    duplicates: u32,
    /// By how much the last new acknowledgement advanced.
    last_advance: u32,
    phase: Phase,
    /// Whether the segment at `una` is due, whatever the window; before an answer, the one that
    /// requests it.
    resend_first: bool,
    /// Whether this recovery has seen a partial acknowledgement.
    partial_seen: bool,
    /// Whether the timer has already given up the segment at `una`.
    first_timed_out: bool,
    /// Bytes sent by limited transmit since the last new acknowledgement.
    limited: u32,
    /// Whether the next new segment announces the reduction.
    cwr_due: bool,
    /// Whether what would be sent now waits for `paced_until`.
    held: bool,
    control: C,
    /// The recovery, or the time after a timeout, lasts until this position.
    recover: u64,
    /// The next ECN echo counts beyond this position.
    reduced_until: u64,
    timed: Option<Timed>,
    /// No segment is sent before this instant; in the past for a flow that is not paced.
    paced_until: Time,
}

impl<C: CongestionControl> Sender<C> {
    /// A flow of `length` bytes (`None`: endless), of which nothing has been sent yet. A flow of no
    /// bytes is finished at once.
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
        let board = || Scoreboard::new(config.max_ranges, config.duplicate_threshold);
        let by_time = config.loss_by_time.then(|| Box::new(board()));
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
            scoreboard: by_time,
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
            counters: SenderCounters::default(),
        })
    }

    fn arm_timer(&mut self, now: Time) {
        self.deadline = now + self.rtt.rto(&self.config.rto);
        self.timer_armed();
    }

    fn mss(&self) -> u64 {
        self.window.mss.get()
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd.get()
    }

    /// When [`on_deadline`](Sender::on_deadline), then [`poll`](Sender::poll) must be called: the
    /// retransmission timer, or the next segment of a paced flow. `None` if neither is pending.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        let next = if self.held { self.deadline.min(self.paced_until) } else { self.deadline };
        (next != Time::MAX).then_some(next)
    }

    /// Whether every byte is acknowledged. The sender may then be dropped; keep its
    /// [`SenderCounters`].
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.una >= self.end
    }

    /// The window and the slow-start threshold.
    #[must_use]
    pub const fn window(&self) -> &Window {
        &self.window
    }

    /// Bytes in the network, as far as the sender can tell: in SACK recovery the pipe of RFC 6675,
    /// else what was sent in order and is acknowledged neither cumulatively nor selectively.
    #[must_use]
    pub fn bytes_in_flight(&self) -> Bytes {
        Bytes::new(self.occupied())
    }

    /// Bytes acknowledged in order.
    #[must_use]
    pub const fn acknowledged(&self) -> Bytes {
        Bytes::new(self.una)
    }

    /// The current phase.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The number of timeouts in a row without a measurement since: shows a simulation that a flow
    /// is stuck.
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

    /// The counters so far.
    #[must_use]
    pub const fn counters(&self) -> SenderCounters {
        self.counters
    }
}

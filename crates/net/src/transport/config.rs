//! The parameters of a flow's transport, and why some are refused.
//!
//! Plain data, shared by all flows of a kind through one reference count, so that a flow carries
//! only 8 bytes of it. Checked when a sender or a receiver is built.

use core::fmt;

use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Rate};

use super::congestion::EcnEcho;
use super::rto::RtoConfig;

/// The largest accepted segment payload, 16 MiB: large enough for offloaded super-segments.
pub const MAX_MSS: Bytes = Bytes::new(1 << 24);

/// How a flow's sender behaves: segments, windows, timeouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderConfig {
    /// Payload of a full segment. Default 1448 bytes: an Ethernet frame of 1500 less 40 bytes of
    /// headers and 12 of timestamps (also Themis §6.3.2).
    pub mss: Bytes,
    /// First congestion window in segments. Default 10 (RFC 6928, without its cap in bytes, which
    /// only concerns payloads above 1460); Themis uses 20.
    pub initial_window: u32,
    /// Initial slow-start threshold. Default: as high as possible (RFC 5681, §3.1).
    pub initial_ssthresh: Bytes,
    /// How far beyond the cumulative acknowledgement the receiver lets the sender go. Default: no
    /// limit.
    pub receive_window: Bytes,
    /// Limits of the retransmission timeout.
    pub rto: RtoConfig,
    /// A rate limit on the payload sent, evenly spaced, whatever the window. Default: no limit.
    pub pacing: Option<Rate>,
    /// A round-trip time known before the first segment, as from a handshake. Default none: the
    /// first timeout is [`RtoConfig::initial`].
    pub handshake_rtt: Option<Duration>,
    /// Send a segment without payload first, and data a round trip later, as TCP does (RFC 9293,
    /// §3.5). Default off: data is sent at once, as over an established connection.
    pub handshake: bool,
    /// Measure with the timestamp option, on every acknowledgement of new data. Otherwise one
    /// segment per round trip is timed, never a retransmitted one (Karn's rule; RFC 6298, §3).
    /// Default on.
    pub timestamps: bool,
    /// Send a new segment for each duplicate acknowledgement before the one that shows a loss
    /// (RFC 3042). Default on.
    pub limited_transmit: bool,
    /// How many segments beyond a hole make it a loss: duplicate acknowledgements, or SACKed ranges
    /// (RFC 5681, §3.2; RFC 6675, DupThresh). Default 3; more where a flow's packets overtake each
    /// other.
    pub duplicate_threshold: u32,
    /// Recover by RFC 6675 from SACK blocks; otherwise by RFC 6582. Default on.
    pub sack: bool,
    /// Find losses by time as well, as Linux does (RFC 8985): a probe two round trips after the
    /// last segment, and a hole is lost a quarter of a round trip after something beyond it
    /// arrived. Needs SACK. Default off.
    pub loss_by_time: bool,
    /// How long after something beyond a hole arrived it is lost, where losses are found by time.
    /// Default: a quarter of the shortest round trip (RFC 8985, §6.2, without its adaptation).
    pub reorder_window: Option<Duration>,
    /// Restart the timer at every partial acknowledgement: the variant known as slow but steady.
    /// Default off: only the first one does (RFC 6582, §3.2, step 3), and a long recovery ends in a
    /// timeout.
    pub slow_but_steady: bool,
    /// Let switches mark packets, and answer the echo (RFC 3168). Default off.
    pub ecn: bool,
    /// How many separate SACKed ranges are remembered; further ones count as not received.
    /// Default 256.
    pub max_ranges: u16,
}

impl Default for SenderConfig {
    fn default() -> Self {
        SenderConfig {
            mss: Bytes::new(1448),
            initial_window: 10,
            initial_ssthresh: Bytes::new(u64::MAX),
            receive_window: Bytes::new(u64::MAX),
            rto: RtoConfig::default(),
            pacing: None,
            handshake_rtt: None,
            handshake: false,
            timestamps: true,
            limited_transmit: true,
            duplicate_threshold: 3,
            sack: true,
            loss_by_time: false,
            reorder_window: None,
            slow_but_steady: false,
            ecn: false,
            max_ranges: 256,
        }
    }
}

impl SenderConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_mss(self.mss)?;
        if self.initial_window == 0 {
            return Err(ConfigError::NoInitialWindow);
        }
        if self.receive_window < self.mss {
            return Err(ConfigError::ReceiveWindow { window: self.receive_window, mss: self.mss });
        }
        if self.duplicate_threshold == 0 {
            return Err(ConfigError::NoDuplicates);
        }
        if self.pacing == Some(Rate::from_bps(0)) {
            return Err(ConfigError::NoRate);
        }
        check_ranges(self.max_ranges)?;
        if self.loss_by_time && !self.sack {
            return Err(ConfigError::NoSack);
        }
        self.rto.check()
    }
}

/// When a receiver may delay an acknowledgement (RFC 1122, §4.2.3.2; RFC 5681, §4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// The longest delay; RFC 5681 asks for less than 500 ms.
    pub timer: Duration,
    /// How many segments one acknowledgement may cover; RFC 5681 asks for at most 2.
    pub every: u16,
}

/// How a flow's receiver acknowledges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverConfig {
    /// Delay acknowledgements. Default: every segment is acknowledged at once.
    pub delayed_ack: Option<DelayedAck>,
    /// Report what arrived beyond a gap (RFC 2018). Default on.
    pub sack: bool,
    /// How marks are echoed; must be what the sender's congestion control asks for. Default: not at
    /// all.
    pub ecn: EcnEcho,
    /// How many separate ranges beyond a gap are kept; a segment that would need one more is
    /// dropped, unacknowledged, as if the host were out of memory. Default 256.
    pub max_ranges: u16,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        ReceiverConfig { delayed_ack: None, sack: true, ecn: EcnEcho::Off, max_ranges: 256 }
    }
}

impl ReceiverConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.delayed_ack.is_some_and(|d| d.every == 0 || d.timer == Duration::ZERO) {
            return Err(ConfigError::DelayedAck);
        }
        check_ranges(self.max_ranges)
    }
}

pub(super) fn check_mss(mss: Bytes) -> Result<(), ConfigError> {
    if mss == Bytes::ZERO || mss > MAX_MSS {
        return Err(ConfigError::SegmentSize(mss));
    }
    Ok(())
}

fn check_ranges(ranges: u16) -> Result<(), ConfigError> {
    if ranges == 0 { Err(ConfigError::NoRanges) } else { Ok(()) }
}

/// Why a transport cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigError {
    /// A segment payload of zero, or above [`MAX_MSS`].
    SegmentSize(Bytes),
    /// An initial window of no segments.
    NoInitialWindow,
    /// A loss after no duplicate acknowledgement.
    NoDuplicates,
    /// A receive window in which no full segment fits.
    ReceiveWindow {
        /// The window asked for.
        window: Bytes,
        /// The payload of a full segment.
        mss: Bytes,
    },
    /// Timeout limits that are zero or in the wrong order.
    RtoBounds {
        /// The timeout before any measurement.
        initial: Duration,
        /// The shortest timeout, whatever was measured.
        min: Duration,
        /// The longest timeout, after any backoff.
        max: Duration,
    },
    /// No room for even a single range beyond a gap.
    NoRanges,
    /// Losses by time without selective acknowledgements.
    NoSack,
    /// Delayed acknowledgements after zero segments or zero time.
    DelayedAck,
    /// A rate of zero for a constant-rate sender, or for pacing.
    NoRate,
    /// A parameter of a congestion control outside its range.
    Parameter(ParameterError),
}

impl ConfigError {
    /// The parameter at fault, a field of what was to be built, in whose words front ends speak of
    /// it.
    #[must_use]
    pub fn parameter(&self) -> &str {
        match self {
            ConfigError::SegmentSize(_) => "mss",
            ConfigError::NoInitialWindow => "initial_window",
            ConfigError::NoDuplicates => "duplicate_threshold",
            ConfigError::ReceiveWindow { .. } => "receive_window",
            ConfigError::RtoBounds { initial: Duration::ZERO, .. } => "initial_rto",
            ConfigError::RtoBounds { .. } => "min_rto",
            ConfigError::DelayedAck => "delayed_ack",
            ConfigError::NoRanges => "sack",
            ConfigError::NoSack => "loss_by_time",
            ConfigError::NoRate => "control",
            ConfigError::Parameter(error) => error.name(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::SegmentSize(mss) => {
                write!(f, "a segment payload of {mss} is impossible: choose 1 B to {MAX_MSS}")
            }
            ConfigError::NoInitialWindow => {
                write!(f, "an initial window of 0 segments never sends: choose at least 1")
            }
            ConfigError::NoDuplicates => write!(
                f,
                "a loss after 0 segments beyond a hole would be found before it: choose at least 1"
            ),
            ConfigError::ReceiveWindow { window, mss } => write!(
                f,
                "a receive window of {window} cannot hold a full segment of {mss}: choose at least \
                 {mss}"
            ),
            ConfigError::RtoBounds { initial, min, max } => write!(
                f,
                "retransmission timeouts (initial {initial}, minimum {min}, maximum {max}) must be \
                 above zero, the minimum not above the maximum"
            ),
            ConfigError::NoRanges => {
                write!(f, "max_ranges 0 leaves no room for data beyond a gap: choose at least 1")
            }
            ConfigError::NoSack => {
                write!(f, "losses by time are found from SACK blocks: turn both on, or neither")
            }
            ConfigError::DelayedAck => write!(
                f,
                "delayed acknowledgements need at least 1 segment and a timer above zero; turn \
                 them off to acknowledge at once"
            ),
            ConfigError::NoRate => {
                write!(f, "a sender at rate 0 b/s never sends: choose a rate above zero")
            }
            ConfigError::Parameter(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ConfigError {}

impl From<ParameterError> for ConfigError {
    fn from(error: ParameterError) -> Self {
        ConfigError::Parameter(error)
    }
}

//! What sizes a queue pair's rate: the trait, and what it is told.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;

use forebay_units::{Bytes, Duration, Rate, Time};

use crate::transport::report::PortReport;

/// The way from a sender to its receiver while nothing else is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// The rate of the host's link.
    pub line: Rate,
    /// From the start of a full packet until its acknowledgement has arrived.
    pub round_trip: Duration,
    /// Links one way.
    pub hops: u32,
}

impl Path {
    /// One of which no more is known than the first link.
    #[must_use]
    pub const fn of_line(line: Rate) -> Self {
        Path { line, round_trip: Duration::ZERO, hops: 0 }
    }

    /// The same with this round trip, if one is given, and with none of less than a nanosecond.
    #[must_use]
    pub fn with_round_trip(self, given: Option<Duration>) -> Self {
        let round_trip = given.unwrap_or(self.round_trip).max(Duration::from_ns(1));
        Path { round_trip, ..self }
    }

    /// The bytes that fill it for a round trip.
    #[must_use]
    pub fn capacity(&self) -> Bytes {
        let bits = u128::from(self.line.as_bps()) * u128::from(self.round_trip.as_ps());
        Bytes::new(u64::try_from(bits / 8_000_000_000_000).unwrap_or(u64::MAX))
    }
}

/// An acknowledgement, as a control sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample<'a> {
    /// The instant it arrived.
    pub now: Time,
    /// How many bytes it acknowledged for the first time, in order.
    pub acked: Bytes,
    /// All bytes before this position have arrived.
    pub una: u64,
    /// The position just after the highest byte sent so far.
    pub sent: u64,
    /// The round trip of the packet that it answers.
    pub rtt: Duration,
    /// Whether the receiver notifies of marks.
    pub notified: bool,
    /// What the ports on the packet's path recorded, the first one first; empty if none does.
    pub telemetry: &'a [PortReport],
}

/// How fast one queue pair sends, and how much it may have in flight.
pub trait RateControl: Send {
    /// The rate at which it may send at `now`.
    fn rate(&mut self, now: Time) -> Rate;

    /// The bytes that may be in flight; the sender allows at least a packet. Default: any number.
    fn window(&self) -> Bytes {
        Bytes::new(u64::MAX)
    }

    /// A packet of so many bytes on the wire is sent.
    fn on_sent(&mut self, now: Time, bytes: u64) {
        let _ = (now, bytes);
    }

    /// An acknowledgement has arrived.
    fn on_ack(&mut self, sample: &RateSample<'_>);

    /// A packet was lost: the receiver said so, or this is that many timeouts in a row.
    fn on_loss(&mut self, now: Time, timeouts: u8) {
        let _ = (now, timeouts);
    }
}

/// The parameters of a control, and what builds one for each queue pair. Without the feature
/// `fabrics` it is told of a path's first link alone, and no telemetry is recorded.
pub trait RateConfig: Send + Sync {
    /// The control of a queue pair that has sent nothing, in packets with so much payload.
    fn start(&self, path: &Path, mtu: Bytes) -> Box<dyn RateControl>;

    /// The shortest time between two notifications of marks; none if it does not read them.
    /// Default: none.
    fn notify_every(&self) -> Option<Duration> {
        None
    }

    /// Whether switches are to record telemetry. Default: no.
    fn reads_telemetry(&self) -> bool {
        false
    }

    /// Whether it asks for more of a path than its first link. Default: yes.
    fn reads_path(&self) -> bool {
        true
    }
}

/// Says no more than what it is, so that one need not be shown to be a control.
impl fmt::Debug for dyn RateControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RateControl")
    }
}

impl fmt::Debug for dyn RateConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RateConfig")
    }
}

/// The parameters of a control, shared by all flows that have it.
#[derive(Clone, Debug)]
pub struct Paced(pub Arc<dyn RateConfig>);

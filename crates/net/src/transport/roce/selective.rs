//! Selective repeat: what is sent again, and how long the sender waits.
//!
//! Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018 (IRN), §3, as others
//! describe it. A negative acknowledgement or a timeout begins a recovery, which lasts until
//! everything has arrived that had been sent by then. In it the packet at the cumulative point is
//! sent first, then every one below the highest that arrived beyond a hole; when none is left, new
//! packets. A retransmission that is lost is found by the timer. The timer is short while few
//! packets are in flight, and long otherwise. O(1) a packet, 120 bytes and a bit a packet in
//! flight.

use forebay_parameters::Source;
use forebay_units::{Bytes, Duration};

use super::control::Path;
use crate::transport::bitmap::Bitmap;
use crate::transport::segment::Ack;

/// How packets that were lost are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Recovery {
    /// With all behind them, which the receiver threw away.
    #[default]
    GoBackN,
    /// Alone.
    Selective(SelectiveConfig),
}

/// The parameters of selective repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, forebay_parameters::Configure)]
pub struct SelectiveConfig {
    /// Timeout while few packets are in flight, under selective repeat (RTO_low).
    #[parameter(source = IRN, name = "irn_rto_low", default = Duration::from_us(100))]
    pub rto_low: Duration,
    /// Timeout otherwise, under selective repeat (RTO_high).
    #[parameter(source = IRN, name = "irn_rto_high", default = Duration::from_us(320))]
    pub rto_high: Duration,
    /// The most packets in flight that are few (N of selective repeat).
    #[parameter(source = IRN, name = "irn_few", range = 0..=1_000_000, default = 3)]
    pub few: u32,
    /// The most bytes in flight under selective repeat; 0: what fills the flow's empty path for a
    /// round trip.
    #[parameter(source = IRN, name = "irn_cap", default = None)]
    pub cap: Option<Bytes>,
}

// The paper's text was not at hand.
const IRN: Source = Source::assumed("what others cite of irn; not compared with its own text");

/// The state of a sender that repeats selectively.
#[derive(Clone, Debug)]
pub(super) struct Selective {
    config: SelectiveConfig,
    cap: u64,
    mtu: u64,
    /// Packets that arrived beyond a hole, and one past the highest of them.
    arrived: Bitmap,
    beyond: u64,
    /// The recovery lasts until this position has arrived.
    recover: Option<u64>,
    /// The packet at the cumulative point is due.
    first_due: bool,
    /// Packets below it have been sent again in this recovery.
    repeated: u64,
}

impl Selective {
    pub(super) fn new(config: SelectiveConfig, path: &Path, mtu: u64) -> Self {
        Selective {
            cap: config.cap.unwrap_or_else(|| path.capacity()).get().max(mtu),
            config,
            mtu,
            arrived: Bitmap::default(),
            beyond: 0,
            recover: None,
            first_due: false,
            repeated: 0,
        }
    }

    /// How long the sender waits with so many bytes in flight.
    pub(super) fn timeout(&self, flight: u64) -> Duration {
        let few = u64::from(self.config.few);
        if flight.div_ceil(self.mtu) <= few { self.config.rto_low } else { self.config.rto_high }
    }

    pub(super) fn cap(&self) -> u64 {
        self.cap
    }

    /// An acknowledgement has arrived, and all below `una`, of what was sent below `high`. Returns
    /// whether a recovery begins.
    pub(super) fn on_ack(&mut self, ack: &Ack, una: u64, high: u64) -> bool {
        for (start, end) in ack.sack_blocks() {
            for packet in start / self.mtu..end.min(high).div_ceil(self.mtu) {
                self.arrived.insert(packet);
                self.beyond = self.beyond.max(packet + 1);
            }
        }
        self.arrived.forget_below(una / self.mtu);
        if self.recover.is_some_and(|recover| una >= recover) {
            self.recover = None;
        }
        let begins = ack.nack && self.recover.is_none() && una < high;
        if begins {
            self.begin(una, high);
        }
        begins
    }

    /// What is not acknowledged was lost.
    pub(super) fn begin(&mut self, una: u64, high: u64) {
        (self.recover, self.first_due) = (Some(high), true);
        self.repeated = una / self.mtu;
    }

    /// The position of the packet to be sent again, if there is one.
    pub(super) fn lost(&self, una: u64) -> Option<u64> {
        self.recover?;
        let first = una / self.mtu;
        if self.first_due && self.repeated >= first {
            return Some(una);
        }
        let packet = self.arrived.gap(self.repeated.max(first));
        (packet < self.beyond).then_some(packet * self.mtu)
    }

    /// The packet at `position` is sent again.
    pub(super) fn repeat(&mut self, position: u64) {
        self.first_due = false;
        self.repeated = position / self.mtu + 1;
    }
}

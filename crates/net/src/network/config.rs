//! What a network is made of, besides its graph and its switches.

use alloc::vec::Vec;

use forebay_units::{Bytes, Duration};

use super::Transport;
use crate::packet::Wire;
use crate::route::BalanceConfig;
use forebay_parameters::Word;
use forebay_switch::FlowControl;

/// How a host chooses the packet to send next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Nic {
    /// One unlimited queue: a flow puts into it at once whatever its window allows.
    #[default]
    Fifo,
    /// Flows take turns, one packet each, created when its turn comes; acknowledgements go first.
    Fair,
}

/// The parameters of a network besides its graph and its switches.
#[derive(Clone, Debug)]
pub struct NetworkConfig {
    /// How hosts send, by class of flow: class `c` uses entry `c`, and classes beyond the last use
    /// the last. Switches mark only the packets of flows whose own transport has ECN.
    pub transports: Vec<Transport>,
    /// The class of acknowledgements; `None` for that of their flow.
    pub ack_class: Option<u8>,
    /// How a host chooses the packet to send next.
    pub nic: Nic,
    /// How large packets are.
    pub wire: Wire,
    /// Seed of the choice among equal paths.
    pub ecmp_seed: u64,
    /// How switches choose among equal paths.
    pub balance: BalanceConfig,
    /// A flow whose timer expires this often in a row stops the run; 1 to
    /// [`MAX_BACKOFF`](crate::transport::MAX_BACKOFF).
    pub max_timeouts: u8,
    /// How long after a link fails or is repaired routes are recomputed.
    pub detection: Duration,
    /// Into how many partitions the network is cut, at most 64 and one per switch with hosts;
    /// [`run_parallel`](super::Network::run_parallel) uses one thread for each. Results do not
    /// depend on it.
    pub partitions: usize,
    /// How pauses are obeyed, if switches have lossless classes.
    /// [`Network::of`](super::Network::of) sets it where they have.
    pub flow_control: Option<FlowControl>,
    /// Whether switches trim packets; every transport must know what to do with headers then.
    /// [`Network::of`](super::Network::of) sets it and the next where they do.
    pub trims: bool,
    /// Whether a header that finds no room in a switch is sent back to its sender, once.
    pub returns_headers: bool,
    /// Whether [`FlowRecord::transit`](crate::measure::FlowRecord) is kept of flows: 8 bytes each.
    pub transits: bool,
}

impl NetworkConfig {
    /// One transport for all classes, default packet sizes, seed 1, paths by flow, at most 16
    /// timeouts, no detection delay, one partition, with transits.
    #[must_use]
    pub fn new(transport: Transport) -> Self {
        NetworkConfig {
            transports: alloc::vec![transport],
            ack_class: None,
            nic: Nic::default(),
            wire: Wire::default(),
            ecmp_seed: 1,
            balance: BalanceConfig::default(),
            max_timeouts: 16,
            detection: Duration::ZERO,
            partitions: 1,
            flow_control: None,
            trims: false,
            returns_headers: false,
            transits: true,
        }
    }

    /// Bytes that the hosts' largest packets have beside their payload.
    #[must_use]
    pub fn headers(&self) -> u32 {
        let more = self.transports.iter().filter_map(Transport::telemetry).max();
        self.wire.headers.saturating_add(more.unwrap_or(0))
    }

    /// Whether any flow is pulled.
    pub(super) fn pulls(&self) -> bool {
        cfg!(feature = "fabrics") && self.transports.iter().any(Transport::pulls)
    }

    /// The largest payload of a packet under any of the transports; zero without a transport.
    #[must_use]
    pub fn largest_payload(&self) -> Bytes {
        self.transports.iter().map(Transport::payload).max().unwrap_or_default()
    }
}

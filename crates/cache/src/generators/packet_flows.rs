//! Packets of flows, each with a state of its own to look up: what a switch, a firewall or an intrusion
//! detection system caches (thesis Table 2.1, "Network": 3 µs between packets).
//!
//! Flows arrive as a Poisson process with sizes from a distribution, cut into packets. These come in trains,
//! as windows of TCP do: of geometric length, evenly spaced within (a sender's access link), an exponential
//! time apart. Every flow is a new object, so popularity passes, as in packet traces. O(log f) a packet, f
//! flows at once; 24 bytes a flow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_units::{Bytes, Duration, Time};
use forebay_workload::SizeDistribution;
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::{GeneratorError, exponential_span, mean_burst, some_time};
use crate::model::{ObjectId, Request};

/// The parameters of [`PacketFlows`].
#[derive(Clone, Debug)]
pub struct PacketFlowsConfig {
    /// How large flows are.
    pub sizes: SizeDistribution,
    /// The most bytes of a packet.
    pub packet_bytes: u64,
    /// The mean time between packets of all flows (3 µs in Table 2.1).
    pub interval: Duration,
    /// The mean number of packets in a train, at least 1.
    pub mean_burst: f64,
    /// The time between packets of a train.
    pub spacing: Duration,
    /// The mean time between trains of one flow.
    pub flow_gap: Duration,
    /// The bytes of a flow's state.
    pub state: Bytes,
    /// The seed.
    pub seed: u64,
}

impl PacketFlowsConfig {
    /// Packets of at most 1500 bytes, 3 µs apart; of one flow, trains of 4 with 12 µs within (1 Gb/s) and
    /// 1 ms between; 64 bytes of state.
    #[must_use]
    pub fn new(sizes: SizeDistribution) -> Self {
        PacketFlowsConfig {
            sizes,
            packet_bytes: 1500,
            interval: Duration::from_us(3),
            mean_burst: 4.0,
            spacing: Duration::from_us(12),
            flow_gap: Duration::from_ms(1),
            state: Bytes::new(64),
            seed: 1,
        }
    }
}

/// An endless stream of packets, as requests for the states of their flows.
///
/// ```
/// use forebay_cache::generators::{PacketFlows, PacketFlowsConfig};
/// use forebay_workload::SizeDistribution;
///
/// let sizes = SizeDistribution::builtin("websearch")?;
/// let packets: Vec<_> = PacketFlows::new(PacketFlowsConfig::new(sizes))?.take(1_000).collect();
/// assert!(packets.is_sorted_by_key(|packet| packet.at));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PacketFlows {
    config: PacketFlowsConfig,
    rng: ChaCha8Rng,
    next_flow: Time,
    flows: u64,
    flow_interval: Duration,
    /// The next packet of each flow, and how many it has left.
    next: BinaryHeap<Reverse<(Time, u64, u64)>>,
}

impl PacketFlows {
    /// The stream of `config`.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn new(config: PacketFlowsConfig) -> Result<Self, GeneratorError> {
        if config.packet_bytes == 0 {
            return Err(GeneratorError::NoPacket);
        }
        mean_burst(config.mean_burst)?;
        let interval = some_time("interval", config.interval)?;
        // Half a packet more, since the last one of a flow is not full.
        let packets = config.sizes.mean() / config.packet_bytes as f64 + 0.5;
        let flow_interval = Duration::from_ps((interval.as_ps() as f64 * packets) as u64);
        let rng = stream(config.seed, "packet flows", 0);
        let (flows, next) = (0, BinaryHeap::new());
        Ok(PacketFlows { config, rng, next_flow: Time::ZERO, flows, flow_interval, next })
    }

    /// Lets the next flow begin.
    fn begin_flow(&mut self) {
        let bytes = self.config.sizes.quantile(uniform(&mut self.rng)).get();
        let packets = bytes.div_ceil(self.config.packet_bytes).max(1);
        self.next.push(Reverse((self.next_flow, self.flows, packets)));
        self.flows += 1;
        self.next_flow += exponential_span(&mut self.rng, self.flow_interval);
    }

    /// From a packet of a flow to the next: within a train, or to the next train.
    fn gap(&mut self) -> Duration {
        if uniform(&mut self.rng) * self.config.mean_burst < 1.0 {
            return exponential_span(&mut self.rng, self.config.flow_gap);
        }
        self.config.spacing
    }
}

impl Iterator for PacketFlows {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        while self.next.peek().is_none_or(|next| self.next_flow <= next.0.0) {
            self.begin_flow();
        }
        let Reverse((at, flow, packets)) = self.next.pop()?;
        if packets > 1 {
            let later = at + self.gap();
            self.next.push(Reverse((later, flow, packets - 1)));
        }
        Some(Request::new(at, ObjectId(flow)).sized(self.config.state))
    }
}

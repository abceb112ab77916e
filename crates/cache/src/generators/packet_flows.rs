//! Packets of flows, each with a state of its own to look up: what a switch, a firewall or an
//! intrusion detection system caches (thesis Table 2.1, "Network": 3 µs between packets).
//!
//! Flows arrive as a Poisson process with sizes from a distribution, cut into packets. These come
//! in trains, as windows of TCP do: of geometric length, evenly spaced within (a sender's access
//! link), an exponential time apart. The larger a flow, the longer its trains: n packets come in
//! trains of √n on average. That is assumed, and gives two numbers that the thesis has of its
//! trace: a fragment of 250,000 packets has about 37,725 flows (§2.4.3), and what a flow's misses
//! would have cost so far predicts what the next will, with a correlation of 0.7 (§2.5.2). Every
//! flow is a new object, so popularity passes, as in packet traces. A trace begins in the middle of
//! the traffic: [`PacketFlows::new`] lets 64 gaps between trains go by first. O(log f) a packet, f
//! flows at once; 32 bytes a flow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Time};
use forebay_workload::SizeDistribution;
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::{exponential_span, mean_burst, some_time};
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
    /// The mean number of packets in a train, at least 1, of all flows alike; `None`: √n in a flow
    /// of n.
    pub mean_burst: Option<f64>,
    /// The time between packets of a train.
    pub spacing: Duration,
    /// The mean time between trains of one flow.
    pub flow_gap: Duration,
    /// The bytes of a flow's state.
    pub state: Bytes,
    /// What all draws come from: the same seed gives the same requests.
    pub seed: u64,
}

impl PacketFlowsConfig {
    /// Packets of at most 1500 bytes, 3 µs apart; of one flow, trains with 12 µs within (1 Gb/s)
    /// and 30 ms between, a round trip over a wide area: so most flows are over after 10,000
    /// packets of all, but not after a thousand, as in the thesis's trace (§2.4.2). 64 bytes of
    /// state.
    #[must_use]
    pub fn new(sizes: SizeDistribution) -> Self {
        PacketFlowsConfig {
            sizes,
            packet_bytes: 1500,
            interval: Duration::from_us(3),
            mean_burst: None,
            spacing: Duration::from_us(12),
            flow_gap: Duration::from_ms(30),
            state: Bytes::new(64),
            seed: 1,
        }
    }

    /// The same traffic at another pace: packets `interval` apart, and all that has a duration
    /// scaled alike. So a flow has as many packets of others between two of its own as before.
    #[must_use]
    pub fn paced(self, interval: Duration) -> Self {
        let scaled = |span: Duration| {
            let ps = u128::from(span.as_ps()) * u128::from(interval.as_ps())
                / u128::from(self.interval.as_ps().max(1));
            Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
        };
        let (spacing, flow_gap) = (scaled(self.spacing), scaled(self.flow_gap));
        PacketFlowsConfig { interval, spacing, flow_gap, ..self }
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
    /// The next packet of each flow, how many it has left, and how many it has in all.
    next: BinaryHeap<Reverse<(Time, u64, u64, u64)>>,
    /// When the trace begins.
    origin: Time,
}

/// Gaps between trains that go by before the first packet of the trace.
const WARM_UP_GAPS: u64 = 64;

/// The most packets that do; whatever the gaps.
const WARM_UP_PACKETS: u64 = 4_000_000;

impl PacketFlows {
    /// The stream of `config`, from time 0 on, when flows are on their way already. Takes as long
    /// as the packets before, four million at most.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn new(config: PacketFlowsConfig) -> Result<Self, ParameterError> {
        let mut cold = Self::cold(config)?;
        let gap = cold.config.flow_gap.as_ps();
        let warm =
            Time::ZERO + Duration::from_ps(gap.saturating_mul(WARM_UP_GAPS).min(u64::MAX / 2));
        for _ in 0..WARM_UP_PACKETS {
            if cold.peek() >= warm {
                break;
            }
            cold.next();
        }
        cold.origin = cold.peek();
        Ok(cold)
    }

    /// The stream from its first flow on.
    fn cold(config: PacketFlowsConfig) -> Result<Self, ParameterError> {
        if config.packet_bytes == 0 {
            return Err(ParameterError::value("packet_bytes", "it is 0; give at least one byte"));
        }
        config.mean_burst.map_or(Ok(()), mean_burst)?;
        let interval = some_time("interval", config.interval)?;
        // Half a packet more, since the last one of a flow is not full.
        let packets = config.sizes.mean() / config.packet_bytes as f64 + 0.5;
        let flow_interval = Duration::from_ps((interval.as_ps() as f64 * packets) as u64);
        let rng = stream(config.seed, "packet flows", 0);
        let (flows, next) = (0, BinaryHeap::new());
        let (next_flow, origin) = (Time::ZERO, Time::ZERO);
        Ok(PacketFlows { config, rng, next_flow, flows, flow_interval, next, origin })
    }

    /// When the next packet comes, at the earliest.
    fn peek(&self) -> Time {
        self.next.peek().map_or(self.next_flow, |next| self.next_flow.min(next.0.0))
    }

    /// Lets the next flow begin.
    fn begin_flow(&mut self) {
        let bytes = self.config.sizes.quantile(uniform(&mut self.rng)).get();
        let packets = bytes.div_ceil(self.config.packet_bytes).max(1);
        self.next.push(Reverse((self.next_flow, self.flows, packets, packets)));
        self.flows += 1;
        self.next_flow += exponential_span(&mut self.rng, self.flow_interval);
    }

    /// From a packet of a flow of so many to the next: within a train, or to the next train.
    fn gap(&mut self, packets: u64) -> Duration {
        let train = self.config.mean_burst.unwrap_or((packets as f64).sqrt());
        if uniform(&mut self.rng) * train < 1.0 {
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
        let Reverse((at, flow, left, packets)) = self.next.pop()?;
        if left > 1 {
            let later = at + self.gap(packets);
            self.next.push(Reverse((later, flow, left - 1, packets)));
        }
        let at = Time::ZERO + (at - self.origin);
        Some(Request::new(at, ObjectId(flow)).sized(self.config.state))
    }
}

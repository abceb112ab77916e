//! A switch with a hybrid buffer: SRAM beside HBM, shared by all ports, and a ranked queue per
//! port.
//!
//! The traffic manager is [`TrafficManager`], with its four schemes (Themis and the
//! three spillover schemes of its evaluation) and its rank functions, by name.
//!
//! **What the paper says of the network's switches** (themis §6.3.2): "Switch configuration and
//! scheduling remain identical to the single-point experiments", that is 5 MB of SRAM for the whole
//! switch, Samsung HBM2E, shortest flow first, watermarks 0.5 and 0.8 (§6.3.1). That is
//! [`HybridConfig::new`]; all else is what the single-point experiments of the laboratory assume,
//! such as 1024 accounting queues over which flows are spread, and SRAM ports of 3.2 Tb/s: twice
//! what a leaf's inputs bring, and 1.8 times a spine's.
//!
//! **Open in the paper**: the rank of an acknowledgement (here 0: its direction carries no data);
//! the number of packets that a switch may hold (here 2^20, which the experiments do not reach);
//! how the swaps of several ports compete (the traffic manager's largest and smallest ranks are
//! over all ports).
//!
//! **Ranked queues.** The chip has one structure with a bucket per rank and port (§5.3). As
//! software that is 24 bytes a bucket for every port: 16 MB for the 20 ports of a leaf at the 2^15
//! buckets of the single-point experiments. [`RankPrecision::Exact`] keeps heaps instead, orders
//! exactly, and takes memory only for packets; [`RankPrecision::Buckets`] is the structure of the
//! paper with as many bits as are wanted.
//!
//! Marks as [`DropTailSwitch`](super::DropTailSwitch) does, by the bytes that wait for the port in
//! either memory.
//!
//! **Lossless classes** ([`PfcConfig`]): headroom is part of the SRAM, and an input is charged for
//! what it holds there; what is in staging or in HBM costs it nothing. A packet for which the SRAM
//! has no room goes to HBM, and calls for a pause only when staging is full, too. A larger rank is
//! not dropped for a smaller one if it must not be lost: the smaller one is then lost itself. A
//! port's packets wait in one order, so those of other classes wait behind a paused one whose turn
//! it is. There is no watchdog.
//!
//! Events are the ends of transfers. A port whose next packet is still in HBM stalls until then.
//!
//! Memory: a pointer for every SRAM cell, a descriptor and an element of its port's queue for every
//! packet that waits, an index for every descriptor that was ever in use at a port, and an entry a
//! flow.

mod lossless;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::cell::Cell;

use forebay_buffer::{HybridPolicy, policies};
use forebay_parameters::{
    Choice, Configure, Kind, Parameter, ParameterError, Parameters, Renamed, Setting, UnknownName,
    Value, Walk,
};
use forebay_pifo::{TieredBuckets, TieredExact, TieredQueue};
use forebay_sched::{Packet, Quantizer, Rank, RankFunction, ShortestFlowFirst};
use forebay_units::{Bytes, Time};

use crate::build_error::of_rank;
use crate::flows::{Flows, handle, rank_shape};
use crate::manager::{ManagerConfig, QueueBy, Reads, TrafficManager, Verdict};
use crate::packet::{FlowId, Handle};
use crate::scheduled::PortLimits;
use crate::{
    Gauge, Losses, Pause, PauseCounts, PfcConfig, SwitchBuildError, SwitchModel, SwitchShape,
    memory,
};
use lossless::HybridLossless;

/// How a [`Hybrid`] switch orders the packets of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub enum RankPrecision {
    /// Exactly.
    Exact,
    /// In buckets of ranks that agree in so many bits after the leading one, as the paper's
    /// hardware does.
    Buckets {
        /// Bits of a rank kept after the leading one when it is quantized.
        #[parameter(name = "rank_bits", range = 1..=14)]
        #[parameter(
            assumed = "keeps flow sizes apart to 0.1 % within 2^15 buckets",
            sensitivity = "themis/sensitivity-rank-bits"
        )]
        bits: u32,
    },
}

/// What a [`Hybrid`] switch is made of.
#[derive(Clone, Debug, Parameters)]
pub struct HybridConfig {
    /// The scheme: one of `forebay_buffer::policies`, or a caller's own.
    #[parameter(part)]
    pub scheme: Choice<dyn HybridPolicy>,
    /// The rank function: one of `forebay_sched::rank_functions`, or a caller's own.
    #[parameter(part)]
    pub rank: Choice<dyn RankFunction>,
    /// Two-tier bucket queue over quantized ranks, or an exact one over raw ranks.
    #[parameter(paper = "themis §5.3", name = "ranked_queue")]
    #[parameter(kind = Kind::Choice(&RANKED_QUEUES))]
    pub ranked: RankPrecision,
    /// Memories. Ports and quantizer in it are not read.
    #[parameter(part)]
    pub memory: ManagerConfig,
    /// Mark packets beyond so many bytes that wait for their port. Default: never.
    #[parameter(declared = PortLimits::MARK_ABOVE)]
    pub mark_above: Option<Bytes>,
    /// Which classes are lossless, by priority flow control; it has no watchdog.
    #[parameter(part)]
    pub pfc: PfcConfig,
}

/// Whether a rank function tells classes apart; one that cannot be built may.
pub(crate) fn rank_reads_class(rank: &Choice<dyn RankFunction>) -> bool {
    rank.build(&rank_shape()).map_or(true, |rank| rank.reads_class())
}

impl HybridConfig {
    /// [`HybridConfig::new`] with the built-in scheme of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(scheme: &str) -> Result<Self, UnknownName> {
        policies().named(scheme).cloned().map(Self::new)
    }

    /// The switch of themis §6.3.2 under `scheme`: see the head of this file.
    #[must_use]
    pub fn new(scheme: Choice<dyn HybridPolicy>) -> Self {
        HybridConfig {
            scheme: scheme.beside(OWN),
            rank: ShortestFlowFirst::choice(),
            ranked: RankPrecision::Exact,
            memory: ManagerConfig { descriptors: 1 << 20, ..ManagerConfig::default() },
            mark_above: None,
            pfc: PfcConfig::default(),
        }
    }

    /// What its scheme reads of the switch; one that cannot be built may read anything but batches.
    #[must_use]
    pub fn reads(&self) -> Reads {
        let any = Reads { moves: true, queues: true, batches: false };
        self.scheme.build(&self.memory.shape()).map_or(any, |scheme| Reads::of(&*scheme))
    }

    /// Whether the class of a packet counts: its queue or its rank may depend on it.
    #[must_use]
    pub fn reads_class(&self) -> bool {
        self.pfc.is_on()
            || self.memory.queue_by == QueueBy::Class && self.reads().queues
            || rank_reads_class(&self.rank)
    }

    fn manager<Q: TieredQueue>(
        &self,
        shape: &SwitchShape<'_>,
        quantizer: Quantizer,
        queue: impl Fn() -> Result<Q, ParameterError>,
    ) -> Result<TrafficManager<Q>, SwitchBuildError> {
        let ports = u16::try_from(shape.ports.len()).map_err(|_| SwitchBuildError::TooManyPorts)?;
        let ingress = self.ingress(shape.ports)?;
        let config = ManagerConfig { ports, quantizer, ingress, ..self.memory.clone() };
        let (largest, room) = (config.largest_packet, config.row_bytes());
        if Bytes::new(largest.into()) > room {
            return Err(SwitchBuildError::Packet { largest, room });
        }
        let rank = self.rank.build(&rank_shape());
        let rank = rank.map_err(of_rank)?;
        let needed = config.memory();
        if !memory::is_granted(needed + memory::LEFT) {
            return Err(SwitchBuildError::Memory { ports: ports.into(), needed });
        }
        let full = Cell::new(None);
        let manager = TrafficManager::new(&config, &self.scheme, rank, |port| {
            if memory::is_left_at(port) {
                return queue();
            }
            full.set(Some(port));
            Err(ManagerConfig::PORTS.refuse("there is no memory for so many"))
        });
        manager.map_err(|error| match full.get() {
            Some(port) => SwitchBuildError::PortMemory { ports: ports.into(), built: port.into() },
            None => error.into(),
        })
    }
}

/// What stands beside the parameters of its scheme.
const OWN: &[Parameter] = &[
    HybridConfig::RANKED,
    RankPrecision::BITS,
    ManagerConfig::SRAM,
    ManagerConfig::CELL,
    ManagerConfig::STAGING,
    ManagerConfig::PORT_RATE,
    ManagerConfig::QUEUES,
    ManagerConfig::QUEUE_BY,
    ManagerConfig::DESCRIPTORS,
    ManagerConfig::LARGEST_PACKET,
    ManagerConfig::HBM_ORDER,
    ManagerConfig::READ_WINDOW,
    ManagerConfig::MOVE_BYTES,
    ManagerConfig::WRITE_FORWARDING,
    ManagerConfig::SLOT_ORDER,
    ManagerConfig::STAGING_WRITES,
    ManagerConfig::FETCH_BATCHES,
    ManagerConfig::FETCH_RESERVE,
    PortLimits::MARK_ABOVE,
];

const RANKED_QUEUES: [&str; 2] = ["buckets", "exact"];

impl Setting for RankPrecision {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let word = value.to_string();
        *self = match (word.as_str(), *self) {
            ("exact", _) => RankPrecision::Exact,
            ("buckets", RankPrecision::Exact) => RankPrecision::BUCKETS,
            ("buckets", held @ RankPrecision::Buckets { .. }) => held,
            _ => {
                return Err(UnknownName::new("ranked queue", &word, RANKED_QUEUES).to_string());
            }
        };
        Ok(())
    }

    fn value(&self) -> Value {
        let word = match self {
            RankPrecision::Exact => "exact",
            RankPrecision::Buckets { .. } => "buckets",
        };
        Value::Text(word.to_owned())
    }
}

impl RankPrecision {
    /// Buckets with as many bits as keep flow sizes apart to 0.1 %.
    pub const BUCKETS: Self = RankPrecision::Buckets { bits: 10 };
}

/// All but the choice of a scheme and of a rank function, which whoever has a registry shows; the
/// scheme's own parameters are among them, and those of the rank function as `rank.…`.
impl Configure for HybridConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&HybridConfig::RANKED, &mut self.ranked);
        self.ranked.walk(walk);
        if walk.wants_all() && self.ranked == RankPrecision::Exact {
            { RankPrecision::BUCKETS }.walk(walk);
        }
        walk.part("rank.", &mut self.rank);
        // A switch has the ports of its shape.
        let switch = |one: &Parameter| (one.name != "ports").then(|| one.clone());
        self.memory.walk(&mut Renamed::new(walk, switch));
        self.scheme.walk(walk);
        let reads = self.reads();
        self.memory.walk_read(reads, walk);
        walk.field(&PortLimits::MARK_ABOVE, &mut self.mark_above);
        self.walk_pfc(walk);
    }
}

/// Ranks of flows beyond 4 GiB share the last bucket.
const LARGEST_RANK: Rank = Rank::new(u32::MAX as u64);

/// A switch with a hybrid buffer over ranked queues of type `Q`.
///
/// ```
/// use forebay_switch::{Handle, Hybrid, HybridConfig, Losses, SwitchModel, SwitchShape};
/// use forebay_units::{Rate, Time};
///
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(50); 4] };
/// let mut switch = Hybrid::exact(&shape, &HybridConfig::named("themis")?)?;
/// let mut lost = Losses::default();
/// switch.arrive(Time::ZERO, 2, Handle::new(1, 1500), &mut lost);
/// assert!(!switch.is_empty(2));
/// let left = switch.next(Time::ZERO, 2, &mut lost);
/// assert_eq!(left.map(|packet| packet.flow()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Hybrid<Q> {
    manager: TrafficManager<Q>,
    flows: Flows,
    mark_above: u64,
    /// Flow control, if classes are lossless.
    lossless: Option<Box<HybridLossless>>,
}

impl Hybrid<TieredExact> {
    /// An empty switch that orders packets exactly.
    ///
    /// # Errors
    /// If a parameter does not fit, or the scheme or the rank function does not exist.
    pub fn exact(shape: &SwitchShape<'_>, config: &HybridConfig) -> Result<Self, SwitchBuildError> {
        let manager = config.manager(shape, Quantizer::Identity, || Ok(TieredExact::new()))?;
        Ok(Hybrid::around(manager, config, shape))
    }
}

impl Hybrid<TieredBuckets> {
    /// An empty switch that orders packets by the leading bits of their ranks.
    ///
    /// # Errors
    /// If a parameter does not fit, or the scheme or the rank function does not exist.
    pub fn buckets(
        shape: &SwitchShape<'_>,
        config: &HybridConfig,
        bits: u32,
    ) -> Result<Self, SwitchBuildError> {
        let quantizer = Quantizer::log_linear(bits);
        let queue = || {
            TieredBuckets::new(quantizer.buckets(LARGEST_RANK))
                .map_err(|error| RankPrecision::BITS.refuse(error))
        };
        let manager = config.manager(shape, quantizer, queue)?;
        Ok(Hybrid::around(manager, config, shape))
    }
}

impl<Q: TieredQueue> Hybrid<Q> {
    fn around(manager: TrafficManager<Q>, config: &HybridConfig, shape: &SwitchShape<'_>) -> Self {
        let mark_above = config.mark_above.map_or(u64::MAX, Bytes::get);
        let lossless = HybridLossless::new(&config.pfc, shape.ports.len()).map(Box::new);
        Hybrid { manager, flows: Flows::default(), mark_above, lossless }
    }

    /// The traffic manager, to look at.
    #[must_use]
    pub fn manager(&self) -> &TrafficManager<Q> {
        &self.manager
    }

    /// Hands over what the last call lost of what had been accepted.
    #[inline]
    fn report(&self, lost: &mut Losses) {
        for loss in self.manager.losses() {
            lost.push(loss.port, loss.cause, handle(&loss.packet));
        }
    }
}

impl<Q: TieredQueue> SwitchModel for Hybrid<Q> {
    #[inline]
    fn arrive(&mut self, now: Time, port: u16, mut packet: Handle, lost: &mut Losses) {
        if self.manager.waiting(port) > self.mark_above {
            packet.mark();
        }
        if let Verdict::Dropped(cause) = self.manager.enqueue(now, port, self.flows.packet(packet))
        {
            lost.push(port, cause, packet);
        } else if let Some(lossless) = &mut self.lossless {
            lossless.entered(now, port, packet.class());
        }
        self.report(lost);
        self.collect(now);
    }

    #[inline]
    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        if self.lossless.is_some() && self.is_held(now, port, lost) {
            return None;
        }
        let departure = self.manager.dequeue(now, port);
        self.report(lost);
        let packet = handle(&departure?.packet);
        if let Some(lossless) = &mut self.lossless {
            lossless.left(port, packet.class());
        }
        self.collect(now);
        Some(packet)
    }

    #[inline]
    fn is_empty(&self, port: u16) -> bool {
        self.manager.backlog(port) == 0
    }

    fn backlog(&self) -> Bytes {
        SwitchModel::backlog(&self.manager)
    }

    #[inline]
    fn next_event(&mut self) -> Option<Time> {
        let next = self.manager.next_event();
        self.lossless.as_ref().map_or(next, |lossless| lossless.next_event_or(next))
    }

    #[inline]
    fn advance(&mut self, now: Time, lost: &mut Losses) {
        self.manager.advance(now);
        self.report(lost);
        self.collect(now);
        if let Some(lossless) = &mut self.lossless {
            lossless.offer_calls();
        }
    }

    fn pauses(&mut self, tell: &mut dyn FnMut(Pause)) {
        if let Some(lossless) = &mut self.lossless {
            lossless.tell(tell);
        }
    }

    fn pause(&mut self, now: Time, pause: Pause) {
        if let Some(lossless) = &mut self.lossless {
            lossless.pause(now, pause);
        }
    }

    fn pause_counts(&self, now: Time) -> Option<PauseCounts> {
        let counts = self.lossless.as_ref()?.counts(now);
        let buffer = self.manager.buffer();
        let headroom_most = buffer.cell() * u64::from(buffer.headroom().1);
        Some(PauseCounts { headroom_most, ..counts })
    }

    fn waits(&self, input: u16, class: u8, output: u16) -> bool {
        let is_one = |packet: &Packet| packet.input == input && packet.class == class;
        let mut waiting = self.manager.buffer().live_descriptors();
        waiting.any(|(_, one)| one.port == output && !one.departed && is_one(&one.packet))
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        self.manager.gauges(show);
    }

    fn flow_added(&mut self, id: FlowId, data: Bytes, _on_wire: Bytes) {
        self.flows.add(id, data);
    }
}

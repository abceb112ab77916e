//! The parameters of all schedulers that hold packets, and what each reads of them.

use alloc::vec;

use forebay_units::{Bytes, Rate};

use super::{SchedulerError, Weights};
use crate::fair::gearbox::{GearboxConfig, GearboxError, WeightRange};
use crate::fair::{
    CalendarConfig, CodelConfig, FqCodelConfig, Limits, PifoConfig, SketchConfig, VirtualUnit,
};
use crate::functions::RankConfig;
use crate::tree::{MAX_CAPACITY, NodeConfig, Rule, TreeConfig};
use crate::{MAX_FLOWS, Quantizer};

/// Parameters of all schedulers; each reads its own.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerConfig {
    /// The rate of the link, for schedulers whose clock is real time. Default 10 Gb/s (gearbox §4.1.1).
    pub link_rate: Rate,
    /// The weight of every flow.
    pub weights: Weights,
    /// Bytes that may wait. Default 96 MiB.
    pub byte_limit: Bytes,
    /// Packets that may wait. Default 65 536.
    pub packet_limit: u32,
    /// Flows that have state of their own, 1 to [`MAX_FLOWS`]. Default 2^20.
    pub flows: u32,
    /// Bytes of a unit of virtual time, of Gearbox, calendars and WFQ.
    pub unit: VirtualUnit,
    /// First-in first-out queues of a calendar. Default 56 (gearbox §4.1.1).
    pub calendar_queues: u32,
    /// Units in a period, of `afq` and `pcq`. Default 10.
    pub calendar_granularity: u64,
    /// The sketch of `afq`.
    pub sketch: SketchConfig,
    /// The levels and rules of Gearbox; its unit, flows and limits are those above.
    pub gearbox: GearboxConfig,
    /// Ranks that `wfq-bucket` tells apart, 1 to 2^20: 16ths of a unit of virtual time. Default 2^16.
    pub bucket_ranks: u32,
    /// Bytes per weight and round, of `drr` and `fq-codel`. Default 1514.
    pub quantum: u32,
    /// Hashed queues of `fq-codel`. Default 1024.
    pub hashed_queues: u32,
    /// Chooses the hash of `fq-codel`.
    pub hash_seed: u64,
    /// CoDel, of `fq-codel`.
    pub codel: CodelConfig,
    /// What `gearbox-auto` must serve.
    pub auto: AutoLevels,
    /// The rank functions' own parameters; their flows, weights and rate are those above.
    pub ranks: RankConfig,
    /// Orders rank functions by buckets, [`bucket_ranks`](Self::bucket_ranks) of them; beyond is refused.
    /// Default `None`: exactly.
    pub quantizer: Option<Quantizer>,
    /// The tree of `tree`: its nodes, largest packet, packets and the parameters of its leaves' orders. Its rate
    /// is that of the link above, and no more packets wait than above. Default: class 0 first, then all
    /// other flows in equal shares.
    pub tree: TreeConfig,
}

/// What the levels of `gearbox-auto` are chosen for; the range of weights is that of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoLevels {
    /// First-in first-out queues there are. Default 112, twice those of gearbox §4.1.1 (assumed: a range of
    /// 1 : 10,000 needs more than 56).
    pub fifos: u32,
    /// The largest packet. Default 1500 bytes (gearbox §4.1.1).
    pub packet: Bytes,
    /// Packets of the lightest flow that must fit ahead. Default 16 (assumed: a short flow).
    pub backlog: u32,
}

impl Default for AutoLevels {
    fn default() -> Self {
        AutoLevels { fifos: 112, packet: Bytes::new(1500), backlog: 16 }
    }
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        let (limits, calendar) = (Limits::default(), CalendarConfig::default());
        let fq_codel = FqCodelConfig::default();
        SchedulerConfig {
            link_rate: Rate::from_gbps(10),
            weights: Weights::default(),
            byte_limit: limits.bytes,
            packet_limit: limits.packets,
            flows: calendar.flows,
            unit: VirtualUnit::default(),
            calendar_queues: calendar.queues,
            calendar_granularity: 10,
            sketch: SketchConfig::default(),
            gearbox: GearboxConfig::default(),
            bucket_ranks: 1 << 16,
            quantum: fq_codel.quantum,
            hashed_queues: fq_codel.queues,
            hash_seed: fq_codel.seed,
            codel: fq_codel.codel,
            auto: AutoLevels::default(),
            ranks: RankConfig::default(),
            quantizer: None,
            tree: default_tree(),
        }
    }
}

impl SchedulerConfig {
    pub(super) fn limits(&self) -> Limits {
        Limits { packets: self.packet_limit, bytes: self.byte_limit }
    }

    pub(super) fn gearbox(&self) -> GearboxConfig {
        GearboxConfig {
            unit: self.unit,
            flows: self.flows,
            limits: self.limits(),
            ..self.gearbox.clone()
        }
    }

    pub(super) fn calendar(&self, granularity: u64) -> CalendarConfig {
        let (queues, unit, flows) = (self.calendar_queues, self.unit, self.flows);
        CalendarConfig { queues, granularity, unit, flows, limits: self.limits() }
    }

    pub(super) fn pifo(&self) -> PifoConfig {
        PifoConfig {
            unit: self.unit,
            flows: self.flows,
            limits: self.limits(),
            ..PifoConfig::default()
        }
    }

    /// The levels that suit the weights; everything else as [`gearbox`](Self::gearbox).
    pub(super) fn gearbox_auto(&self) -> Result<GearboxConfig, GearboxError> {
        let (lightest, heaviest) = self.weights.range();
        let AutoLevels { fifos, packet, backlog } = self.auto;
        let (total_weight, step_down) = (self.unit.total_weight, self.gearbox.step_down);
        let range =
            WeightRange { lightest, heaviest, total_weight, packet, backlog, fifos, step_down };
        let chosen = GearboxConfig::for_weights(&range)?;
        Ok(GearboxConfig { levels: chosen.levels, unit: chosen.unit, ..self.gearbox() })
    }

    /// The rank functions' parameters.
    pub(super) fn ranks(&self) -> RankConfig {
        RankConfig {
            flows: self.flows as usize,
            weights: self.weights.clone(),
            rate: self.link_rate,
            ..self.ranks.clone()
        }
    }

    /// The scheduling tree.
    pub(super) fn tree(&self) -> TreeConfig {
        TreeConfig {
            rate: self.link_rate,
            capacity: (self.packet_limit as usize).min(self.tree.capacity),
            ranks: RankConfig { rate: self.link_rate, ..self.tree.ranks.clone() },
            ..self.tree.clone()
        }
    }

    /// Checks what every scheduler needs.
    pub(super) fn check(&self) -> Result<(), SchedulerError> {
        if !self.limits().is_valid() {
            return Err(SchedulerError::Limits);
        }
        if !self.unit.is_valid() {
            return Err(SchedulerError::Unit);
        }
        if !(1..=MAX_FLOWS).contains(&(self.flows as usize)) {
            return Err(SchedulerError::Flows);
        }
        if self.quantum == 0 {
            return Err(SchedulerError::Quantum);
        }
        if !(1..=1 << 20).contains(&self.hashed_queues)
            || !(1..=1 << 20).contains(&self.bucket_ranks)
        {
            return Err(SchedulerError::Queues);
        }
        Ok(())
    }
}

/// Class 0 first, then everything else by fair queueing.
fn default_tree() -> TreeConfig {
    let first = NodeConfig { rules: vec![Rule::class(0)], ..NodeConfig::below("port", "first") };
    let rest = NodeConfig {
        priority: 1,
        order: Some("stfq".into()),
        rules: vec![Rule::any()],
        ..NodeConfig::below("port", "rest")
    };
    let port = NodeConfig { scheduler: Some("sp".into()), ..NodeConfig::root("port") };
    TreeConfig {
        capacity: MAX_CAPACITY,
        nodes: vec![port, first, rest],
        ..TreeConfig::new(Rate::from_gbps(10))
    }
}

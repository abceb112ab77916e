//! One type that describes any switch.
//!
//! A switch is called after what is special about it: a buffer-management scheme, a hybrid scheme,
//! a way to schedule. A [`Catalogue`] gives the defaults of each, which an experiment changes. A
//! switch built from a description is behind one virtual call per method; where that counts, make
//! the concrete type.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;

use forebay_buffer::onchip::PRIORITIES;
use forebay_parameters::{Choice, Configure, Entry, Parameter, ParameterError, UnknownName, Walk};
use forebay_pifo::TieredExact;
use forebay_sched::RankFunction;
use forebay_sched::scheduler::{PacketScheduler, SchedulerShape, by_rank};
use forebay_units::{Bytes, Duration, Rate};

use crate::memory;
use crate::{
    Catalogue, DropTailConfig, DropTailSwitch, FlowControl, Hybrid, HybridConfig, OnChip,
    OnChipConfig, PfcConfig, PortLimits, RankPrecision, Scheduled, SwitchBuildError, SwitchModel,
    SwitchShape, TrimConfig, TrimSwitch,
};

/// Any switch.
pub type AnySwitch = Box<dyn SwitchModel + Send>;

/// What a switch with a scheduler per port is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledConfig {
    /// The scheduler of every port: one of `forebay_sched::scheduler::schedulers`, or a caller's
    /// own. Weights, and the flows in the rules of a tree, are those of the network's flows, in the
    /// order in which flows are given, both directions alike.
    pub scheduler: Choice<dyn PacketScheduler>,
    /// Whether it serves by a rank, in whose place another may be given.
    pub takes_ranks: bool,
    /// The limits of every port, which its scheduler keeps.
    pub limits: PortLimits,
}

impl ScheduledConfig {
    /// This scheduler; 1 MB a port, no marks.
    #[must_use]
    pub fn new(scheduler: Choice<dyn PacketScheduler>) -> Self {
        let scheduler = scheduler.beside(LIMITS);
        ScheduledConfig { scheduler, takes_ranks: false, limits: PortLimits::default() }
    }

    /// Packets leave by this rank; 1 MB a port, no marks.
    #[must_use]
    pub fn by_rank(rank: Choice<dyn RankFunction>) -> Self {
        ScheduledConfig { takes_ranks: true, ..ScheduledConfig::new(by_rank(rank)) }
    }

    fn build(
        &self,
        shape: &SwitchShape<'_>,
    ) -> Result<Scheduled<Box<dyn PacketScheduler>>, SwitchBuildError> {
        // The scheduler keeps the port's limit itself: it may have something better to drop than
        // the arrival.
        let buffer = self.limits.limit;
        let limits = PortLimits { limit: Bytes::new(u64::MAX), ..self.limits };
        let ports = shape.ports.len();
        Scheduled::new(shape, limits, |port, link_rate| {
            if !memory::is_left_at(port) {
                return Err(SwitchBuildError::PortMemory { ports, built: port.into() });
            }
            Ok(self.scheduler.build(&SchedulerShape { link_rate, buffer, pairs: true })?)
        })
    }
}

/// What stands beside the parameters of a port's scheduler.
const LIMITS: &[Parameter] = &[PortLimits::LIMIT, PortLimits::MARK_ABOVE];

/// What a switch is.
///
/// ```
/// use forebay_switch::{SwitchConfig, SwitchShape};
/// use forebay_units::{Bytes, Duration, Rate};
///
/// let mut config = SwitchConfig::named("occamy")?;
/// if let SwitchConfig::OnChip(chip) = &mut config {
///     chip.pool = Bytes::new(410_000);
/// }
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 8] };
/// assert!(config.build(&shape)?.is_empty(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum SwitchConfig {
    /// A first-in first-out queue per port, or two of which one is of trimmed packets.
    DropTail(DropTailConfig),
    /// On-chip shared buffers.
    OnChip(OnChipConfig),
    /// SRAM and HBM.
    Hybrid(HybridConfig),
    /// A scheduler that holds the packets per port.
    Scheduled(Box<ScheduledConfig>),
}

impl SwitchConfig {
    /// The built-in switch called `name`, with its defaults: [`Catalogue::switch`] without
    /// anybody's own.
    ///
    /// # Errors
    /// If no switch has that name.
    pub fn named(name: &str) -> Result<Self, UnknownName> {
        Catalogue::default().switch(name)
    }

    /// The same switch, serving and dropping by this rank instead of its own: exactly, whatever the
    /// range of ranks. An on-chip buffer whose scheme does not read ranks is refused when it is
    /// built.
    ///
    /// # Errors
    /// If it does not take a rank.
    pub fn ranked_by(mut self, rank: Choice<dyn RankFunction>) -> Result<Self, SwitchBuildError> {
        match &mut self {
            SwitchConfig::Hybrid(hybrid) => {
                (hybrid.rank, hybrid.ranked) = (rank, RankPrecision::Exact);
            }
            SwitchConfig::OnChip(chip) => chip.rank = Some(rank),
            SwitchConfig::Scheduled(scheduled) if scheduled.takes_ranks => {
                scheduled.scheduler = by_rank(rank).beside(LIMITS);
            }
            SwitchConfig::Scheduled(other) => {
                return Err(SwitchBuildError::NotRanked(other.scheduler.name().to_owned()));
            }
            SwitchConfig::DropTail(_) => {
                return Err(SwitchBuildError::NotRanked("drop-tail".to_owned()));
            }
        }
        Ok(self)
    }

    /// The same switch, marking packets beyond so many bytes of their queue; `None`, and 0 B as in
    /// files, for never.
    #[must_use]
    pub fn with_marks(mut self, above: Option<Bytes>) -> Self {
        let place = match &mut self {
            SwitchConfig::DropTail(config) => &mut config.limits.mark_above,
            SwitchConfig::OnChip(config) => &mut config.mark_above,
            SwitchConfig::Hybrid(config) => &mut config.mark_above,
            SwitchConfig::Scheduled(config) => &mut config.limits.mark_above,
        };
        *place = above.filter(|above| *above > Bytes::ZERO);
        self
    }

    /// Whether it marks packets at all.
    #[must_use]
    pub fn marks(&self) -> bool {
        let above = match self {
            SwitchConfig::DropTail(config) => config.limits.mark_above,
            SwitchConfig::OnChip(config) => config.mark_above,
            SwitchConfig::Hybrid(config) => config.mark_above,
            SwitchConfig::Scheduled(config) => config.limits.mark_above,
        };
        above.is_some()
    }

    /// Whether packets of one class fare otherwise than those of another: their queue or their rank
    /// depends on it. One whose scheduler cannot be built may.
    #[must_use]
    pub fn reads_class(&self) -> bool {
        match self {
            SwitchConfig::DropTail(_) => false,
            SwitchConfig::OnChip(config) => config.reads_class(),
            SwitchConfig::Hybrid(config) => config.reads_class(),
            SwitchConfig::Scheduled(config) => {
                let shape = SchedulerShape::of_link(Rate::from_gbps(10));
                config.scheduler.build(&shape).map_or(true, |scheduler| scheduler.reads_class())
            }
        }
    }

    /// What there is to say where no rule gives packets classes, if schedulers go by them. What
    /// orders by a rank of the user's choice is not asked: it may read a class or not.
    #[must_use]
    pub fn without_classes(&self) -> Option<String> {
        let said = "the switch goes by the class of a packet, and without a rule for classes every \
                    packet has class 0";
        let goes_by_class = match self {
            SwitchConfig::Scheduled(config) => !config.takes_ranks && self.reads_class(),
            SwitchConfig::DropTail(_) | SwitchConfig::OnChip(_) | SwitchConfig::Hybrid(_) => false,
        };
        goes_by_class.then(|| said.to_owned())
    }

    /// The same switch with so much buffer: of each port where ports have buffers of their own, of
    /// each pool of an on-chip buffer, the SRAM of a hybrid one.
    #[must_use]
    pub fn with_buffer(mut self, size: Bytes) -> Self {
        let place = match &mut self {
            SwitchConfig::DropTail(config) => &mut config.limits.limit,
            SwitchConfig::OnChip(config) => &mut config.pool,
            SwitchConfig::Hybrid(config) => &mut config.memory.sram,
            SwitchConfig::Scheduled(config) => &mut config.limits.limit,
        };
        *place = size;
        self
    }

    /// The same switch with room for packets of so many bytes, which a shared or a hybrid buffer
    /// must be told: it loses larger ones. Never for smaller ones than before. Ports with buffers
    /// of their own need not be told.
    #[must_use]
    pub fn with_packets_of(mut self, bytes: u32) -> Self {
        let largest = match &mut self {
            SwitchConfig::OnChip(config) => &mut config.largest_packet,
            SwitchConfig::Hybrid(config) => &mut config.memory.largest_packet,
            SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_) => return self,
        };
        *largest = bytes.max(*largest);
        self
    }

    /// The same switch behind cables of these delays, port by port: headroom follows from them.
    #[must_use]
    pub fn with_cables(mut self, delays: &[Duration]) -> Self {
        match &mut self {
            SwitchConfig::OnChip(config) if config.pfc.is_on() => {
                config.pfc.cables = delays.to_vec();
            }
            SwitchConfig::Hybrid(config) if config.pfc.is_on() => {
                config.pfc.cables = delays.to_vec();
            }
            SwitchConfig::OnChip(_)
            | SwitchConfig::DropTail(_)
            | SwitchConfig::Hybrid(_)
            | SwitchConfig::Scheduled(_) => {}
        }
        self
    }

    /// How it is driven if it has lossless classes.
    #[must_use]
    pub fn flow_control(&self) -> Option<FlowControl> {
        match self {
            SwitchConfig::OnChip(config) if config.pfc.is_on() => Some(FlowControl {
                response: config.pfc.response,
                queues: config.queues,
                credits: config.granted(),
            }),
            SwitchConfig::Hybrid(config) if config.pfc.is_on() => Some(FlowControl {
                response: config.pfc.response,
                queues: PRIORITIES as u16,
                credits: None,
            }),
            SwitchConfig::OnChip(_)
            | SwitchConfig::DropTail(_)
            | SwitchConfig::Hybrid(_)
            | SwitchConfig::Scheduled(_) => None,
        }
    }

    /// How it trims, if it does.
    #[must_use]
    pub fn trimming(&self) -> Option<&TrimConfig> {
        match self {
            SwitchConfig::DropTail(config) => config.trim.then_some(&config.trimming),
            SwitchConfig::OnChip(_) | SwitchConfig::Hybrid(_) | SwitchConfig::Scheduled(_) => None,
        }
    }

    /// That no class is lossless and no packet is trimmed, for a driver without neighbours to pause
    /// and without hosts that ask again for what was cut off.
    ///
    /// # Errors
    /// Names the parameter that makes it so.
    pub fn check_lossy(&self) -> Result<(), ParameterError> {
        if self.trimming().is_some() {
            let problem = "there is no host here that asks again for what is cut off: leave it out";
            return Err(DropTailConfig::TRIM.refuse(problem));
        }
        if self.flow_control().is_none() {
            return Ok(());
        }
        let problem = "there is no neighbour here that could be paused: leave it out";
        Err(PfcConfig::LOSSLESS.refuse(problem))
    }

    /// How many classes are lossless.
    #[must_use]
    pub fn lossless_classes(&self) -> usize {
        let pfc = match self {
            SwitchConfig::OnChip(config) => &config.pfc,
            SwitchConfig::Hybrid(config) => &config.pfc,
            SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_) => return 0,
        };
        pfc.by_class().iter().filter(|one| **one).count()
    }

    /// Whether a port can hold a packet of so many bytes at all. Shared and hybrid buffers refuse
    /// larger ones when they are built.
    ///
    /// # Errors
    /// [`SwitchBuildError::Packet`] if an empty port has no room for it.
    pub fn check_packets_of(&self, bytes: u32) -> Result<(), SwitchBuildError> {
        let room = match self {
            SwitchConfig::DropTail(config) => config.limits.limit,
            SwitchConfig::Scheduled(scheduled) => scheduled.limits.limit,
            SwitchConfig::OnChip(_) | SwitchConfig::Hybrid(_) => return Ok(()),
        };
        match room < Bytes::new(bytes.into()) {
            true => Err(SwitchBuildError::Packet { largest: bytes, room }),
            false => Ok(()),
        }
    }

    /// A switch of this shape.
    ///
    /// # Errors
    /// If a parameter does not fit, or something is called by a name that does not exist.
    pub fn build(&self, shape: &SwitchShape<'_>) -> Result<AnySwitch, SwitchBuildError> {
        Ok(match self {
            SwitchConfig::DropTail(config) if config.trim => {
                Box::new(TrimSwitch::new(shape, &config.limits, &config.trimming)?)
            }
            SwitchConfig::DropTail(config) => Box::new(DropTailSwitch::new(shape, &config.limits)),
            SwitchConfig::OnChip(config) => Box::new(OnChip::new(shape, config)?),
            SwitchConfig::Hybrid(config) => match config.ranked {
                RankPrecision::Exact => Box::new(Hybrid::<TieredExact>::exact(shape, config)?),
                RankPrecision::Buckets { bits } => Box::new(Hybrid::buckets(shape, config, bits)?),
            },
            SwitchConfig::Scheduled(config) => Box::new(config.build(shape)?),
        })
    }
}

/// What the switch shows; a scheduler that holds the packets, its limits and then what it reads.
impl Configure for SwitchConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        match self {
            SwitchConfig::DropTail(config) => config.walk(walk),
            SwitchConfig::OnChip(config) => config.walk(walk),
            SwitchConfig::Hybrid(config) => config.walk(walk),
            SwitchConfig::Scheduled(config) => {
                config.limits.walk(walk);
                config.scheduler.walk(walk);
            }
        }
    }
}

/// A switch with a name: a line of the list of switches.
#[derive(Clone, Debug)]
pub struct SwitchInfo {
    name: Cow<'static, str>,
    label: Cow<'static, str>,
    about: Cow<'static, str>,
    /// What it is made of.
    pub config: SwitchConfig,
}

impl SwitchInfo {
    /// The switch called `name`; `about` is what it does, in one sentence.
    #[must_use]
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        about: impl Into<Cow<'static, str>>,
        config: SwitchConfig,
    ) -> Self {
        let name = name.into();
        SwitchInfo { label: name.clone(), name, about: about.into(), config }
    }

    /// The same, with this label in figures.
    #[must_use]
    pub fn labelled(self, label: impl Into<Cow<'static, str>>) -> Self {
        SwitchInfo { label: label.into(), ..self }
    }

    /// The switch that is called after what it is made of.
    #[must_use]
    pub(crate) fn after(entry: &impl Entry, config: SwitchConfig) -> Self {
        let text = |text: &str| text.to_owned().into();
        let (name, label, about) = (text(entry.name()), text(entry.label()), text(entry.about()));
        SwitchInfo { name, label, about, config }
    }
}

impl Entry for SwitchInfo {
    const WHAT: &'static str = "switch";

    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn about(&self) -> &str {
        &self.about
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;
    use forebay_buffer::onchip::MemoryConfig;
    use forebay_parameters::set;
    use forebay_sched::ShortestFlowFirst;
    use forebay_units::Duration;

    #[test]
    fn a_switch_says_whether_it_tells_classes_apart() {
        let reads: Vec<&str> = [
            "drop-tail",
            "dt",
            "edf",
            "lstf",
            "wsjf",
            "fq-codel",
            "tree",
            "strict-priority",
            "themis",
        ]
        .into_iter()
        .filter(|name| SwitchConfig::named(name).unwrap().reads_class())
        .collect();
        assert_eq!(reads, ["tree", "strict-priority"]);
        let mut edf = SwitchConfig::named("edf").unwrap();
        set(&mut edf, &[("budgets", "1 ms:1 ms")]).unwrap();
        assert!(!edf.reads_class());
        set(&mut edf, &[("budgets", "1 ms:2 ms")]).unwrap();
        assert!(edf.reads_class());
        let ranked = |name: &str| {
            let rank = Catalogue::default().ranks().named(name).unwrap().clone();
            SwitchConfig::named("themis").unwrap().ranked_by(rank).unwrap().reads_class()
        };
        assert!(ranked("strict-priority") && !ranked("las"));
        let mut chip = OnChipConfig::named("dt").unwrap();
        chip.queues = 2;
        assert!(SwitchConfig::OnChip(chip).reads_class());
    }

    #[test]
    fn bad_parameters_are_refused() {
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 3] };
        let refused = |config: SwitchConfig| config.build(&shape).err().map(|e| e.to_string());
        let chip = |change: fn(&mut OnChipConfig)| {
            let mut config = OnChipConfig::named("dt").unwrap();
            change(&mut config);
            refused(SwitchConfig::OnChip(config)).unwrap()
        };
        assert!(chip(|c| c.ports_per_pool = 0).starts_with("ports_per_pool"));
        assert!(OnChipConfig::named("dtt").unwrap_err().to_string().contains("no buffer policy"));
        assert!(chip(|c| c.cell = 0).starts_with("cell: "));
        assert!(chip(|c| c.cell = 1 << 28).starts_with("cell: 30 Gb/s in all is too slow"));
        assert!(chip(|c| c.pool = Bytes::new(100)).starts_with("pool: a buffer of 100 B"));
        assert!(
            chip(|c| c.pool = Bytes::new(1 << 40)).contains("is more than 2^24 cells of 200 B")
        );
        assert!(chip(|c| c.largest_packet = 9_000_000).starts_with("the largest packet is 9 MB"));
        let still = |c: &mut OnChipConfig| {
            c.memory = Some(MemoryConfig { cycle: Duration::ZERO, ..MemoryConfig::default() });
        };
        assert!(chip(still).starts_with("memory.cycle: "));
        assert!(chip(|c| c.queues = 0).starts_with("classes"));
        assert!(HybridConfig::named("sram").unwrap_err().to_string().contains("no hybrid"));
        let ranked = RankPrecision::Buckets { bits: 31 };
        let hybrid = HybridConfig { ranked, ..HybridConfig::named("themis").unwrap() };
        assert!(refused(SwitchConfig::Hybrid(hybrid)).unwrap().starts_with("rank_bits"));
        for name in ["dt", "drr", "drop-tail", "srpt"] {
            let ranked = SwitchConfig::named(name).unwrap().ranked_by(ShortestFlowFirst::choice());
            let error = ranked.map_or_else(|error| error.to_string(), |own| refused(own).unwrap());
            assert!(error.starts_with(&format!("switch {name} does not take")), "{error}");
        }
    }
}

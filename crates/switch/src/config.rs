//! Switches by name: one type that describes any of them, and the list of names.
//!
//! A name is that of what is special about the switch: a buffer-management scheme, a hybrid scheme, a way
//! to schedule. [`SwitchConfig::named`] gives its defaults, which an experiment changes; [`switches`] lists
//! all names. A switch built from a description is behind one virtual call per method; where that counts,
//! make the concrete type.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};

use forebay_buffer::onchip;
use forebay_parameters::{Entry, Registry, UnknownName};
use forebay_pifo::TieredExact;
use forebay_sched::scheduler::{
    PacketScheduler, SchedulerConfig, SchedulerError, scheduler, schedulers,
};
use forebay_units::Bytes;

use crate::{
    DropTail, Hybrid, HybridConfig, OnChip, OnChipConfig, PortLimits, Ranked, Scheduled,
    SwitchBuildError, SwitchModel, SwitchShape,
};

/// Any switch.
pub type AnySwitch = Box<dyn SwitchModel + Send>;

/// What a switch with a scheduler per port is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledConfig {
    /// The scheduler, by its name in `forebay_sched::scheduler::schedulers`.
    pub scheduler: String,
    /// Its parameters. The link rate is that of each port; the weights, and the flows in the rules of
    /// a tree, are those of the network's flows, in the order in which flows are given, both directions alike.
    pub parameters: SchedulerConfig,
    /// The limits of every port, which its scheduler keeps.
    pub limits: PortLimits,
}

impl ScheduledConfig {
    /// The scheduler called `name`, with its defaults; 1 MB a port, no marks.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let (parameters, limits) = (SchedulerConfig::default(), PortLimits::default());
        ScheduledConfig { scheduler: name.into(), parameters, limits }
    }

    fn build(
        &self,
        shape: &SwitchShape<'_>,
    ) -> Result<Scheduled<Box<dyn PacketScheduler>>, SchedulerError> {
        let weights = self.parameters.weights.clone().of_pairs();
        let tree = self.parameters.tree.clone().of_pairs();
        // The scheduler keeps the port's limit itself: it may have something better to drop than the arrival.
        let byte_limit = self.parameters.byte_limit.min(self.limits.limit);
        let limits = PortLimits { limit: Bytes::new(u64::MAX), ..self.limits };
        let mut parameters =
            SchedulerConfig { weights, tree, byte_limit, ..self.parameters.clone() };
        Scheduled::new(shape, limits, |_port, rate| {
            parameters.link_rate = rate;
            scheduler(&self.scheduler, &parameters)
        })
    }
}

/// What a switch is.
///
/// ```
/// use forebay_switch::{SwitchConfig, SwitchShape};
/// use forebay_units::{Bytes, Rate};
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
    /// A first-in first-out queue per port.
    DropTail(PortLimits),
    /// On-chip shared buffers.
    OnChip(OnChipConfig),
    /// SRAM and HBM.
    Hybrid(HybridConfig),
    /// A scheduler that holds the packets per port.
    Scheduled(Box<ScheduledConfig>),
}

impl SwitchConfig {
    /// The switch called `name`, with its defaults.
    ///
    /// # Errors
    /// If no switch has that name.
    pub fn named(name: &str) -> Result<Self, UnknownName> {
        switches().named(name).map(|info| info.config.clone())
    }

    /// The same switch, marking packets beyond so many bytes of their queue; `None` for never.
    #[must_use]
    pub fn with_marks(mut self, above: Option<Bytes>) -> Self {
        let place = match &mut self {
            SwitchConfig::DropTail(config) => &mut config.mark_above,
            SwitchConfig::OnChip(config) => &mut config.mark_above,
            SwitchConfig::Hybrid(config) => &mut config.mark_above,
            SwitchConfig::Scheduled(config) => &mut config.limits.mark_above,
        };
        *place = above;
        self
    }

    /// Whether it marks packets at all.
    #[must_use]
    pub fn marks(&self) -> bool {
        let above = match self {
            SwitchConfig::DropTail(config) => config.mark_above,
            SwitchConfig::OnChip(config) => config.mark_above,
            SwitchConfig::Hybrid(config) => config.mark_above,
            SwitchConfig::Scheduled(config) => config.limits.mark_above,
        };
        above.is_some()
    }

    /// The same switch with so much buffer: of each port where ports have buffers of their own, of each
    /// pool of an on-chip buffer, the SRAM of a hybrid one.
    #[must_use]
    pub fn with_buffer(mut self, size: Bytes) -> Self {
        let place = match &mut self {
            SwitchConfig::DropTail(config) => &mut config.limit,
            SwitchConfig::OnChip(config) => &mut config.pool,
            SwitchConfig::Hybrid(config) => &mut config.memory.sram,
            SwitchConfig::Scheduled(config) => &mut config.limits.limit,
        };
        *place = size;
        self
    }

    /// The same switch with room for packets of so many bytes, which a shared or a hybrid buffer must be told:
    /// it loses larger ones. Never for smaller ones than before. Ports with buffers of their own need not
    /// be told.
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

    /// A switch of this shape.
    ///
    /// # Errors
    /// If a parameter does not fit, or something is called by a name that does not exist.
    pub fn build(&self, shape: &SwitchShape<'_>) -> Result<AnySwitch, SwitchBuildError> {
        Ok(match self {
            SwitchConfig::DropTail(config) => Box::new(DropTail::new(shape, config)),
            SwitchConfig::OnChip(config) => Box::new(OnChip::new(shape, config)?),
            SwitchConfig::Hybrid(config) => match config.ranked {
                Ranked::Exact => Box::new(Hybrid::<TieredExact>::exact(shape, config)?),
                Ranked::Buckets { bits } => Box::new(Hybrid::buckets(shape, config, bits)?),
            },
            SwitchConfig::Scheduled(config) => Box::new(config.build(shape)?),
        })
    }
}

/// A switch with a name: a line of the list of switches.
#[derive(Clone, Debug)]
pub struct SwitchInfo {
    name: Cow<'static, str>,
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
        SwitchInfo { name: name.into(), about: about.into(), config }
    }
}

impl Entry for SwitchInfo {
    const WHAT: &'static str = "switch";

    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        &self.about
    }
}

/// Every switch by name: drop-tail, PIFO, the schedulers of `forebay_sched` (but its drop-tail, which the
/// first one is), then the schemes of the registries of `forebay_buffer`.
#[must_use]
pub fn switches() -> Registry<SwitchInfo> {
    let drop_tail = SwitchConfig::DropTail(PortLimits::default());
    let own = [
        SwitchInfo::new("drop-tail", "a first-in first-out queue per port", drop_tail),
        SwitchInfo::new(
            "pifo",
            "packets leave each port by rank, shortest flow first if no other is named",
            scheduled("sff"),
        ),
    ];
    let own_names = ["drop-tail", "pifo"];
    let schedulers = schedulers().filter(|(name, _)| !own_names.contains(name));
    let schedulers = schedulers.map(|(name, about)| SwitchInfo::new(name, about, scheduled(name)));
    let on_chip = onchip::policies().into_iter().map(|policy| {
        let (name, about) = (policy.name().to_string(), policy.about().to_string());
        SwitchInfo::new(name, about, SwitchConfig::OnChip(OnChipConfig::new(policy)))
    });
    let hybrid = forebay_buffer::policies().into_iter().map(|policy| {
        let (name, about) = (policy.name().to_string(), policy.about().to_string());
        SwitchInfo::new(name, about, SwitchConfig::Hybrid(HybridConfig::new(policy)))
    });
    Registry::of(own.into_iter().chain(schedulers).chain(on_chip).chain(hybrid))
}

fn scheduled(name: &str) -> SwitchConfig {
    SwitchConfig::Scheduled(Box::new(ScheduledConfig::new(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_units::Rate;

    #[test]
    fn names_are_unique_and_all_build() {
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 3] };
        let infos = switches();
        for (index, info) in infos.iter().enumerate() {
            let before = infos.iter().take(index);
            assert!(before.clone().all(|other| other.name != info.name), "{}", info.name);
            let switch = SwitchConfig::named(&info.name).unwrap().build(&shape).unwrap();
            assert!(switch.is_empty(2), "{}", info.name);
        }
        let error = SwitchConfig::named("ocamy").err().unwrap().to_string();
        assert!(error.starts_with("there is no switch `ocamy`; "), "{error}");
        assert!(error.contains("occamy"), "{error}");
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
        assert!(chip(|c| c.scheduler = "fifo".into()).contains("no port scheduler"));
        assert!(chip(|c| c.cell = 0).contains("cell"));
        assert!(chip(|c| c.scheduling.classes = 0).starts_with("classes"));
        assert!(HybridConfig::named("sram").unwrap_err().to_string().contains("no hybrid"));
        let ranked = Ranked::Buckets { bits: 31 };
        let hybrid = HybridConfig { ranked, ..HybridConfig::named("themis").unwrap() };
        assert!(refused(SwitchConfig::Hybrid(hybrid)).unwrap().starts_with("rank_bits"));
        let unknown = refused(scheduled("sfq")).unwrap();
        assert!(unknown.contains("no scheduler \"sfq\""), "{unknown}");
    }
}

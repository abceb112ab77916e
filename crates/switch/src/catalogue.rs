//! What a switch can be made of, by name: the registries of the whole house, which a caller extends
//! with its own.
//!
//! A crate with a policy of its own puts it into a catalogue, and from there it is a switch like
//! any other: in networks, on captures, in experiments, in the command and in Python.

use alloc::vec::Vec;

use forebay_buffer::onchip::OnChipPolicy;
use forebay_buffer::{HybridPolicy, onchip};
use forebay_parameters::{Choice, Choices, Entry, Registry, TakenName, UnknownName};
use forebay_sched::port::{PortScheduler, port_schedulers};
use forebay_sched::scheduler::{PacketScheduler, by_rank, schedulers};
use forebay_sched::tree::{DisciplineInfo, TreeConfig, disciplines};
use forebay_sched::{RankFunction, ShortestFlowFirst, rank_functions};

use crate::{
    DropTailConfig, HybridConfig, OnChipConfig, ScheduledConfig, SwitchConfig, SwitchInfo,
};

/// The registries that a switch can be made of. The default has the built-in entries; `with_…` adds
/// a caller's.
///
/// ```
/// use forebay_parameters::Choice;
/// use forebay_sched::functions::{RankBy, RankFunction};
/// use forebay_sched::{Packet, Rank};
/// use forebay_switch::Catalogue;
///
/// let largest = Choice::<dyn RankFunction>::new("largest", "largest packet first", (), |(), _| {
///     Ok(Box::new(RankBy(|_now, packet: &Packet| Rank::new(u64::from(u32::MAX - packet.size)))))
/// });
/// let catalogue = Catalogue::default().with_rank(largest)?;
/// assert!(catalogue.switch("largest").is_ok() && catalogue.switch("occamy").is_ok());
/// assert!(catalogue.switch("smallest").is_err());
/// # Ok::<(), forebay_parameters::TakenName>(())
/// ```
#[derive(Clone, Debug)]
pub struct Catalogue {
    on_chip: Choices<dyn OnChipPolicy>,
    hybrid: Choices<dyn HybridPolicy>,
    ranks: Choices<dyn RankFunction>,
    /// Those that are no rank functions.
    schedulers: Choices<dyn PacketScheduler>,
    port_schedulers: Choices<dyn PortScheduler>,
    disciplines: Registry<DisciplineInfo>,
}

impl Default for Catalogue {
    fn default() -> Self {
        let ranks = rank_functions();
        let own = schedulers().into_iter().filter(|one| ranks.get(one.name()).is_none());
        Catalogue {
            on_chip: onchip::policies(),
            hybrid: forebay_buffer::policies(),
            schedulers: Registry::of(own),
            ranks,
            port_schedulers: port_schedulers(),
            disciplines: disciplines(),
        }
    }
}

impl Catalogue {
    /// With one more buffer policy on chip.
    ///
    /// # Errors
    /// A switch has the name already.
    pub fn with_on_chip(mut self, policy: Choice<dyn OnChipPolicy>) -> Result<Self, TakenName> {
        self.switches().with(on_chip(&policy, &self.port_schedulers))?;
        self.on_chip = self.on_chip.with(policy)?;
        Ok(self)
    }

    /// With one more hybrid policy.
    ///
    /// # Errors
    /// A switch has the name already.
    pub fn with_hybrid(mut self, policy: Choice<dyn HybridPolicy>) -> Result<Self, TakenName> {
        self.switches().with(hybrid(&policy))?;
        self.hybrid = self.hybrid.with(policy)?;
        Ok(self)
    }

    /// With one more rank function, which is a scheduler too.
    ///
    /// # Errors
    /// A switch has the name already.
    pub fn with_rank(mut self, rank: Choice<dyn RankFunction>) -> Result<Self, TakenName> {
        self.switches().with(ranked(&rank))?;
        self.ranks = self.ranks.with(rank)?;
        Ok(self)
    }

    /// With one more scheduler that holds packets.
    ///
    /// # Errors
    /// A switch has the name already.
    pub fn with_scheduler(
        mut self,
        scheduler: Choice<dyn PacketScheduler>,
    ) -> Result<Self, TakenName> {
        self.switches().with(scheduled(&scheduler))?;
        self.schedulers = self.schedulers.with(scheduler)?;
        Ok(self)
    }

    /// With one more scheduler of a port's queues.
    ///
    /// # Errors
    /// A port scheduler has the name already.
    pub fn with_port_scheduler(
        mut self,
        scheduler: Choice<dyn PortScheduler>,
    ) -> Result<Self, TakenName> {
        self.port_schedulers = self.port_schedulers.with(scheduler)?;
        Ok(self)
    }

    /// With one more way in which a node of a scheduling tree chooses among its children.
    ///
    /// # Errors
    /// A discipline has the name already.
    pub fn with_discipline(mut self, discipline: DisciplineInfo) -> Result<Self, TakenName> {
        self.disciplines = self.disciplines.with(discipline)?;
        Ok(self)
    }

    /// The buffer policies on chip.
    #[must_use]
    pub fn on_chip(&self) -> &Choices<dyn OnChipPolicy> {
        &self.on_chip
    }

    /// The policies for SRAM beside HBM.
    #[must_use]
    pub fn hybrid(&self) -> &Choices<dyn HybridPolicy> {
        &self.hybrid
    }

    /// What gives arriving packets their ranks.
    #[must_use]
    pub fn ranks(&self) -> &Choices<dyn RankFunction> {
        &self.ranks
    }

    /// The schedulers that hold packets, the rank functions among them. O(entries).
    #[must_use]
    pub fn schedulers(&self) -> Choices<dyn PacketScheduler> {
        let ranks = self.ranks.iter().cloned().map(by_rank);
        Registry::of(self.schedulers.iter().cloned().chain(ranks))
    }

    /// The schedulers of a port's queues.
    #[must_use]
    pub fn port_schedulers(&self) -> &Choices<dyn PortScheduler> {
        &self.port_schedulers
    }

    /// How nodes of a scheduling tree choose among their children.
    #[must_use]
    pub fn disciplines(&self) -> &Registry<DisciplineInfo> {
        &self.disciplines
    }

    /// The tree of a port that is given none, whose nodes may name what is in this catalogue: what
    /// trees in files are read over.
    #[must_use]
    pub fn tree(&self) -> TreeConfig {
        TreeConfig {
            disciplines: self.disciplines.clone(),
            orders: self.ranks.clone(),
            ..TreeConfig::by_class()
        }
    }

    /// Every switch by name: drop-tail, PIFO, the schedulers (but their drop-tail, which the first
    /// one is), then the buffer policies. O(entries).
    #[must_use]
    pub fn switches(&self) -> Registry<SwitchInfo> {
        let drop_tail = SwitchConfig::DropTail(DropTailConfig::default());
        let pifo = ScheduledConfig::by_rank(ShortestFlowFirst::choice());
        let first = [
            SwitchInfo::new("drop-tail", "a first-in first-out queue per port", drop_tail)
                .labelled("Drop-tail"),
            SwitchInfo::new(
                "pifo",
                "packets leave each port by rank, shortest flow first if no other is named",
                SwitchConfig::Scheduled(pifo.into()),
            )
            .labelled("PIFO"),
        ];
        let own = self.schedulers.iter().filter(|one| one.name() != first[0].name());
        let own: Vec<_> = own.map(scheduled).collect();
        let ranks = self.ranks.iter().map(ranked);
        let on_chip = self.on_chip.iter().map(|policy| on_chip(policy, &self.port_schedulers));
        let policies = on_chip.chain(self.hybrid.iter().map(hybrid));
        Registry::of(first.into_iter().chain(own).chain(ranks).chain(policies))
    }

    /// The switch called `name`, with its defaults. O(entries).
    ///
    /// # Errors
    /// If no switch has that name.
    pub fn switch(&self, name: &str) -> Result<SwitchConfig, UnknownName> {
        self.switches().named(name).map(|info| info.config.clone())
    }
}

fn on_chip(
    policy: &Choice<dyn OnChipPolicy>,
    schedulers: &Choices<dyn PortScheduler>,
) -> SwitchInfo {
    let schedulers = schedulers.clone();
    let config = OnChipConfig { schedulers, ..OnChipConfig::new(policy.clone()) };
    SwitchInfo::after(policy, SwitchConfig::OnChip(config))
}

fn hybrid(policy: &Choice<dyn HybridPolicy>) -> SwitchInfo {
    SwitchInfo::after(policy, SwitchConfig::Hybrid(HybridConfig::new(policy.clone())))
}

/// A switch that is called after its rank function takes no other: it would then bear a wrong name.
fn ranked(rank: &Choice<dyn RankFunction>) -> SwitchInfo {
    let config = ScheduledConfig { takes_ranks: false, ..ScheduledConfig::by_rank(rank.clone()) };
    SwitchInfo::after(rank, SwitchConfig::Scheduled(config.into()))
}

fn scheduled(scheduler: &Choice<dyn PacketScheduler>) -> SwitchInfo {
    let config = ScheduledConfig::new(scheduler.clone());
    SwitchInfo::after(scheduler, SwitchConfig::Scheduled(config.into()))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::SwitchShape;
    use forebay_units::Rate;

    #[test]
    fn names_are_unique_and_all_build() {
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 3] };
        let infos = Catalogue::default().switches();
        for (index, info) in infos.iter().enumerate() {
            let mut before = infos.names().take(index);
            assert!(before.all(|other| other != info.name()), "{}", info.name());
            let switch = SwitchConfig::named(info.name()).unwrap().build(&shape).unwrap();
            assert!(switch.is_empty(2), "{}", info.name());
        }
        let error = SwitchConfig::named("ocamy").err().unwrap().to_string();
        assert!(error.starts_with("there is no switch `ocamy`; "), "{error}");
        assert!(error.contains("occamy"), "{error}");
    }

    #[test]
    fn trees_may_name_what_the_catalogue_has() {
        let own = DisciplineInfo {
            name: "own",
            ..*Catalogue::default().disciplines().named("drr").unwrap()
        };
        let rank = Choice::<dyn RankFunction>::new("mine", "for this test", (), |(), _| {
            Ok(alloc::boxed::Box::new(forebay_sched::functions::Fifo) as _)
        });
        let catalogue = Catalogue::default().with_discipline(own).unwrap().with_rank(rank).unwrap();
        assert!(catalogue.clone().with_discipline(own).is_err());
        let mut tree = catalogue.tree();
        tree.nodes[0].scheduler = Some("own".into());
        tree.nodes[2].priority = 0;
        tree.nodes[1].order = Some("mine".into());
        tree.check().unwrap();
        let built_in = Catalogue::default().tree();
        let among = |tree: &TreeConfig, known: &TreeConfig| {
            let known = known.clone();
            TreeConfig { disciplines: known.disciplines, orders: known.orders, ..tree.clone() }
        };
        let error = among(&tree, &built_in).check().unwrap_err().to_string();
        assert!(error.contains("`own`"), "{error}");
        tree.nodes[0].scheduler = None;
        let error = among(&tree, &built_in).check().unwrap_err().to_string();
        assert!(error.contains("`mine`"), "{error}");
    }

    #[test]
    fn a_name_that_any_switch_has_is_taken() {
        let dt = Catalogue::default().on_chip().named("dt").unwrap().clone();
        let error = Catalogue::default().with_on_chip(dt).unwrap_err().to_string();
        assert!(error.contains("there is a switch `dt` already"), "{error}");
        let sff = ShortestFlowFirst::choice();
        let mut renamed = Catalogue::default();
        assert!(renamed.clone().with_rank(sff).is_err());
        let drr = renamed.port_schedulers().named("drr").unwrap().clone();
        assert!(renamed.clone().with_port_scheduler(drr).is_err());
        renamed.ranks = Registry::of([]);
        assert!(renamed.schedulers().get("sff").is_none());
    }
}

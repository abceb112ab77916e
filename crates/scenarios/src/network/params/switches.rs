//! What switches are. Their parameters are the engine's, in groups; what an experiment sets for
//! several schemes at once is its own.

use forebay_buffer::onchip::{Alpha, OnChipPolicy, QueueConfig, says};
use forebay_parameters::{
    Choice, Configure, Entry, Family, Parameter, ParameterError, Parameters, Renamed, Walk, listed,
    set,
};
use forebay_sched::scheduler::by_rank;
use forebay_sched::{RankFunction, ShortestFlowFirst};
use forebay_switch::{Catalogue, OnChipConfig, SwitchBuildError, SwitchConfig};
use forebay_units::{Bytes, Duration};

use super::hosts::HostPart;
use crate::schedulers::{self, Scheduling};
use crate::switches::{RANK, Rank, hybrid_path, policy_path, scheduler_part, scheduler_path};

/// A switch, and what is set for several schemes alike.
#[derive(Clone, Debug, Parameters)]
#[parameter(group = "policy.")]
pub struct SwitchPart {
    /// The switch; its scheduler, if it has one, is in `scheduling`.
    #[parameter(skip)]
    config: SwitchConfig,
    #[parameter(skip)]
    scheduling: Option<Scheduling>,
    /// The rank of a switch that is a PIFO.
    #[parameter(skip)]
    rank: Option<Choice<dyn RankFunction>>,
    #[parameter(skip)]
    catalogue: Catalogue,
    /// The time over which ABM measures a queue's drain rate.
    #[parameter(assumed = "one round trip of the empty network, as ABM's authors take (0: that)")]
    abm_interval: Option<Duration>,
    /// Threshold factor of DT, ABM and Occamy alike; 0: each has its own.
    #[parameter(paper = "occamy §6.3, Fig. 15", range = 0.0..=1024.0)]
    alpha: f64,
    /// Threshold factor of class 0 under every policy; 0: that of the policy.
    #[parameter(paper = "occamy §6.2, Fig. 14", range = 0.0..=1024.0)]
    first_alpha: f64,
    /// Threshold factor of class 0 where there is no background; 0: that with it.
    #[parameter(paper = "occamy §3.1, Fig. 5", range = 0.0..=1024.0)]
    first_alpha_alone: f64,
    /// Threshold factor of the classes but 0; 0: that of the policy.
    #[parameter(paper = "occamy §6.2, Fig. 14", range = 0.0..=1024.0)]
    other_alpha: f64,
    /// Weights of the first flows, where their shares are watched whatever serves them.
    #[parameter(skip)]
    pub weights: Vec<u32>,
}

impl SwitchPart {
    /// The defaults of a switch of the catalogue.
    #[must_use]
    pub fn new(config: SwitchConfig, catalogue: &Catalogue) -> Self {
        let (scheduling, rank) = match &config {
            SwitchConfig::Scheduled(config) => {
                let rank = config.takes_ranks.then(ShortestFlowFirst::choice);
                (Some(Scheduling::new(config.scheduler.clone(), catalogue)), rank)
            }
            SwitchConfig::DropTail(_) | SwitchConfig::OnChip(_) | SwitchConfig::Hybrid(_) => {
                (None, None)
            }
        };
        let config = match config {
            SwitchConfig::OnChip(chip) if chip.reads_ranks() => {
                let rank = Some(ShortestFlowFirst::choice());
                SwitchConfig::OnChip(OnChipConfig { rank, ..chip })
            }
            other => other,
        };
        SwitchPart {
            config: config.with_marks(Some(Bytes::new(720_000))),
            scheduling,
            rank,
            catalogue: catalogue.clone(),
            abm_interval: None,
            alpha: 0.0,
            first_alpha: 0.0,
            first_alpha_alone: 0.0,
            other_alpha: 0.0,
            weights: vec![1],
        }
    }

    /// Whether its scheduler has weights of flows, which are then the watched ones.
    #[must_use]
    pub fn reads_weights(&self) -> bool {
        self.scheduling.as_ref().is_some_and(Scheduling::reads_weights)
    }

    /// The weights of the first flows.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        match &self.scheduling {
            Some(scheduling) if scheduling.reads_weights() => &scheduling.weights,
            _ => &self.weights,
        }
    }

    /// The switch for a network of this round trip, with a background or without.
    ///
    /// # Errors
    /// The parameter at fault.
    pub fn made(
        &self,
        round_trip: Duration,
        has_background: bool,
    ) -> Result<SwitchConfig, ParameterError> {
        let mut made = self.config.clone();
        match (&mut made, &self.scheduling) {
            (SwitchConfig::Scheduled(config), Some(scheduling)) => {
                config.scheduler = scheduling.made()?;
                // Room for as many of the smallest packets; the limit in bytes is what counts.
                let packets = (config.limits.limit.get() / 64).clamp(1, 1 << 16).to_string();
                let room = scheduling.reads("packets").then_some(("packets", packets));
                set(&mut config.scheduler, room.as_slice())
                    .map_err(|error| scheduling.refuse(error))?;
            }
            (SwitchConfig::OnChip(config), _) => {
                self.put_common(&mut config.policy, round_trip)?;
                config.classes = self.classes(config.queues, has_background);
            }
            (
                SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_) | SwitchConfig::Hybrid(_),
                _,
            ) => {}
        }
        Ok(made)
    }

    /// Gives a policy what is set for all alike.
    fn put_common(
        &self,
        policy: &mut Choice<dyn OnChipPolicy>,
        round_trip: Duration,
    ) -> Result<(), ParameterError> {
        let mut given = Vec::new();
        if self.alpha > 0.0 && has_alpha(policy) {
            given.push(("alpha", self.alpha.to_string()));
        }
        if sets_interval(policy) {
            given.push(("interval", self.abm_interval.unwrap_or(round_trip).to_string()));
        }
        set(policy, &given).map_err(|error| error.renamed(SwitchPart::ALPHA.name.as_ref()))
    }

    /// The threshold factor of each class, where it is not the policy's. Class 0 may have another
    /// one while nothing competes with it (Occamy §3.1).
    fn classes(&self, classes: u16, has_background: bool) -> Vec<QueueConfig> {
        let given = |alpha: f64| (alpha > 0.0).then(|| Alpha::new(alpha)).flatten();
        let alone = if has_background { None } else { given(self.first_alpha_alone) };
        let (first, other) = (alone.or(given(self.first_alpha)), given(self.other_alpha));
        let queue = |class| QueueConfig {
            alpha: if class == 0 { first } else { other },
            ..QueueConfig::default()
        };
        (0..classes).map(queue).collect()
    }

    /// The error of a switch that cannot be built, with the parameter as experiments call it; its
    /// ports have their rates from `links`.
    #[must_use]
    pub fn refuse(&self, error: &SwitchBuildError, links: &Parameter) -> ParameterError {
        let error = match error {
            SwitchBuildError::TooManyPorts
            | SwitchBuildError::Memory { .. }
            | SwitchBuildError::PortMemory { .. } => return HostPart::KIND.refuse(error),
            SwitchBuildError::TooSlow(_) => return links.refuse(error),
            SwitchBuildError::Packet { .. } => {
                return ParameterError::value(self.path("largest_packet"), error);
            }
            SwitchBuildError::Parameter(error) => error.clone(),
            // Neither a name nor a rank that nobody reads is among what can be set here.
            SwitchBuildError::Unknown(_) | SwitchBuildError::NotRanked(_) => {
                return RANK.refuse(error);
            }
        };
        let name = self.path(error.name());
        match &self.scheduling {
            Some(scheduling) => scheduling.refuse(error),
            None => error.renamed(name),
        }
    }

    /// What experiments call a parameter of the switch.
    #[must_use]
    pub fn path(&self, parameter: &str) -> String {
        match (&self.config, parameter) {
            (SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_), "limit") => {
                "switch.port_limit".to_owned()
            }
            (_, own) if own.starts_with("pfc.") || own.starts_with("credits.") => own.to_owned(),
            (_, "mark_above" | "mark_all_above" | "mark_share") => format!("switch.{parameter}"),
            (SwitchConfig::DropTail(_), _) => format!("switch.{parameter}"),
            (SwitchConfig::Scheduled(_), _) => schedulers::path(parameter),
            (SwitchConfig::Hybrid(_), "sram") => "switch.sram".to_owned(),
            (SwitchConfig::Hybrid(config), _) => hybrid_path(&config.scheme, parameter),
            (
                SwitchConfig::OnChip(_),
                "pool" | "ports_per_pool" | "cell" | "cells_per_second" | "burst_cells" | "classes"
                | "largest_packet" | "scheduler",
            ) => format!("switch.{parameter}"),
            (SwitchConfig::OnChip(config), _) => match parameter.strip_prefix("scheduler.") {
                Some(own) => scheduler_path(&config.scheduler, own),
                None => policy_path(&config.policy, parameter),
            },
        }
    }

    /// Whether any class is lossless.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.config.flow_control().is_some()
    }

    /// Whether it trims packets.
    #[must_use]
    pub fn trims(&self) -> bool {
        self.config.trimming().is_some()
    }

    /// Queues of each port, which classes choose among; none where there are no such.
    #[must_use]
    pub fn queues(&self) -> Option<u16> {
        match &self.config {
            SwitchConfig::OnChip(config) => Some(config.queues),
            SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_) | SwitchConfig::Hybrid(_) => {
                None
            }
        }
    }

    /// Whether the class of a packet counts: its queue or its rank depends on it; `ever`: or would,
    /// if some parameter were another.
    #[must_use]
    pub fn reads_class(&self, ever: bool) -> bool {
        match (&self.config, &self.scheduling) {
            (SwitchConfig::DropTail(_), _) => false,
            (SwitchConfig::OnChip(config), _) => ever || config.reads_class(),
            (SwitchConfig::Hybrid(config), _) => ever || config.reads_class(),
            (SwitchConfig::Scheduled(_), scheduling) => {
                ever && self.rank.is_some()
                    || scheduling.as_ref().is_none_or(Scheduling::reads_class)
            }
        }
    }

    /// The policy, if it may give queues an α of their own.
    fn alpha_policy(&self) -> Option<&OnChipConfig> {
        match &self.config {
            SwitchConfig::OnChip(config) => {
                says(&config.policy, |one| one.reads_alpha()).then_some(config)
            }
            SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_) | SwitchConfig::Hybrid(_) => {
                None
            }
        }
    }

    fn walk_alphas(&mut self, walk: &mut dyn Walk) {
        let Some(OnChipConfig { policy, queues, .. }) = self.alpha_policy() else { return };
        let (own, several) = (has_alpha(policy), *queues > 1 || walk.wants_all());
        if own {
            walk.field(&SwitchPart::ALPHA, &mut self.alpha);
        }
        walk.field(&SwitchPart::FIRST_ALPHA, &mut self.first_alpha);
        if several {
            walk.field(&SwitchPart::OTHER_ALPHA, &mut self.other_alpha);
        }
    }

    /// Shows what counts where there is no background.
    pub fn walk_alone(&mut self, walk: &mut dyn Walk) {
        if self.alpha_policy().is_some() {
            walk.field(&SwitchPart::FIRST_ALPHA_ALONE, &mut self.first_alpha_alone);
        }
    }
}

/// Whether a policy has a parameter `alpha`, and not only the factors of queues.
fn has_alpha(policy: &Choice<dyn OnChipPolicy>) -> bool {
    has(policy, "alpha")
}

/// Whether a policy measures over the interval that is a round trip unless it is set.
fn sets_interval(policy: &Choice<dyn OnChipPolicy>) -> bool {
    policy_path(policy, "interval") == SwitchPart::ABM_INTERVAL.name && has(policy, "interval")
}

/// Whether a choice has a parameter of this name.
fn has<F: Family + ?Sized>(choice: &Choice<F>, parameter: &str) -> bool {
    listed(&mut choice.clone()).iter().any(|one| one.parameter.name == parameter)
}

impl Configure for SwitchPart {
    fn walk(&mut self, walk: &mut dyn Walk) {
        let catalogue = &self.catalogue;
        match &mut self.config {
            SwitchConfig::OnChip(OnChipConfig { rank, .. }) => {
                if let Some(choice) = rank {
                    walk.field(&RANK, &mut Rank { choice, catalogue });
                    walk.part("rank.", choice);
                }
            }
            SwitchConfig::Hybrid(config) => {
                walk.field(&RANK, &mut Rank { choice: &mut config.rank, catalogue });
            }
            SwitchConfig::Scheduled(_) => {
                if let Some(rank) = &mut self.rank {
                    let before = rank.name().to_owned();
                    walk.field(&RANK, &mut Rank { choice: rank, catalogue });
                    if rank.name() != before {
                        self.scheduling = Some(Scheduling::new(by_rank(rank.clone()), catalogue));
                    }
                }
            }
            SwitchConfig::DropTail(_) => {}
        }
        // The network tells switches how large packets are, and a port's scheduler what the port
        // holds.
        let without = ["switch.largest_packet", &SwitchPart::ABM_INTERVAL.name];
        let part = self.clone();
        let mut renamed = Renamed::new(walk, |one: &Parameter| {
            let path = part.path(&one.name);
            // The parameters of a port's scheduler stand beside those of others that could be it.
            let is_shown = !without.contains(&&*path) && !one.name.starts_with("scheduler.");
            is_shown.then(|| one.called(path))
        });
        match &mut self.config {
            // What its scheduler reads follows.
            SwitchConfig::Scheduled(config) => config.limits.walk(&mut renamed),
            config => config.walk(&mut renamed),
        }
        if let Some(scheduling) = &mut self.scheduling {
            scheduling.walk(walk);
        }
        self.walk_alphas(walk);
        if let SwitchConfig::OnChip(OnChipConfig { policy, scheduler, queues, .. }) =
            &mut self.config
        {
            if sets_interval(policy) {
                walk.field(&SwitchPart::ABM_INTERVAL, &mut self.abm_interval);
            }
            if *queues > 1 || walk.wants_all() {
                scheduler_part(scheduler, &self.catalogue, walk);
            }
        }
    }
}

#[cfg(test)]
mod tests;

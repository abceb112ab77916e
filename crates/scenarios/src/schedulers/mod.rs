//! The packet schedulers as policies of experiments; several scenarios share them.
//!
//! Source: gearbox §4.1.1, Table 2; what a baseline's own paper says otherwise stands at its
//! parameter. The schedulers are those of a catalogue, by the same names, and so are their
//! parameters, as `scheduler.…`; what an experiment says in other words (levels of one size, a unit
//! among all weights) is declared here.

use std::path::Path;

use forebay_lab::PolicyInfo;
use forebay_lab::config::MAX_FILE;
use forebay_parameters::{
    Choice, Choices, Configure, Entry, Kind, Parameter, ParameterError, Parameters, Renamed,
    Source, UnknownName, Walk, Word, listed_all, set,
};
use forebay_sched::fair::gearbox::LevelConfig;
use forebay_sched::functions::RankConfig;
use forebay_sched::scheduler::{PacketScheduler, SchedulerShape, Weights, schedulers, tree};
use forebay_sched::tree::TreeConfig;
use forebay_switch::Catalogue;
use forebay_units::{Bytes, Rate};

use crate::engine_policies;
use crate::own_room::OwnRoom;

/// A scheduler, and what an experiment says about it.
#[derive(Clone, Debug, Parameters)]
#[parameter(group = "scheduler.")]
pub struct Scheduling {
    #[parameter(skip)]
    choice: Choice<dyn PacketScheduler>,
    #[parameter(skip)]
    room: OwnRoom,
    /// Weights of the first flows, as 50:50:1:1 or 40:1x40; all others have weight 1.
    #[parameter(assumed = "equal flows; gearbox Table 3 has four sets", range = 1..=u32::MAX)]
    pub weights: Vec<u32>,
    /// Bytes of a unit of virtual time.
    #[parameter(source = GEARBOX)]
    pub unit: Bytes,
    /// Weight among which a unit's bytes are shared; 0: that of scheduler.total_weight_of.
    #[parameter(paper = "gearbox §1, footnote 1", range = 0..=1 << 30)]
    total_weight: u32,
    /// The weight of all listed flows together, or that of the heaviest one alone: its packet then
    /// takes as many units as it has units of bytes.
    #[parameter(
        paper = "gearbox §1, footnote 1: virtual time runs as fast as real time when all flows are \
                 active"
    )]
    total_weight_of: TotalWeight,
    /// Levels of Gearbox.
    #[parameter(source = GEARBOX, range = 1..=16)]
    levels: u32,
    /// FIFOs in a set of a level, and how much coarser each level is; with sets A and B and
    /// step-down FIFOs, 3 levels of 8 are 56.
    #[parameter(range = 2..=64)]
    #[parameter(
        assumed = "gearbox §4.1.1 has 56 FIFOs in all and Table 2 intervals of 1, 8 and 64: sets \
                   of 8, sets A and B and step-down FIFOs counted",
        sensitivity = "gearbox/sensitivity-levels"
    )]
    level_fifos: u32,
    /// A file with the nodes of tree (docs/scheduling-trees.md); its rate gives way to that of each
    /// port.
    #[parameter(kind = Kind::Path)]
    #[parameter(
        assumed = "none: class 0 first, then the others, the flows of each by fair queueing"
    )]
    tree: String,
    /// Whether its tree is what is measured, whatever schedules.
    #[parameter(skip)]
    measures_tree: bool,
    /// Whether its weights and its unit are what is measured by, whatever schedules.
    #[parameter(skip)]
    measures_units: bool,
    /// Whether all packets are of one class.
    #[parameter(skip)]
    has_one_class: bool,
    /// What the nodes of a tree may name, and what its leaves order by.
    #[parameter(skip)]
    over: TreeConfig,
}

/// Among which weight a unit's bytes are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
enum TotalWeight {
    Listed,
    Heaviest,
}

/// Where a scheduler's parameters stand.
const GROUP: &str = "scheduler";

const GEARBOX: Source = Source::paper("gearbox §4.1.1, Table 2");

/// What experiments begin with where it is not what the engine begins with.
const DEFAULTS: &[(&str, &str)] = &[
    ("flows", "65536"), // more than begin in any run here, so that none share state
    ("quantum", "1500 B"),
    ("codel_target", "50 us"), // a few round trips of the empty network
    ("codel_interval", "1 ms"),
];

/// What a scenario sets of a scheduler by itself: what it says in other words, and the port's
/// limits.
const COMMON: [&str; 6] = ["weights", "unit_bytes", "total_weight", "levels", "packets", "bytes"];

/// What says something else of each class, and orders nothing within one.
const BY_CLASS: [&str; 2] = ["budgets", "job_costs"];

/// What experiments call a parameter of a built-in scheduler.
pub(crate) fn path(parameter: &str) -> String {
    let name = match parameter {
        "unit_bytes" => "unit",
        "calendar_queues" => "queues",
        "calendar_granularity" => "granularity",
        "fifos" => "auto_fifos",
        "backlog" => "auto_backlog",
        "largest_packet" => "auto_packet",
        "packets" | "bytes" => return "switch.port_limit".to_owned(),
        "rate" => return "link.rate".to_owned(),
        other => other,
    };
    format!("scheduler.{name}")
}

impl Scheduling {
    /// The defaults of a scheduler; the nodes of a tree may name what the catalogue has.
    #[must_use]
    pub fn new(mut choice: Choice<dyn PacketScheduler>, catalogue: &Catalogue) -> Self {
        let room = OwnRoom::of(&choice, &schedulers(), &COMMON);
        let shown = shared_names(&choice, &room);
        let own: Vec<_> =
            DEFAULTS.iter().filter(|(name, _)| shown.iter().any(|one| one == name)).collect();
        let own: Vec<(&str, &str)> = own.into_iter().copied().collect();
        // They are of the kinds that the schedulers declare, as a test says.
        let _ = set(&mut choice, &own);
        Scheduling {
            choice,
            room,
            weights: vec![1],
            unit: Bytes::new(750),
            total_weight: 0,
            total_weight_of: TotalWeight::Listed,
            levels: 3,
            level_fifos: 8,
            tree: String::new(),
            measures_tree: false,
            measures_units: false,
            has_one_class: false,
            over: TreeConfig {
                ranks: RankConfig { flows: 65536, ..RankConfig::default() },
                ..catalogue.tree()
            },
        }
    }

    /// The same where the tree is what is measured, whatever schedules.
    #[must_use]
    pub fn measuring_tree(self) -> Self {
        Scheduling { measures_tree: true, ..self }
    }

    /// The same where flows send by the weights and are measured in units, whatever schedules.
    #[must_use]
    pub fn measuring_units(self) -> Self {
        Scheduling { measures_units: true, ..self }
    }

    /// The same where all packets are of one class: what is said of each class has no effect.
    #[must_use]
    pub fn of_one_class(self) -> Self {
        Scheduling { has_one_class: true, ..self }
    }

    /// The scheduler for a link.
    ///
    /// # Errors
    /// The parameter at fault, as experiments call it.
    pub fn build(&self, rate: Rate) -> Result<Box<dyn PacketScheduler>, ParameterError> {
        let built = self.made()?.build(&SchedulerShape::of_link(rate));
        built.map_err(|error| self.refuse(error))
    }

    /// The scheduler, as the engine has it.
    ///
    /// # Errors
    /// The parameter at fault, as experiments call it.
    pub fn made(&self) -> Result<Choice<dyn PacketScheduler>, ParameterError> {
        if self.is_tree() {
            return Ok(tree(self.tree()?));
        }
        let shown = shared_names(&self.choice, &self.room);
        let mut own = vec![
            ("weights", weights_text(&self.weights)),
            ("unit_bytes", self.unit.to_string()),
            ("total_weight", self.total_weight()?.to_string()),
            ("levels", self.levels()),
        ];
        own.retain(|(name, _)| shown.iter().any(|one| one == name));
        let mut choice = self.choice.clone();
        set(&mut choice, &own).map_err(|error| self.refuse(error))?;
        Ok(choice)
    }

    /// An error of the scheduler, with the parameter as experiments call it.
    #[must_use]
    pub fn refuse(&self, error: ParameterError) -> ParameterError {
        // The coarsest level would have more units than a level can.
        let too_many = self.level_fifos.checked_pow(self.levels.saturating_sub(1)).is_none();
        let own = self.room.get(error.name()).and_then(|one| self.room.name(GROUP, one));
        let name = own.unwrap_or_else(|| match error.name() {
            "levels" if !too_many => "scheduler.level_fifos".to_owned(),
            other => path(other),
        });
        error.renamed(name)
    }

    /// Whether it has weights of flows.
    #[must_use]
    pub fn reads_weights(&self) -> bool {
        self.is_tree() || self.reads("weights")
    }

    /// Whether it has a parameter of this name, which means what that of built-in schedulers does.
    #[must_use]
    pub fn reads(&self, name: &str) -> bool {
        shared_names(&self.choice, &self.room).iter().any(|one| one == name)
    }

    /// Whether it reads the class of packets; one that cannot be built may.
    #[must_use]
    pub fn reads_class(&self) -> bool {
        let built = self.build(Rate::from_gbps(10));
        built.map_or(true, |scheduler| scheduler.reads_class())
    }

    /// Shows the weights of flows.
    pub fn walk_weights(weights: &mut Vec<u32>, walk: &mut dyn Walk) {
        walk.field(&Scheduling::WEIGHTS, weights);
    }

    fn is_tree(&self) -> bool {
        self.choice.name() == "tree"
    }

    /// The weight among which a unit's bytes are shared (gearbox §1, footnote 1).
    fn total_weight(&self) -> Result<u32, ParameterError> {
        let total: u64 = match self.total_weight_of {
            _ if self.total_weight > 0 => self.total_weight.into(),
            TotalWeight::Heaviest => self.weights.iter().max().copied().unwrap_or(1).into(),
            TotalWeight::Listed => self.weights.iter().map(|weight| u64::from(*weight)).sum(),
        };
        u32::try_from(total).map_err(|_| {
            Scheduling::WEIGHTS.refuse(format_args!(
                "the weights are {total} together, more than 2^32 - 1; give smaller ones of the \
                 same proportion"
            ))
        })
    }

    /// Levels of one size, each so much coarser than the one before.
    fn levels(&self) -> String {
        let levels = LevelConfig::equal(self.levels, self.level_fifos);
        let text = |level: &LevelConfig| format!("{}@{}", level.fifos, level.granularity);
        levels.iter().map(text).collect::<Vec<_>>().join(":")
    }

    /// The tree of the file, or the built-in one; what it does not say of the leaves' orders is as
    /// set here.
    ///
    /// # Errors
    /// The file cannot be read, or is no tree.
    pub fn tree(&self) -> Result<TreeConfig, ParameterError> {
        let weights = Weights::new(1, self.weights.clone())
            .map_err(|error| Scheduling::WEIGHTS.refuse(error))?;
        let ranks = RankConfig { weights, ..self.over.ranks.clone() };
        let over = TreeConfig { ranks, ..self.over.clone() };
        if self.tree.is_empty() {
            return Ok(over);
        }
        let path = &self.tree;
        let text = text_of(path)
            .map_err(|problem| Scheduling::TREE.refuse(format_args!("{path}: {problem}")))?;
        TreeConfig::from_toml_over(&text, &over)
            .map_err(|error| Scheduling::TREE.refuse(format_args!("{path}: {error}")))
    }
}

impl Configure for Scheduling {
    fn walk(&mut self, walk: &mut dyn Walk) {
        let shown = shared_names(&self.choice, &self.room);
        let reads = |name: &str| shown.iter().any(|one| one == name);
        if self.reads_weights() || self.measures_units {
            walk.field(&Scheduling::WEIGHTS, &mut self.weights);
        }
        if reads("unit_bytes") || self.measures_units {
            walk.field(&Scheduling::UNIT, &mut self.unit);
        }
        if reads("total_weight") {
            walk.field(&Scheduling::TOTAL_WEIGHT, &mut self.total_weight);
            if self.total_weight == 0 {
                walk.field(&Scheduling::TOTAL_WEIGHT_OF, &mut self.total_weight_of);
            }
        }
        if reads("levels") {
            walk.field(&Scheduling::LEVELS, &mut self.levels);
            walk.field(&Scheduling::LEVEL_FIFOS, &mut self.level_fifos);
        }
        if self.is_tree() || self.measures_tree {
            walk.field(&Scheduling::TREE, &mut self.tree);
        }
        // Where all flows are listed, no other has a weight.
        let without: &[&str] = match (self.measures_units, self.has_one_class) {
            (true, true) => &["default_weight", BY_CLASS[0], BY_CLASS[1]],
            (true, false) => &["default_weight"],
            (false, true) => &BY_CLASS,
            (false, false) => &[],
        };
        let is_built_in = self.tree.is_empty() && !walk.wants_all();
        let mut part = Renamed::new(walk, |one: &Parameter| match self.room.name(GROUP, one) {
            Some(own) => Some(one.called(own)),
            // What stands above, and the port's limits.
            None if COMMON.contains(&&*one.name) || without.contains(&&*one.name) => None,
            None => Some(one.called(path(&one.name))),
        });
        self.choice.walk(&mut part);
        match (self.is_tree(), is_built_in) {
            (false, _) => {}
            (true, true) => self.over.ranks.walk(&mut Renamed::new(&mut part, read_by_class)),
            (true, false) => self.over.ranks.walk(&mut part),
        }
    }
}

/// What the leaves of the built-in tree, which are all fair queues, read to order packets.
fn read_by_class(one: &Parameter) -> Option<Parameter> {
    ["default_weight", "flows"].contains(&&*one.name).then(|| one.clone())
}

/// The schedulers of a scenario: drop-tail, then those of a catalogue.
pub struct Schedulers {
    catalogue: Catalogue,
    choices: Choices<dyn PacketScheduler>,
    infos: Vec<PolicyInfo>,
}

impl Schedulers {
    /// Those of a catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        let choices = catalogue.schedulers();
        Schedulers { infos: engine_policies(&choices), choices, catalogue: catalogue.clone() }
    }

    /// The defaults of one.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn named(&self, name: &str) -> Result<Scheduling, UnknownName> {
        let choice = self.choices.named(name).cloned()?;
        Ok(Scheduling::new(choice, &self.catalogue))
    }

    /// As policies of the scenario.
    #[must_use]
    pub fn infos(&self) -> &[PolicyInfo] {
        &self.infos
    }
}

/// The parameters whose names are those of built-in schedulers.
fn shared_names(choice: &Choice<dyn PacketScheduler>, room: &OwnRoom) -> Vec<String> {
    let all = listed_all(&mut choice.clone()).into_iter().map(|one| one.parameter);
    let shared = all.filter(|one| room.name(GROUP, one).is_none());
    shared.map(|one| one.name.into_owned()).collect()
}

fn weights_text(weights: &[u32]) -> String {
    weights.iter().map(u32::to_string).collect::<Vec<_>>().join(":")
}

/// The text of a file that is no larger than an experiment may be.
fn text_of(path: &str) -> Result<String, String> {
    forebay_files::read_text(Path::new(path), MAX_FILE as u64)
        .map_err(|error| format!("cannot read it: {error}"))
}

#[cfg(test)]
mod tests;

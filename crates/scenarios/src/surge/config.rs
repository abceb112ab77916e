//! What can be set of the experiments on SurgeProtector, and where each default comes from.
//!
//! Scheduler, simulation and reassembler are those of `forebay_surge`, which declares their parameters.

use forebay_parameters::{Configure, Kind, Parameter, Renamed, Source, UnknownName, Walk, Word};
use forebay_surge::model::{Arrivals, Reassembly, SimulationConfig};
use forebay_surge::{DropRule, POLICIES, Ranks, SchedulerConfig};
use forebay_units::{Bytes, Duration, Rate};

use super::policies::{self, TAIL};

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Config {
    /// Innocent packets.
    pub traffic: TrafficConfig,
    /// The adversary's.
    pub attack: AttackConfig,
    /// What the scheduler knows of job sizes.
    pub estimates: Estimates,
    /// Policy, buffer and span.
    pub simulation: SimulationConfig,
}

/// Innocent packets.
#[derive(Clone, Debug)]
pub struct TrafficConfig {
    /// Where they come from.
    pub model: Model,
    /// The file of a recording.
    pub file: String,
    /// In which order they come.
    pub order: Order,
    /// r_I as a part of r_max; 0: the rate decides.
    pub load: f64,
    /// r_I.
    pub rate: Rate,
    /// r_max of one server; none: the traffic's own.
    pub max_rate: Option<Rate>,
    /// When packets come that are drawn.
    pub arrivals: Arrivals,
    /// Flows of packets that are drawn.
    pub flows: u32,
    /// The reassembler.
    pub reassembly: Reassembly,
}

/// Attack packets.
#[derive(Clone, Debug)]
pub struct AttackConfig {
    /// r_A.
    pub rate: Rate,
    /// r_A as a part of r_max; 0: the rate decides.
    pub share: f64,
    /// Which attack.
    pub kind: AttackKind,
    /// Packet size of a given attack.
    pub size: Bytes,
    /// Job size of a given attack.
    pub work: Duration,
    /// J_max; none: the traffic's own.
    pub longest: Option<Duration>,
    /// P_min; none: the traffic's own.
    pub smallest: Option<Bytes>,
    /// Packets of an attack flow that is replayed; none: as the optimal attack has it.
    pub segments: Option<u32>,
    /// Of what the list of an attack flow consists that is replayed.
    pub lists: ListsOf,
    /// Packets sent back to back.
    pub burst: u32,
}

/// Where job sizes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The model of §3.6.2.
    Reassembly,
    /// What was measured.
    Recorded,
}

impl Word for Model {
    const WORDS: &'static [(&'static str, Self)] =
        &[("reassembly", Model::Reassembly), ("recorded", Model::Recorded)];
}

/// In which order packets of a recording come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As their joint distribution draws them.
    Drawn,
    /// As recorded, again and again.
    Recorded,
}

impl Word for Order {
    const WORDS: &'static [(&'static str, Self)] =
        &[("drawn", Order::Drawn), ("recorded", Order::Recorded)];
}

/// Of what the list of an attack flow consists that is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListsOf {
    /// Of the packets that were served before.
    Served,
    /// Of all that were recorded before.
    Recorded,
}

impl Word for ListsOf {
    const WORDS: &'static [(&'static str, Self)] =
        &[("served", ListsOf::Served), ("recorded", ListsOf::Recorded)];
}

/// Which attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackKind {
    /// The policy's optimal attack.
    Optimal,
    /// The smallest packet with the longest job.
    Heaviest,
    /// The packet that the parameters say.
    Given,
}

impl Word for AttackKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("optimal", AttackKind::Optimal),
        ("heaviest", AttackKind::Heaviest),
        ("given", AttackKind::Given),
    ];
}

/// What the scheduler knows of job sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimates {
    /// The truth.
    True,
    /// What an estimator says.
    Heuristic,
}

impl Word for Estimates {
    const WORDS: &'static [(&'static str, Self)] =
        &[("true", Estimates::True), ("heuristic", Estimates::Heuristic)];
}

impl Config {
    /// The thesis's experiments, under the policy of this name.
    ///
    /// # Errors
    /// No policy has it.
    pub fn new(policy: &str) -> Result<Self, UnknownName> {
        let (name, drop) = match policy.strip_suffix(TAIL) {
            Some(name) => (name, DropRule::Tail),
            None => (policy, DropRule::Largest),
        };
        let info = POLICIES.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| {
            UnknownName::new("policy", policy, policies::POLICIES.iter().map(|info| info.name))
        })?;
        let mut scheduler = SchedulerConfig { drop, ..SchedulerConfig::default() };
        scheduler.policy.ranks = Ranks::Exact;
        Ok(Config {
            traffic: TrafficConfig {
                model: Model::Reassembly,
                file: String::new(),
                order: Order::Drawn,
                load: 0.0,
                rate: Rate::from_gbps(10),
                max_rate: None,
                arrivals: Arrivals::Constant,
                flows: 100,
                reassembly: Reassembly::default(),
            },
            attack: AttackConfig {
                rate: Rate::from_bps(100_000_000),
                share: 0.0,
                kind: AttackKind::Optimal,
                size: Bytes::new(64),
                work: Duration::from_us(10),
                longest: None,
                smallest: None,
                segments: None,
                lists: ListsOf::Served,
                burst: 1,
            },
            estimates: Estimates::True,
            simulation: SimulationConfig {
                scheduler,
                warmup: Duration::from_ms(20),
                ..SimulationConfig::new(info.name)
            },
        })
    }
}

const OWN: Source = Source::assumed("0: the traffic's own");
const RATE_DECIDES: Source = Source::assumed("0: the rate decides");
const PART: Kind = Kind::Float { min: 0.0, max: 10.0 };

const MODEL: Parameter = Parameter::new(
    "traffic.model",
    Kind::of::<Model>(),
    Source::paper("thesis §3.6.2"),
    "TCP reassembly as the thesis simulates it, or job sizes that were measured (traffic.file).",
);
pub(super) const FILE: Parameter = Parameter::new(
    "traffic.file",
    Kind::Path,
    Source::assumed("none: the model"),
    "A recording by `forebay surge measure`.",
);
const ORDER: Parameter = Parameter::new(
    "traffic.order",
    Kind::of::<Order>(),
    Source::paper("thesis §3.3.1"),
    "Whether packets are drawn from the joint distribution, or come as recorded, again and again.",
);
const LOAD: Parameter =
    Parameter::new("traffic.load", PART, RATE_DECIDES, "r_I as a part of r_max.");
pub(super) const RATE: Parameter =
    Parameter::new("traffic.rate", Kind::Rate, Source::paper("thesis §3.6.1"), "r_I.");
const MAX_RATE: Parameter = Parameter::new(
    "traffic.max_rate",
    Kind::Rate,
    OWN,
    "r_max of one server: all job sizes are scaled to it.",
);
const ARRIVALS: Parameter = Parameter::new(
    "traffic.arrivals",
    Kind::of::<Arrivals>(),
    Source::paper("thesis §3.3.1"),
    "Evenly spaced innocent packets, or a Poisson process.",
);
const FLOWS: Parameter = Parameter::new(
    "traffic.flows",
    Kind::Int { min: 1, max: 1 << 20 },
    Source::shown("the thesis states none", "surge/sensitivity-flows"),
    "Innocent flows.",
);
pub(super) const ATTACK_RATE: Parameter =
    Parameter::new("attack.rate", Kind::Rate, Source::paper("thesis §3.6.1"), "r_A.");
const SHARE: Parameter =
    Parameter::new("attack.share", PART, RATE_DECIDES, "r_A as a part of r_max.");
const KIND: Parameter = Parameter::new(
    "attack.kind",
    Kind::of::<AttackKind>(),
    Source::paper("thesis §3.6.2"),
    "The policy's optimal attack (Eq. 3.8, 3.9, footnote 7), the smallest packet with the longest job, or attack.size and attack.work.",
);
pub(super) const SIZE: Parameter = Parameter::new(
    "attack.size",
    Kind::Bytes,
    Source::paper("thesis §3.5.1"),
    "Packet size of a given attack.",
);
const WORK: Parameter = Parameter::new(
    "attack.work",
    Kind::Duration,
    Source::assumed("as in §3.6.3"),
    "Job size of a given attack.",
);
const LONGEST: Parameter = Parameter::new(
    "attack.longest",
    Kind::Duration,
    OWN,
    "J_max: it bounds optimal attacks, and the jobs of an attack flow that is replayed are scaled to it.",
);
const SMALLEST: Parameter = Parameter::new(
    "attack.smallest",
    Kind::Bytes,
    OWN,
    "P_min, the packet size of optimal attacks.",
);
const SEGMENTS: Parameter = Parameter::new(
    "attack.segments",
    Kind::Int { min: 0, max: 1 << 22 },
    Source::assumed("0: as the policy's optimal attack has it"),
    "N, packets of an attack flow.",
);
const LISTS: Parameter = Parameter::new(
    "attack.lists",
    Kind::of::<ListsOf>(),
    Source::shown("what was dropped is in no list (§3.5.1)", "surge/sensitivity-lists"),
    "Whether the n-th packet of an attack flow that is served takes the n-th job, or each keeps the one recorded.",
);
const BURST: Parameter = Parameter::new(
    "attack.burst",
    Kind::Int { min: 1, max: 1 << 20 },
    Source::paper("thesis §3.3.1"),
    "Attack packets sent back to back.",
);
const ESTIMATES: Parameter = Parameter::new(
    "scheduler.estimates",
    Kind::of::<Estimates>(),
    Source::paper("thesis §3.6.2"),
    "Whether the scheduler knows job sizes, or what an estimator says of them.",
);

impl Configure for Config {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.traffic.walk(walk);
        self.attack.walk(self.traffic.order, walk);
        walk.field(&ESTIMATES, &mut self.estimates);
        self.simulation.walk(&mut Renamed::new(walk, |one: &Parameter| match one.word() {
            word @ ("warm_up" | "span") => one.called(format!("run.{word}")),
            word => one.called(format!("scheduler.{word}")),
        }));
    }
}

impl Configure for TrafficConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        let all = walk.wants_all();
        walk.field(&MODEL, &mut self.model);
        if all || self.model == Model::Recorded {
            walk.field(&FILE, &mut self.file);
            walk.field(&ORDER, &mut self.order);
        }
        walk.field(&LOAD, &mut self.load);
        if all || self.load == 0.0 {
            walk.field(&RATE, &mut self.rate);
        }
        walk.field(&MAX_RATE, &mut self.max_rate);
        if all || self.order == Order::Drawn {
            walk.field(&ARRIVALS, &mut self.arrivals);
            walk.field(&FLOWS, &mut self.flows);
        }
        if all || self.model == Model::Reassembly {
            walk.part("traffic.", &mut self.reassembly);
        }
    }
}

impl AttackConfig {
    /// Shows what has an effect beside innocent packets in this order.
    fn walk(&mut self, order: Order, walk: &mut dyn Walk) {
        let all = walk.wants_all();
        walk.field(&SHARE, &mut self.share);
        if all || self.share == 0.0 {
            walk.field(&ATTACK_RATE, &mut self.rate);
        }
        if all || order == Order::Recorded {
            walk.field(&SEGMENTS, &mut self.segments);
            walk.field(&LISTS, &mut self.lists);
        }
        if all || order == Order::Drawn {
            walk.field(&BURST, &mut self.burst);
        }
        // Jobs that are replayed are scaled to it.
        if all || order == Order::Recorded || self.kind != AttackKind::Given {
            walk.field(&LONGEST, &mut self.longest);
        }
        // A replay with as many segments as are given asks for no packet.
        if !all && order == Order::Recorded && self.segments.is_some() {
            return;
        }
        walk.field(&KIND, &mut self.kind);
        if all || self.kind == AttackKind::Given {
            walk.field(&SIZE, &mut self.size);
            walk.field(&WORK, &mut self.work);
        }
        if all || self.kind != AttackKind::Given {
            walk.field(&SMALLEST, &mut self.smallest);
        }
    }
}

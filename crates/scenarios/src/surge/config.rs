//! What can be set of the experiments on SurgeProtector, and where each default comes from.
//!
//! Scheduler, simulation and reassembler are those of `forebay_surge`, which declares their
//! parameters.

use forebay_parameters::{
    Choice, Choices, Configure, Kind, Parameter, Renamed, Source, UnknownName, Walk, Word,
};
use forebay_surge::model::{Arrivals, Reassembly, SimulationConfig};
use forebay_surge::policies::{JobPolicy, PolicyShape, policies};
use forebay_surge::{DropRule, Ranks, SchedulerConfig};
use forebay_units::{Bytes, Duration, Rate};

use super::policies::TAIL;
use crate::own_room::OwnRoom;

/// Everything that can be set.
#[derive(Clone, Debug, Configure)]
pub struct Config {
    /// Innocent packets.
    #[parameter(part, by = |traffic, walk| {
        TrafficConfig::walk_given(traffic, reads_flows(&self.simulation.scheduler.policy), walk);
    })]
    pub traffic: TrafficConfig,
    /// The adversary's.
    #[parameter(part, by = |attack, walk| AttackConfig::walk_given(attack, self.traffic.order, walk))]
    pub attack: AttackConfig,
    /// Whether the scheduler knows job sizes, or what an estimator says of them.
    #[parameter(paper = "thesis §3.6.2", name = "scheduler.estimates")]
    pub estimates: Estimates,
    /// Policy, buffer and span.
    #[parameter(part, by = walk_simulation)]
    pub simulation: SimulationConfig,
}

/// Innocent packets.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "traffic.", given(reads_flows: bool))]
pub struct TrafficConfig {
    /// TCP reassembly as the thesis simulates it, or job sizes that were measured (traffic.file).
    #[parameter(paper = "thesis §3.6.2")]
    pub model: Model,
    /// A recording by `forebay surge measure`.
    #[parameter(kind = Kind::Path, when = self.model == Model::Recorded)]
    #[parameter(assumed = "none: the model")]
    pub file: String,
    /// Whether packets are drawn from the joint distribution, or come as recorded, again and again.
    #[parameter(paper = "thesis §3.3.1", when = self.model == Model::Recorded)]
    pub order: RecordingOrder,
    /// r_I as a part of r_max.
    #[parameter(source = RATE_DECIDES, kind = PART)]
    pub load: f64,
    /// r_I, the rate of innocent traffic.
    #[parameter(paper = "thesis §3.6.1", when = self.load == 0.0)]
    pub rate: Rate,
    /// r_max of one server: all job sizes are scaled to it.
    #[parameter(source = OWN)]
    pub max_rate: Option<Rate>,
    /// Evenly spaced innocent packets, or a Poisson process.
    #[parameter(paper = "thesis §3.3.1", when = self.order == RecordingOrder::Drawn)]
    pub arrivals: Arrivals,
    /// Innocent flows.
    #[parameter(range = 1..=1 << 20, only = reads_flows, when = self.order == RecordingOrder::Drawn)]
    #[parameter(assumed = "the thesis states none", sensitivity = "surge/sensitivity-flows")]
    pub flows: u32,
    /// What jobs cost under the reassembly model of §3.6.2.
    #[parameter(part = "traffic.", when = self.model == Model::Reassembly)]
    pub reassembly: Reassembly,
}

/// Attack packets.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "attack.", given(order: RecordingOrder))]
pub struct AttackConfig {
    /// r_A as a part of r_max.
    #[parameter(source = RATE_DECIDES, kind = PART)]
    pub share: f64,
    /// r_A, the rate of the attack.
    #[parameter(paper = "thesis §3.6.1", when = self.share == 0.0)]
    pub rate: Rate,
    /// N, packets of an attack flow.
    #[parameter(range = 0..=1 << 22, when = order == RecordingOrder::Recorded)]
    #[parameter(assumed = "0: as the policy's optimal attack has it")]
    pub segments: Option<u32>,
    /// Whether the n-th packet of an attack flow that is served takes the n-th job, or each keeps
    /// the one recorded.
    #[parameter(when = order == RecordingOrder::Recorded)]
    #[parameter(
        assumed = "what was dropped is in no list (§3.5.1)",
        sensitivity = "surge/sensitivity-lists"
    )]
    pub lists: ListsOf,
    /// Attack packets sent back to back.
    #[parameter(paper = "thesis §3.3.1", range = 1..=1 << 20, when = order == RecordingOrder::Drawn)]
    pub burst: u32,
    /// The policy's optimal attack (Eq. 3.8, 3.9, footnote 7), the smallest packet with the longest
    /// job, or attack.size and attack.work.
    #[parameter(paper = "thesis §3.6.2", when = self.asks(order))]
    pub kind: AttackKind,
    /// Packet size of a given attack.
    #[parameter(paper = "thesis §3.5.1", when = self.asks(order) && self.kind == AttackKind::Given)]
    pub size: Bytes,
    /// Job size of a given attack.
    #[parameter(when = self.asks(order) && self.kind == AttackKind::Given)]
    #[parameter(assumed = "as in §3.6.3")]
    pub work: Duration,
    /// J_max: it bounds optimal attacks, and the jobs of an attack flow that is replayed are scaled
    /// to it.
    #[parameter(source = OWN, when = order == RecordingOrder::Recorded || self.kind != AttackKind::Given)]
    pub longest: Option<Duration>,
    /// P_min, the packet size of optimal attacks.
    #[parameter(source = OWN, when = self.asks(order) && self.kind != AttackKind::Given)]
    pub smallest: Option<Bytes>,
}

impl AttackConfig {
    /// Whether any packet is asked for: a replay with as many segments as are given has its own.
    fn asks(&self, order: RecordingOrder) -> bool {
        order == RecordingOrder::Drawn || self.segments.is_none()
    }
}

/// Where job sizes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Model {
    /// The model of §3.6.2.
    Reassembly,
    /// What was measured.
    Recorded,
}

/// In which order packets of a recording come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum RecordingOrder {
    /// As their joint distribution draws them.
    Drawn,
    /// As recorded, again and again.
    Recorded,
}

/// Of what the list of an attack flow consists that is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum ListsOf {
    /// Of the packets that were served before.
    Served,
    /// Of all that were recorded before.
    Recorded,
}

/// Which attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum AttackKind {
    /// The policy's optimal attack.
    Optimal,
    /// The smallest packet with the longest job.
    Heaviest,
    /// The packet that the parameters say.
    Given,
}

/// What the scheduler knows of job sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Estimates {
    /// Their true size, which only a simulation can tell.
    True,
    /// What an estimator says.
    Heuristic,
}

impl Config {
    /// The thesis's experiments, under the policy of this name among `jobs`.
    ///
    /// # Errors
    /// No policy has it.
    pub fn new(policy: &str, jobs: &Choices<dyn JobPolicy>) -> Result<Self, UnknownName> {
        let (name, drop) = match policy.strip_suffix(TAIL) {
            Some(name) if jobs.get(policy).is_none() => (name, DropRule::Tail),
            Some(_) | None => (policy, DropRule::Largest),
        };
        let policy = jobs.named(name)?.clone();
        let scheduler =
            SchedulerConfig { drop, ranks: Ranks::Exact, ..SchedulerConfig::new(policy) };
        Ok(Config {
            traffic: TrafficConfig {
                model: Model::Reassembly,
                file: String::new(),
                order: RecordingOrder::Drawn,
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
                warmup: Duration::from_ms(20),
                ..SimulationConfig::new(scheduler)
            },
        })
    }
}

/// Whether a policy reads which flow a packet is of; one that cannot be built may.
fn reads_flows(policy: &Choice<dyn JobPolicy>) -> bool {
    policy.build(&PolicyShape::default()).map_or(true, |policy| policy.reads_flows())
}

const OWN: Source = Source::assumed("0: the traffic's own");
const RATE_DECIDES: Source = Source::assumed("0: the rate decides");
const PART: Kind = Kind::Float { min: 0.0, max: 10.0 };

/// Shows a simulation as experiments call it; a policy that is not built in has its parameters
/// under its own name.
fn walk_simulation(simulation: &mut SimulationConfig, walk: &mut dyn Walk) {
    let policy = &simulation.scheduler.policy;
    let room = OwnRoom::of(policy, &policies(), &[]);
    simulation.walk(&mut Renamed::new(walk, |one: &Parameter| {
        room.name("scheduler", one).map_or_else(|| run_or_scheduler(one), |name| one.called(name))
    }));
}

/// What experiments call a parameter of a simulation.
pub(crate) fn run_or_scheduler(one: &Parameter) -> Parameter {
    match one.word() {
        word @ ("warm_up" | "span") => one.called(format!("run.{word}")),
        word => one.called(format!("scheduler.{word}")),
    }
}

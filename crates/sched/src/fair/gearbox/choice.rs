//! Gearbox as choices: with levels as given, with levels chosen for the weights, and in order of remaining sizes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use forebay_parameters::{
    Choice, Configure, Kind, Parameter, ParameterError, Setting, Source, Value, Walk,
};
use forebay_units::Bytes;

use super::{
    DepartureTime, Gearbox, GearboxConfig, LevelConfig, LevelPlacement, Rounding, WeightRange,
};
use crate::fair::Limits;
use crate::flow_table::FLOWS;
use crate::scheduler::{PacketScheduler, Weights, weighted};
use crate::settings::{list_of, texts};

/// The choices `gearbox`, `gearbox-auto` and `gearbox-srpt`.
pub(in crate::fair) fn choices() -> [Choice<dyn PacketScheduler>; 3] {
    let build = |config: &GearboxConfig, limits, weights| {
        Ok(Gearbox::new(&GearboxConfig { limits, ..config.clone() }, weights)?)
    };
    [
        weighted(
            "gearbox",
            "approximate weighted fair queueing by levels of FIFOs of growing granularity",
            GearboxConfig::default(),
            build,
        )
        .labelled("Gearbox"),
        weighted(
            "gearbox-auto",
            "the same with levels chosen for the range of weights",
            AutoLevels::default(),
            AutoLevels::build,
        )
        .labelled("Gearbox, levels chosen"),
        weighted(
            "gearbox-srpt",
            "shortest remaining flow first, approximated by the same levels",
            GearboxConfig {
                departure: DepartureTime::ShortestRemaining,
                ..GearboxConfig::default()
            },
            build,
        )
        .labelled("Gearbox, SRPT"),
    ]
}

/// What the levels of `gearbox-auto` are chosen for; the range of weights is that of the flows.
#[derive(Clone)]
struct AutoLevels {
    /// All but the levels.
    gearbox: GearboxConfig,
    fifos: u32,
    packet: Bytes,
    backlog: u32,
}

impl Default for AutoLevels {
    fn default() -> Self {
        let gearbox = GearboxConfig::default();
        AutoLevels { gearbox, fifos: 112, packet: Bytes::new(1500), backlog: 16 }
    }
}

impl AutoLevels {
    fn build(&self, limits: Limits, weights: Weights) -> Result<Gearbox, ParameterError> {
        self.gearbox.unit.check()?;
        let (lightest, heaviest) = weights.range();
        let AutoLevels { fifos, packet, backlog, .. } = *self;
        let (total_weight, step_down) = (self.gearbox.unit.total_weight, self.gearbox.step_down);
        let range =
            WeightRange { lightest, heaviest, total_weight, packet, backlog, fifos, step_down };
        let GearboxConfig { levels, unit, .. } = GearboxConfig::for_weights(&range)?;
        let config = GearboxConfig { levels, unit, limits, ..self.gearbox.clone() };
        Ok(Gearbox::new(&config, weights)?)
    }
}

/// Levels as `8@1:8@8:8@64`.
struct Levels<'a>(&'a mut Vec<LevelConfig>);

impl Setting for Levels<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let read = |text: &str| {
            let (fifos, granularity) = text.split_once('@')?;
            let (fifos, granularity) = (fifos.parse().ok()?, granularity.parse().ok()?);
            Some(LevelConfig { fifos, granularity })
        };
        *self.0 = list_of(value, read, "FIFOs@granularity, as 8@64")?;
        Ok(())
    }

    fn value(&self) -> Value {
        texts(self.0, |level| format!("{}@{}", level.fifos, level.granularity))
    }
}

/// All but the departure time, which is in the name.
impl Configure for GearboxConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&FLOWS, &mut self.flows);
        self.unit.walk(walk);
        walk.field(&LEVELS, &mut Levels(&mut self.levels));
        rules(self, walk);
    }
}

impl Configure for AutoLevels {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&FLOWS, &mut self.gearbox.flows);
        self.gearbox.unit.walk(walk);
        walk.field(&FIFOS, &mut self.fifos);
        walk.field(&LARGEST_PACKET, &mut self.packet);
        walk.field(&BACKLOG, &mut self.backlog);
        rules(&mut self.gearbox, walk);
    }
}

/// What does not depend on how the levels come about.
fn rules(config: &mut GearboxConfig, walk: &mut dyn Walk) {
    walk.field(&PLACEMENT, &mut config.placement);
    walk.field(&LEVEL_MEMORY, &mut config.level_memory);
    walk.field(&STEP_DOWN, &mut config.step_down);
    walk.field(&ROUNDING, &mut config.rounding);
    walk.field(&FIFO_PACKETS, &mut config.fifo_packets);
}

const COUNT: Kind = Kind::Int { min: 1, max: 1 << 20 };
const LEVELS: Parameter = Parameter::new(
    "levels",
    Kind::List(&Kind::Text),
    Source::paper("gearbox Table 2"),
    "FIFOs and granularity of each level of Gearbox, the finest first, as 8@1:8@8:8@64.",
);
const FIFOS: Parameter = Parameter::new(
    "fifos",
    COUNT,
    Source::assumed("twice the 56 of gearbox §4.1.1: weights of 1 : 10,000 need more"),
    "FIFOs among which the levels are chosen.",
);
const LARGEST_PACKET: Parameter = Parameter::new(
    "largest_packet",
    Kind::Bytes,
    Source::paper("gearbox §4.1.1"),
    "The largest packet that the levels are chosen for.",
);
const BACKLOG: Parameter = Parameter::new(
    "backlog",
    COUNT,
    Source::assumed("a short flow of the lightest weight"),
    "Packets of the lightest flow that must fit ahead.",
);
const PLACEMENT: Parameter = Parameter::new(
    "placement",
    Kind::of::<LevelPlacement>(),
    Source::paper("gearbox §3.6, §4.2"),
    "Which FIFO of a level a packet may join.",
);
const LEVEL_MEMORY: Parameter = Parameter::new(
    "level_memory",
    Kind::Bool,
    Source::paper("gearbox §3.6"),
    "Whether a flow stays at the level of its last packet or above.",
);
const STEP_DOWN: Parameter = Parameter::new(
    "step_down",
    Kind::Bool,
    Source::paper("gearbox App. A"),
    "Whether each level above the first has a step-down FIFO.",
);
const ROUNDING: Parameter = Parameter::new(
    "rounding",
    Kind::of::<Rounding>(),
    Source::assumed("the fairer of the two"),
    "How a FIFO's proportional service rounds up to whole packets.",
);
const FIFO_PACKETS: Parameter = Parameter::new(
    "fifo_packets",
    Kind::Int { min: 0, max: u32::MAX as i64 },
    Source::assumed("0: only the limits of the whole count"),
    "Packets that one FIFO holds; 0 for no limit of its own.",
);

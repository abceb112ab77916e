//! Gearbox as choices: with levels as given, with levels chosen for the weights, and in order of
//! remaining sizes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use forebay_parameters::{
    Choice, Configure, Parameter, ParameterError, Parameters, Renamed, Setting, Value, Walk,
};
use forebay_units::Bytes;

use super::{DepartureTime, Gearbox, GearboxConfig, LevelConfig, WeightRange};
use crate::fair::{Limits, VirtualUnit};
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
#[derive(Clone, Parameters)]
struct AutoLevels {
    /// All but the levels.
    #[parameter(skip)]
    gearbox: GearboxConfig,
    /// FIFOs among which the levels are chosen.
    #[parameter(range = 1..=1 << 20, default = 112)]
    #[parameter(assumed = "twice the 56 of gearbox §4.1.1: weights of 1 : 10,000 need more")]
    fifos: u32,
    /// The largest packet that the levels are chosen for.
    #[parameter(name = "largest_packet", paper = "gearbox §4.1.1", default = Bytes::new(1500))]
    packet: Bytes,
    /// Packets of the lightest flow that must fit ahead.
    #[parameter(range = 1..=1 << 20, default = 16)]
    #[parameter(assumed = "a short flow of the lightest weight")]
    backlog: u32,
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
        walk.field(&GearboxConfig::LEVELS, &mut Levels(&mut self.levels));
        rules(self, walk);
    }
}

impl Configure for AutoLevels {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&FLOWS, &mut self.gearbox.flows);
        // The heaviest flow's packet is the unit.
        let but_bytes = |one: &Parameter| (*one != VirtualUnit::BYTES).then(|| one.clone());
        self.gearbox.unit.walk(&mut Renamed::new(walk, but_bytes));
        walk.field(&AutoLevels::FIFOS, &mut self.fifos);
        walk.field(&AutoLevels::PACKET, &mut self.packet);
        walk.field(&AutoLevels::BACKLOG, &mut self.backlog);
        rules(&mut self.gearbox, walk);
    }
}

/// What does not depend on how the levels come about.
fn rules(config: &mut GearboxConfig, walk: &mut dyn Walk) {
    walk.field(&GearboxConfig::PLACEMENT, &mut config.placement);
    walk.field(&GearboxConfig::LEVEL_MEMORY, &mut config.level_memory);
    walk.field(&GearboxConfig::STEP_DOWN, &mut config.step_down);
    walk.field(&GearboxConfig::ROUNDING, &mut config.rounding);
    walk.field(&GearboxConfig::FIFO_PACKETS, &mut config.fifo_packets);
}

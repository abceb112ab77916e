//! The parameters of Gearbox and the rules between them.
//!
//! Source: gearbox §3.1, §3.3, §3.6, §4.1.1, §4.2, App. A. Which are the paper's and which are
//! ours: `docs/gearbox.md`.

use alloc::vec::Vec;

use forebay_parameters::{Kind, Parameters, Word};

use super::GearboxError;
use crate::fair::{Limits, VirtualUnit};

/// The most FIFOs in a set of a level.
pub const MAX_FIFOS: u32 = 64;
/// The most levels that a Gearbox may have.
pub const MAX_LEVELS: usize = 16;

/// One level of FIFOs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelConfig {
    /// FIFOs of a set, 2 to 64. Every level but the top has two sets (with
    /// [`LevelPlacement::PingPong`]).
    pub fifos: u32,
    /// Units of virtual time in the interval of a FIFO.
    pub granularity: u64,
}

impl LevelConfig {
    /// `levels` levels of `fifos` FIFOs a set, each as coarse as a whole set of the one below.
    ///
    /// ```
    /// use forebay_sched::fair::gearbox::LevelConfig;
    ///
    /// let granularities: Vec<u64> =
    ///     LevelConfig::equal(3, 8).iter().map(|level| level.granularity).collect();
    /// assert_eq!(granularities, [1, 8, 64]);
    /// ```
    #[must_use]
    pub fn equal(levels: u32, fifos: u32) -> Vec<Self> {
        let granularity = |level| u64::from(fifos).saturating_pow(level);
        (0..levels).map(|level| LevelConfig { fifos, granularity: granularity(level) }).collect()
    }
}

/// Which FIFO of a level a packet may join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum LevelPlacement {
    /// Aligned intervals in two sets, one being served and one ahead: keeps the order of every flow
    /// (gearbox §3.6, §4.2).
    #[default]
    PingPong,
    /// Algorithm 1 to the letter: one set that wraps, intervals counted from the one being served.
    /// For comparison; it can reorder a flow.
    #[word = "algorithm-1"]
    Algorithm1,
}

/// How a FIFO's proportional service rounds up to whole packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Rounding {
    /// What was served too much in one unit is served less in the next.
    #[default]
    Carried,
    /// Each unit rounds up for itself (gearbox §3.2, and the hardware).
    PerUnit,
}

/// What a packet's departure time is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepartureTime {
    /// Weighted fair queueing's virtual finish time.
    #[default]
    FinishTime,
    /// Shortest remaining flow first, as pFabric's ranks (gearbox §1): the system time and the
    /// bytes of the flow that have not arrived yet, this packet included. Beyond the horizon counts
    /// as its end.
    ShortestRemaining,
}

/// The shape of a [`Gearbox`](super::Gearbox).
///
/// ```
/// use forebay_sched::fair::gearbox::GearboxConfig;
///
/// // Table 2 of the paper: 56 FIFOs.
/// let config = GearboxConfig::default();
/// assert_eq!(config.fifos(), 56);
/// assert_eq!(config.horizon(), 7 * 64);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Parameters)]
pub struct GearboxConfig {
    /// Flows that have state of their own.
    #[parameter(declared = FLOWS, default = 1 << 20)]
    pub flows: u32,
    /// Bytes of a unit of virtual time.
    #[parameter(part)]
    pub unit: VirtualUnit,
    /// FIFOs and granularity of each level of Gearbox, the finest first, as 8@1:8@8:8@64.
    ///
    /// 1 to 16 levels. Each granularity divides the next, which divides the span of the finer
    /// level's set.
    #[parameter(paper = "gearbox Table 2", kind = Kind::List(&Kind::Text))]
    #[parameter(default = LevelConfig::equal(3, 8))]
    pub levels: Vec<LevelConfig>,
    /// Which FIFO of a level a packet may join.
    #[parameter(paper = "gearbox §3.6, §4.2", default = LevelPlacement::default())]
    pub placement: LevelPlacement,
    /// Whether a flow stays at the level of its last packet or above.
    ///
    /// Without, flows are reordered.
    #[parameter(paper = "gearbox §3.6", default = true)]
    pub level_memory: bool,
    /// Whether each level above the first has a step-down FIFO.
    #[parameter(paper = "gearbox App. A", default = true)]
    pub step_down: bool,
    /// How a FIFO's proportional service rounds up to whole packets.
    #[parameter(assumed = "the fairer of the two", default = Rounding::default())]
    pub rounding: Rounding,
    /// Packets that one FIFO holds; 0 for no limit of its own.
    #[parameter(range = 0..=u32::MAX, default = None)]
    #[parameter(assumed = "0: only the limits of the whole count")]
    pub fifo_packets: Option<u32>,
    /// What the departure time is, which is in the name of the scheduler.
    #[parameter(skip)]
    pub departure: DepartureTime,
    /// The most that may wait.
    #[parameter(skip)]
    pub limits: Limits,
}

impl GearboxConfig {
    /// First-in first-out queues in all: sets A and B, the top's one set, and the split step-down
    /// FIFOs. A step-down FIFO is counted by its parts and by itself, as in the paper's 56.
    #[must_use]
    pub fn fifos(&self) -> u32 {
        let sets = match self.placement {
            LevelPlacement::PingPong => 2 + u32::from(self.step_down),
            LevelPlacement::Algorithm1 => 1,
        };
        let (top, lower) =
            self.levels.split_last().map_or((0, &[][..]), |(top, lower)| (top.fifos, lower));
        lower.iter().map(|level| level.fifos.saturating_mul(sets)).sum::<u32>() + top
    }

    /// Units ahead of the system time that every packet may depart at, wherever in an interval that
    /// is.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        self.levels.last().map_or(0, |top| u64::from(top.fifos.saturating_sub(1)) * top.granularity)
    }

    /// Checks the rules.
    ///
    /// # Errors
    /// The first that is broken.
    pub fn check(&self) -> Result<(), GearboxError> {
        let levels = self.levels.len();
        if !(1..=MAX_LEVELS).contains(&levels) {
            return Err(GearboxError::Levels { asked: levels });
        }
        if !self.unit.is_valid() {
            return Err(GearboxError::Unit);
        }
        if !self.limits.is_valid() || self.flows == 0 || self.fifo_packets == Some(0) {
            return Err(GearboxError::Limits);
        }
        for (number, level) in self.levels.iter().enumerate() {
            if !(2..=MAX_FIFOS).contains(&level.fifos) {
                return Err(GearboxError::Fifos { level: number + 1, asked: level.fifos });
            }
            if !(1..=1 << 32).contains(&level.granularity) {
                return Err(GearboxError::Granularity { level: number + 1 });
            }
        }
        for (number, pair) in self.levels.windows(2).enumerate() {
            self.check_pair(number + 2, pair[0], pair[1])?;
        }
        self.check_step_down()
    }

    /// Checks level number `coarse_level` against the one below.
    fn check_pair(
        &self,
        coarse_level: usize,
        fine: LevelConfig,
        coarse: LevelConfig,
    ) -> Result<(), GearboxError> {
        let span = u64::from(fine.fifos) * fine.granularity;
        let fits = coarse.granularity > fine.granularity
            && coarse.granularity.is_multiple_of(fine.granularity)
            && span.is_multiple_of(coarse.granularity);
        if !fits {
            return Err(GearboxError::Ratio { level: coarse_level, span });
        }
        if self.step_down && coarse.granularity != span {
            return Err(GearboxError::StepDownSpan { level: coarse_level, span });
        }
        Ok(())
    }

    fn check_step_down(&self) -> Result<(), GearboxError> {
        if !self.step_down {
            return Ok(());
        }
        if self.placement == LevelPlacement::Algorithm1 {
            return Err(GearboxError::StepDownPlacement);
        }
        // In an odd ring, FIFO 1 would stand before set B in one turn and before set A in the next.
        match self.levels.last() {
            Some(top) if top.fifos % 2 == 1 => Err(GearboxError::StepDownOdd { fifos: top.fifos }),
            _ => Ok(()),
        }
    }
}

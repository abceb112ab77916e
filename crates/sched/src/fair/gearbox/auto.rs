//! Levels chosen from a range of weights and a budget of FIFOs.
//!
//! Ours; the paper gives one set-up (gearbox Table 2). The heaviest flow wants a fine unit: one of
//! its largest packets takes one. The lightest flow wants a far horizon: so many of its packets
//! must fit ahead. Of the shapes within the budget that reach as far, we take the one with the
//! fewest levels, since every level more means fewer FIFOs in each and coarser intervals for what
//! lies between; and of those the one with the most FIFOs.

use forebay_units::Bytes;

use super::GearboxError;
use super::config::{GearboxConfig, LevelConfig, MAX_FIFOS, MAX_LEVELS};
use crate::fair::VirtualUnit;

/// What a Gearbox must serve, and from how many FIFOs.
///
/// ```
/// use forebay_sched::fair::gearbox::{GearboxConfig, WeightRange};
///
/// // Weights of 1 to 100 (gearbox Table 3, set 4), four packets of the lightest flow ahead.
/// let range = WeightRange { heaviest: 100, total_weight: 202, backlog: 4, ..WeightRange::new(56) };
/// let config = GearboxConfig::for_weights(&range)?;
/// assert_eq!(config.levels.len(), 3);
/// assert!(config.fifos() <= 56 && config.horizon() >= 400);
/// # Ok::<(), forebay_sched::fair::gearbox::GearboxError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightRange {
    /// The smallest weight that any flow may have.
    pub lightest: u32,
    /// The largest weight that any flow may have.
    pub heaviest: u32,
    /// The weight of all admitted flows together.
    pub total_weight: u32,
    /// The largest packet: the heaviest flow's takes the least virtual time.
    pub packet: Bytes,
    /// Largest packets of the lightest flow that must fit before the horizon.
    pub backlog: u32,
    /// FIFOs there are, in all sets and step-down FIFOs.
    pub fifos: u32,
    /// Whether to have step-down FIFOs.
    pub step_down: bool,
}

impl WeightRange {
    /// Equal weights, packets of 1500 bytes, 32 of them ahead, from `fifos` FIFOs with step-down.
    #[must_use]
    pub const fn new(fifos: u32) -> Self {
        WeightRange {
            lightest: 1,
            heaviest: 1,
            total_weight: 1,
            packet: Bytes::new(1500),
            backlog: 32,
            fifos,
            step_down: true,
        }
    }

    /// The unit in which the heaviest flow's packet takes one.
    fn unit(&self) -> VirtualUnit {
        let bytes = u128::from(self.packet.get()) * u128::from(self.total_weight)
            / u128::from(self.heaviest.max(1));
        let bytes = Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX).max(1));
        VirtualUnit { bytes, total_weight: self.total_weight }
    }

    /// Units that must be reached ahead.
    fn horizon(&self) -> u64 {
        let parts = u128::from(self.unit().parts(self.packet.get(), self.lightest));
        let units = (parts * u128::from(self.backlog)) >> super::VirtualTime::FRACTION;
        u64::try_from(units).unwrap_or(u64::MAX).saturating_add(1)
    }

    /// FIFOs of `levels` levels with sets of one FIFO.
    fn sets(&self, levels: u32) -> u32 {
        (levels - 1) * (2 + u32::from(self.step_down)) + 1
    }

    /// The smallest number of FIFOs that reaches `horizon` with so many levels.
    fn smallest(&self, levels: u32, horizon: u64) -> Option<u32> {
        let step = 1 + usize::from(self.step_down);
        let set = (2..=MAX_FIFOS).step_by(step).find(|&set| reach(levels, set) >= horizon)?;
        Some(set * self.sets(levels))
    }
}

/// Units that `levels` levels of `set` FIFOs a set always reach.
fn reach(levels: u32, set: u32) -> u64 {
    u64::from(set).saturating_pow(levels - 1).saturating_mul(u64::from(set - 1))
}

impl GearboxConfig {
    /// The fewest levels within the budget that serve the range; everything else as the default.
    ///
    /// # Errors
    /// [`GearboxError::Budget`] if no shape within the budget reaches far enough, with the smallest
    /// that does; other errors if the range is none.
    pub fn for_weights(range: &WeightRange) -> Result<Self, GearboxError> {
        if range.lightest == 0 || range.lightest > range.heaviest {
            return Err(GearboxError::Weights);
        }
        if range.packet == Bytes::ZERO || range.total_weight == 0 {
            return Err(GearboxError::Unit);
        }
        let horizon = range.horizon();
        let even = if range.step_down { !1 } else { !0 };
        for levels in 1..=MAX_LEVELS as u32 {
            let set = (range.fifos / range.sets(levels)).min(MAX_FIFOS) & even;
            if set >= 2 && reach(levels, set) >= horizon {
                let config = GearboxConfig {
                    levels: LevelConfig::equal(levels, set),
                    unit: range.unit(),
                    step_down: range.step_down,
                    ..GearboxConfig::default()
                };
                return config.check().map(|()| config);
            }
        }
        let needed =
            (1..=MAX_LEVELS as u32).filter_map(|levels| range.smallest(levels, horizon)).min();
        Err(GearboxError::Budget { fifos: range.fifos, horizon, needed })
    }
}

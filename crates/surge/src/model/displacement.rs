//! The displacement factor: innocent traffic displaced per attack bandwidth used.
//!
//! Source: thesis §3.3.3, Eq. 3.1: `sup over r_A of (o_I(r_I; 0) - o_I(r_I; r_A)) / r_A`. As the
//! equation says, it compares two runs, one without the adversary and one with them; both see the
//! same innocent packets. It says nothing of statistical error; counting takes as long as
//! [`measured`](super::SimulationConfig::measured), and what only changes from counted to waiting
//! at its ends is reported as [`Displacement::margin`].

use forebay_units::{Bytes, Rate};

use super::attack::Attack;
use super::simulation::{SimulationConfig, SurgeOutcome, simulate};
use super::traffic::Traffic;
use crate::error::SurgeError;

/// A scheduler, its innocent traffic, and how it does without an adversary.
#[derive(Clone, Debug)]
pub struct Experiment {
    traffic: Traffic,
    config: SimulationConfig,
    alone: SurgeOutcome,
}

/// What an attack achieves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    /// o_I(r_I; 0).
    pub alone: Rate,
    /// o_I(r_I; r_A).
    pub attacked: Rate,
    /// r_A, the rate of the attack.
    pub rate: Rate,
    /// What Eq. 3.1 takes the supremum of; negative if the attack helps.
    pub factor: f64,
    /// How much of the factor may be due to what waited when counting began or ended, in either
    /// run: the difference of those backlogs over the attack's bits.
    pub margin: f64,
}

impl Displacement {
    /// What an attack at `rate` did between two runs of the same length, without the adversary and
    /// with them.
    #[must_use]
    pub fn between(alone: &SurgeOutcome, attacked: &SurgeOutcome, rate: Rate) -> Self {
        let paid = rate.as_bps() as f64 * attacked.measured.as_secs_f64();
        let bits = |bytes: Bytes| bytes.get() as f64 * 8.0;
        let completed = |outcome: &SurgeOutcome| bits(outcome.innocent.completed);
        let shift = |outcome: &SurgeOutcome| {
            bits(outcome.innocent.waiting_after) - bits(outcome.innocent.waiting_before)
        };
        Displacement {
            alone: alone.goodput(),
            attacked: attacked.goodput(),
            rate,
            factor: (completed(alone) - completed(attacked)) / paid,
            margin: (shift(attacked) - shift(alone)).abs() / paid,
        }
    }

    /// The factor without its margin: what the attack displaced for certain.
    #[must_use]
    pub fn certain(&self) -> f64 {
        self.factor - self.margin
    }
}

impl Experiment {
    /// Runs the scheduler without an adversary.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(traffic: Traffic, config: SimulationConfig) -> Result<Self, SurgeError> {
        if config.measured.as_ps() == 0 {
            return Err(SurgeError::Zero("measured"));
        }
        let alone = simulate(&config, traffic.packets()?, core::iter::empty())?;
        Ok(Experiment { traffic, config, alone })
    }

    /// The traffic of everyone but the attacker.
    #[must_use]
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The scheduler and the run.
    #[must_use]
    pub fn config(&self) -> &SimulationConfig {
        &self.config
    }

    /// What it did without an adversary.
    #[must_use]
    pub fn alone(&self) -> &SurgeOutcome {
        &self.alone
    }

    /// ρ of the theorems.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.traffic.load(self.config.servers)
    }

    /// Runs it again under `attack`.
    ///
    /// # Errors
    /// An attack that cannot be.
    pub fn under(&self, attack: &Attack) -> Result<Displacement, SurgeError> {
        let attacked = simulate(&self.config, self.traffic.packets()?, attack.packets()?)?;
        Ok(Displacement::between(&self.alone, &attacked, attack.rate))
    }
}

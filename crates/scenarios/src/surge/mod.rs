//! A processor under an attack on its algorithm: goodput and displacement factor by scheduling
//! policy (thesis chapter 3).
//!
//! Innocent packets at a rate, attack packets at another, one bounded buffer, one processor or
//! several: G/G/n/k (§3.3, §3.6.2). Each run simulates twice, without the adversary and with them,
//! as Eq. 3.1 says. Traffic comes from the model of §3.6.2, or from job sizes that were measured
//! once on a real processor (`forebay surge measure`) and are replayed here without a clock.
//!
//! [`config`] says what the thesis leaves open, [`setup`] makes traffic and attack, [`metrics`] is
//! what is measured.

pub mod config;
pub mod metrics;
mod policies;
pub mod setup;

use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario,
};
use forebay_parameters::{Choices, Configure};
use forebay_surge::model::{Displacement, Offer, SurgeOutcome};
use forebay_surge::policies::JobPolicy;

use crate::SimulationError;
use config::{Config, Estimates};
use setup::{Offers, SurgeSetup};

/// The scenario over job policies; see the module's head.
pub struct Surge {
    jobs: Choices<dyn JobPolicy>,
    infos: Vec<PolicyInfo>,
}

impl Surge {
    /// Over these policies.
    #[must_use]
    pub fn new(jobs: &Choices<dyn JobPolicy>) -> Self {
        Surge { jobs: jobs.clone(), infos: policies::infos(jobs) }
    }
}

impl Scenario for Surge {
    fn name(&self) -> &'static str {
        "surge"
    }

    fn about(&self) -> &'static str {
        "a processor whose packets take unequal time, under an attack that exploits it: goodput by \
         scheduling policy"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(Config::new(policy, &self.jobs).ok())
    }

    fn policies(&self) -> &[PolicyInfo] {
        &self.infos
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let config = params.fill(Config::new(policy, &self.jobs)?)?;
        SurgeSetup::new(&config, 1).map(drop).map_err(|error| params.refuse(&error))
    }

    fn lacks(&self, params: &Resolved, policy: &str, quantity: &str) -> Option<Lack> {
        let config = params.fill(Config::new(policy, &self.jobs).ok()?).ok()?;
        let lacks = quantity == "heuristic_change" && config.estimates == Estimates::True;
        let (why, parameter) = ("job sizes are known", "scheduler.estimates");
        lacks.then_some(Lack { why, parameter })
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        metrics::missing(quantity)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let config = Config::new(point.policy, &self.jobs).map_err(ConfigError::from)?;
        let config = point.params.fill(config)?;
        let values = run(&config, point.seed, context);
        let values = values.map_err(|error| error.of_point(point.params))?;
        Ok(RunOutput { values, timelines: Vec::new() })
    }
}

/// What a configuration measures, in the order of [`metrics::METRICS`].
///
/// # Errors
/// Names the parameter at fault, or says that it was stopped.
pub fn run(
    config: &Config,
    seed: u64,
    context: &mut RunContext<'_>,
) -> Result<Vec<(&'static str, f64)>, SimulationError> {
    let setup = SurgeSetup::new(config, seed)?;
    let runs = Runs::new(&setup, context)?;
    context.progress(0.5);
    let mut values = metrics::values(&setup, &runs.alone, &runs.attacked, &runs.displacement);
    let change = match config.estimates {
        Estimates::Heuristic => {
            let told =
                SurgeSetup::new(&Config { estimates: Estimates::True, ..config.clone() }, seed)?;
            runs.displacement.factor - Runs::new(&told, context)?.displacement.factor
        }
        Estimates::True => f64::NAN,
    };
    values.push(("heuristic_change", change));
    Ok(values)
}

/// Without the adversary, and with them.
struct Runs {
    alone: SurgeOutcome,
    attacked: SurgeOutcome,
    displacement: Displacement,
}

impl Runs {
    fn new(setup: &SurgeSetup, context: &RunContext<'_>) -> Result<Self, SimulationError> {
        let go_on = |_: &Offer| !context.stopped();
        let run = |attack: Offers<'_>| {
            let innocent = setup.innocent()?.take_while(go_on);
            setup.simulate(innocent, attack.take_while(go_on))
        };
        let alone = run(Box::new(std::iter::empty())).map_err(SimulationError::failed)?;
        let attacked = setup.attack().and_then(run).map_err(SimulationError::failed)?;
        if context.stopped() {
            return Err(RunError::Stopped.into());
        }
        let displacement = Displacement::between(&alone, &attacked, setup.attack_rate);
        Ok(Runs { alone, attacked, displacement })
    }
}

#[cfg(test)]
mod tests;

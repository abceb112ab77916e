//! A processor under an attack on its algorithm: goodput and displacement factor by scheduling policy (thesis chapter 3).
//!
//! Innocent packets at a rate, attack packets at another, one bounded buffer, one processor or several: G/G/n/k
//! (§3.3, §3.6.2). Each run simulates twice, without the adversary and with him, as Eq. 3.1 says. Traffic comes from
//! the model of §3.6.2, or from job sizes that were measured once on a real processor (`forebay surge measure`) and
//! are replayed here without a clock.
//!
//! [`params`] says what the thesis leaves open, [`setup`] makes traffic and attack, [`metrics`] is what is measured.

pub mod metrics;
pub mod params;
pub mod setup;

use forebay_lab::{
    ConfigError, MetricSpec, ParamSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario,
};
use forebay_surge::SurgeError;
use forebay_surge::model::{Displacement, Offer, Outcome, simulate};

use setup::{Offers, Setup};

/// The scenario; see the module's head.
pub struct Surge;

impl Scenario for Surge {
    fn name(&self) -> &'static str {
        "surge"
    }

    fn about(&self) -> &'static str {
        "a processor whose packets take unequal time, under an attack that exploits it: goodput by scheduling policy"
    }

    fn params(&self) -> &'static [ParamSpec] {
        params::PARAMS
    }

    fn policies(&self) -> &'static [PolicyInfo] {
        params::POLICIES
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        Setup::new(params, policy, 1).map(drop)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let Point { params, policy, seed } = *point;
        let setup = Setup::new(params, policy, seed)?;
        let runs = Runs::new(&setup, context)?;
        context.progress(0.5);
        let mut values = metrics::values(&setup, &runs.alone, &runs.attacked, &runs.displacement);
        let change = if params.text("estimates")? == "heuristic" {
            let told = Setup::told(params, policy, seed, true)?;
            runs.displacement.factor - Runs::new(&told, context)?.displacement.factor
        } else {
            f64::NAN
        };
        values.push(("heuristic_change", change));
        Ok(RunOutput { values, timelines: Vec::new() })
    }
}

/// Without the adversary, and with him.
struct Runs {
    alone: Outcome,
    attacked: Outcome,
    displacement: Displacement,
}

impl Runs {
    fn new(setup: &Setup, context: &RunContext<'_>) -> Result<Self, RunError> {
        let go_on = |_: &Offer| !context.stopped();
        let run = |attack: Offers<'_>| {
            let innocent = setup.innocent()?.take_while(go_on);
            simulate(&setup.config, innocent, attack.take_while(go_on))
        };
        let failed = |error: SurgeError| RunError::Failed(error.to_string());
        let alone = run(Box::new(std::iter::empty())).map_err(failed)?;
        let attacked = setup.attack().and_then(run).map_err(failed)?;
        if context.stopped() {
            return Err(RunError::Stopped);
        }
        let displacement = Displacement::between(&alone, &attacked, setup.attack_rate);
        Ok(Runs { alone, attacked, displacement })
    }
}

#[cfg(test)]
mod tests;

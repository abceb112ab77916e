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

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_surge::model::{Displacement, Offer, simulate};

use crate::config::Resolved;
use crate::error::ConfigError;
use crate::scenario::{MetricSpec, ParamSpec, Point, PolicyInfo, RunError, RunOutput, Scenario};
use setup::Setup;

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

    fn run(
        &self,
        point: &Point<'_>,
        progress: &mut dyn FnMut(f64),
        stop: &AtomicBool,
    ) -> Result<RunOutput, RunError> {
        let setup = Setup::new(point.params, point.policy, point.seed)?;
        let failed = |error: &dyn std::error::Error| RunError::Failed(error.to_string());
        let go_on = |_: &Offer| !stop.load(Ordering::Relaxed);
        let run = |attack: Box<dyn Iterator<Item = Offer> + '_>| {
            let innocent = setup.innocent()?.take_while(go_on);
            simulate(&setup.config, innocent, attack.take_while(go_on))
        };
        let alone = run(Box::new(std::iter::empty())).map_err(|error| failed(&error))?;
        progress(0.4);
        let attacked = setup.attack().and_then(&run).map_err(|error| failed(&error))?;
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Stopped);
        }
        let displacement = Displacement::between(&alone, &attacked, setup.attack_rate);
        let values = metrics::values(&setup, &alone, &attacked, &displacement);
        Ok(RunOutput { values, timelines: Vec::new() })
    }
}

#[cfg(test)]
mod tests;

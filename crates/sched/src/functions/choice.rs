//! The choices of built-in rank functions: each shows and reads its part of one configuration.

use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure, ParameterError, Walk};

use super::config::{Costs, RankConfig};
use super::{RankFunction, RankShape};
use crate::flow_table::FLOWS;

/// What a rank function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    Weights,
    Flows,
    Budgets,
    JobCosts,
    Shaper,
}

/// The parameters of one rank function: what it reads of all.
#[derive(Clone)]
struct Own {
    config: RankConfig,
    reads: &'static [Reads],
}

impl RankConfig {
    /// The choice of a built-in rank function that has these parameters and reads `reads` of them.
    pub(super) fn choice<P: RankFunction + 'static>(
        &self,
        name: &'static str,
        label: &'static str,
        about: &'static str,
        reads: &'static [Reads],
        new: fn(&RankConfig) -> P,
    ) -> Choice<dyn RankFunction> {
        let own = Own { config: self.clone(), reads };
        let build = move |own: &Own, shape: &RankShape| Ok(Box::new(new(&own.at(shape)?)) as _);
        Choice::new(name, about, own, build).labelled(label)
    }
}

impl Own {
    /// The configuration where it is built.
    fn at(&self, shape: &RankShape) -> Result<RankConfig, ParameterError> {
        let mut config = RankConfig { rate: shape.rate, ..self.config.clone() };
        if shape.pairs {
            config.weights = config.weights.of_pairs();
        }
        config.check().map(|()| config)
    }
}

impl Configure for Own {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.reads.iter().for_each(|reads| reads.walk(&mut self.config, walk));
    }
}

impl Reads {
    fn walk(self, config: &mut RankConfig, walk: &mut dyn Walk) {
        match self {
            Reads::Weights => config.weights.walk(walk),
            Reads::Flows => walk.field(&FLOWS, &mut config.flows),
            Reads::Budgets => walk.field(&RankConfig::BUDGETS, &mut config.budgets),
            Reads::JobCosts => {
                walk.field(&RankConfig::JOB_COSTS, &mut Costs(&mut config.job_costs))
            }
            Reads::Shaper => {
                walk.field(&RankConfig::SHAPER_RATE, &mut config.shaper_rate);
                walk.field(&RankConfig::SHAPER_BURST, &mut config.shaper_burst);
            }
        }
    }
}

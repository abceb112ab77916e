//! Of caches, and of schedulers of jobs.

use forebay_cache::policies::{CachePolicy, PolicyConfig, SetConfig, policies};
use forebay_cache::{Foresight, order::OrderConfig};
use forebay_parameters::{Choice, Configure, Walk};
use forebay_surge::{Ranks, SchedulerConfig};

use super::{Panel, line, names};
use crate::controls::controls;
use crate::error::LabError;
use crate::setup::{JobsSetup, Side};

/// What can be chosen and set of a cache: the policies that need no future, which a stream does not
/// tell.
pub(crate) fn cache_panel(side: &Side) -> Result<Panel, LabError> {
    let mut cache = CacheChoice::of(side)?;
    let main: Vec<String> = names(&mut cache.policy);
    let controls = controls(&mut cache, |name| main.iter().any(|own| own == name), &[]);
    let known = policies();
    let online = known.iter().filter(|policy| is_online(policy));
    let policies = online.map(|one| line(one, "cache policies")).collect();
    Ok(Panel { policies, controls, ..Panel::default() })
}

/// The same of a scheduler of jobs.
pub(crate) fn jobs_panel(jobs: &JobsSetup, side: &Side) -> Result<Panel, LabError> {
    let mut scheduler = scheduler(jobs, side)?;
    let controls = controls(&mut OfPolicy(&mut scheduler), |_| true, &[]);
    let known = forebay_surge::policies::policies();
    let policies = known.iter().map(|one| line(one, "job policies")).collect();
    Ok(Panel { policies, controls, ..Panel::default() })
}

/// The scheduler of a side: exact ranks, as the experiments have.
pub(crate) fn scheduler(setup: &JobsSetup, side: &Side) -> Result<SchedulerConfig, LabError> {
    let config = SchedulerConfig::under(&side.policy);
    let config = config.map_err(|error| LabError::at("", error))?;
    let mut config = SchedulerConfig { capacity: setup.capacity, ranks: Ranks::Exact, ..config };
    side.fill(&mut OfPolicy(&mut config))?;
    Ok(config)
}

/// What a scheduler's policy shows.
struct OfPolicy<'a>(&'a mut SchedulerConfig);

impl Configure for OfPolicy<'_> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk_policy(walk);
    }
}

/// A cache policy, and how it evicts.
pub(crate) struct CacheChoice {
    pub(crate) policy: Choice<dyn CachePolicy>,
    pub(crate) evicts: PolicyConfig,
}

impl CacheChoice {
    pub(crate) fn of(side: &Side) -> Result<Self, LabError> {
        let known = policies();
        let policy = known.named(&side.policy).map_err(|error| LabError::at("", error))?;
        let mut made = CacheChoice { policy: policy.clone(), evicts: PolicyConfig::default() };
        side.fill(&mut made)?;
        Ok(made)
    }
}

impl Configure for CacheChoice {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.policy.walk(walk);
        self.evicts.walk(walk);
    }
}

/// Whether a policy needs no future.
fn is_online(policy: &Choice<dyn CachePolicy>) -> bool {
    let set = SetConfig { index: 0, capacity: 1, order: OrderConfig::default() };
    let built = policy.build(&PolicyConfig::default());
    built.is_ok_and(|build| build(&set).needs() == Foresight::None)
}

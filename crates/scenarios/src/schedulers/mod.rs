//! The packet schedulers as policies of experiments, and their parameters; several scenarios share them.
//!
//! Source: gearbox §4.1.1, Table 2; what a baseline's own paper says otherwise stands at its parameter. The
//! schedulers are those of a [`Catalogue`], by the same names.

mod blame;
mod lists;
mod params;
mod policies;
mod tree;

use forebay_lab::{ConfigError, PolicyInfo, Resolved};
use forebay_parameters::{Choice, Configure, Entry, Given, Parameter, Registry, Value};
use forebay_sched::fair::gearbox::LevelConfig;
use forebay_sched::scheduler::PacketSchedulerFamily;
use forebay_switch::Catalogue;

use crate::engine_policies;

pub use blame::{blame, check};
pub use lists::weights;
pub use params::PARAMS;
pub use policies::POLICIES;
pub use tree::tree;

/// These, then every scheduler but drop-tail: the built-in ones, and what else is in the catalogue.
pub(crate) fn policies(first: &[PolicyInfo], catalogue: &Catalogue) -> Vec<PolicyInfo> {
    let known = |name: &str| {
        name == "drop-tail" || POLICIES.iter().any(|policy: &PolicyInfo| policy.name == name)
    };
    let own = catalogue.schedulers().into_iter().filter(|one| !known(one.name()));
    [first, POLICIES, &engine_policies(Registry::of(own))].concat()
}

/// The scheduler called `name`, with what it reads of the parameters.
///
/// # Errors
/// Names the parameter at fault.
pub fn choice(
    catalogue: &Catalogue,
    params: &Resolved,
    name: &str,
) -> Result<Choice<PacketSchedulerFamily>, ConfigError> {
    let mut scheduler = if name == "tree" {
        forebay_sched::scheduler::tree(tree(params)?)
    } else {
        let known = catalogue.schedulers();
        known.named(name).map_err(|error| ConfigError::new(error.to_string()))?.clone()
    };
    configure(&mut scheduler, params)?;
    Ok(scheduler)
}

/// Fills a scheduler with what it reads of the parameters.
///
/// # Errors
/// Names the parameter at fault.
pub fn configure(config: &mut impl Configure, params: &Resolved) -> Result<(), ConfigError> {
    let values = values(params)?;
    let mut given = Given::new(|parameter: &Parameter| {
        let found = values.iter().find(|(name, _)| *name == parameter.name);
        Ok(found.map(|(_, value)| value.clone()))
    });
    config.walk(&mut given);
    given.finish([]).map_err(|error| blame(params, &error))
}

/// The values of the schedulers' parameters, by the names that they have there.
fn values(params: &Resolved) -> Result<Vec<(&'static str, Value)>, ConfigError> {
    let of = weights(params)?;
    let number = |name: &str| params.count(name).map(|count| Value::Int(count as i64));
    let bytes = |name: &str| params.bytes(name).map(Value::Bytes);
    let span = |name: &str| params.duration(name).map(Value::Duration);
    let levels = LevelConfig::equal(
        params.count("scheduler.levels")? as u32,
        params.count("scheduler.level_fifos")? as u32,
    );
    let levels = levels.iter().map(|one| format!("{}@{}", one.fifos, one.granularity));
    let total_weight = total_weight(params, &of)?;
    Ok(vec![
        ("weights", Value::List(of.into_iter().map(|weight| Value::Int(weight.into())).collect())),
        ("unit_bytes", bytes("scheduler.unit")?),
        ("total_weight", Value::Int(total_weight.into())),
        ("calendar_queues", number("scheduler.queues")?),
        ("calendar_granularity", number("scheduler.granularity")?),
        ("levels", Value::List(levels.map(Value::Text).collect())),
        ("fifos", number("scheduler.auto_fifos")?),
        ("backlog", number("scheduler.auto_backlog")?),
        ("quantum", bytes("scheduler.quantum")?),
        ("flows", number("scheduler.flows")?),
        ("bucket_ranks", number("scheduler.bucket_ranks")?),
        ("codel_target", span("scheduler.codel_target")?),
        ("codel_interval", span("scheduler.codel_interval")?),
        ("budgets", lists::budgets(params)?),
        ("job_costs", lists::job_costs(params)?),
        ("shaper_rate", params.rate("scheduler.shaper_rate").map(Value::Rate)?),
        ("shaper_burst", bytes("scheduler.shaper_burst")?),
    ])
}

/// The weight among which a unit's bytes are shared (gearbox §1, footnote 1).
fn total_weight(params: &Resolved, listed: &[u32]) -> Result<u32, ConfigError> {
    let given = params.count("scheduler.total_weight")?;
    let total = match params.text("scheduler.total_weight_of")? {
        _ if given > 0 => given,
        "heaviest" => listed.iter().max().copied().unwrap_or(1).into(),
        _ => listed.iter().map(|weight| u64::from(*weight)).sum(),
    };
    u32::try_from(total).map_err(|_| {
        let message = format!("the weights are {total} together, more than 2^32 - 1");
        params
            .blame("scheduler.weights", message)
            .fix("give smaller weights of the same proportion")
    })
}

#[cfg(test)]
mod tests;

//! The packet schedulers as policies of experiments, and their parameters; several scenarios share them.
//!
//! Source: gearbox §4.1.1, Table 2; what a baseline's own paper says otherwise stands at its parameter. The
//! schedulers are those of `forebay_sched::scheduler`, by the same names.

mod blame;
mod lists;
mod params;
mod policies;
mod tree;

use forebay_lab::{ConfigError, Resolved};
use forebay_sched::fair::CodelConfig;
use forebay_sched::fair::gearbox::LevelConfig;
use forebay_sched::functions::RankConfig;
use forebay_sched::scheduler::{AutoLevels, SchedulerConfig, Weights};

pub use blame::{blame, check};
pub use lists::weights;
pub use params::PARAMS;
pub use policies::POLICIES;

/// The parameters of the schedulers; the link rate and the limits are the scenario's.
///
/// # Errors
/// Names the parameter at fault.
pub fn config(params: &Resolved) -> Result<SchedulerConfig, ConfigError> {
    let of = weights(params)?;
    let number = |name: &str| params.count(name).map(|count| count as u32);
    let mut config = SchedulerConfig {
        calendar_queues: number("scheduler.queues")?,
        calendar_granularity: params.count("scheduler.granularity")?,
        quantum: small(params, "scheduler.quantum")?,
        flows: number("scheduler.flows")?,
        bucket_ranks: number("scheduler.bucket_ranks")?,
        codel: CodelConfig {
            target: params.duration("scheduler.codel_target")?,
            interval: params.duration("scheduler.codel_interval")?,
            ..CodelConfig::default()
        },
        auto: AutoLevels {
            fifos: number("scheduler.auto_fifos")?,
            backlog: number("scheduler.auto_backlog")?,
            ..AutoLevels::default()
        },
        ..SchedulerConfig::default()
    };
    config.unit.bytes = params.bytes("scheduler.unit")?;
    config.unit.total_weight = total_weight(params, &of)?;
    config.gearbox.levels =
        LevelConfig::equal(number("scheduler.levels")?, number("scheduler.level_fifos")?);
    config.weights = Weights::new(1, of)
        .map_err(|error| params.blame("scheduler.weights", error.to_string()))?;
    config.ranks = ranks(params)?;
    config.tree = tree::read(params, &config)?;
    Ok(config)
}

/// The rank functions' own parameters.
fn ranks(params: &Resolved) -> Result<RankConfig, ConfigError> {
    Ok(RankConfig {
        budgets: lists::budgets(params)?,
        job_costs: lists::job_costs(params)?,
        shaper_rate: params.rate("scheduler.shaper_rate")?,
        shaper_burst: params.bytes("scheduler.shaper_burst")?,
        ..RankConfig::default()
    })
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

fn small(params: &Resolved, name: &str) -> Result<u32, ConfigError> {
    let bytes = params.bytes(name)?.get();
    u32::try_from(bytes)
        .map_err(|_| params.blame(name, format!("{bytes} bytes are too many")).fix("give less"))
}

#[cfg(test)]
mod tests;

//! Which parameter is at fault when a scheduler cannot be built.

use forebay_lab::{ConfigError, Resolved};
use forebay_sched::fair::CalendarError;
use forebay_sched::fair::gearbox::GearboxError;
use forebay_sched::functions::RankFunctionError;
use forebay_sched::scheduler::{SchedulerConfig, SchedulerError, scheduler};
use forebay_units::Rate;

/// Whether the scheduler called `name` can be built for links of `rate`.
///
/// # Errors
/// Names the parameter at fault.
pub fn check(
    params: &Resolved,
    name: &str,
    config: &SchedulerConfig,
    rate: Rate,
) -> Result<(), ConfigError> {
    let config = SchedulerConfig { link_rate: rate, ..config.clone() };
    scheduler(name, &config).map(drop).map_err(|error| blame(params, &error))
}

/// The error at the place of the parameter that it is about.
#[must_use]
pub fn blame(params: &Resolved, error: &SchedulerError) -> ConfigError {
    params.blame(parameter(error), error.to_string())
}

/// A parameter's path; that of the port's buffer, where a scenario has none, blames nobody.
fn parameter(error: &SchedulerError) -> &'static str {
    match error {
        SchedulerError::Unit => "scheduler.unit",
        SchedulerError::Flows => "scheduler.flows",
        SchedulerError::Quantum => "scheduler.quantum",
        SchedulerError::Queues => "scheduler.bucket_ranks",
        SchedulerError::Calendar(CalendarError::Granularity) => "scheduler.granularity",
        SchedulerError::Calendar(_) => "scheduler.queues",
        SchedulerError::Gearbox(error) => of_gearbox(*error),
        SchedulerError::Ranks(RankFunctionError::Config(error)) => match error.name() {
            "flows" => "scheduler.flows",
            "budgets" => "scheduler.budgets",
            "job_costs" => "scheduler.job_costs",
            "shaper_rate" => "scheduler.shaper_rate",
            "shaper_burst" => "scheduler.shaper_burst",
            _ => "link.rate",
        },
        SchedulerError::Tree(_) | SchedulerError::TreeQueues => "scheduler.tree",
        _ => "switch.port_limit",
    }
}

fn of_gearbox(error: GearboxError) -> &'static str {
    match error {
        GearboxError::Levels { .. } | GearboxError::Granularity { .. } => "scheduler.levels",
        GearboxError::Unit => "scheduler.unit",
        GearboxError::Budget { .. } => "scheduler.auto_fifos",
        GearboxError::Weights => "scheduler.weights",
        GearboxError::Limits => "switch.port_limit",
        _ => "scheduler.level_fifos",
    }
}

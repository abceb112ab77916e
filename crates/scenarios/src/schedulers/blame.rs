//! Which parameter of an experiment is at fault when a scheduler cannot be built.

use forebay_lab::{ConfigError, Resolved};
use forebay_parameters::{Choice, ParameterError};
use forebay_sched::scheduler::{PacketSchedulerFamily, SchedulerShape};
use forebay_units::Rate;

/// Whether the scheduler can be built for links of `rate`.
///
/// # Errors
/// Names the parameter at fault.
pub fn check(
    params: &Resolved,
    scheduler: &Choice<PacketSchedulerFamily>,
    rate: Rate,
) -> Result<(), ConfigError> {
    let built = scheduler.build(&SchedulerShape::of_link(rate));
    built.map(drop).map_err(|error| blame(params, &error))
}

/// The error at the place of the parameter that it is about; that of the port's buffer, where a scenario has none,
/// blames nobody.
#[must_use]
pub fn blame(params: &Resolved, error: &ParameterError) -> ConfigError {
    let name = match error.name() {
        "unit_bytes" => "scheduler.unit",
        "calendar_queues" => "scheduler.queues",
        "calendar_granularity" => "scheduler.granularity",
        "levels" if are_too_many(params) => "scheduler.levels",
        "levels" => "scheduler.level_fifos",
        "fifos" => "scheduler.auto_fifos",
        "backlog" => "scheduler.auto_backlog",
        "rate" => "link.rate",
        "packets" | "bytes" => "switch.port_limit",
        same => &format!("scheduler.{same}"),
    };
    params.blame(name, error.sentence())
}

/// Whether the coarsest level would have more units than a level can.
fn are_too_many(params: &Resolved) -> bool {
    let count = |name| params.count(name).unwrap_or_default();
    let (levels, fifos) = (count("scheduler.levels"), count("scheduler.level_fifos"));
    fifos.saturating_pow(levels.saturating_sub(1) as u32) > 1 << 32
}

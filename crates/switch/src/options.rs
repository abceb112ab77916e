//! What front ends call the parameters that every switch has: of a command the options, of Python the arguments.

use forebay_parameters::ParameterError;

use crate::{SwitchBuildError, SwitchConfig};

impl SwitchConfig {
    /// The option that sets this parameter: `buffer` as [`with_buffer`](Self::with_buffer) does, `mark` as
    /// [`with_marks`](Self::with_marks) does; any other is called as it is.
    #[must_use]
    pub fn option<'a>(&self, parameter: &'a str) -> &'a str {
        match (self, parameter) {
            (SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_), "limit")
            | (SwitchConfig::OnChip(_), "pool")
            | (SwitchConfig::Hybrid(_), "sram") => "buffer",
            (_, "mark_above") => "mark",
            (_, other) => other,
        }
    }

    /// Why the switch cannot be built, in the words of a front end that lets its user say `switch`, `tree`, `buffer`,
    /// `mark` and `rank`, and, by the option `ports`, what its ports are.
    #[must_use]
    pub fn refuse(&self, error: &SwitchBuildError, ports: &str) -> ParameterError {
        let option = match error {
            SwitchBuildError::Unknown(_) => "switch",
            SwitchBuildError::TooManyPorts | SwitchBuildError::TooSlow(_) => ports,
            SwitchBuildError::Packet { .. } => "buffer",
            SwitchBuildError::NotRanked(_) => "rank",
            SwitchBuildError::Parameter(error) => match self.option(error.name()) {
                option @ ("tree" | "buffer" | "mark") => return error.clone().renamed(option),
                other => match other.strip_prefix("rank.") {
                    Some(own) => return ParameterError::value("rank", error.clone().renamed(own)),
                    None => "switch",
                },
            },
        };
        ParameterError::value(option, error)
    }
}

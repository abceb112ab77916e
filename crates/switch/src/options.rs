//! What front ends call the parameters that every switch has: of a command the options, of Python
//! the arguments.

use forebay_parameters::ParameterError;

use crate::{SwitchBuildError, SwitchConfig};

impl SwitchConfig {
    /// The option that sets this parameter: `buffer` as [`with_buffer`](Self::with_buffer) does,
    /// `mark` as [`with_marks`](Self::with_marks) does; any other is called as it is.
    #[must_use]
    pub fn option<'a>(&self, parameter: &'a str) -> &'a str {
        match parameter {
            "mark_above" => "mark",
            other if other == self.buffer_parameter() => "buffer",
            other => other,
        }
    }

    /// The parameter that [`with_buffer`](SwitchConfig::with_buffer) sets.
    #[must_use]
    pub fn buffer_parameter(&self) -> &'static str {
        match self {
            SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_) => "limit",
            SwitchConfig::OnChip(_) => "pool",
            SwitchConfig::Hybrid(_) => "sram",
        }
    }

    /// Why the switch cannot be built, in the words of a front end that lets its user say `switch`,
    /// `tree`, `buffer`, `mark` and `rank`, and, by the option `ports`, what its ports are. The
    /// error of a parameter of the switch has a [cause](ParameterError::cause) that calls it by its
    /// own name.
    #[must_use]
    pub fn refuse(&self, error: &SwitchBuildError, ports: &str) -> ParameterError {
        let option = match error {
            SwitchBuildError::Unknown(_) => "switch",
            SwitchBuildError::TooManyPorts
            | SwitchBuildError::Memory { .. }
            | SwitchBuildError::PortMemory { .. }
            | SwitchBuildError::TooSlow(_) => ports,
            SwitchBuildError::Packet { .. } => {
                let buffer = ParameterError::value(self.buffer_parameter(), error);
                return buffer.clone().renamed("buffer").caused_by(buffer);
            }
            SwitchBuildError::NotRanked(_) => "rank",
            SwitchBuildError::Parameter(error) => {
                return self.refuse_parameter(error).caused_by(error.clone());
            }
        };
        ParameterError::value(option, error)
    }

    /// The error of a parameter, said of the option that stands for it.
    fn refuse_parameter(&self, error: &ParameterError) -> ParameterError {
        match self.option(error.name()) {
            option @ ("tree" | "buffer" | "mark") => error.clone().renamed(option),
            other => match other.strip_prefix("rank.") {
                Some(own) => ParameterError::value("rank", error.clone().renamed(own)),
                None => ParameterError::value("switch", error),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use forebay_parameters::{Entry, Listed, listed};
    use forebay_units::Bytes;

    use super::*;
    use crate::Catalogue;

    /// The options at which two switches differ.
    fn changed(mut one: SwitchConfig, mut other: SwitchConfig) -> Vec<alloc::string::String> {
        // What is set may show more.
        let others = listed(&mut other);
        let same = |own: &Listed| {
            let other = others.iter().find(|other| other.parameter.name == own.parameter.name);
            other.is_some_and(|other| other.value == own.value)
        };
        let differ = listed(&mut one).into_iter().filter(|own| !same(own));
        differ.map(|own| one.option(&own.parameter.name).into()).collect()
    }

    #[test]
    fn options_are_called_as_what_sets_them() {
        for info in Catalogue::default().switches().iter() {
            let config = &info.config;
            let buffered = config.clone().with_buffer(Bytes::new(123_456));
            assert_eq!(changed(config.clone(), buffered), ["buffer"], "{}", info.name());
            let marking = config.clone().with_marks(Some(Bytes::new(1_000)));
            assert_eq!(changed(config.clone(), marking), ["mark"], "{}", info.name());
        }
    }
}

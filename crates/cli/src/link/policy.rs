//! The policy of a link or a lab: its switch, and the rules over headers that order packets in it.

use forebay_dataplane::link::Rules;
use forebay_dataplane::live::LiveError;
use forebay_replay::{Ranking, check_class, classless, with_classes};
use forebay_switch::{Catalogue, SwitchConfig};

use crate::net::{SwitchArguments, switch, wrong};
use crate::replay::rules::RuleArguments;
use crate::{Failure, settings};

/// A switch, and the rules that order packets in it.
pub(crate) struct Ordered {
    pub(crate) switch: SwitchConfig,
    pub(crate) rules: Rules,
    /// What is to be known before it runs, if something is.
    pub(crate) note: Option<String>,
}

/// Both, with the other parameters of the switch as `set` sets them.
pub(crate) fn ordered_with(
    switches: &SwitchArguments,
    rules: &RuleArguments,
    catalogue: &Catalogue,
    set: impl FnOnce(SwitchConfig) -> Result<SwitchConfig, Failure>,
) -> Result<Ordered, Failure> {
    let mut config = switch(switches, catalogue)?;
    if let Some(classes) = rules.classes {
        config =
            with_classes(config, classes).map_err(|error| wrong("classes", error.sentence()))?;
    }
    let (ranking, class) = rules.read(catalogue)?;
    if let Some(ranking) = &ranking {
        config = ranking.applied_to(config).map_err(|error| wrong("rank", error))?;
    }
    config = set(config)?;
    check_class(&config, ranking.as_ref(), class.is_some(), rules.classes)
        .map_err(|error| wrong(error.parameter().unwrap_or("class"), error.sentence()))?;
    let note = classless(&config, ranking.as_ref(), class.is_some());
    let rank = match ranking {
        Some(Ranking::Rule { rule, .. }) => Some(rule),
        Some(Ranking::Function(_)) | None => None,
    };
    Ok(Ordered { switch: config, rules: Rules { class, rank }, note })
}

/// Why a link with this switch cannot be, in the words of the arguments.
pub(crate) fn refused(switch: &SwitchConfig, error: &LiveError) -> Failure {
    refused_as_set(switch, error, &[])
}

/// The same of a switch with parameters of `--set`.
pub(super) fn refused_as_set(
    switch: &SwitchConfig,
    error: &LiveError,
    set: &[(String, String)],
) -> Failure {
    match error {
        LiveError::Switch(error) => settings::refused(&switch.refuse(error, "set"), set),
        LiveError::Start { .. } => Failure::new(format!("error: {error}"), 127),
        LiveError::NoXdp(_) => Failure::new(format!("error: {error} (--ring packet)"), 1),
        LiveError::NotAllowed
        | LiveError::NoAddress
        | LiveError::Port { .. }
        | LiveError::Failed { .. } => Failure::new(format!("error: {error}"), 1),
    }
}

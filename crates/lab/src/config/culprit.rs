//! Which value makes a point impossible. A scenario refuses the parameter that does not fit the
//! others; if the user set one of those and not this, their value is what is to change.
//!
//! Found by trying, so that no scenario has to say which of its parameters depend on which.
//! Complexity: up to two checks of the point for each parameter that is set, and only where there
//! is an error to report.

use super::Experiment;
use crate::error::ConfigError;
use crate::resolved::{Origin, Resolved};
use crate::schema::PolicyInfo;

impl Experiment {
    /// The error of the parameter at this place, which the file sets and no run under these
    /// policies reads, if that is so only because of what was set beside the file.
    pub(super) fn made_idle(&self, index: usize, policies: &[PolicyInfo]) -> Option<ConfigError> {
        let parameters = &self.params.parameters;
        let beside = |at: &usize| parameters[*at].origin == Origin::CommandLine;
        let culprit = (0..parameters.len()).filter(beside).find(|at| {
            let mut without = self.clone();
            without.axes.retain(|axis| !axis.sweeps(*at));
            let parameter = &mut without.params.parameters[*at];
            parameter.value = parameter.otherwise.clone();
            without.effective(policies)[index]
        })?;
        let name = &parameters[index].spec.name;
        let place = parameters[index].position.as_ref();
        let place =
            place.map_or(String::new(), |place| format!(", set at {}:{},", place.file, place.line));
        let message = format!("with it `{name}`{place} has no effect");
        let fix = format!("leave it out, or remove {name} from the file");
        Some(self.params.blame(&parameters[culprit].spec.name, message).fix(fix))
    }

    /// The place of the parameter to blame for the error of a point under a policy, instead of the
    /// one that it is about: without its value that one would fit. None if nothing else was set
    /// with more right. `first` is tried first.
    pub(super) fn culprit(
        &self,
        params: &Resolved,
        policy: &str,
        error: &ConfigError,
        first: Option<usize>,
    ) -> Option<usize> {
        let about = error.parameter();
        let own = about.and_then(|about| params.index(&about.parameter).ok());
        let nearness = |index: usize| nearness(params.parameters[index].origin);
        let least = own.map_or(0, nearness);
        let mut set: Vec<usize> = (0..params.parameters.len()).collect();
        set.retain(|index| Some(*index) != own && nearness(*index) > least);
        // The nearest first; those of the command line were all right without one another as the
        // file had them.
        set.sort_by_key(|index| (Some(*index) != first, std::cmp::Reverse(nearness(*index))));
        let without = |params: &mut Resolved, index: usize| {
            let parameter = &mut params.parameters[index];
            parameter.value = parameter.otherwise.clone();
            self.scenario.check(params, policy).err()
        };
        let mut another = None;
        for index in &set {
            match without(&mut params.clone(), *index) {
                None => return Some(*index),
                // Without it something else does not fit, but this does.
                Some(other) if !is_same(&other, error) => {
                    another.get_or_insert(*index);
                }
                Some(_) => {}
            }
        }
        // Perhaps several together.
        another.or_else(|| {
            let mut fewer = params.clone();
            set.into_iter().find(|index| {
                without(&mut fewer, *index).is_none_or(|other| !is_same(&other, error))
            })
        })
    }
}

/// The error of a point, said of the parameter at this place, whose value it comes from.
pub(super) fn blame(params: &Resolved, culprit: usize, error: ConfigError) -> ConfigError {
    let name = &*params.parameters[culprit].spec.name;
    let message = match error.parameter() {
        Some(about) => {
            let value = params.parameter(&about.parameter).map(|one| one.value.to_string());
            let value = value.unwrap_or_default();
            format!("{} = {value} does not fit it: {}", about.parameter, about.problem)
        }
        None => error.message().to_owned(),
    };
    error.said(params.blame(name, message))
}

/// Whether two errors are about the same parameter.
fn is_same(one: &ConfigError, other: &ConfigError) -> bool {
    let name = |error: &ConfigError| error.parameter().map(|about| about.parameter.clone());
    name(one) == name(other)
}

/// How near to whoever runs the experiment a value was set.
fn nearness(origin: Origin) -> u8 {
    match origin {
        Origin::Default => 0,
        Origin::ExperimentFile | Origin::Sweep => 1,
        Origin::CommandLine => 2,
    }
}

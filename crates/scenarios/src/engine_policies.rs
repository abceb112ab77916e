//! What a registry of the engine has, as a scenario's policies.

use forebay_lab::PolicyInfo;
use forebay_parameters::{Entry, Registry};

/// What is called by name, as policies of a scenario.
pub(crate) fn engine_policies<E: Entry>(entries: &Registry<E>) -> Vec<PolicyInfo> {
    let line = |one: &E| PolicyInfo {
        name: one.name().to_owned().into(),
        label: one.label().to_owned().into(),
        doc: one.about().to_owned().into(),
    };
    entries.iter().map(line).collect()
}

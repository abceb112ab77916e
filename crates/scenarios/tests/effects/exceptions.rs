//! What may be set to another value and change nothing, and why.

/// Parameters of a scenario that need not matter under some policies.
#[derive(Debug)]
pub(crate) struct Exception {
    scenario: &'static str,
    /// Its policies; empty: all.
    policies: &'static [&'static str],
    parameters: &'static [&'static str],
    /// Why.
    _reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[];

/// Those of a scenario.
pub(crate) fn all(scenario: &str) -> impl Iterator<Item = &'static Exception> {
    EXCEPTIONS.iter().filter(move |one| one.scenario == scenario)
}

/// The one for this parameter under this policy, if there is one.
pub(crate) fn of(scenario: &str, policy: &str, parameter: &str) -> Option<&'static Exception> {
    all(scenario).find(|one| {
        let is_for = one.policies.is_empty() || one.policies.contains(&policy);
        is_for && one.parameters.contains(&parameter)
    })
}

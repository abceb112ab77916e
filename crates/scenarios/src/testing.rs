//! What tests of several scenarios share.

use forebay_lab::{Point, Registry, Resolved, RunContext, RunError, Scenario};
use forebay_switch::Catalogue;

/// The scenarios over what is built in.
pub(crate) fn registry() -> Registry {
    crate::registry(&Catalogue::default())
}

/// A scenario over what is built in.
pub(crate) fn built_in<S>(scenario: fn(&Catalogue) -> S) -> S {
    scenario(&Catalogue::default())
}

/// Runs a scenario at its defaults but for `set`, with seed 1; parameters are checked first.
pub(crate) fn run_with(
    scenario: &dyn Scenario,
    policy: &str,
    set: &[(&str, &str)],
) -> Result<Vec<(&'static str, f64)>, RunError> {
    let settings: Vec<(String, String)> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let params = Resolved::with_settings(scenario.params(), &settings)?;
    scenario.check(&params, policy)?;
    let point = Point { params: &params, policy, seed: 1 };
    Ok(scenario.run(&point, &mut RunContext::default())?.values)
}

/// One of a run's values.
pub(crate) fn value(values: &[(&'static str, f64)], name: &str) -> f64 {
    values.iter().find(|(metric, _)| *metric == name).unwrap().1
}

//! What tests of several scenarios share.

use std::path::Path;

use forebay_lab::{
    ConfigErrors, Experiment, Overrides, Point, Resolved, RunContext, RunError, Scenario,
};

use crate::Policies;

/// An experiment of one point: a scenario of the registry at its defaults but for `set`, with seed
/// 1, checked.
pub(crate) fn experiment(
    scenario: &str,
    policy: &str,
    set: &[(&str, &str)],
) -> Result<Experiment, ConfigErrors> {
    let text = format!(
        "title = \"t\"\nscenario = \"{scenario}\"\npolicies = [\"{policy}\"]\nseeds = [1]\n"
    );
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    Experiment::read(
        "e.toml",
        text.as_bytes(),
        Path::new("."),
        &overrides,
        &crate::registry(&Policies::default()).unwrap(),
    )
}

/// Runs that experiment.
pub(crate) fn run_with(
    scenario: &dyn Scenario,
    policy: &str,
    set: &[(&str, &str)],
) -> Result<Vec<(&'static str, f64)>, RunError> {
    let settings: Vec<(String, String)> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let params = Resolved::with_settings(scenario, &settings)?;
    scenario.check(&params, policy)?;
    let point = Point { params: &params, policy, seed: 1 };
    Ok(scenario.run(&point, &mut RunContext::default())?.values)
}

/// One of a run's values.
pub(crate) fn value(values: &[(&'static str, f64)], name: &str) -> f64 {
    values.iter().find(|(metric, _)| *metric == name).unwrap().1
}

/// Asserts that whatever a run has no value of is explained with a parameter to set.
pub(crate) fn assert_absence_is_explained(
    scenario: &dyn Scenario,
    policy: &str,
    set: &[(&str, &str)],
    absent: &[&str],
) {
    let values = run_with(scenario, policy, set).unwrap();
    let without = values.iter().filter(|(_, value)| value.is_nan()).map(|(name, _)| *name);
    let without: Vec<&str> = without.collect();
    assert_eq!(without, absent);
    for name in without {
        let lack = scenario.missing(name).unwrap_or_else(|| panic!("{name} is not explained"));
        let known = Resolved::with_settings(scenario, &[]).unwrap();
        let known = known.parameters().iter().any(|one| one.spec.name == lack.parameter);
        assert!(known, "{name}: there is no parameter {}", lack.parameter);
    }
}

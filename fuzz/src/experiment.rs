//! An experiment file: an experiment whose every point resolves and whose runs have distinct keys,
//! or errors that name a place and a fix.

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use forebay_lab::run::plan;
use forebay_lab::{Resolved, ScenarioRegistry};
use forebay_scenarios::Policies;

/// All scenarios of the project.
pub static REGISTRY: LazyLock<ScenarioRegistry> =
    LazyLock::new(|| forebay_scenarios::registry(&Policies::default()).unwrap());

/// Plans above this are lawful but too large for a fuzzer's patience.
const RUNS: usize = 1_000;

/// Whether a file is an experiment that can be planned, or is refused. Panics if it is neither.
pub fn check(file: &[u8]) {
    let experiment = match forebay_lab::parse(file, &REGISTRY) {
        Ok(experiment) => experiment,
        Err(errors) => {
            assert!(!errors.0.is_empty() && !errors.render().is_empty());
            return;
        }
    };
    assert!(experiment.policies.len() * experiment.seeds.len() > 0);
    if experiment.run_count() > RUNS {
        return;
    }
    let all = Resolved::of(&*experiment.scenario, Path::new("")).parameters().len();
    for point in 0..experiment.point_count() {
        let params = experiment.at_point(point);
        assert_eq!(params.parameters().len(), all);
    }
    if let Ok(runs) = plan::runs(&experiment) {
        let keys: HashSet<&str> = runs.iter().map(|run| run.key.as_str()).collect();
        assert_eq!((runs.len(), keys.len()), (experiment.run_count(), runs.len()));
    }
}

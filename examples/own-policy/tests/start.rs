//! What `forebay new policy` writes: it compiles, and the policy runs.

use forebay::lab::{Experiment, Overrides};

#[path = "../../../crates/cli/src/new/policy/lib.rs"]
mod start;

#[test]
fn the_policy_that_one_begins_with_runs() -> Result<(), Box<dyn std::error::Error>> {
    let policies = start::policies()?;
    let registry = forebay::scenarios::registry(&policies)?;
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/cli/src/new/policy/compare.toml");
    let experiment = Experiment::load(file.as_ref(), &Overrides::default(), &registry)?;
    assert_eq!(experiment.run_count(), 9);
    Ok(())
}

use super::*;
use crate::testing::{assert_absence_is_explained, run_with, value};

/// Tenant a (weight 3) has voice before data; tenant b is shaped to 1 Gb/s, its classes share 2
/// : 1.
const TREE: &str = r#"
rate = "10 Gb/s"
mtu = "1500 B"
node = [
    { name = "port", scheduler = "wfq" },
    { name = "a", parent = "port", scheduler = "sp", weight = 3 },
    { name = "b", parent = "port", shaper = { rate = "1 Gb/s", burst = "15 KB" } },
    { name = "a-voice", parent = "a", shaper = { rate = "2 Gb/s", burst = "15 KB" }, match = [{ flow = 0 }] },
    { name = "a-data", parent = "a", priority = 1, match = [{ flow = 1 }] },
    { name = "b-1", parent = "b", weight = 2, match = [{ flow = 2 }] },
    { name = "b-2", parent = "b", match = [{ flow = 3 }] },
]
"#;

fn hierarchy() -> Hierarchy {
    Hierarchy::new(&Catalogue::default())
}

fn run(policy: &str, set: &[(&str, &str)]) -> Result<Vec<(&'static str, f64)>, RunError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port.tree");
    std::fs::write(&path, TREE).unwrap();
    let own = [
        ("scheduler.tree", path.to_str().unwrap()),
        ("demands", "10 Gb/s x4"),
        ("run.span", "20 ms"),
        ("weights", "12:42:4:2"),
    ];
    run_with(&hierarchy(), policy, &[&own[..], set].concat())
}

#[test]
fn a_tree_gives_its_allocation_and_keeps_its_shapers() {
    for demands in ["10 Gb/s x4", "10 Gb/s:0 b/s:10 Gb/s x2", "500 Mb/s:10 Gb/s:0 b/s:200 Mb/s"] {
        let values = run("tree", &[("demands", demands)]).unwrap();
        assert!(value(&values, "share_error_max") < 0.02, "{demands}: {values:?}");
        assert_eq!(value(&values, "shaper_excess"), 0.0, "{demands}");
    }
    // The same rates as weights of flows are no tree: what one flow leaves goes to all, and nothing
    // is shaped.
    let values = run("pifo-wfq", &[("demands", "10 Gb/s:0 b/s:10 Gb/s x2")]).unwrap();
    assert!(value(&values, "shaper_excess") > 1e6, "{values:?}");
    assert!(value(&values, "share_error_max") > 0.5, "{values:?}");
    assert!(value(&run("drop-tail", &[]).unwrap(), "share_error_max") > 0.5);
}

#[test]
fn every_scheduler_runs() {
    for policy in hierarchy().policies() {
        let values = run(&policy.name, &[("run.span", "2 ms")]).unwrap();
        assert_eq!(values.len(), metrics::METRICS.len());
        assert!(value(&values, "sent") > 1.0, "{}: {values:?}", policy.name);
    }
}

#[test]
fn what_cannot_be_is_named() {
    for (name, bad, words) in [
        ("demands", "10 Gb/s x5", "no leaf of the tree takes flow 4"),
        ("demands", "fast", "fast"),
        ("classes", "256", "between 0 and 255"),
        ("link.packet", "9 KB", "takes packets of at most 1.5 KB"),
        ("link.rate", "0 b/s", "give a link rate above 0 b/s"),
        ("link.rate", "1500 Mb/s", "its shaper's 2 Gb/s is above the port's 1.5 Gb/s"),
    ] {
        let error = run("drr", &[(name, bad)]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn what_there_is_not_is_explained() {
    let set = [("demands", "0 b/s x4"), ("run.span", "1 ms")];
    let names = ["share_error_max", "share_error_mean", "least_share"];
    assert_absence_is_explained(&hierarchy(), "drop-tail", &set, &names);
}

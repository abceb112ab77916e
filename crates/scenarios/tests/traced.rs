//! A traced run yields what the same run yields untraced, and only one run is traced.
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::path::Path;
use std::sync::atomic::AtomicBool;

use forebay_lab::run::Unobserved;
use forebay_lab::run::traced::Traced;
use forebay_lab::{Experiment, Overrides, Point, RunContext};
use forebay_scenarios::{Policies, registry, traced};
use forebay_trace::Bounds;

fn experiment(file: &str, set: &[(&str, &str)]) -> Experiment {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let overrides = Overrides { set, seeds: vec![2], ..Overrides::default() };
    Experiment::load(&folder.join(file), &overrides, &registry(&Policies::default()).unwrap())
        .unwrap()
}

/// A short experiment of every scenario that traces.
fn short() -> [Experiment; 3] {
    let span = ("span", "200 us");
    [
        experiment(
            "themis/fig10-single-point.toml",
            &[("load", "0.9"), ("warm_up", "50 us"), span],
        ),
        experiment("occamy/fig10-queue-evolution.toml", &[("alpha", "4")]),
        experiment(
            "occamy/fig12-burst-absorption.toml",
            &[("query_bytes", "492 KB"), ("warm_up", "1 ms"), ("span", "8 ms")],
        ),
    ]
}

/// Traces the only run of `experiment`; what it yielded, and the trace.
fn trace(experiment: &Experiment) -> Result<(Traced, Vec<u8>), String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace");
    let go = AtomicBool::new(false);
    let done = traced(
        experiment,
        &registry(&Policies::default()).unwrap(),
        &file,
        Bounds::default(),
        &go,
        &Unobserved,
    );
    let done = done.map_err(|error| error.to_string())?;
    Ok((done, std::fs::read(&file).unwrap()))
}

#[test]
fn a_trace_changes_no_result() {
    for mut experiment in short() {
        for policy in std::mem::take(&mut experiment.policies) {
            experiment.policies = vec![policy.clone()];
            let params = experiment.at_point(0);
            let point = Point { params: &params, policy: &policy.name, seed: 2 };
            let plain = experiment.scenario.run(&point, &mut RunContext::default()).unwrap();
            let (seen, bytes) = trace(&experiment).unwrap();
            // As text: a metric without a value is NaN.
            assert_eq!(format!("{plain:?}"), format!("{:?}", seen.output), "{}", seen.label);
            let text = String::from_utf8_lossy(&bytes);
            for name in [&format!("switch 0 ({})", policy.name), "port 0", "waiting", "sending"] {
                assert!(text.contains(name), "{}: {name}", seen.label);
            }
        }
    }
}

#[test]
fn what_is_left_to_choose_is_said() {
    let [mut single, ..] = short();
    let error = trace(&single).unwrap_err();
    let says = "this experiment has 4; choose --policy NAME (one of greedy-hybrid, ";
    assert!(error.contains(says), "{error}");
    assert!(!error.contains("--seed") && !error.contains("load"), "{error}");
    single.policies.truncate(1);
    single.seeds = vec![1, 2];
    let error = trace(&single).unwrap_err();
    assert!(error.contains("this experiment has 2; choose --seed N (one of 1, 2)"), "{error}");
    let swept = experiment("occamy/fig10-queue-evolution.toml", &[]);
    let error = trace(&swept).unwrap_err();
    assert!(error.contains("--set alpha=VALUE (one of 1, 4)"), "{error}");
    let other = experiment("self-check/single-server.toml", &[]);
    let error = trace(&other).unwrap_err();
    let says = "`single-server` has no switch that can be traced; trace one of the scenarios \
                single-point, on-chip, sonic and network";
    assert!(error.contains(says), "{error}");
}

use super::*;
use crate::testing::{assert_absence_is_explained, run_with, value};

fn link() -> Link {
    Link::new(&Catalogue::default())
}

fn run(policy: &str, set: &[(&str, &str)]) -> Vec<(&'static str, f64)> {
    run_with(&link(), policy, set).unwrap()
}

const EXAMPLE: &[(&str, &str)] =
    &[("weights", "20:1x20"), ("total_weight", "40"), ("run.span", "5 ms")];

#[test]
fn every_scheduler_sends_what_it_takes() {
    for policy in link().policies() {
        let values = run(&policy.name, EXAMPLE);
        assert_eq!(values.len(), metrics::METRICS.len());
        assert!(value(&values, "packets") > 3000.0, "{}", policy.name);
        let may_refuse = ["cq-1", "token-bucket"].contains(&&*policy.name);
        assert!(may_refuse || value(&values, "refused_fraction") < 0.05, "{}", policy.name);
    }
}

/// gearbox §2.4: a coarse calendar is late by more than the heavy flow expects and hardly matters
/// to the light ones; the exact order and Gearbox are not.
#[test]
fn coarse_calendars_are_late_for_heavy_flows() {
    let heavy = |policy| value(&run(policy, EXAMPLE), "heavy_normalized_max");
    let (exact, gearbox, coarse) = (heavy("pifo-wfq"), heavy("gearbox"), heavy("cq-100"));
    // Self-clocked time runs ahead of the fluid server's, so that the exact order is late as well.
    assert!(gearbox < 1.5 && exact < 3.0 && coarse > 4.0, "{exact} {gearbox} {coarse}");
    assert!(value(&run("cq-10", EXAMPLE), "light_normalized_max") < 0.5);
}

#[test]
fn what_cannot_be_is_named() {
    for (name, bad, words) in [
        ("link.rate", "0 b/s", "give a link rate above 0 b/s"),
        ("link.packet", "0 B", "a packet must be 1 B to 1 MiB"),
        ("weights", "0", "0 is not a whole number"),
        ("run.span", "100 s", "can be remembered"),
        ("level_fifos", "3", "--set level_fifos=3"),
    ] {
        let set = [(name.to_owned(), bad.to_owned())];
        let params = Resolved::with_settings(&link(), &set);
        let checked = params.and_then(|params| link().check(&params, "gearbox"));
        let error = checked.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn what_there_is_not_is_explained() {
    let names = [
        "dtd_mean",
        "dtd_p99",
        "heavy_dtd_max",
        "light_dtd_max",
        "heavy_normalized_mean",
        "heavy_normalized_max",
        "light_normalized_mean",
        "light_normalized_max",
    ];
    assert_absence_is_explained(&link(), "drop-tail", &[("run.span", "1 ps")], &names);
}

use forebay_lab::Scenario;

use super::*;
use crate::Policies;
use crate::testing::{experiment, run_with, value};

/// Few enough requests for a test.
const SMALL: &[(&str, &str)] = &[
    ("trace.requests", "3000"),
    ("trace.objects", "100"),
    ("prototype.step", "100 us"),
    ("cache.share", "0.1"),
];

fn prototype() -> Prototype {
    Prototype::new(&Policies::default().caches)
}

#[test]
fn simulated_requests_are_those_of_delayed_hits() {
    let hits = crate::delayed_hits::DelayedHits::new(&Policies::default().caches);
    let same = [SMALL[0], SMALL[1], SMALL[3]];
    // 103 ms are 1030 steps of 100 us.
    let steps = run_with(&hits, "lru-mad", &[&same[..], &[("store.z", "1030")]].concat()).unwrap();
    let found = run_with(&prototype(), "lru-mad", SMALL).unwrap();
    let ms = value(&steps, "mean_latency") * 0.1;
    assert!((value(&found, "mean_latency") / ms - 1.0).abs() < 1e-9, "{found:?}");
    assert_eq!(value(&found, "miss_rate"), value(&steps, "miss_rate"));
    assert!(value(&found, "cdf_distance").is_nan());
}

#[test]
fn what_only_the_simulator_does_is_refused_by_name() {
    for (name, given) in [("cache.ways", "10"), ("cache.eviction", "sampled")] {
        let set = [SMALL, &[("proxy", "real"), (name, given)]].concat();
        let error = experiment("prototype", "lru", &set).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("proxy=simulated"), "{error}");
    }
}

#[test]
fn only_real_requests_are_live_and_the_report_says_so() {
    let simulated = experiment("prototype", "lru", SMALL).unwrap();
    assert!(!simulated.is_live() && simulated.unable().is_none());
    let real = experiment("prototype", "lru", &[SMALL, &[("proxy", "real")]].concat()).unwrap();
    assert!(real.is_live());
    let warnings = prototype().warnings(&real.at_point(0));
    assert!(warnings.len() == 1 && warnings[0].contains("real time"), "{warnings:?}");
}

/// Requests that are so late, in milliseconds, wait for the processor and not for answers.
#[cfg(feature = "proxy")]
const BUSY_MS: f64 = 5.0;

#[cfg(feature = "proxy")]
#[test]
fn real_requests_wait_about_as_long_as_simulated_ones() {
    // A second and a half of requests.
    let set = [SMALL, &[("proxy", "real"), ("prototype.step", "500 us")]].concat();
    let found = run_with(&prototype(), "lru-mad", &set).unwrap();
    assert_eq!(value(&found, "failed"), 0.0, "{found:?}");
    assert!(value(&found, "fetch_time") >= 103.0, "{found:?}");
    // A busy machine makes all waits longer, and then requests are late as well; on others the
    // distance is some hundredths.
    let is_busy = value(&found, "late_p99") > BUSY_MS;
    assert!(is_busy || value(&found, "cdf_distance") < 0.5, "{found:?}");
    let rates = ["hit_rate", "delayed_hit_rate", "miss_rate"].map(|name| value(&found, name));
    assert!(rates.iter().all(|rate| *rate > 0.0), "{found:?}");
}

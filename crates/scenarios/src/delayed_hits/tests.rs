use std::sync::atomic::AtomicBool;

use forebay_cache::policies::policies;

use super::*;
use crate::testing::{run_with, value};

fn run(policy: &str, set: &[(&str, &str)]) -> Result<Vec<(&'static str, f64)>, RunError> {
    run_with(&DelayedHits::new(&policies()), policy, set)
}

#[test]
fn the_example_is_the_thesiss() {
    // 3000 ms of the pattern are 1834 requests; Z = 17 of §2.3.1.
    let set = [
        ("trace.kind", "example"),
        ("store.z", "17"),
        ("cache.objects", "1"),
        ("trace.requests", "1834"),
    ];
    for (policy, expected) in [("cache-a", 4.3), ("cache-b", 7.5), ("lru", 5.9)] {
        let latency = value(&run(policy, &set).unwrap(), "mean_latency");
        assert!((latency - expected).abs() < 0.05, "{policy} {latency}");
    }
}

#[test]
fn delayed_hits_cost_what_the_classical_model_does_not_see() {
    let set = [("trace.kind", "zipf-bursts"), ("trace.requests", "20000"), ("store.z", "500")];
    let lru = run("lru", &set).unwrap();
    let shares = ["hit_rate", "delayed_hit_rate", "miss_rate"].map(|name| value(&lru, name));
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares[1] > 0.0, "{shares:?}");
    assert!(value(&lru, "idealized_error") > 0.0);
    assert!(value(&lru, "mean_latency") <= 500.0);
    let one = run("lru", &[set[0], set[1], ("store.z", "1")]).unwrap();
    assert!(value(&one, "idealized_error").abs() < 0.01, "with Z = 1 the models agree");
    let pairs = value(&run("pairs", &set).unwrap(), "misleading_pairs");
    assert!((0.0..=1.0).contains(&pairs));
}

#[test]
fn bins_of_burstiness_are_disjoint() {
    let requests = |score: &str| {
        let set =
            [("trace.kind", "on-off"), ("trace.requests", "20000"), ("measure.burstiness", score)];
        value(&run("lru", &set).unwrap(), "measured_requests")
    };
    let bins = ["-0.9", "-0.7", "-0.5", "-0.3", "-0.1", "0.1", "0.3", "0.5", "0.7", "0.9"];
    let all = requests("-2");
    let sum: f64 = bins.iter().map(|score| requests(score)).sum();
    assert!(sum <= all && sum > 0.5 * all, "{sum} of {all}");
}

#[test]
fn too_many_histograms_are_refused() {
    let set = [("trace.requests", "10"), ("cache.objects", "16000000"), ("cache.ways", "1")];
    let error = run("lhd-mad", &set).unwrap_err();
    assert!(error.to_string().contains("set cache.ways higher"), "{error}");
}

#[test]
fn packets_are_as_close_together_at_any_pace() {
    let delayed = |interval| {
        let set = [("trace.kind", "network"), ("trace.requests", "30000"), ("store.z", "30")];
        let set = [&set[..], &[("trace.interval", interval), ("cache.objects", "50")]].concat();
        value(&run("lru", &set).unwrap(), "delayed_hit_rate")
    };
    let (slow, fast) = (delayed("3 us"), delayed("1 ns"));
    // A few long flows make either vary.
    assert!((slow / fast - 1.0).abs() < 0.2, "{slow} {fast}");
}

#[test]
fn a_missing_file_is_named() {
    let error = run("lru", &[("trace.kind", "csv")]).unwrap_err();
    assert!(error.to_string().contains("needs a file"), "{error}");
}

#[test]
fn a_stream_gives_what_the_trace_in_memory_does() {
    let set = [("trace.requests", "5000"), ("cache.objects", "50"), ("trace.kind", "zipf-bursts")];
    let stop = AtomicBool::new(false);
    let config = |policy: &&str| {
        let mut config = Config::new(Contender::named(policy, &policies()).unwrap());
        forebay_parameters::set(&mut config, &set).unwrap();
        config
    };
    let streamed = |policies: &[&str]| {
        let configs: Vec<Config> = policies.iter().map(config).collect();
        stream::simulate(&configs, 1, None, &mut |_| {}, &stop)
    };
    let together = streamed(&["lru", "lru-mad", "s3-fifo"]).unwrap();
    for (policy, report) in ["lru", "lru-mad", "s3-fifo"].iter().zip(&together) {
        assert_eq!(streamed(&[policy]).unwrap(), [*report], "{policy}");
        let latency = value(&run(policy, &set).unwrap(), "mean_latency");
        assert!((report.mean_steps() - latency).abs() < 1e-9);
    }
    let (place, refused) = streamed(&["lru", "belady"]).unwrap_err();
    assert!(refused.to_string().contains("needs the order of later requests"), "{refused}");
    assert_eq!(place, 1);
}

#[test]
fn the_optimum_is_below_every_policy_and_its_bounds_meet() {
    let set = [("trace.kind", "zipf-bursts"), ("trace.requests", "5000"), ("store.z", "100")];
    let best = run("belatedly", &set).unwrap();
    let (upper, lower) = (value(&best, "mean_latency"), value(&best, "lower_bound"));
    assert!(lower <= upper && value(&best, "gap") < 0.002, "{lower} {upper}");
    assert!((upper / lower - 1.0 - value(&best, "gap")).abs() < 1e-6, "the replay is the solution");
    for policy in ["lru", "lru-mad", "belady", "belady-ad"] {
        assert!(value(&run(policy, &set).unwrap(), "mean_latency") >= lower, "{policy}");
    }
    assert!(value(&best, "naive_variables") > 100.0 * value(&best, "variables"));
    let refused = run("belatedly", &[set[0], set[1], ("store.kind", "sampled")]).unwrap_err();
    assert!(refused.to_string().contains("constant"), "{refused}");
}

/// Of a policy's parameter: what is kept of it.
#[derive(Clone, Configure)]
struct Own {
    /// Whether it is Bélády's.
    #[parameter(assumed = "a choice", default = false)]
    clairvoyant: bool,
}

#[test]
fn a_strangers_policy_is_compared_by_its_name_and_set_by_its_parameters() {
    let named = |name: &str| policies().named(name).unwrap().clone();
    let (lru, belady) = (named("lru"), named("belady"));
    let build = move |own: &Own, config: &_| match own.clairvoyant {
        true => belady.build(config),
        false => lru.build(config),
    };
    // A name with an end that ours have for forms that experiments leave out.
    let own = forebay_parameters::Choice::new("mine-ad", "either", Own::default(), build);
    let scenario = DelayedHits::new(&policies().with(own).unwrap());
    assert!(scenario.policies().iter().any(|policy| policy.name == "mine-ad"));
    let set = [("trace.kind", "zipf-bursts"), ("trace.requests", "5000")];
    let mean = |policy: &str, more: &[(&str, &str)]| {
        value(&run_with(&scenario, policy, &[&set[..], more].concat()).unwrap(), "mean_latency")
    };
    assert_eq!(mean("mine-ad", &[]), mean("lru", &[]));
    let told = mean("mine-ad", &[("policy.mine_ad_clairvoyant", "true")]);
    assert_eq!(told, mean("belady", &[]));
}

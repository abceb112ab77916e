//! The simulator against the equations, and against the best of all schedules.
#![allow(clippy::unwrap_used)]

use forebay_cache::offline::{annotate, exhaustive};
use forebay_cache::policies::{BoxedPolicy, Eviction, PolicyConfig, bases, policies};
use forebay_cache::{
    Associativity, BackingStore, CacheGeometry, Capacity, ObjectId, OfferError, Request,
    Simulation, at_step, steps,
};
use forebay_parameters::Entry;
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

/// Every policy by name, exact and sampled.
fn every_policy() -> Vec<(String, PolicyConfig)> {
    let sampled = PolicyConfig { eviction: Eviction::Sampled, ..PolicyConfig::default() };
    let each =
        |name: &str| [PolicyConfig::default(), sampled].map(|config| (name.to_owned(), config));
    policies().names().flat_map(each).collect()
}

/// A trace of steps, at most one request each, with its future for `z`.
fn trace(objects: &[Option<u64>], store: &BackingStore) -> Vec<Request> {
    let steps = objects.iter().enumerate();
    let mut trace: Vec<Request> = steps
        .filter_map(|(step, object)| Some((step, (*object)?)))
        .map(|(step, object)| {
            let size = Bytes::new(1 + object * 37 % 11);
            Request::new(at_step(step as u64), ObjectId(object)).sized(size)
        })
        .collect();
    annotate(&mut trace, store);
    trace
}

fn run(
    name: &str,
    config: &PolicyConfig,
    geometry: CacheGeometry,
    store: &BackingStore,
    trace: &[Request],
) -> Simulation<BoxedPolicy> {
    let build = policies().named(name).unwrap().build(config).unwrap();
    let mut cache = Simulation::new(geometry, store.clone(), build).unwrap();
    cache.keep_schedule();
    for request in trace {
        cache.offer(request).unwrap();
        let report = cache.report();
        assert_eq!(report.requests, report.hits + report.delayed_hits + report.misses);
        assert_eq!(report.answered + cache.waiting() + report.hits, report.requests);
        assert_eq!(report.admissions - report.evictions, cache.cached() as u64);
        assert!(cache.used() <= geometry.total());
    }
    let report = cache.finish();
    assert_eq!(report.admissions + report.bypasses, report.misses, "{name}");
    assert_eq!((cache.waiting(), report.answered), (0, report.requests - report.hits));
    cache
}

fn objects(length: usize) -> impl Strategy<Value = Vec<Option<u64>>> {
    prop::collection::vec(prop::option::weighted(0.8, 0u64..8), 1..length)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_policy_obeys_the_equations(
        objects in objects(150),
        z in 1u64..9,
        capacity in 1u64..5,
    ) {
        let store = BackingStore::Constant(steps(z));
        let trace = trace(&objects, &store);
        for (name, config) in every_policy() {
            let cache = run(&name, &config, CacheGeometry::objects(capacity), &store, &trace);
            let latency = cache.schedule().latency(&trace, steps(z), capacity);
            let latency = latency.map(|latency| u128::from(latency.as_ps()));
            prop_assert_eq!(latency, Ok(cache.report().total_latency_ps()), "{}", name);
        }
    }

    #[test]
    fn requests_are_conserved_with_sizes_sets_and_varying_latency(
        objects in objects(200),
        least in 0u64..9,
        extra in 0u64..9,
        seed in any::<u64>(),
    ) {
        let capacity = Capacity::Bytes(Bytes::new(24));
        let store = BackingStore::sampled(steps(least), steps(extra), seed);
        let trace = trace(&objects, &store);
        for (name, config) in every_policy() {
            for associativity in [Associativity::Full, Associativity::Sets(3)] {
                run(&name, &config, CacheGeometry { capacity, associativity }, &store, &trace);
            }
        }
    }

    #[test]
    fn no_policy_beats_the_best_schedule(
        objects in prop::collection::vec(prop::option::weighted(0.9, 0u64..4), 1..11),
        z in 1u64..5,
        capacity in 1usize..3,
    ) {
        let store = BackingStore::Constant(steps(z));
        let trace = trace(&objects, &store);
        let best = exhaustive(&trace, steps(z), capacity).unwrap();
        for (name, config) in every_policy() {
            let geometry = CacheGeometry::objects(capacity as u64);
            let report = run(&name, &config, geometry, &store, &trace).report();
            prop_assert!(report.total_latency_ps() >= u128::from(best.latency.as_ps()), "{}", name);
            prop_assert!(report.hits <= best.hits, "{}", name);
        }
    }

    #[test]
    fn belady_hits_most_when_misses_take_a_step(
        objects in prop::collection::vec(0u64..5, 1..12),
        capacity in 1usize..4,
        z in 0u64..2,
    ) {
        let store = BackingStore::Constant(steps(z));
        let objects: Vec<Option<u64>> = objects.into_iter().map(Some).collect();
        let trace = trace(&objects, &store);
        let best = exhaustive(&trace, steps(z), capacity).unwrap();
        let geometry = CacheGeometry::objects(capacity as u64);
        let report = run("belady", &PolicyConfig::default(), geometry, &store, &trace).report();
        prop_assert_eq!(report.hits, best.hits);
        let latency = Duration::from_ps(u64::try_from(report.total_latency_ps()).unwrap());
        prop_assert_eq!(latency, best.latency);
    }

    #[test]
    fn mad_with_z_of_one_step_is_its_base(
        objects in objects(400),
        capacity in 1u64..7,
        associativity in prop_oneof![Just(Associativity::Full), Just(Associativity::Ways(2))],
    ) {
        let store = BackingStore::Constant(steps(1));
        let trace = trace(&objects, &store);
        let geometry = CacheGeometry { capacity: Capacity::Objects(capacity), associativity };
        let exact = PolicyConfig::default();
        for base in bases() {
            let plain = run(base.name(), &exact, geometry, &store, &trace).schedule();
            // Delays from the future differ: those of an object never asked for again are 0.
            let foretold = (base.name() == "belady").then_some("-ad");
            for suffix in ["-mad", "-mad-all"].into_iter().chain(foretold) {
                let name = format!("{}{suffix}", base.name());
                let mad = run(&name, &exact, geometry, &store, &trace).schedule();
                prop_assert!(mad == plain, "{}", name);
            }
        }
    }
}

#[test]
fn a_policy_that_needs_the_future_refuses_to_guess() {
    let store = BackingStore::Constant(steps(3));
    let request = Request::new(at_step(0), ObjectId(1));
    for (name, refuses) in
        [("lru", false), ("lru-ad", true), ("belady", true), ("belady-mad", true)]
    {
        let build = policies().named(name).unwrap().build(&PolicyConfig::default()).unwrap();
        let mut cache = Simulation::new(CacheGeometry::objects(1), store.clone(), build).unwrap();
        let offered = cache.offer(&request);
        assert_eq!(matches!(offered, Err(OfferError::NeedsFuture { .. })), refuses, "{name}");
        assert_eq!(cache.report().requests, u64::from(!refuses));
    }
}

#[test]
fn time_does_not_go_back() {
    let build = policies().named("lru").unwrap().build(&PolicyConfig::default()).unwrap();
    let store = BackingStore::Constant(steps(3));
    let mut cache = Simulation::new(CacheGeometry::objects(1), store, build).unwrap();
    cache.offer(&Request::new(at_step(5), ObjectId(1))).unwrap();
    let error = cache.offer(&Request::new(at_step(4), ObjectId(1))).unwrap_err();
    assert!(error.to_string().starts_with("request 1 is at 4 ns"), "{error}");
}

#[test]
fn unknown_names_are_refused() {
    for name in ["", "mad", "lru-", "lru-mad-mad", "LRU", "belatedly"] {
        assert!(policies().named(name).is_err(), "{name}");
    }
    let error = policies().named("lru-mda").unwrap_err().to_string();
    assert!(error.starts_with("there is no cache policy `lru-mda`; "), "{error}");
}

#[test]
fn forms_of_a_base_are_called_after_it() {
    let label = |name| policies().named(name).unwrap().label().to_owned();
    assert_eq!(label("w-tinylfu-plain-mad"), "W-TinyLFU-MAD, no doorkeeper");
    assert_eq!(
        (label("lru-mad-all"), label("belady-ad")),
        ("LRU-MAD, all counters".into(), "Bélády-AD".into())
    );
}

#[test]
fn an_object_larger_than_its_set_is_let_pass() {
    let geometry = CacheGeometry {
        capacity: Capacity::Bytes(Bytes::new(10)),
        associativity: Associativity::Full,
    };
    let store = BackingStore::Constant(steps(1));
    let large = Request::new(at_step(0), ObjectId(1)).sized(Bytes::new(11));
    for (name, config) in every_policy() {
        let mut trace = vec![large, Request { at: at_step(4), ..large }];
        annotate(&mut trace, &store);
        let report = run(&name, &config, geometry, &store, &trace).report();
        assert_eq!((report.misses, report.bypasses), (2, 2), "{name}");
    }
}

#[test]
fn time_ends_where_ranks_cannot_compare_any_more() {
    let build = || policies().named("lru-mad").unwrap().build(&PolicyConfig::default()).unwrap();
    let z = Duration::from_ms(10);
    let mut cache =
        Simulation::new(CacheGeometry::objects(2), BackingStore::Constant(z), build()).unwrap();
    let mut ask = |at, object| cache.offer(&Request::new(at, ObjectId(object)));
    let latest = forebay_cache::order::LATEST.as_ps();
    let before = |spans: u64| Time::from_ps(latest - spans * z.as_ps());
    let last = before(1);
    // An object that was idle for 106 days is still the first to go.
    assert!([1, 2].map(|object| ask(at_step(object), object)).iter().all(Result::is_ok));
    assert_eq!(ask(before(5), 2), Ok(forebay_cache::RequestOutcome::Hit));
    assert!(ask(before(4), 3).is_ok());
    assert_eq!(ask(before(2), 2), Ok(forebay_cache::RequestOutcome::Hit));
    assert_eq!(ask(before(2), 3), Ok(forebay_cache::RequestOutcome::Hit));
    assert!(ask(last, 4).is_ok(), "its data arrives at the last instant");
    let late = last + Duration::from_ps(1);
    assert_eq!(ask(late, 5), Err(OfferError::TooLate { index: 7, at: late }));
    let beyond = last + z * 2;
    assert_eq!(ask(beyond, 2), Err(OfferError::TooLate { index: 7, at: beyond }));
}

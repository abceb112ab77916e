use super::*;
use crate::config::Config;

fn what_if(policies: &[&str], sizes: &[u64], size: u64, sample: f64) -> WhatIf {
    let mut config = Config::of_origin("http://127.0.0.1:1").unwrap();
    config.cache.size = size;
    config.what_if.policies = policies.iter().map(|&name| name.to_owned()).collect();
    config.what_if.sizes = sizes.to_vec();
    config.what_if.sample = sample;
    WhatIf::new(&config.what_if, &config.cache).unwrap()
}

/// Takes `space` and `z`, and is fresh for long.
fn known(space: u64, z: u64) -> Known {
    Known { space, z, renewal: z, ttl: 1 << 40, served: 0 }
}

fn run(what_if: &WhatIf, at: u64, step: impl FnOnce(&mut State)) {
    let mut state = what_if.state.lock().unwrap();
    state.now = at;
    step(&mut state);
}

#[test]
fn hits_delayed_hits_and_misses_are_those_of_the_model() {
    let what_if = what_if(&["lru"], &[1], 1000, 1.0);
    run(&what_if, 0, |state| state.request(7));
    run(&what_if, 4, |state| state.request(7));
    run(&what_if, 10, |state| state.landed(7, known(100, 10)));
    run(&what_if, 12, |state| state.request(7));
    let shadows = what_if.state.lock().unwrap();
    let done: Vec<_> = shadows.caches.iter().map(|cache| &cache.done).collect();
    // Waited 10 and 6; then a hit, except where there is room for a byte alone.
    assert_eq!((done[0].requests, done[0].hits, done[0].delayed_hits), (3, 1, 1));
    assert_eq!(done[0].waited, Duration::from_nanos(16));
    assert_eq!((done[2].requests, done[2].hits, done[2].size), (2, 0, 1));
    drop(shadows);
    // The fetch that the small one has under way ends when the last real one took so long.
    run(&what_if, 30, |state| state.request(8));
    assert_eq!(what_if.state.lock().unwrap().caches[2].done.waited, Duration::from_nanos(26));
}

#[test]
fn what_is_stale_is_renewed_and_may_be_served_meanwhile() {
    let what_if = what_if(&[], &[], 1000, 1.0);
    let done = || what_if.state.lock().unwrap().caches[0].done.clone();
    let fresh = |left: u64, served: u64| {
        let [left, served] = [left, served].map(Duration::from_nanos);
        Fresh { left, served }
    };
    // Fetched by 10, fresh until 30.
    run(&what_if, 0, |state| state.request(7));
    run(&what_if, 10, |state| state.landed(7, Known { ttl: 20, ..known(100, 10) }));
    run(&what_if, 29, |state| state.request(7));
    assert_eq!((done().requests, done().hits), (2, 1));
    // One renews it, which takes as long as the fetch did, and one waits: 10 and 6.
    run(&what_if, 30, |state| state.request(7));
    run(&what_if, 34, |state| state.request(7));
    run(&what_if, 40, |state| state.request(7));
    let now = done();
    assert_eq!((now.requests, now.hits, now.delayed_hits, now.renewals), (5, 2, 1, 1));
    assert_eq!(now.waited, Duration::from_nanos(10 + 10 + 6));
    // The real one took 3, and may be served for 100 more after its time.
    run(&what_if, 41, |state| state.renewed(7, 3, fresh(20, 100)));
    // Stale since 60: renewed once, by 73, and those who come meanwhile wait.
    for at in [70, 72, 73, 94, 95, 96] {
        run(&what_if, at, |state| state.request(7));
    }
    let now = done();
    // Fresh until 93: from then on it is served at once, and renewed in the background.
    assert_eq!((now.requests, now.hits, now.delayed_hits, now.renewals), (11, 6, 2, 2));
    assert_eq!(now.waited, Duration::from_nanos(26 + 3 + 1));
    // What was removed is fetched again.
    run(&what_if, 98, |state| state.removed(7));
    run(&what_if, 99, |state| state.request(7));
    run(&what_if, 120, |state| state.request(7));
    assert_eq!((done().requests, done().hits, done().renewals), (13, 7, 2));
}

#[test]
fn what_cannot_be_cached_counts_for_nothing() {
    let what_if = what_if(&[], &[], 1000, 1.0);
    for at in 0..10 {
        run(&what_if, at, |state| state.request(at % 2));
        run(&what_if, at, |state| state.forget(at % 2));
    }
    let state = what_if.state.lock().unwrap();
    assert_eq!((state.caches[0].done.requests, state.caches[0].open), (0, 0));
    assert!(state.caches[0].flights.is_empty());
}

#[test]
fn requests_that_are_aborted_are_waited_for_no_longer() {
    let what_if = Arc::new(what_if(&["lru"], &[1], 1000, 1.0));
    let open =
        || what_if.state.lock().unwrap().caches.iter().map(|cache| cache.open).sum::<usize>();
    for key in 0..1000_u128 {
        drop(WhatIf::ask(&what_if, key));
    }
    assert_eq!(open(), 0);
    // Of three who wait, the one who is left is counted, and no other.
    let asks = [(); 3].map(|()| WhatIf::ask(&what_if, 7).unwrap());
    assert_eq!(open(), 3);
    let [one, two, three] = asks;
    drop((one, two));
    assert_eq!(open(), 3);
    let fresh = Fresh { left: Duration::from_secs(60), served: Duration::ZERO };
    what_if.landed(7, Known::fetched(100, Duration::from_nanos(1), fresh));
    three.answered();
    assert_eq!(open(), 0);
    for shadow in what_if.shadows() {
        assert_eq!((shadow.requests, shadow.hits, shadow.delayed_hits), (1, 0, 0));
    }
    // One who came before takes nothing from who came later.
    let early = WhatIf::ask(&what_if, 7).unwrap();
    what_if.state.lock().unwrap().known = Default::default();
    what_if.removed(7);
    std::thread::sleep(Duration::from_millis(1));
    what_if.shadows();
    let late = WhatIf::ask(&what_if, 7).unwrap();
    assert_eq!(open(), 3);
    drop(early);
    assert_eq!(open(), 3);
    drop(late);
    assert_eq!(open(), 0);
}

#[test]
fn what_is_cleared_while_it_is_fetched_is_not_kept() {
    let what_if = what_if(&[], &[], 1000, 1.0);
    run(&what_if, 0, |state| state.request(7));
    run(&what_if, 1, State::cleared);
    run(&what_if, 10, |state| state.landed(7, known(100, 10)));
    run(&what_if, 11, |state| state.request(7));
    let state = what_if.state.lock().unwrap();
    assert_eq!((state.caches[0].done.requests, state.caches[0].done.hits), (1, 0));
}

#[test]
fn a_sample_follows_its_part_of_the_objects() {
    let what_if = what_if(&[], &[], 1000, 0.05);
    let mix = |number: u128| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let followed = (0..100_000).filter(|number| what_if.follows(mix(*number))).count();
    assert!((4000..6000).contains(&followed), "{followed}");
}

#[test]
fn a_policy_that_cannot_be_is_refused_by_its_name() {
    let refused = |set: fn(&mut Config, String), name: &str| {
        let mut config = Config::of_origin("http://127.0.0.1:1").unwrap();
        set(&mut config, name.to_owned());
        WhatIf::new(&config.what_if, &config.cache).err().unwrap().to_string()
    };
    for (name, said) in [
        ("lru-nad", "no cache policy"),
        ("belady", "needs the future"),
        ("lru-ad", "needs the future"),
        ("lru-mad-all", "remembers all"),
    ] {
        let error = refused(|config, name| config.what_if.policies = vec![name], name);
        assert!(error.contains(said) && error.contains("what_if.policies"), "{error}");
        let error = refused(|config, name| config.cache.policy = name, name);
        assert!(error.contains(said) && error.contains("cache.policy"), "{error}");
    }
}

#[test]
fn no_cache_is_followed_twice() {
    let real = Config::of_origin("http://127.0.0.1:1").unwrap().cache.policy;
    let what_if = what_if(&["lru", &real, "lru"], &[7, 1000, 7], 1000, 1.0);
    let of = |shadow: Shadow| (shadow.policy, shadow.size);
    let lru = "lru".to_owned();
    let expected = [(real.clone(), 1000), (lru, 1000), (real, 7)];
    assert_eq!(what_if.shadows().into_iter().map(of).collect::<Vec<_>>(), expected);
}

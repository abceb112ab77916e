//! One caller at a time, against a model: a map of what was put in, and a clock.
#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forebay_cache::order::Slot;
use forebay_cache::policies::{
    Access, BoxedPolicy, BuildPolicy, CachePolicy, ObjectArrival, PolicyConfig, SetConfig, bases,
};
use forebay_fetch_cache::{BuildError, Cache, ManualClock, OnError, RemovalCause};
use forebay_parameters::Choice;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Op {
    Get(u8),
    Insert(u8, u8),
    Fetch(u8),
    Fail(u8),
    Remove(u8),
    Invalidate(u8),
    Clear,
    Sweep,
    Pass(u8),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0u8..24).prop_map(Op::Get),
        3 => (0u8..24, 1u8..9).prop_map(|(key, weight)| Op::Insert(key, weight)),
        6 => (0u8..24).prop_map(Op::Fetch),
        1 => (0u8..24).prop_map(Op::Fail),
        1 => (0u8..24).prop_map(Op::Remove),
        1 => (0u8..24).prop_map(Op::Invalidate),
        1 => Just(Op::Clear),
        1 => Just(Op::Sweep),
        3 => (1u8..30).prop_map(Op::Pass),
    ]
}

/// A value: which put it was, and its weight.
type Value = (u32, u8);

/// What has been put in and not left, and when.
#[derive(Default)]
struct Model {
    held: HashMap<u8, (Value, u64)>,
    now: u64,
    puts: u32,
}

impl Model {
    fn live(&self, key: u8) -> Option<Value> {
        let (value, born) = self.held.get(&key)?;
        (self.now - born < LIVE).then_some(*value)
    }

    /// Forgets what the listener was told of.
    fn forget(&mut self, removals: &mut Vec<(u8, Value, RemovalCause)>) {
        for (key, value, cause) in removals.drain(..) {
            // Another value may have been put in meanwhile.
            if let Some((held, born)) = self.held.get(&key)
                && *held == value
            {
                let expired = self.now - born >= LIVE;
                assert!(cause != RemovalCause::Expired || expired, "{key} expired too early");
                self.held.remove(&key);
            }
        }
    }
}

const LIVE: u64 = 100;
const CAPACITY: u64 = 40;

fn agrees(policy: &str, ops: &[Op]) -> Result<(), TestCaseError> {
    let (clock, told) = (ManualClock::default(), Arc::new(Mutex::new(Vec::new())));
    let listened = told.clone();
    let cache = Cache::builder(CAPACITY)
        .shards(2)
        .policy(policy)
        .clock(&clock)
        .time_to_live(Duration::from_millis(LIVE))
        .weigher(|_: &u8, value: &Value| u64::from(value.1))
        .eviction_listener(move |key, value, cause| {
            listened.lock().unwrap().push((key, value, cause))
        })
        .build()
        .unwrap();
    let mut model = Model::default();
    for op in ops {
        let put = |model: &mut Model, key: u8, weight: u8| {
            model.puts += 1;
            let value = (model.puts, weight);
            (key, value)
        };
        match *op {
            Op::Get(key) => {
                let found = cache.get(&key);
                model.forget(&mut told.lock().unwrap());
                prop_assert_eq!(found, model.live(key));
            }
            Op::Insert(key, weight) => {
                let (key, value) = put(&mut model, key, weight);
                cache.insert(key, value);
                model.held.insert(key, (value, model.now));
            }
            Op::Fetch(key) => {
                let expected = model.live(key);
                let (key, value) = put(&mut model, key, 1 + key % 5);
                let took = u64::from(key % 7);
                let got = cache.get_or_fetch_blocking(key, || {
                    clock.advance(Duration::from_millis(took));
                    value
                });
                prop_assert_eq!(got, expected.unwrap_or(value));
                if expected.is_none() {
                    model.now += took;
                    model.held.insert(key, (value, model.now));
                }
            }
            Op::Fail(key) => {
                let expected = model.live(key);
                let got = cache.try_get_or_fetch_blocking(key, || Err::<Value, _>("none"));
                prop_assert_eq!(got, expected.ok_or(Arc::new("none")));
            }
            Op::Remove(key) => {
                let expected = model.live(key);
                prop_assert_eq!(cache.remove(&key), expected);
                model.held.remove(&key);
            }
            Op::Invalidate(key) => {
                cache.invalidate(&key);
                model.held.remove(&key);
            }
            Op::Clear => {
                cache.invalidate_all();
                prop_assert!(cache.is_empty());
                model.held.clear();
            }
            Op::Sweep => {
                cache.run_pending();
                model.forget(&mut told.lock().unwrap());
                prop_assert!(model.held.keys().all(|key| model.live(*key).is_some()));
            }
            Op::Pass(time) => {
                clock.advance(Duration::from_millis(u64::from(time)));
                model.now += u64::from(time);
            }
        }
        model.forget(&mut told.lock().unwrap());
        let weight: u64 = model.held.values().map(|((_, weight), _)| u64::from(*weight)).sum();
        prop_assert_eq!((cache.len(), cache.weight()), (model.held.len(), weight));
        prop_assert!(weight <= CAPACITY);
        prop_assert_eq!(cache.fetching(), 0);
        for key in 0..24 {
            prop_assert_eq!(cache.contains(&key), model.live(key).is_some());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_policy_holds_what_was_put_in_and_not_told_of(ops in prop::collection::vec(op(), 1..150)) {
        for base in bases().names().filter(|base| *base != "belady") {
            agrees(base, &ops)?;
            agrees(&format!("{base}-mad"), &ops)?;
        }
    }
}

#[test]
fn what_is_slow_to_fetch_stays() {
    let clock = ManualClock::default();
    let cache = Cache::builder(2).policy("lru-mad").clock(&clock).build().unwrap();
    let fetch = |key: u32, millis: u64| {
        cache.get_or_fetch_blocking(key, || clock.advance(Duration::from_millis(millis)));
    };
    fetch(1, 200);
    fetch(2, 1);
    fetch(3, 1);
    // By recency alone it would be 1 that left.
    assert!(cache.contains(&1) && !cache.contains(&2) && cache.contains(&3));
}

#[test]
fn plain_lru_forgets_the_least_recent() {
    let clock = ManualClock::default();
    let cache = Cache::builder(2).policy("lru").clock(&clock).build().unwrap();
    cache.insert(1, ());
    cache.insert(2, ());
    assert_eq!(cache.get(&1), Some(()));
    cache.insert(3, ());
    assert!(cache.contains(&1) && !cache.contains(&2) && cache.contains(&3));
    let stats = cache.stats();
    assert_eq!((stats.hits, stats.insertions, stats.evictions), (1, 3, 1));
}

#[test]
fn idle_values_expire_and_used_ones_do_not() {
    let clock = ManualClock::default();
    let cache =
        Cache::builder(9).time_to_idle(Duration::from_secs(3)).clock(&clock).build().unwrap();
    cache.insert(1, ());
    cache.insert(2, ());
    for _ in 0..3 {
        clock.advance(Duration::from_secs(2));
        assert_eq!(cache.get(&1), Some(()));
    }
    assert_eq!((cache.get(&2), cache.stats().expirations), (None, 1));
}

#[test]
fn impossible_settings_are_refused() {
    let build = |policy: &str| Cache::<u8, u8>::builder(9).policy(policy).build().err();
    assert_eq!(Cache::<u8, u8>::builder(0).build().err(), Some(BuildError::NoCapacity));
    assert!(matches!(
        Cache::<u8, u8>::builder(9).shards(10).build().err(),
        Some(BuildError::Shards { shards: 10, capacity: 9 })
    ));
    assert!(matches!(build("belady"), Some(BuildError::NeedsFuture(_))));
    assert!(matches!(build("lru-ad"), Some(BuildError::NeedsFuture(_))));
    assert!(matches!(build("lru-mad-all"), Some(BuildError::Unbounded(_))));
    let unknown = build("fifo").map(|error| error.to_string()).unwrap_or_default();
    assert!(unknown.starts_with("there is no cache policy `fifo`; "), "{unknown}");
}

#[derive(Default)]
struct Fifo(VecDeque<Slot>);

impl CachePolicy for Fifo {
    fn hit(&mut self, _: Slot, _: &Access) {}

    fn evict(&mut self, _: &ObjectArrival) -> Option<Slot> {
        self.0.pop_front()
    }

    fn admit(&mut self, slot: Slot, _: &ObjectArrival) {
        self.0.push_back(slot);
    }

    fn forget(&mut self, slot: Slot) {
        self.0.retain(|held| *held != slot);
    }
}

#[test]
fn a_policy_of_ones_own_evicts() {
    // The oldest goes, however often it is used.
    let fifo = Choice::new("fifo", "evicts the oldest", (), |(), _: &PolicyConfig| {
        let of_shard = |_: &SetConfig| -> BoxedPolicy { Box::new(Fifo::default()) };
        Ok(Box::new(of_shard) as BuildPolicy)
    });
    let cache = Cache::builder(2).shards(1).own_policy(fifo).build().unwrap();
    cache.insert(1, ());
    cache.insert(2, ());
    assert!(cache.get(&1).is_some());
    cache.insert(3, ());
    assert!(!cache.contains(&1) && cache.contains(&2) && cache.contains(&3));
}

#[test]
fn a_value_larger_than_its_shard_is_handed_out_but_not_kept() {
    let cache =
        Cache::builder(4).weigher(|_: &u8, v: &u64| *v).on_error(OnError::Retry).build().unwrap();
    assert_eq!(cache.get_or_fetch_blocking(1, || 5), 5);
    assert_eq!((cache.len(), cache.stats().bypasses), (0, 1));
}

#[test]
fn what_was_only_put_in_is_kept_as_the_base_policy_keeps_it() {
    // Nothing was fetched, so that nothing is known of delays.
    let kept = |policy: &str| {
        let cache = Cache::<u64, ()>::builder(10).shards(1).policy(policy);
        let cache = cache.clock(&ManualClock::default());
        let hasher = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
        let cache = cache.build_with_hasher(hasher).unwrap();
        for key in 0..40 {
            cache.insert(key, ());
            // A few are wanted more than others.
            for wanted in 0..key % 4 {
                cache.get(&wanted);
            }
            cache.run_pending();
        }
        (0..40).filter(|key| cache.contains(key)).collect::<Vec<u64>>()
    };
    for base in ["lru", "lfu", "gdsf", "arc", "s3-fifo", "sieve", "w-tinylfu"] {
        assert_eq!(kept(&format!("{base}-mad")), kept(base), "{base}");
    }
}

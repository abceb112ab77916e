//! Any bytes as a trace of time steps: requests in the order of time, or one error that names the
//! file and the line; never a panic. What the simulator did keeps the rules of a schedule.
#![no_main]

use forebay_cache::policies::{PolicyConfig, policies};
use forebay_cache::readers::StepTrace;
use forebay_cache::{BackingStore, CacheGeometry, Request, Simulation, steps};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let mut trace: Vec<Request> = Vec::new();
    for read in StepTrace::new(file, "fuzzed") {
        match read {
            Ok(request) => trace.push(request),
            Err(error) => assert!(error.to_string().starts_with("fuzzed, line ")),
        }
    }
    let Ok(policy) = policies().named("lru-mad").cloned() else { return };
    let Ok(build) = policy.build(&PolicyConfig::default()) else { return };
    let store = BackingStore::Constant(steps(5));
    let Ok(mut cache) = Simulation::new(CacheGeometry::objects(2), store, build) else { return };
    cache.keep_schedule();
    for request in &trace {
        assert!(cache.offer(request).is_ok());
    }
    let total = cache.finish().total_latency_ps();
    let latency = cache.schedule().latency(&trace, steps(5), 2);
    assert_eq!(latency.map(|latency| u128::from(latency.as_ps())), Ok(total));
});

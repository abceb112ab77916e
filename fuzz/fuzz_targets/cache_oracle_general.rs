//! Any bytes as an oracleGeneral trace: requests that Belady can follow, even if what they tell of
//! the future is false, or one error that names the file and the place; never a panic.
#![no_main]

use forebay_cache::policies::{PolicyConfig, policies};
use forebay_cache::readers::{OracleGeneral, TraceClock};
use forebay_cache::{Associativity, BackingStore, CacheGeometry, Capacity, Simulation, steps};
use forebay_units::{Bytes, Duration};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let associativity = Associativity::Sets(2);
    // W-TinyLFU counts in a sketch as large as its cache.
    for (name, bits) in
        [("belady", 31), ("gdsf-mad", 31), ("arc", 31), ("w-tinylfu", 16), ("s3-fifo", 16)]
    {
        let capacity = Capacity::Bytes(Bytes::new(1 << bits));
        let geometry = CacheGeometry { capacity, associativity };
        let Ok(policy) = policies().named(name).cloned() else { return };
        let Ok(build) = policy.build(&PolicyConfig::default()) else { return };
        let store = BackingStore::Constant(steps(5));
        let Ok(mut cache) = Simulation::new(geometry, store, build) else { return };
        let clock = TraceClock::Recorded(Duration::from_ms(1_000));
        for read in OracleGeneral::new(file, "fuzzed", clock) {
            match read {
                Ok(request) => drop(cache.offer(&request)),
                Err(error) => assert!(error.to_string().starts_with("fuzzed, byte ")),
            }
            assert!(cache.used() <= geometry.total());
        }
        let report = cache.finish();
        assert_eq!(report.admissions + report.bypasses, report.misses);
    }
});

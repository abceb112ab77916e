//! Any bytes as a trace with columns, named and numbered: requests in a lawful simulation, or one
//! error that names the file and the place; never a panic.
#![no_main]

use forebay_cache::policies::{PolicyConfig, policies};
use forebay_cache::readers::{Column, CsvConfig, CsvTrace, TraceClock};
use forebay_cache::{BackingStore, CacheGeometry, STEP, Simulation, steps};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let numbered = CsvConfig {
        header: Some(false),
        clock: TraceClock::Even(STEP),
        object: Column::Numbered(1),
        size: Some(Column::Numbered(2)),
        ..CsvConfig::default()
    };
    for config in [CsvConfig::default(), numbered] {
        let Ok(policy) = policies().named("lru-mad").cloned() else { return };
        let Ok(lru) = policy.build(&PolicyConfig::default()) else { return };
        let store = BackingStore::Constant(steps(5));
        let Ok(mut cache) = Simulation::new(CacheGeometry::objects(4), store, lru) else { return };
        let trace = match CsvTrace::new(file, "fuzzed.csv", config) {
            Ok(trace) => trace,
            Err(error) => {
                assert!(error.to_string().starts_with("fuzzed.csv, line "));
                continue;
            }
        };
        for read in trace {
            match read {
                Ok(request) => drop(cache.offer(&request)),
                Err(error) => assert!(error.to_string().starts_with("fuzzed.csv, line ")),
            }
        }
        let report = cache.finish();
        assert_eq!(report.requests, report.hits + report.delayed_hits + report.misses);
        assert_eq!(report.answered, report.requests - report.hits);
    }
});

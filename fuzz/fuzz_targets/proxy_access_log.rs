//! Requests that begin, and end in any order: a trace in the order of their beginnings, which the
//! cache's reader reads as it was written.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use forebay_cache::readers::{CsvConfig, CsvTrace};
use forebay_proxy::fuzzing::traced;
use libfuzzer_sys::fuzz_target;

type Step = (bool, u16, Option<(u64, u64, u8)>);

static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
    std::env::temp_dir().join(format!("forebay-fuzz-log-{}.csv", std::process::id()))
});

fuzz_target!(|steps: Vec<Step>| {
    let text = traced(&PATH, &steps).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time,object,size,origin"));
    let mut last = None;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let [time, object, size, origin] = cells[..] else { panic!("{line}") };
        let time: f64 = time.parse().unwrap();
        assert!(last.is_none_or(|last| last < time), "{line}");
        last = Some(time);
        for number in [object, size, origin] {
            number.parse::<u64>().unwrap();
        }
    }
    let rows = text.lines().count() - 1;
    if rows == 0 {
        return; // which the reader says
    }
    let trace = CsvTrace::new(text.as_bytes(), "trace.csv", CsvConfig::default()).unwrap();
    assert_eq!(trace.map(Result::unwrap).count(), rows);
});

//! Any bytes as any trace: requests in order or one error, never a panic; and the shared traces,
//! where they are.
#![allow(clippy::unwrap_used)]

use std::io::Cursor;
use std::path::Path;

use forebay_cache::policies::{PolicyConfig, policies};
use forebay_cache::readers::{
    Column, CsvConfig, CsvTrace, OracleGeneral, ReadError, Source, StepTrace, TraceClock,
    flow_lookups,
};
use forebay_cache::{BackingStore, CacheGeometry, CacheReport, Request, STEP, Simulation, steps};
use forebay_units::{Bytes, Duration};
use forebay_workload::{Capture, CaptureLimits};
use proptest::prelude::*;

/// Reads everything; an error must be the last.
fn drain(trace: impl Iterator<Item = Result<Request, ReadError>>) -> Vec<Request> {
    let mut requests = Vec::new();
    let mut failed = false;
    for read in trace {
        assert!(!failed, "something follows an error");
        match read {
            Ok(request) => requests.push(request),
            Err(error) => {
                assert!(error.to_string().starts_with("fuzzed, "), "{error}");
                failed = true;
            }
        }
    }
    requests
}

fn simulate(requests: impl IntoIterator<Item = Request>, objects: u64) -> CacheReport {
    let lru = policies().named("lru-mad").unwrap().build(&PolicyConfig::default()).unwrap();
    let store = BackingStore::Constant(steps(100));
    let mut cache = Simulation::new(CacheGeometry::objects(objects), store, lru).unwrap();
    for request in requests {
        cache.offer(&request).unwrap();
    }
    cache.finish()
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        drain(StepTrace::new(bytes.as_slice(), "fuzzed"));
        drain(OracleGeneral::new(bytes.as_slice(), "fuzzed", TraceClock::Recorded(Duration::MAX)));
        let numbered = CsvConfig {
            header: Some(false),
            clock: TraceClock::Even(STEP),
            object: Column::Numbered(1),
            size: None,
            ..CsvConfig::default()
        };
        if let Ok(trace) = CsvTrace::new(bytes.as_slice(), "fuzzed", numbered) {
            prop_assert!(drain(trace).is_sorted_by_key(|request| request.at));
        }
        if let Err(error) = Source::recognise(Cursor::new(bytes), "fuzzed") {
            prop_assert!(error.to_string().starts_with("fuzzed, byte "));
        }
    }

    #[test]
    fn lines_of_numbers_are_read_or_refused(
        text in "(time,object,size\n)?([0-9]{1,22}(\\.[0-9]{0,12})?,[a-f0-9]{0,20},-?[0-9]{0,21}\r?\n){0,8}",
    ) {
        if let Ok(trace) = CsvTrace::new(text.as_bytes(), "fuzzed", CsvConfig::default()) {
            drain(trace);
        }
    }
}

#[test]
fn captures_look_up_their_flows() {
    let path = "../../experiments/themis/captures/mixed-programs.pcap";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let capture = Capture::open(&path, CaptureLimits::default()).unwrap();
    let lookups =
        flow_lookups(&capture, Bytes::new(64), TraceClock::Recorded(Duration::from_ns(1)));
    let report = simulate(lookups.map(Result::unwrap), 10);
    assert_eq!(report.requests, capture.packets().len() as u64);
    assert!(report.misses >= u64::from(capture.flows()));
}

#[test]
fn a_capture_that_spans_too_long_says_where_and_how_to_cut_it() {
    let path = "../../experiments/themis/captures/mixed-programs.pcap";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut file = std::fs::read(path).unwrap();
    let second = 24 + 16 + u32::from_le_bytes(file[32..36].try_into().unwrap()) as usize;
    let late = u32::from_le_bytes(file[24..28].try_into().unwrap()) + 200 * 24 * 3600;
    file[second..second + 4].copy_from_slice(&late.to_le_bytes());
    let capture = Capture::read(&file[..], "fuzzed", CaptureLimits::default()).unwrap();
    let (packets, nanosecond) = (capture.packets().len(), Duration::from_ns(1));
    let read = |clock| flow_lookups(&capture, Bytes::new(64), clock);
    let error = read(TraceClock::Recorded(nanosecond)).find_map(Result::err).unwrap().to_string();
    assert_eq!(
        error,
        format!(
            "fuzzed, packet {packets} in the order of time: it is more than 106 days after the \
             first: cut the capture, as Wireshark's `editcap -A START -B STOP IN OUT` does"
        )
    );
    assert_eq!(drain(read(TraceClock::Recorded(nanosecond))).len(), packets - 1);
    assert_eq!(drain(read(TraceClock::Even(STEP))).len(), packets);
}

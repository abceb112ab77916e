//! Any bytes as a trace of any format, compressed or not: recognised and read, or refused by one
//! error that names the file and the place; never a panic, and never more requests than bytes.
#![no_main]

use std::io::Cursor;

use forebay_cache::readers::{
    CsvConfig, CsvTrace, Format, OracleGeneral, ReadError, Source, StepTrace, TraceClock,
    flow_lookups,
};
use forebay_cache::{Request, STEP};
use forebay_units::{Bytes, Duration};
use forebay_workload::{Capture, CaptureLimits};
use libfuzzer_sys::fuzz_target;

/// What a compressed input may hold is not read to its end.
const MOST: usize = 100_000;

fuzz_target!(|file: &[u8]| {
    let source = match Source::recognise(Cursor::new(file.to_vec()), "fuzzed") {
        Ok(source) => source,
        Err(error) => {
            assert!(error.to_string().starts_with("fuzzed, byte "));
            return;
        }
    };
    match source.format {
        Format::Columns => {
            if let Ok(trace) = CsvTrace::new(source.input, "fuzzed", CsvConfig::default()) {
                drain(trace);
            }
        }
        Format::Steps => drain(StepTrace::new(source.input, "fuzzed")),
        Format::OracleGeneral => {
            drain(OracleGeneral::new(source.input, "fuzzed", TraceClock::Even(STEP)));
        }
        Format::Capture => {
            if let Ok(capture) = Capture::read(source.input, "fuzzed", CaptureLimits::default()) {
                let clock = TraceClock::Recorded(Duration::from_ns(1));
                drain(flow_lookups(&capture, Bytes::new(64), clock));
            }
        }
    }
});

fn drain(trace: impl Iterator<Item = Result<Request, ReadError>>) {
    let mut failed = false;
    for read in trace.take(MOST) {
        assert!(!failed, "something follows an error");
        failed = read.is_err();
    }
}

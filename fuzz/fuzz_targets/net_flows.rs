//! Any text as a flow file: flows that are possible and come out again as they were written, or an
//! error that names a line; never a panic.
#![no_main]

use forebay_net::flow::{holds_flow, read_flows, write_flows};
use libfuzzer_sys::fuzz_target;

const HOSTS: u32 = 16;

fuzz_target!(|text: &str| match read_flows(text, HOSTS) {
    Ok(flows) => {
        assert!(flows.iter().all(|flow| flow.check(HOSTS).is_ok()));
        assert_eq!(read_flows(&write_flows(&flows).to_string(), HOSTS).as_ref(), Ok(&flows));
        assert_eq!(text.lines().filter(|line| holds_flow(line)).count(), flows.len());
    }
    Err(error) => {
        assert!((1..=text.lines().count()).contains(&error.line));
        assert!(!error.to_string().is_empty());
    }
});

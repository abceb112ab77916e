//! Any bytes as rules: each line is a rule or an error that names it; the rules match any payload,
//! never a panic.
#![no_main]

use forebay_surge_processors::rules::{MatchConfig, Matcher};
use forebay_surge_processors::{Packet, Transport};
use forebay_units::Time;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let matcher = Matcher::new(text, MatchConfig { backtracks: 1000, hits: 5000 });
    let lines = text.split(|byte| *byte == b'\n').count();
    assert!(matcher.rules().len() + matcher.errors().len() <= lines);
    assert!(matcher.errors().iter().all(|error| error.to_string().starts_with("line ")));
    let (client, server) = (([10, 0, 0, 1], 4000).into(), ([10, 0, 0, 2], 80).into());
    let packet = Packet::new(client, server, Transport::Udp, text);
    let candidates = matcher.candidates(&packet).rules;
    assert!(candidates.is_sorted());
    let verdict = matcher.full_match(&packet, &candidates, || Time::ZERO);
    assert!(verdict.matched.is_none_or(|rule| candidates.contains(&rule)));
    assert!(verdict.tried.len() <= candidates.len());
});

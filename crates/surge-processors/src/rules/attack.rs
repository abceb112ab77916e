//! Payloads that make a rule set slow.
//!
//! Source: thesis §3.6.1 takes the payload with the largest job size of its traces for every attack
//! packet; an attacker as in §3.3.2 knows the rules, and crafts one. For each rule with an
//! expression we try its literals, followed by a unit repeated to the wanted size and by a byte
//! that spoils the match; the best is the one with the largest measured job size. The search is
//! exhaustive over a list of units, so it finds what repetitions can find, not the worst payload
//! there is.

use forebay_units::{Duration, Time};

use super::Matcher;
use crate::packet::Packet;

/// The repeated units.
const UNITS: [&[u8]; 10] = [b"a", b"0", b" ", b"=", b"a=", b"a,", b"a ", b"a.", b"/a", b"a=0&"];

/// The endings: what spoils the match, then bytes without which an engine may see at once that
/// nothing matches.
const TAILS: [&[u8]; 3] = [b"!", b"\0", b"!;#.exe\r\n"];

/// The payload of at most `bytes` bytes with the largest measured job size among those tried, in a
/// packet like `like`, and its job size. `None` if no rule has an expression.
pub fn backtracking_payload(
    matcher: &Matcher,
    like: &Packet,
    bytes: usize,
    mut clock: impl FnMut() -> Time,
) -> Option<(Packet, Duration)> {
    let mut best: Option<(Packet, Duration)> = None;
    for rule in matcher.rules().iter().filter(|rule| !rule.pcres.is_empty()) {
        let positive = rule.contents.iter().filter(|content| !content.negated);
        let literals: Vec<u8> = positive.flat_map(|content| content.bytes.clone()).collect();
        for (unit, tail) in UNITS.iter().flat_map(|unit| TAILS.map(|tail| (unit, tail))) {
            let filling = bytes.saturating_sub(literals.len() + tail.len());
            let repeated = unit.iter().copied().cycle().take(filling);
            let payload: Vec<u8> =
                literals.iter().copied().chain(repeated).chain(tail.iter().copied()).collect();
            let packet = Packet::new(like.source, like.destination, like.transport, &payload);
            let candidates = matcher.candidates(&packet).rules;
            // The least of three, to exclude interruptions by the machine.
            let mut time = || {
                let before = clock();
                matcher.full_match(&packet, &candidates, || Time::ZERO);
                clock().since(before)
            };
            let took = time().min(time()).min(time());
            if best.as_ref().is_none_or(|(_, most)| took > *most) {
                best = Some((packet, took));
            }
        }
    }
    best
}

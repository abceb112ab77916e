//! All-to-all: every rank sends to every other, all at once or so many at a time (Occamy §6.4).
//!
//! At a time means in steps: in one, rank r sends to the next k ranks by distance, and hears from
//! the k ranks as far before it; when it has all of theirs it begins its next step. Flows are
//! ordered by step, sender and distance, so that the first flows of all senders have different
//! receivers.

use alloc::vec::Vec;

use forebay_units::Bytes;

use super::exchange::Exchange;
use super::round::{Begin, Round};
use crate::workload::GateId;

pub(super) struct AllToAll;

impl Exchange for AllToAll {
    fn name(&self) -> &'static str {
        "all-to-all"
    }

    fn least_bytes(&self, _hosts: u64) -> u64 {
        1
    }

    fn flows(&self, hosts: u64) -> u64 {
        hosts.saturating_mul(hosts - 1)
    }

    fn received(&self, hosts: u64, bytes: Bytes) -> Bytes {
        bytes * (hosts - 1)
    }

    fn steps(&self, hosts: u64, at_once: u64) -> u64 {
        (hosts - 1).div_ceil(at_once)
    }

    fn write(&self, round: &mut Round<'_>, bytes: Bytes) {
        let (ranks, at_once) = (round.ranks(), round.at_once());
        let mut before: Option<Vec<GateId>> = None;
        for first in (1..ranks).step_by(at_once as usize) {
            let distances = first..ranks.min(first + at_once);
            let more = distances.end < ranks;
            let gates: Option<Vec<GateId>> =
                more.then(|| (0..ranks).map(|rank| round.gate(rank, true)).collect());
            let of =
                |gates: &Option<Vec<GateId>>, rank: u32| gates.as_ref().map(|g| g[rank as usize]);
            for from in 0..ranks {
                let begin = of(&before, from).map_or(Begin::WithRound, Begin::At);
                for distance in distances.clone() {
                    // There are at most 2^28 flows, so no sum of two ranks overflows.
                    let to = (from + distance) % ranks;
                    round.send([from, to], bytes, begin, of(&gates, to));
                }
            }
            round.end_stage();
            before = gates;
        }
    }
}

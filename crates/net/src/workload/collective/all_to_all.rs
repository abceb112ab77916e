//! All-to-all: every rank sends to every other, all at once (Occamy §6.4).
//!
//! Flows are ordered by sender, then by distance, so that the first flows of all senders have
//! different receivers.

use forebay_units::Bytes;

use super::Exchange;
use super::round::{Begin, Round};

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

    fn write(&self, round: &mut Round<'_>, bytes: Bytes) {
        let ranks = round.ranks();
        for from in 0..ranks {
            for distance in 1..ranks {
                // There are at most 2^28 flows, so no sum of two ranks overflows.
                round.send([from, (from + distance) % ranks], bytes, Begin::WithRound, None);
            }
        }
    }
}

//! All-to-all: every rank sends to every other, all at once (Occamy §6.4).
//!
//! Flows are ordered by sender, then by distance, so that the first flows of all senders have different
//! receivers.

use forebay_units::Bytes;

use super::round::{Begin, Round};

pub(super) fn write(round: &mut Round<'_>, bytes: Bytes) {
    let ranks = round.ranks();
    for from in 0..ranks {
        for distance in 1..ranks {
            // Ranks are at most 2^28 flows' worth: no sum of two overflows.
            round.send([from, (from + distance) % ranks], bytes, Begin::WithRound, None);
        }
    }
}

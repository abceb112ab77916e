//! All-reduce by recursive halving and doubling: log2 n steps that sum halves, quarters, … of the
//! vector, and as many that gather them.
//!
//! Not from the papers, which name only trees; source: Thakur, Rabenseifner and Gropp,
//! "Optimization of Collective Communication Operations in MPICH", 2005, §4.4 (Rabenseifner's
//! algorithm). In step s < log2 n, a rank exchanges with the one n / 2^(s+1) away the half of its
//! range that the other keeps; afterwards each holds the sum of one part, and the same exchanges
//! backwards gather all. If n is no power of two, the ranks beyond the largest one below it first
//! send their vector to one of the others, and get the sum in the end. A rank begins a step when it
//! has received what all steps before brought. Parts are equal to a byte.

use core::ops::Range;

use alloc::vec::Vec;

use forebay_units::Bytes;

use super::exchange::Exchange;
use super::round::{Begin, Round};
use crate::workload::GateId;

pub(super) struct HalvingAllReduce;

impl Exchange for HalvingAllReduce {
    fn name(&self) -> &'static str {
        "halving-all-reduce"
    }

    fn least_bytes(&self, hosts: u64) -> u64 {
        hosts
    }

    fn flows(&self, hosts: u64) -> u64 {
        let levels = u64::from(hosts.ilog2());
        let pairs = 1 << levels;
        (2 * levels * pairs).saturating_add(2 * (hosts - pairs))
    }

    /// All but a part, twice, as the ranks in pairs do at the mean.
    fn received(&self, hosts: u64, bytes: Bytes) -> Bytes {
        (bytes - Bytes::new(bytes.get().div_ceil(1 << hosts.ilog2()))) * 2
    }

    fn steps(&self, hosts: u64, _at_once: u64) -> u64 {
        2 * u64::from(hosts.ilog2())
    }

    fn write(&self, round: &mut Round<'_>, bytes: Bytes) {
        let ranks = round.ranks();
        let levels = ranks.ilog2();
        let (pairs, steps) = (1 << levels, 2 * levels);
        let has_extra = |rank: u32| pairs + rank < ranks;
        // Of each rank, what opens when the vector of an extra has come (0) and the message of each
        // step (1 and more); each waits for the one before. The last message is awaited only if the
        // sum goes to an extra.
        let gates: Vec<Vec<Option<GateId>>> = (0..pairs)
            .map(|rank| {
                let last = if has_extra(rank) { steps + 1 } else { steps };
                let first = u32::from(!has_extra(rank));
                let mut of_rank = alloc::vec![None; steps as usize + 1];
                let mut next = None;
                for place in (first..last).rev() {
                    next = Some(round.gate_before(rank, next));
                    of_rank[place as usize] = next;
                }
                of_rank
            })
            .collect();
        let gate = |rank: u32, place: u32| gates[rank as usize][place as usize];
        for extra in pairs..ranks {
            round.send([extra, extra - pairs], bytes, Begin::WithRound, gate(extra - pairs, 0));
        }
        for step in 0..steps {
            for rank in 0..pairs {
                let (to, parts) = message(rank, step, levels);
                let begin = gate(rank, step).map_or(Begin::WithRound, Begin::At);
                round.send([rank, to], of_parts(&parts, pairs, bytes), begin, gate(to, step + 1));
            }
        }
        for extra in pairs..ranks {
            let begin = gate(extra - pairs, steps).map_or(Begin::WithRound, Begin::At);
            round.send([extra - pairs, extra], bytes, begin, None);
        }
    }
}

/// To whom `rank` sends in `step`, and which parts.
fn message(rank: u32, step: u32, levels: u32) -> (u32, Range<u32>) {
    let sums = step < levels;
    let level = if sums { step } else { 2 * levels - 1 - step };
    let half = 1 << (levels - 1 - level);
    let to = rank ^ half;
    // What the other keeps while summing, what one has oneself while gathering.
    let first = (if sums { to } else { rank }) & !(half - 1);
    (to, first..first + half)
}

/// The bytes of so many of `parts` equal parts.
fn of_parts(range: &Range<u32>, parts: u32, bytes: Bytes) -> Bytes {
    let before = |part: u32| u128::from(bytes.get()) * u128::from(part) / u128::from(parts);
    Bytes::new((before(range.end) - before(range.start)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays the steps with sets of ranks instead of sums: at the end every rank has every part of
    /// all.
    #[test]
    fn every_rank_gets_the_whole_sum() {
        for levels in 1..5 {
            let ranks = 1u32 << levels;
            let all: u32 = (1 << ranks) - 1;
            // Per rank and part: whose values are in the sum that it holds.
            let mut held: Vec<Vec<u32>> =
                (0..ranks).map(|rank| alloc::vec![1 << rank; ranks as usize]).collect();
            for step in 0..2 * levels {
                let before = held.clone();
                for rank in 0..ranks {
                    let (to, parts) = message(rank, step, levels);
                    for part in parts {
                        let sum = &mut held[to as usize][part as usize];
                        let sent = before[rank as usize][part as usize];
                        // Adding values that are already included would count them twice.
                        assert!(step >= levels || *sum & sent == 0, "{ranks} ranks, step {step}");
                        *sum |= sent;
                    }
                }
            }
            assert!(held.iter().flatten().all(|&sum| sum == all), "{ranks} ranks");
        }
    }

    #[test]
    fn parts_are_the_whole_whatever_the_size() {
        for bytes in 8..40 {
            let of = |range| of_parts(&range, 8, Bytes::new(bytes)).get();
            assert_eq!((0..8).map(|part| of(part..part + 1)).sum::<u64>(), bytes);
            assert_eq!(of(0..4) + of(4..8), bytes);
        }
    }
}

//! All-reduce on a ring: 2·(n − 1) steps in which every rank sends one part of the vector to the
//! next rank.
//!
//! Not from the papers, which name only trees; this is the textbook algorithm. In step s, rank r
//! passes on part r − s, modulo n. For the first n − 1 steps it passes on a growing sum; after them
//! rank r holds the complete sum of part r + 1, and in the remaining steps the complete sums travel
//! around. A rank begins a step when it has received what the step passes on. Parts are equal, the
//! first ones a byte larger if the vector does not divide evenly.

use alloc::vec::Vec;

use forebay_units::Bytes;

use super::exchange::Exchange;
use super::round::{Begin, Round};

pub(super) struct RingAllReduce;

impl Exchange for RingAllReduce {
    fn name(&self) -> &'static str {
        "ring-all-reduce"
    }

    fn least_bytes(&self, hosts: u64) -> u64 {
        hosts
    }

    fn flows(&self, hosts: u64) -> u64 {
        hosts.saturating_mul(hosts - 1).saturating_mul(2)
    }

    /// All parts but one, twice.
    fn received(&self, hosts: u64, bytes: Bytes) -> Bytes {
        (bytes - Bytes::new(bytes.get().div_ceil(hosts))) * 2
    }

    fn steps(&self, hosts: u64, _at_once: u64) -> u64 {
        2 * (hosts - 1)
    }

    fn write(&self, round: &mut Round<'_>, bytes: Bytes) {
        let ranks = round.ranks();
        let steps = 2 * (ranks - 1);
        let mut begins: Vec<Begin> = (0..ranks).map(|_| Begin::WithRound).collect();
        for step in 0..steps {
            let mut next = begins.clone();
            for rank in 0..ranks {
                let to = (rank + 1) % ranks;
                // What the last step brings is not passed on: it only ends the receiver's round.
                let gate = (step + 1 < steps).then(|| round.gate(to, true));
                let size = part_bytes(part(rank, step, ranks), ranks, bytes);
                round.send([rank, to], size, begins[rank as usize], gate);
                if let Some(gate) = gate {
                    next[to as usize] = Begin::At(gate);
                }
            }
            begins = next;
        }
    }
}

/// The part that `rank` passes on in `step`.
fn part(rank: u32, step: u32, ranks: u32) -> u32 {
    (rank + ranks - step % ranks) % ranks
}

/// The bytes of a part.
fn part_bytes(part: u32, ranks: u32, bytes: Bytes) -> Bytes {
    let (ranks, bytes) = (u64::from(ranks), bytes.get());
    Bytes::new(bytes / ranks + u64::from(u64::from(part) < bytes % ranks))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays the steps with sets of ranks instead of sums: at the end every rank has every part of
    /// all.
    #[test]
    fn every_rank_gets_the_whole_sum() {
        for ranks in 2u32..20 {
            let all: u32 = (1 << ranks) - 1;
            // Per rank and part: whose values are in the sum that it holds.
            let mut held: Vec<Vec<u32>> =
                (0..ranks).map(|rank| alloc::vec![1 << rank; ranks as usize]).collect();
            for step in 0..2 * (ranks - 1) {
                let before = held.clone();
                for rank in 0..ranks {
                    let part = part(rank, step, ranks) as usize;
                    let sum = &mut held[((rank + 1) % ranks) as usize][part];
                    let sent = before[rank as usize][part];
                    // Adding values that are already included would count them twice.
                    let known = if step + 1 < ranks { 0 } else { *sum };
                    assert_eq!(*sum & sent & !known, 0, "{ranks} ranks, step {step}");
                    *sum |= sent;
                }
            }
            assert!(held.iter().flatten().all(|&sum| sum == all), "{ranks} ranks");
        }
    }
}

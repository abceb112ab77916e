//! What a cache miss costs on this machine: the yardstick for all the others.

use std::hint::black_box;
use std::time::Instant;

use super::increments::Increments;
use crate::race::{Options, Report, Subject};

/// The case's name.
pub(super) const CACHE_MISS: &str = "cache miss, KiB";

/// What a dependent read from memory costs here: a chase through a random cycle over a working set.
pub(super) fn cache_misses(report: &mut Report, options: &Options) {
    for kib in [512_u64, 8 << 10, 64 << 10] {
        let lines = (kib << 10) / 64;
        let cycle = random_cycle(lines as usize);
        let mut at = 0;
        let chase = move || {
            let reads = 1_000_000;
            let start = Instant::now();
            for _ in 0..reads {
                at = cycle[at][0];
            }
            black_box(at);
            start.elapsed().as_nanos() as f64 / f64::from(reads)
        };
        let subjects = vec![Subject::peer("pointer chase", chase)];
        report.race((CACHE_MISS, kib, "ns per dependent read"), options, subjects);
    }
}

/// One cycle through all lines in random order (Sattolo's shuffle), a 64-byte line per element.
fn random_cycle(lines: usize) -> Vec<[usize; 8]> {
    let mut cycle: Vec<[usize; 8]> = (0..lines).map(|line| [line; 8]).collect();
    let mut increments = Increments::new(1 << 31);
    for last in (1..lines).rev() {
        cycle.swap(last, increments.next() as usize % last);
    }
    cycle
}

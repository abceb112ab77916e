//! Two tiers: a buffer's busy period over two memories, ours against a pair of ordered sets.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use forebay_pifo::{Tier, TieredBuckets, TieredExact, TieredQueue};

use super::increments::Increments;
use crate::race::{Options, Report, Subject};

/// A buffer's busy period over two memories, as Themis lives it: while it builds up, each packet is
/// admitted to SRAM and the SRAM tier swaps out its largest when it holds a tenth of all; while it
/// drains, the smallest is served and the SRAM tier swaps in the smallest of the HBM tier.
trait BusyPeriod {
    fn admit(&mut self, rank: u64, id: u32, sram: usize);
    fn serve(&mut self, sram: usize);
}

impl<Q: TieredQueue> BusyPeriod for Q {
    #[inline]
    fn admit(&mut self, rank: u64, id: u32, sram: usize) {
        let refused = self.push(Tier::Sram, rank, id).is_err();
        assert!(!refused, "ranks and ids are in range");
        if self.len_in(Tier::Sram) > sram
            && let Some(largest) = self.peek_max_in(Tier::Sram)
        {
            self.relocate(largest.id, Tier::Hbm);
        }
    }

    #[inline]
    fn serve(&mut self, sram: usize) {
        black_box(self.pop_min());
        if self.len_in(Tier::Sram) < sram
            && let Some(smallest) = self.peek_min_in(Tier::Hbm)
        {
            self.relocate(smallest.id, Tier::Sram);
        }
    }
}

/// The peer of the two-tier queues: an ordered set per tier, of rank, arrival and id.
#[derive(Default)]
struct TwoSets {
    tiers: [BTreeSet<(u32, u32, u32)>; 2],
    arrivals: u32,
}

impl BusyPeriod for TwoSets {
    fn admit(&mut self, rank: u64, id: u32, sram: usize) {
        self.tiers[0].insert((rank as u32, self.arrivals, id));
        self.arrivals += 1;
        if self.tiers[0].len() > sram
            && let Some(largest) = self.tiers[0].pop_last()
        {
            self.tiers[1].insert(largest);
        }
    }

    fn serve(&mut self, sram: usize) {
        let firsts = self.tiers.each_ref().map(BTreeSet::first);
        let from = match firsts {
            [Some(sram), Some(hbm)] => usize::from(hbm < sram),
            [sram, _] => usize::from(sram.is_none()),
        };
        black_box(self.tiers[from].pop_first());
        if self.tiers[0].len() < sram
            && let Some(smallest) = self.tiers[1].pop_first()
        {
            self.tiers[0].insert(smallest);
        }
    }
}

/// Two tiers over 2^15 uniform ranks, built up to `size` packets and drained.
pub(super) fn tiers(report: &mut Report, options: &Options, case: &str, size: u32) {
    let buckets = TieredBuckets::with_capacity(1 << 15, size).ok();
    let buckets = buckets.map(|queue| Subject::ours("TieredBuckets", busy_period(queue, size)));
    let exact = TieredExact::with_capacity(size);
    let subjects = buckets.into_iter().chain([
        Subject::ours("TieredExact", busy_period(exact, size)),
        Subject::peer("two BTreeSets", busy_period(TwoSets::default(), size)),
    ]);
    let unit = "ns per packet, all it does";
    report.race((case, u64::from(size), unit), options, subjects.collect());
}

fn busy_period<Q: BusyPeriod>(mut queue: Q, size: u32) -> impl FnMut() -> f64 {
    let mut ranks = Increments::new(1 << 15);
    let sram = size as usize / 10;
    let repeats = (100_000 / size).max(1);
    move || {
        let start = Instant::now();
        for _ in 0..repeats {
            for id in 0..size {
                queue.admit(u64::from(ranks.next() - 1), id, sram);
            }
            for _ in 0..size {
                queue.serve(sram);
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(size * repeats)
    }
}

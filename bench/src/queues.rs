//! Ranked queues under the hold model: pop the smallest, push it again at its rank plus a uniform
//! increment, so that the number of elements stays and the ranks advance as a scheduler's do.
//!
//! Every subject sees the same increments. Peers get the most compact element that does their work:
//! a 32-bit rank and a 32-bit item, and where the order must be stable an arrival number between them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::hint::black_box;
use std::time::Instant;

use dary_heap::QuaternaryHeap;
use forebay_pifo::{
    CircularWindow, ExactQueue, RankedQueue, RollingWindow, Tier, TieredBuckets, TieredExact,
    TieredQueue, WindowPolicy,
};
use min_max_heap::MinMaxHeap;
use radix_heap::RadixHeapMap;

use crate::race::{Options, Report, Subject};

const SIZES: [u32; 3] = [1_000, 100_000, 1_000_000];

/// A case at one size.
type Case = fn(&mut Report, &Options, &str, u32);

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    let cases: [(&str, Case); 3] = [
        ("hold, 2^15 window", narrow),
        ("hold, 32-bit ranks", wide),
        ("two tiers, busy period", tiers),
    ];
    for (name, case) in cases.into_iter().filter(|(name, _)| options.wants(name)) {
        for size in SIZES {
            case(&mut report, options, name, size);
        }
    }
    if options.wants(CACHE_MISS) {
        cache_misses(&mut report, options);
    }
    report
}

/// A queue as the hold model sees it.
trait Hold {
    fn put(&mut self, rank: u32, item: u32);
    fn take(&mut self) -> (u32, u32);
}

/// Increments for a window of 2^15 ranks: half of it, so that the two-halves form is exact as well.
const NARROW: u32 = 1 << 14;

/// Increments for ranks too wide for small buckets; ranks stay within 32 bits during a run.
const WIDE: u32 = 1 << 18;

fn narrow(report: &mut Report, options: &Options, case: &str, size: u32) {
    let window = 2 * NARROW as usize;
    let subjects = [
        circular(window).map(|queue| hold("CircularWindow", true, queue, size, NARROW)),
        rolling(NARROW as usize).map(|queue| hold("RollingWindow", true, queue, size, NARROW)),
        Some(hold("ExactQueue", true, exact(), size, NARROW)),
    ];
    let subjects = subjects.into_iter().flatten().chain(peers(size, NARROW)).collect();
    report.race((case, u64::from(size), "ns per pop+push"), options, subjects);
}

fn wide(report: &mut Report, options: &Options, case: &str, size: u32) {
    let window = 2 * WIDE as usize;
    let subjects = [
        Some(hold("ExactQueue", true, exact(), size, WIDE)),
        circular(window).map(|queue| hold("CircularWindow, 2^19", true, queue, size, WIDE)),
    ];
    let subjects = subjects.into_iter().flatten().chain(peers(size, WIDE)).collect();
    report.race((case, u64::from(size), "ns per pop+push"), options, subjects);
}

fn peers(size: u32, span: u32) -> impl Iterator<Item = Subject<'static>> {
    [
        hold("BinaryHeap", false, Plain(BinaryHeap::new()), size, span),
        hold("BinaryHeap, stable", false, Stable(BinaryHeap::new(), 0), size, span),
        hold("dary_heap (4)", false, Quaternary(QuaternaryHeap::new()), size, span),
        hold("radix-heap (monotone)", false, Radix(RadixHeapMap::new()), size, span),
        hold("min-max-heap", false, MinMax(MinMaxHeap::new()), size, span),
    ]
    .into_iter()
}

/// A subject that holds `size` elements and is measured over a number of hold operations.
fn hold<Q: Hold + 'static>(
    name: &str,
    ours: bool,
    mut queue: Q,
    size: u32,
    span: u32,
) -> Subject<'static> {
    let mut increments = Increments::new(span);
    for item in 0..size {
        queue.put(increments.next(), item);
    }
    // Two generations bring the ranks from uniform to the shape that holding gives them.
    for _ in 0..2 * size {
        step(&mut queue, &mut increments);
    }
    let operations = if size > 200_000 { 400_000 } else { 1_000_000 };
    let measure = move || {
        let start = Instant::now();
        for _ in 0..operations {
            step(&mut queue, &mut increments);
        }
        start.elapsed().as_nanos() as f64 / f64::from(operations)
    };
    if ours { Subject::ours(name, measure) } else { Subject::peer(name, measure) }
}

#[inline]
fn step<Q: Hold>(queue: &mut Q, increments: &mut Increments) {
    let (rank, item) = queue.take();
    queue.put(rank + increments.next(), item);
}

/// Uniform increments from 1 to a power of two: a xorshift generator, as cheap as can be, because its
/// time is counted.
struct Increments {
    state: u64,
    mask: u32,
}

impl Increments {
    fn new(span: u32) -> Self {
        Increments { state: 0x9E37_79B9_7F4A_7C15, mask: span - 1 }
    }

    #[inline]
    fn next(&mut self) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 32) as u32 & self.mask) + 1
    }
}

/// Any of ours with 64-bit ranks.
struct Ranked<Q>(Q);

impl<Q: RankedQueue<Rank = u64, Item = u32>> Hold for Ranked<Q> {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        let refused = self.0.push(u64::from(rank), item).is_err();
        assert!(!refused, "a hold increment exceeds the window");
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop_min().map_or((0, 0), |(rank, item)| (rank as u32, item))
    }
}

fn circular(window: usize) -> Option<Ranked<CircularWindow<u32>>> {
    CircularWindow::new(window, usize::MAX, WindowPolicy::default()).ok().map(Ranked)
}

fn rolling(half: usize) -> Option<Ranked<RollingWindow<u32>>> {
    RollingWindow::new(half, usize::MAX, WindowPolicy::default()).ok().map(Ranked)
}

struct Exact(ExactQueue<u32, u32>);

fn exact() -> Exact {
    Exact(ExactQueue::new(usize::MAX))
}

impl Hold for Exact {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        let refused = self.0.push(rank, item).is_err();
        assert!(!refused, "an unbounded queue refuses nothing");
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop_min().unwrap_or_default()
    }
}

struct Plain(BinaryHeap<Reverse<(u32, u32)>>);

impl Hold for Plain {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse((rank, item)));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|Reverse(element)| element).unwrap_or_default()
    }
}

struct Stable(BinaryHeap<Reverse<(u32, u32, u32)>>, u32);

impl Hold for Stable {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse((rank, self.1, item)));
        self.1 += 1;
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|Reverse((rank, _, item))| (rank, item)).unwrap_or_default()
    }
}

struct Quaternary(QuaternaryHeap<Reverse<(u32, u32)>>);

impl Hold for Quaternary {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse((rank, item)));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|Reverse(element)| element).unwrap_or_default()
    }
}

struct Radix(RadixHeapMap<Reverse<u32>, u32>);

impl Hold for Radix {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse(rank), item);
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|(Reverse(rank), item)| (rank, item)).unwrap_or_default()
    }
}

struct MinMax(MinMaxHeap<(u32, u32)>);

impl Hold for MinMax {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push((rank, item));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop_min().unwrap_or_default()
    }
}

/// A buffer's busy period over two memories, as Themis lives it: while it builds up, each packet is
/// admitted near and the near tier swaps out its largest when it holds a tenth of all; while it drains,
/// the smallest is served and the near tier swaps in the smallest of the far one.
trait BusyPeriod {
    fn admit(&mut self, rank: u64, id: u32, near: usize);
    fn serve(&mut self, near: usize);
}

impl<Q: TieredQueue> BusyPeriod for Q {
    #[inline]
    fn admit(&mut self, rank: u64, id: u32, near: usize) {
        let refused = self.push(Tier::Near, rank, id).is_err();
        assert!(!refused, "ranks and ids are in range");
        if self.len_in(Tier::Near) > near
            && let Some(largest) = self.peek_max_in(Tier::Near)
        {
            self.relocate(largest.id, Tier::Far);
        }
    }

    #[inline]
    fn serve(&mut self, near: usize) {
        black_box(self.pop_min());
        if self.len_in(Tier::Near) < near
            && let Some(smallest) = self.peek_min_in(Tier::Far)
        {
            self.relocate(smallest.id, Tier::Near);
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
    fn admit(&mut self, rank: u64, id: u32, near: usize) {
        self.tiers[0].insert((rank as u32, self.arrivals, id));
        self.arrivals += 1;
        if self.tiers[0].len() > near
            && let Some(largest) = self.tiers[0].pop_last()
        {
            self.tiers[1].insert(largest);
        }
    }

    fn serve(&mut self, near: usize) {
        let firsts = self.tiers.each_ref().map(BTreeSet::first);
        let from = match firsts {
            [Some(near), Some(far)] => usize::from(far < near),
            [near, _] => usize::from(near.is_none()),
        };
        black_box(self.tiers[from].pop_first());
        if self.tiers[0].len() < near
            && let Some(smallest) = self.tiers[1].pop_first()
        {
            self.tiers[0].insert(smallest);
        }
    }
}

/// Two tiers over 2^15 uniform ranks, built up to `size` packets and drained.
fn tiers(report: &mut Report, options: &Options, case: &str, size: u32) {
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
    let near = size as usize / 10;
    let repeats = (100_000 / size).max(1);
    move || {
        let start = Instant::now();
        for _ in 0..repeats {
            for id in 0..size {
                queue.admit(u64::from(ranks.next() - 1), id, near);
            }
            for _ in 0..size {
                queue.serve(near);
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(size * repeats)
    }
}

const CACHE_MISS: &str = "cache miss, KiB";

/// What a dependent read from memory costs here: a chase through a random cycle over a working set.
fn cache_misses(report: &mut Report, options: &Options) {
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

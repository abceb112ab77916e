//! How far a queue strays from the exact order: it and an ideal PIFO are driven side by side.
//!
//! Definitions, and where they come from:
//! - *Inversion* (SP-PIFO, NSDI '20): an element leaves while one of smaller rank waits in the same
//!   queue. [`AccuracyReport::inversions`] counts every such pair,
//!   [`AccuracyReport::inverted_pops`] every pop with one at least.
//! - *Magnitude*: of a pair, the difference of its ranks. [`AccuracyReport::unpifoness`] is their
//!   sum, after the name that SP-PIFO gives to the distance from a PIFO; the paper's own quantity
//!   is a cost per mapping decision, ours is what the decisions led to.
//! - *Drop*: an element refused, or pushed out. By rank, in tenths of the ranks that arrive
//!   ([`Deciles`]): an ideal PIFO drops the largest only, so drops of small ranks are errors of
//!   admission (AIFO, SIGCOMM '21).
//! - *Overlap* (AIFO's question, as a number of ours): of what the ideal serves, the share that the
//!   queue serves too.
//!
//! The ideal is [`PushOut`] over an [`ExactQueue`] of the same capacity; it gets the same arrivals
//! and the same turns to serve. Complexity: O(log n) expected per operation beside the queue's own.
//! Memory: about 160 bytes per element that waits in either.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::rank_counts::RankCounts;
use super::{ApproximateQueue, PushOut, Pushed};
use crate::exact::ExactQueue;

/// Something that happens to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An element of this rank arrives.
    Arrive(u64),
    /// The queue may serve one.
    Serve,
}

/// The ranks that divide arrivals into ten parts of about equal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deciles {
    /// The largest rank of each tenth but the last.
    edges: [u64; 9],
}

impl Deciles {
    /// The deciles of `ranks`; O(n log n). Where many ranks are equal, some tenths are empty.
    #[must_use]
    pub fn of(ranks: impl IntoIterator<Item = u64>) -> Self {
        let mut sorted: Vec<u64> = ranks.into_iter().collect();
        sorted.sort_unstable();
        let last_of = |tenth: usize| (sorted.len() * (tenth + 1)).div_ceil(10).saturating_sub(1);
        Deciles {
            edges: core::array::from_fn(|tenth| {
                sorted.get(last_of(tenth)).copied().unwrap_or_default()
            }),
        }
    }

    /// The tenth, from 0, that `rank` belongs to.
    #[must_use]
    pub fn tenth(&self, rank: u64) -> usize {
        self.edges.partition_point(|&edge| edge < rank)
    }
}

/// What a [`Comparison`] has counted. Elements that still wait in one of the two queues are not in
/// `ideal_served` and `both_served` yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccuracyReport {
    /// Elements that arrived.
    pub arrivals: u64,
    /// Elements that left in service.
    pub served: u64,
    /// Elements refused or pushed out.
    pub dropped: u64,
    /// Pairs of an element that left and one of smaller rank that waited.
    pub inversions: u64,
    /// Elements that left while one of smaller rank waited.
    pub inverted_pops: u64,
    /// The sum of the rank differences of those pairs.
    pub unpifoness: u128,
    /// The largest of them.
    pub max_magnitude: u64,
    /// Arrivals by decile of rank.
    pub arrivals_by_decile: [u64; 10],
    /// Drops by decile of rank.
    pub dropped_by_decile: [u64; 10],
    /// Drops of the ideal PIFO by decile of rank.
    pub ideal_dropped_by_decile: [u64; 10],
    /// Elements whose fate is decided in both queues and that the ideal PIFO served.
    pub ideal_served: u64,
    /// Those of them that the queue served too.
    pub both_served: u64,
}

impl AccuracyReport {
    /// The share of pops that were inverted, 0 to 1.
    #[must_use]
    pub fn inverted_share(&self) -> f64 {
        ratio(self.inverted_pops as f64, self.served)
    }

    /// The mean rank difference of an inversion; 0 if there are none.
    #[must_use]
    pub fn mean_magnitude(&self) -> f64 {
        ratio(self.unpifoness as f64, self.inversions)
    }

    /// The share of what the ideal PIFO served that the queue served too; 0 if that is nothing.
    #[must_use]
    pub fn overlap(&self) -> f64 {
        ratio(self.both_served as f64, self.ideal_served)
    }
}

fn ratio(part: f64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

/// Whether an element was served, in each queue in which that is decided.
#[derive(Clone, Copy)]
struct Fate {
    rank: u64,
    queue: Option<bool>,
    ideal: Option<bool>,
}

/// Drives a queue, whose items are arrival numbers, beside an ideal PIFO.
///
/// ```
/// use forebay_pifo::approximate::{Comparison, Deciles, DropTailQueue};
///
/// let mut comparison = Comparison::new(DropTailQueue::new(10)?, Deciles::of([1, 4, 9]));
/// for rank in [9, 4, 1] {
///     comparison.arrive(rank);
/// }
/// assert_eq!(comparison.serve(), Some(9)); // two smaller wait, 5 and 8 away
/// comparison.drain();
/// let report = comparison.report();
/// assert_eq!((report.inversions, report.unpifoness, report.max_magnitude), (3, 16, 8));
/// # Ok::<(), forebay_pifo::approximate::ShapeError>(())
/// ```
#[derive(Clone)]
pub struct Comparison<Q> {
    queue: Q,
    waiting: RankCounts,
    ideal: PushOut<ExactQueue<u64, u64>>,
    deciles: Deciles,
    undecided: BTreeMap<u64, Fate>,
    report: AccuracyReport,
}

crate::debug_in_one_line!(
    [Q: core::fmt::Debug] Comparison<Q>, |it| { queue: it.queue, report: it.report }
);

impl<Q: ApproximateQueue<Item = u64>> Comparison<Q> {
    /// Compares `queue`, which must be empty; `deciles` sort the drops.
    #[must_use]
    pub fn new(queue: Q, deciles: Deciles) -> Self {
        Comparison {
            ideal: PushOut::new(ExactQueue::new(usize::MAX), queue.capacity()),
            queue,
            waiting: RankCounts::new(),
            deciles,
            undecided: BTreeMap::new(),
            report: AccuracyReport::default(),
        }
    }

    /// An element of `rank` arrives at both. Whether the queue took it.
    pub fn arrive(&mut self, rank: u64) -> bool {
        let id = self.report.arrivals;
        self.report.arrivals += 1;
        self.report.arrivals_by_decile[self.deciles.tenth(rank)] += 1;
        self.undecided.insert(id, Fate { rank, queue: None, ideal: None });

        self.waiting.insert(rank);
        let answer = self.queue.push(rank, id);
        let taken = answer.is_ok();
        if let Some(lost) = loser(answer) {
            self.left_queue(lost, false);
        }
        if let Some(lost) = loser(self.ideal.push(rank, id)) {
            self.left_ideal(lost, false);
        }
        taken
    }

    /// Both may serve one element. The rank of what the queue served.
    pub fn serve(&mut self) -> Option<u64> {
        if let Some((_, id)) = self.ideal.pop() {
            self.left_ideal(id, true);
        }
        let (_, id) = self.queue.pop()?;
        self.left_queue(id, true)
    }

    /// Serves until both are empty, or the queue has nothing that is due.
    pub fn drain(&mut self) {
        while self.serve().is_some() || !self.ideal.is_empty() {}
    }

    /// What was counted so far.
    #[must_use]
    pub fn report(&self) -> &AccuracyReport {
        &self.report
    }

    /// The queue that is measured, to look at.
    #[must_use]
    pub fn queue(&self) -> &Q {
        &self.queue
    }

    /// An element left the queue; its rank is the one it arrived with.
    fn left_queue(&mut self, id: u64, served: bool) -> Option<u64> {
        let fate = self.undecided.get_mut(&id)?;
        fate.queue = Some(served);
        let rank = fate.rank;
        self.waiting.remove(rank);
        if served {
            self.report.served += 1;
            self.count_inversions(rank);
        } else {
            self.report.dropped += 1;
            self.report.dropped_by_decile[self.deciles.tenth(rank)] += 1;
        }
        self.decide(id);
        Some(rank)
    }

    fn left_ideal(&mut self, id: u64, served: bool) {
        let Some(fate) = self.undecided.get_mut(&id) else { return };
        fate.ideal = Some(served);
        if !served {
            self.report.ideal_dropped_by_decile[self.deciles.tenth(fate.rank)] += 1;
        }
        self.decide(id);
    }

    /// Counts what `rank` overtook by leaving now.
    fn count_inversions(&mut self, rank: u64) {
        let smaller = self.waiting.below(rank);
        if smaller.count > 0 {
            self.report.inverted_pops += 1;
            self.report.inversions += smaller.count as u64;
            self.report.unpifoness += u128::from(rank) * smaller.count as u128 - smaller.sum;
            let least = self.waiting.min().unwrap_or(rank);
            self.report.max_magnitude = self.report.max_magnitude.max(rank - least);
        }
    }

    /// Forgets an element once both queues have decided.
    fn decide(&mut self, id: u64) {
        let Some(&Fate { queue: Some(queue), ideal: Some(ideal), .. }) = self.undecided.get(&id)
        else {
            return;
        };
        self.undecided.remove(&id);
        self.report.ideal_served += u64::from(ideal);
        self.report.both_served += u64::from(ideal && queue);
    }
}

/// Who was dropped by a push.
fn loser(answer: Pushed<u64>) -> Option<u64> {
    match answer {
        Ok(out) => out.map(|(_, id)| id),
        Err(rejected) => Some(rejected.item),
    }
}

/// Drives `queue` through `steps` and until it is empty.
pub fn compare<Q: ApproximateQueue<Item = u64>>(queue: Q, steps: &[Step]) -> AccuracyReport {
    let ranks = steps.iter().filter_map(|step| match *step {
        Step::Arrive(rank) => Some(rank),
        Step::Serve => None,
    });
    let mut comparison = Comparison::new(queue, Deciles::of(ranks));
    for step in steps {
        match *step {
            Step::Arrive(rank) => {
                comparison.arrive(rank);
            }
            Step::Serve => {
                comparison.serve();
            }
        }
    }
    comparison.drain();
    comparison.report
}

//! What races: a queue of 32-bit ranks and 32-bit items, and how each case drives it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::increments::Increments;
use crate::race::Subject;

/// A queue as the cases see it. An adapter is a few lines in a file of its own under `peers/`.
pub(super) trait Contender {
    /// Adds an item.
    fn put(&mut self, rank: u32, item: u32);

    /// Takes the smallest; of no interest when empty.
    fn take(&mut self) -> (u32, u32);
}

/// One that gives up its largest as well.
pub(super) trait TwoEnded: Contender {
    /// Takes the largest.
    fn take_max(&mut self) -> (u32, u32);
}

/// Who races: a name, whose it is, and how to build it.
pub(super) struct Entrant {
    pub(super) name: &'static str,
    pub(super) ours: bool,
    hold: fn(Load) -> Box<dyn FnMut() -> f64>,
    slowest_pop: fn(Load) -> Box<dyn FnMut() -> f64>,
    fill_and_drain: fn(Load) -> Box<dyn FnMut() -> f64>,
}

impl Entrant {
    /// An entrant that builds itself by `Default`.
    pub(super) const fn new<Q: Contender + Default + 'static>(
        name: &'static str,
        ours: bool,
    ) -> Self {
        let (hold, slowest_pop) = (hold::<Q>, slowest_pop::<Q>);
        Entrant { name, ours, hold, slowest_pop, fill_and_drain: fill_and_drain::<Q> }
    }

    /// Ready for the hold model: it holds the load already.
    pub(super) fn hold(&self, load: Load) -> Subject<'static> {
        self.subject((self.hold)(load))
    }

    /// The same, to be asked for its slowest pop.
    pub(super) fn slowest_pop(&self, load: Load) -> Subject<'static> {
        self.subject((self.slowest_pop)(load))
    }

    /// Ready to be filled and drained.
    pub(super) fn fill_and_drain(&self, load: Load) -> Subject<'static> {
        self.subject((self.fill_and_drain)(load))
    }

    fn subject(&self, measure: Box<dyn FnMut() -> f64>) -> Subject<'static> {
        if self.ours {
            Subject::ours(self.name, measure)
        } else {
            Subject::peer(self.name, measure)
        }
    }
}

/// How many elements, how far apart, and how many operations a round has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) size: u32,
    pub(super) span: u32,
    pub(super) operations: u32,
}

/// A queue in the hold model: the smallest is popped, and pushed at its rank plus an increment.
struct Held<Q> {
    queue: Q,
    increments: Increments,
}

impl<Q: Contender + Default> Held<Q> {
    /// It holds the load, and has for some time.
    fn new(load: Load) -> Self {
        let (mut queue, mut increments) = (Q::default(), Increments::new(load.span));
        for item in 0..load.size {
            // What remains of an increment at any moment is distributed as the lesser of two.
            queue.put(increments.next().min(increments.next()), item);
        }
        let mut held = Held { queue, increments };
        for _ in 0..warm_up(load.size) {
            held.step();
        }
        held
    }

    #[inline]
    fn step(&mut self) {
        let (rank, item) = self.queue.take();
        self.queue.put(rank + self.increments.next(), item);
    }

    /// The same; how long the pop took.
    fn timed_step(&mut self) -> Duration {
        let start = Instant::now();
        let (rank, item) = black_box(self.queue.take());
        let taken = start.elapsed();
        self.queue.put(rank + self.increments.next(), item);
        taken
    }
}

/// Nanoseconds per pop and push.
fn hold<Q: Contender + Default + 'static>(load: Load) -> Box<dyn FnMut() -> f64> {
    let mut held = Held::<Q>::new(load);
    Box::new(move || {
        let start = Instant::now();
        for _ in 0..load.operations {
            held.step();
        }
        start.elapsed().as_nanos() as f64 / f64::from(load.operations)
    })
}

/// Queues that do the same in turn, of which the fastest counts at each step: what interrupts one
/// of them is not the queue's.
const ALIKE: usize = 3;

/// The slowest pop of all, in microseconds.
fn slowest_pop<Q: Contender + Default + 'static>(load: Load) -> Box<dyn FnMut() -> f64> {
    let mut alike: Vec<Held<Q>> = (0..ALIKE).map(|_| Held::new(load)).collect();
    Box::new(move || {
        let mut slowest = Duration::ZERO;
        for _ in 0..load.operations {
            let fastest = alike.iter_mut().map(Held::timed_step).min();
            slowest = slowest.max(fastest.unwrap_or_default());
        }
        slowest.as_nanos() as f64 / 1e3
    })
}

/// Operations before the clock is read: they bring memory and shape near to a steady state.
pub(super) fn warm_up(size: u32) -> u32 {
    size.clamp(10_000, 2_000_000)
}

/// Push all, uniform ranks, then pop all: nanoseconds per element.
fn fill_and_drain<Q: Contender + Default + 'static>(load: Load) -> Box<dyn FnMut() -> f64> {
    let mut increments = Increments::new(load.span);
    let repeats = (load.operations / load.size).max(1);
    Box::new(move || {
        let start = Instant::now();
        for _ in 0..repeats {
            let mut queue = Q::default();
            for item in 0..load.size {
                queue.put(increments.next(), item);
            }
            for _ in 0..load.size {
                black_box(queue.take());
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(load.size * repeats)
    })
}

/// Takes the smallest and the largest in turn, pushing a uniform rank for each: nanoseconds per pop
/// and push.
pub(super) fn both_ends<Q: TwoEnded + Default + 'static>(load: Load) -> impl FnMut() -> f64 {
    let (mut queue, mut increments) = (Q::default(), Increments::new(load.span));
    for item in 0..load.size {
        queue.put(increments.next(), item);
    }
    move || {
        let start = Instant::now();
        for _ in 0..load.operations / 2 {
            let (_, item) = queue.take();
            queue.put(increments.next(), item);
            let (_, item) = queue.take_max();
            queue.put(increments.next(), item);
        }
        start.elapsed().as_nanos() as f64 / f64::from(load.operations / 2 * 2)
    }
}

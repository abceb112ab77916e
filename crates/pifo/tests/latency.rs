//! Theorem 4 (thesis §4.5.1): with a front queue larger than the latency, every pop is exact; and
//! what happens without it.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed unwrap is a failed test

use std::collections::BTreeMap;

use forebay_pifo::{
    BucketQueue, LatencyFree, Pipelined, RankedQueue, Reason, ShiftRegister, bbq_stages,
};
use proptest::prelude::*;

type Queue = LatencyFree<ShiftRegister<u64, u32>, BucketQueue<u32>>;

fn queue(front: usize, latency: u16, capacity: usize) -> Queue {
    let back = Pipelined::new(BucketQueue::<u32>::new(1 << 10, capacity).unwrap(), latency);
    LatencyFree::new_unchecked(ShiftRegister::new(front).unwrap(), back)
}

/// One cycle: whether to pop, and the rank to push.
type Cycle = (bool, Option<u64>);

/// Bursts of pushes and of pops, dense enough to fill the front queue and to run it down.
fn cycles() -> impl Strategy<Value = Vec<Cycle>> {
    let rank = prop_oneof![2 => 0u64..8, 3 => 0u64..1024];
    let phase = (0u8..4, prop::collection::vec((any::<bool>(), rank), 1..60));
    prop::collection::vec(phase, 1..8).prop_map(|phases| {
        let cycle = |kind: u8, coin: bool, rank: u64| match kind {
            0 => (false, Some(rank)),
            1 => (true, None),
            2 => (true, coin.then_some(rank)),
            _ => (coin, Some(rank)),
        };
        let play = move |(kind, draws): (u8, Vec<(bool, u64)>)| {
            draws.into_iter().map(move |(coin, rank)| cycle(kind, coin, rank)).collect::<Vec<_>>()
        };
        phases.into_iter().flat_map(play).collect()
    })
}

/// Everything that waits, by rank, with how many.
#[derive(Default)]
struct Waiting(BTreeMap<u64, usize>);

impl Waiting {
    fn push(&mut self, rank: u64) {
        *self.0.entry(rank).or_default() += 1;
    }

    fn pop(&mut self, rank: u64) {
        let count = self.0.get_mut(&rank).unwrap();
        *count -= 1;
        if *count == 0 {
            self.0.remove(&rank);
        }
    }

    fn smallest(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flat_map(|(&rank, &count)| std::iter::repeat_n(rank, count))
    }
}

/// Plays `cycles` and counts the pops that were not the smallest of all that waited.
fn inexact_pops(mut queue: Queue, cycles: &[Cycle], check: impl Fn(&Queue, &Waiting)) -> usize {
    let (mut waiting, mut inexact) = (Waiting::default(), 0);
    for (&(pop, push), item) in cycles.iter().zip(0..) {
        let smallest = waiting.smallest().next();
        let step = queue.step(pop, push.map(|rank| (rank, item)));
        assert!(step.front_operations <= 4 && step.back_operations <= 2, "{step:?}");
        if pop {
            inexact += usize::from(step.popped.map(|(rank, _)| rank) != smallest);
        }
        if let Some((rank, _)) = step.popped {
            waiting.pop(rank);
        }
        match (push, step.refused) {
            (Some(rank), None) => waiting.push(rank),
            (None, Some(refused)) => panic!("{refused:?} from nowhere"),
            _ => {}
        }
        assert_eq!(queue.len(), waiting.0.values().sum::<usize>());
        check(&queue, &waiting);
    }
    inexact
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The theorem, for any latency and any front queue larger than it, at the tightest size too.
    #[test]
    fn pops_are_exact_and_the_smallest_are_in_front(
        cycles in cycles(), latency in 1u16..24, spare in 1usize..6, capacity in 30usize..400,
    ) {
        let front = usize::from(latency) + spare;
        let inexact = inexact_pops(queue(front, latency, capacity), &cycles, |queue, waiting| {
            let mut held: Vec<_> = queue.front().iter().map(|(rank, _)| rank).collect();
            held.sort_unstable();
            let guaranteed = waiting.smallest().take(spare);
            assert!(guaranteed.zip(&held).all(|(expected, held)| expected == *held));
            assert!(held.len() >= spare.min(queue.len()));
        });
        prop_assert_eq!(inexact, 0);
    }
}

/// The bound is tight: one element less, and some sequence of cycles pops the wrong one.
#[test]
fn a_front_queue_as_large_as_the_latency_fails() {
    let fill = (0..40).map(|rank| (false, Some(rank)));
    let drain = (0..40).map(|_| (true, None));
    let cycles: Vec<_> = fill.chain(drain).collect();
    assert_eq!(inexact_pops(queue(9, 8, 100), &cycles, |_, _| {}), 0);
    assert!(inexact_pops(queue(8, 8, 100), &cycles, |_, _| {}) > 0);
    let back = || Pipelined::new(BucketQueue::<u32>::new(64, 100).unwrap(), 8);
    assert!(LatencyFree::new(ShiftRegister::new(9).unwrap(), back()).is_ok());
    let refused = LatencyFree::new(ShiftRegister::new(8).unwrap(), back()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a front queue of 8 elements cannot hide 8 cycles; give it at least 9"
    );
}

/// The thesis's example (Fig. 4.11): one flow of high priority among four, a packet every second
/// cycle, four cycles of latency. A pipelined queue with two pops under way serves B; with the
/// front queue, A is served every time.
#[test]
fn latency_is_hidden_where_a_pipeline_alone_serves_the_wrong_flow() {
    let flows = [(0, "A"), (1, "B"), (2, "C"), (3, "D")];
    let mut pipelined = Pipelined::new(BucketQueue::<&str>::new(8, 8).unwrap(), 4);
    for (rank, flow) in flows {
        pipelined.push(rank, flow).unwrap();
    }
    let mut served = Vec::new();
    for cycle in 0..12 {
        if let Some(Some((rank, flow))) = pipelined.answer() {
            served.push(flow);
            pipelined.push(rank, flow).unwrap();
        }
        if cycle % 2 == 0 {
            pipelined.request();
        }
    }
    assert_eq!(served[..2], ["A", "B"]);

    let back = Pipelined::new(BucketQueue::<&str>::new(8, 8).unwrap(), 4);
    let mut free = LatencyFree::new(ShiftRegister::new(5).unwrap(), back).unwrap();
    for flow in flows {
        free.step(false, Some(flow));
    }
    let mut again = None;
    for cycle in 0..12 {
        let step = free.step(cycle % 2 == 0, again.take());
        assert!(step.popped.is_none_or(|(_, flow)| flow == "A"));
        again = step.popped;
    }
}

#[test]
fn refusals_give_back_what_was_pushed() {
    let mut queue = queue(4, 2, 3);
    let far = queue.step(false, Some((1 << 10, 0))).refused.unwrap();
    assert_eq!((far.item, far.reason), (0, Reason::RankTooLarge { max_rank: 1023 }));
    for item in 1..4 {
        assert_eq!(queue.step(false, Some((5, item))).refused, None);
    }
    let full = queue.step(false, Some((1, 4))).refused.unwrap();
    assert_eq!((full.rank, full.item, full.reason), (1, 4, Reason::Full { capacity: 3 }));
    // A pop in the same cycle makes room.
    let step = queue.step(true, Some((1, 5)));
    assert_eq!((step.popped, step.refused), (Some((5, 1)), None));
    assert!(queue.step(true, None).popped.is_some_and(|(_, item)| item == 5));
}

#[test]
fn stages_are_the_papers() {
    assert_eq!(bbq_stages(2), 11); // Table 4.2
    assert_eq!((bbq_stages(1), bbq_stages(0)), (7, 7));
}

//! Bucket queues and windows against the sorted vector, after every operation of random sequences.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use std::fmt::Debug;

use forebay_pifo::{
    Beyond, BucketQueue, CircularWindow, DoubleEnded, RankedQueue, Reason, ReferenceQueue,
    Rejected, RollingWindow, WindowPolicy,
};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Op<R> {
    Push(R),
    PopMin,
    PopMax,
}

fn ops<R: Debug + Clone>(
    rank: impl Strategy<Value = R> + 'static,
) -> impl Strategy<Value = Vec<Op<R>>> {
    let op = prop_oneof![
        3 => rank.prop_map(Op::Push),
        1 => Just(Op::PopMin),
        1 => Just(Op::PopMax),
    ];
    prop::collection::vec(op, 1..300)
}

/// Few ranks, so that ties are common, and the extremes of `0 ..= max`.
fn rank(max: u64) -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..=max.min(3), 2 => 0..=max, 1 => Just(max)]
}

fn assert_same<R, Q>(queue: &Q, reference: &ReferenceQueue<R, u32>)
where
    R: Copy + Ord + Debug,
    Q: DoubleEnded<Rank = R, Item = u32>,
{
    assert_eq!(queue.len(), reference.len());
    assert_eq!(queue.is_empty(), reference.is_empty());
    assert_eq!(queue.capacity(), reference.capacity());
    assert_eq!(queue.peek_min(), reference.peek_min());
    assert_eq!(queue.peek_max(), reference.peek_max());
    let mut all: Vec<_> = queue.iter().map(|(rank, &item)| (rank, item)).collect();
    all.sort_by_key(|&(rank, item)| (rank, item)); // items are numbered in order of arrival
    assert!(all.iter().map(|(rank, item)| (*rank, item)).eq(reference.iter()));
}

fn assert_agrees<R, Q>(mut queue: Q, ops: &[Op<R>])
where
    R: Copy + Ord + Debug,
    Q: DoubleEnded<Rank = R, Item = u32>,
{
    let mut reference = ReferenceQueue::new(queue.capacity());
    for (&op, item) in ops.iter().zip(0..) {
        match op {
            Op::Push(rank) => assert_eq!(queue.push(rank, item), reference.push(rank, item)),
            Op::PopMin => assert_eq!(queue.pop_min(), reference.pop_min()),
            Op::PopMax => assert_eq!(queue.pop_max(), reference.pop_max()),
        }
        assert_same(&queue, &reference);
    }
    while !reference.is_empty() {
        assert_eq!(queue.pop_min(), reference.pop_min());
    }
    assert_eq!(queue.pop_min(), None);
    assert_eq!(queue.pop_max(), None);
}

proptest! {
    #[test]
    fn buckets_agree(ops in ops(rank(99)), capacity in 0usize..100) {
        assert_agrees(BucketQueue::<u32>::new(100, capacity).unwrap(), &ops);
        assert_agrees(BucketQueue::<u32, 2>::new(100, capacity).unwrap(), &ops);
        assert_agrees(BucketQueue::<u32, 3>::new(100, capacity).unwrap(), &ops);
        assert_agrees(BucketQueue::<u32, 32>::new(100, capacity).unwrap(), &ops);
    }

    #[test]
    fn one_bucket_agrees(ops in ops(rank(0)), capacity in 0usize..100) {
        assert_agrees(BucketQueue::<u32>::new(1, capacity).unwrap(), &ops);
    }

    /// Windows are exact while ranks fit, wherever on the axis they lie.
    #[test]
    fn windows_agree_on_a_fixed_range(
        ops in ops(rank(99)), capacity in 0usize..100, base in rank(u64::MAX - 99),
    ) {
        let ops: Vec<_> = ops.iter().map(|op| match op {
            Op::Push(rank) => Op::Push(base + rank),
            other => *other,
        }).collect();
        assert_agrees(
            CircularWindow::<u32>::new(100, capacity, WindowPolicy::default()).unwrap(), &ops);
        assert_agrees(
            CircularWindow::<u32, 3>::new(100, capacity, WindowPolicy::default()).unwrap(), &ops);
    }

    /// Ranks that advance from the one served last, by less than the span each window promises.
    #[test]
    fn windows_agree_on_advancing_ranks(
        steps in prop::collection::vec((0u64..64, 0u8..4), 1..400), start in rank(u64::MAX / 2),
    ) {
        let mut rolling = RollingWindow::<u32>::new(64, 50, WindowPolicy::default()).unwrap();
        let mut circular = CircularWindow::<u32>::new(64, 50, WindowPolicy::default()).unwrap();
        let mut narrow = CircularWindow::<u32, 3>::new(64, 50, WindowPolicy::default()).unwrap();
        let mut reference = ReferenceQueue::new(50);
        let mut now = start;
        for ((ahead, op), item) in steps.into_iter().zip(0..) {
            if op < 2 {
                let expected = reference.push(now + ahead, item);
                prop_assert_eq!(rolling.push(now + ahead, item), expected);
                prop_assert_eq!(circular.push(now + ahead, item), expected);
                prop_assert_eq!(narrow.push(now + ahead, item), expected);
            } else if op == 2 {
                let expected = reference.pop_min();
                now = expected.map_or(now, |(rank, _)| rank);
                prop_assert_eq!(rolling.pop_min(), expected);
                prop_assert_eq!(circular.pop_min(), expected);
                prop_assert_eq!(narrow.pop_min(), expected);
            } else {
                let expected = reference.pop_max();
                prop_assert_eq!(rolling.pop_max(), expected);
                prop_assert_eq!(circular.pop_max(), expected);
                prop_assert_eq!(narrow.pop_max(), expected);
            }
            assert_same(&rolling, &reference);
            assert_same(&circular, &reference);
            assert_same(&narrow, &reference);
        }
    }

    /// Whatever the ranks, clamping windows lose nothing, never overflow and serve what they show.
    #[test]
    fn clamping_windows_conserve_elements(ops in ops(rank(u64::MAX))) {
        let policy = WindowPolicy { beyond: Beyond::LastBucket, ..WindowPolicy::default() };
        assert_conserves(RollingWindow::<u32>::new(8, 40, policy).unwrap(), &ops);
        assert_conserves(CircularWindow::<u32>::new(16, 40, policy).unwrap(), &ops);
    }
}

fn assert_conserves<Q: DoubleEnded<Rank = u64, Item = u32>>(mut queue: Q, ops: &[Op<u64>]) {
    let mut waiting = Vec::new();
    for (&op, item) in ops.iter().zip(0..) {
        match op {
            Op::Push(rank) => match queue.push(rank, item) {
                Ok(()) => waiting.push(item),
                Err(rejected) => assert_eq!(rejected.reason, Reason::Full { capacity: 40 }),
            },
            Op::PopMin | Op::PopMax => {
                let shown =
                    if matches!(op, Op::PopMin) { queue.peek_min() } else { queue.peek_max() };
                let shown = shown.map(|(rank, &item)| (rank, item));
                let taken =
                    if matches!(op, Op::PopMin) { queue.pop_min() } else { queue.pop_max() };
                assert_eq!(taken, shown);
                waiting.retain(|&item| Some(item) != taken.map(|(_, item)| item));
            }
        }
        let mut all: Vec<_> = queue.iter().map(|(_, &item)| item).collect();
        all.sort_unstable();
        assert_eq!(all, waiting);
        assert_eq!(queue.peek_min().map(|e| e.0), queue.iter().map(|e| e.0).min());
        assert_eq!(queue.peek_max().map(|e| e.0), queue.iter().map(|e| e.0).max());
    }
}

#[test]
fn a_rank_out_of_range_comes_back_with_its_item() {
    let mut queue = BucketQueue::<&str>::new(8, 4).unwrap();
    let reason = Reason::RankTooLarge { max_rank: 7 };
    assert_eq!(queue.push(8, "far"), Err(Rejected { rank: 8, item: "far", reason }));
    assert!(queue.push(u64::MAX, "farther").unwrap_err().to_string().contains("largest is 7"));
    assert!(BucketQueue::<&str>::new(0, 4).is_err());
}

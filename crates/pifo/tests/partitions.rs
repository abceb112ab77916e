//! Logical partitions against one sorted vector each, interleaved, in both of the paper's forms.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use forebay_pifo::{
    DoubleEnded, DoubleEndedPartitions, PartitionedBuckets, PartitionedQueue, RankedQueue, Reason,
    ReferenceQueue, Rejected,
};
use proptest::prelude::*;

/// A push at a rank, a pop of the smallest, or a pop of the largest, in some partition.
fn ops() -> impl Strategy<Value = Vec<(usize, u8, u64)>> {
    prop::collection::vec((0usize..64, 0u8..5, 0u64..256), 1..300)
}

fn assert_agrees<const W: usize>(
    partitions: usize,
    buckets: usize,
    capacity: usize,
    ops: &[(usize, u8, u64)],
) {
    let mut queue = PartitionedBuckets::<u32, W>::new(partitions, buckets, capacity).unwrap();
    let mut references: Vec<_> = (0..partitions).map(|_| ReferenceQueue::new(usize::MAX)).collect();
    assert_eq!((queue.partitions(), queue.capacity()), (partitions, capacity));
    for (&(partition, op, rank), item) in ops.iter().zip(0..) {
        let partition = partition % partitions;
        let rank = rank % (queue.max_rank() + 1);
        match op {
            0 => assert_eq!(queue.pop_min_in(partition), references[partition].pop_min()),
            1 => assert_eq!(queue.pop_max_in(partition), references[partition].pop_max()),
            _ if queue.len() < capacity => {
                queue.push_in(partition, rank, item).unwrap();
                references[partition].push(rank, item).unwrap();
            }
            _ => {
                let reason = Reason::Full { capacity };
                let refused = queue.push_in(partition, rank, item);
                assert_eq!(refused, Err(Rejected { rank, item, reason }));
            }
        }
        for (number, reference) in references.iter().enumerate() {
            assert_eq!(queue.len_in(number), reference.len());
            assert_eq!(queue.peek_min_in(number), reference.peek_min());
            assert_eq!(queue.peek_max_in(number), reference.peek_max());
        }
        assert_eq!(queue.len(), references.iter().map(RankedQueue::len).sum::<usize>());
        assert_eq!(queue.is_empty(), queue.len() == 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn masked_and_steered_partitions_agree(ops in ops(), capacity in 0usize..60) {
        // No more partitions than bits in a bitmap: a mask over the root (§4.4.2, form 1).
        assert_agrees::<4>(2, 16, capacity, &ops);
        assert_agrees::<64>(8, 1024, capacity, &ops);
        assert_agrees::<64>(1, 64, capacity, &ops);
        assert_agrees::<3>(3, 81, capacity, &ops);
        // More: steered to a deeper word (form 2).
        assert_agrees::<4>(8, 16, capacity, &ops);
        assert_agrees::<4>(16, 16, capacity, &ops);
        assert_agrees::<64>(32, 1 << 15, capacity, &ops);
        assert_agrees::<2>(64, 128, capacity, &ops);
    }
}

#[test]
fn one_partition_may_use_the_whole_capacity() {
    let mut queue = PartitionedBuckets::<u32>::new(128, 1 << 15, 1_000).unwrap();
    for item in 0..1_000 {
        queue.push_in(127, u64::from(item) % 256, item).unwrap();
    }
    assert!(queue.push_in(0, 0, 0).is_err());
    assert_eq!((queue.len_in(127), queue.len_in(0)), (1_000, 0));
}

#[test]
fn what_does_not_exist_is_refused() {
    let mut queue = PartitionedBuckets::<u32, 4>::new(8, 16, 10).unwrap();
    let refused = queue.push_in(8, 0, 1).unwrap_err();
    assert_eq!(refused.reason, Reason::NoSuchPartition { partitions: 8 });
    assert_eq!(queue.push_in(0, 2, 1).unwrap_err().reason, Reason::RankTooLarge { max_rank: 1 });
    assert_eq!(
        (queue.pop_min_in(8), queue.peek_max_in(usize::MAX), queue.len_in(8)),
        (None, None, 0)
    );
    for (partitions, buckets) in [(0, 16), (3, 16), (32, 16), (usize::MAX, 16), (1, 0)] {
        assert!(PartitionedBuckets::<u32, 4>::new(partitions, buckets, 10).is_err());
    }
}

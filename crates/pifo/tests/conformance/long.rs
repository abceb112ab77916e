//! A million operations on each structure that the suite cannot drive: windows over ranks that
//! advance, two tiers, handles, both ends of partitions, a hidden pipeline.

use std::collections::{BTreeMap, BTreeSet};

use forebay_pifo::testing::{LONG, Random};
use forebay_pifo::{
    BucketQueue, CircularWindow, DoubleEnded, DoubleEndedPartitions, ElementHandle, HandleQueue,
    IndexedBuckets, IndexedExact, IndexedQueue, LatencyFree, PartitionedBuckets,
    PartitionedShiftRegister, Pipelined, RankedQueue, ReferenceQueue, RollingWindow, ShiftRegister,
    Tier, TieredBuckets, TieredExact, TieredQueue, TieredReference, WindowPolicy,
};

#[test]
fn windows_over_ranks_that_advance() {
    let mut random = Random::new(1);
    let mut rolling = RollingWindow::<u32>::new(256, 60, WindowPolicy::default()).unwrap();
    let mut circular = CircularWindow::<u32, 4>::new(256, 60, WindowPolicy::default()).unwrap();
    let mut reference = ReferenceQueue::new(60);
    let mut now = u64::from(u32::MAX);
    for item in 0..LONG {
        match random.below(16) {
            0..=7 => {
                let rank = now + random.below(256);
                let expected = reference.push(rank, item);
                assert_eq!(rolling.push(rank, item), expected);
                assert_eq!(circular.push(rank, item), expected);
            }
            8..=14 => {
                let expected = reference.pop_min();
                now = expected.map_or(now, |(rank, _)| rank);
                assert_eq!(rolling.pop_min(), expected);
                assert_eq!(circular.pop_min(), expected);
            }
            _ => {
                let expected = reference.pop_max();
                assert_eq!(rolling.pop_max(), expected);
                assert_eq!(circular.pop_max(), expected);
            }
        }
    }
}

fn hold_two_tiers(queue: &mut impl TieredQueue, max_rank: u64) {
    const IDS: u64 = 24;
    let mut random = Random::new(2);
    let mut reference = TieredReference::new(queue.max_rank());
    for _ in 0..LONG {
        let (id, rank) = (random.below(IDS) as u32, random.below(max_rank + 1));
        let tier = Tier::ALL[random.below(2) as usize];
        match random.below(10) {
            0..=3 => assert_eq!(queue.push(tier, rank, id), reference.push(tier, rank, id)),
            4 => assert_eq!(queue.pop_min(), reference.pop_min()),
            5 => assert_eq!(queue.pop_min_in(tier), reference.pop_min_in(tier)),
            6 => assert_eq!(queue.pop_max_in(tier), reference.pop_max_in(tier)),
            7 => assert_eq!(queue.remove(id), reference.remove(id)),
            _ => assert_eq!(queue.relocate(id, tier), reference.relocate(id, tier)),
        }
        assert_eq!(queue.len(), reference.len());
    }
}

#[test]
fn two_tiers() {
    hold_two_tiers(&mut TieredBuckets::new(8).unwrap(), 7);
    hold_two_tiers(&mut TieredExact::new(), u64::MAX - 1);
}

/// A handle, its item, and its last known place: rank and number.
type Given = (ElementHandle, u32, Option<(u64, u32)>);

/// Insertions, removals by handle, changes of rank and pops at both ends; handles of elements that
/// have left are tried too.
fn hold_handles<Q: IndexedQueue<Rank = u64>>(order: Q, ranks: u64) {
    let mut random = Random::new(3);
    let mut queue = HandleQueue::new(order, 500);
    // In order of service: rank, then the number of the insertion or change.
    let mut model: BTreeSet<(u64, u32, u32)> = BTreeSet::new();
    let mut given: Vec<Given> = Vec::new();
    for turn in 0..LONG {
        let rank = random.below(ranks);
        let which = random.below(given.len().max(1) as u64) as usize;
        match random.below(10) {
            0..=4 => match queue.insert(rank, turn) {
                Ok(handle) => {
                    given.push((handle, turn, Some((rank, turn))));
                    model.insert((rank, turn, turn));
                }
                Err(refused) => assert_eq!((model.len(), refused.item), (500, turn)),
            },
            5..=6 if !given.is_empty() => {
                let (handle, item, place) = given.swap_remove(which);
                let waits = place.filter(|&(rank, number)| model.remove(&(rank, number, item)));
                assert_eq!(queue.remove(handle), waits.map(|(rank, _)| (rank, item)));
            }
            7 if !given.is_empty() => {
                let (handle, item, place) = &mut given[which];
                let waits =
                    place.is_some_and(|(rank, number)| model.remove(&(rank, number, *item)));
                assert_eq!(queue.change_rank(*handle, rank), waits);
                *place = waits.then_some((rank, turn));
                if waits {
                    model.insert((rank, turn, *item));
                }
            }
            8 => assert_eq!(queue.pop_min(), model.pop_first().map(|(rank, _, item)| (rank, item))),
            _ => assert_eq!(queue.pop_max(), model.pop_last().map(|(rank, _, item)| (rank, item))),
        }
        assert_eq!(queue.len(), model.len());
        if given.len() > 2_000 {
            given.drain(..1_000);
        }
    }
}

#[test]
fn handles() {
    hold_handles(IndexedExact::new(), u64::MAX);
    hold_handles(IndexedBuckets::new(16).unwrap(), 16);
}

fn hold_partitions<Q>(mut queue: Q)
where
    Q: DoubleEndedPartitions<Rank = u64, Item = u32>,
{
    let mut random = Random::new(4);
    let count = queue.partitions();
    let mut references: Vec<_> = (0..count).map(|_| ReferenceQueue::new(usize::MAX)).collect();
    for item in 0..LONG {
        let partition = random.below(count as u64) as usize;
        let reference = &mut references[partition];
        match random.below(4) {
            0 | 1 => {
                let rank = random.below(16);
                if queue.push_in(partition, rank, item).is_ok() {
                    reference.push(rank, item).unwrap();
                } else {
                    assert_eq!(queue.len(), queue.capacity());
                }
            }
            2 => assert_eq!(queue.pop_min_in(partition), reference.pop_min()),
            _ => assert_eq!(queue.pop_max_in(partition), reference.pop_max()),
        }
        let largest = reference.peek_max().map(|(rank, &item)| (rank, item));
        assert_eq!(queue.peek_max_in(partition).map(|(rank, &item)| (rank, item)), largest);
    }
}

#[test]
fn both_ends_of_partitions() {
    hold_partitions(PartitionedBuckets::<u32>::new(8, 128, 60).unwrap());
    hold_partitions(PartitionedBuckets::<u32, 4>::new(8, 128, 60).unwrap());
    hold_partitions(PartitionedShiftRegister::<u64, u32>::new(8, 60).unwrap());
}

/// Theorem 4 (thesis §4.5.1) over bursts of pushes, of pops and of both.
#[test]
fn a_hidden_pipeline() {
    let mut random = Random::new(5);
    let back = Pipelined::new(BucketQueue::<u32>::new(1 << 10, 300).unwrap(), 11);
    let mut queue = LatencyFree::new(ShiftRegister::new(12).unwrap(), back).unwrap();
    let mut waiting: BTreeMap<u64, u32> = BTreeMap::new();
    for cycle in 0..LONG {
        let phase = cycle / 64 % 4;
        let pop = phase != 0 && random.below(8) > 0;
        let push = (phase != 1 && random.below(8) > 0).then(|| (random.below(1 << 10), cycle));
        let smallest = waiting.first_key_value().map(|(rank, _)| *rank);
        let step = queue.step(pop, push);
        assert_eq!(step.popped.map(|(rank, _)| rank), smallest.filter(|_| pop));
        if let Some((rank, _)) = step.popped {
            let count = waiting.get_mut(&rank).unwrap();
            *count -= 1;
            if *count == 0 {
                waiting.remove(&rank);
            }
        }
        if let Some((rank, _)) = push.filter(|_| step.refused.is_none()) {
            *waiting.entry(rank).or_default() += 1;
        }
    }
}

//! The published hardware structures through the conformance suite. (Their insides, and what PIEO
//! adds, are tested beside the code.)

use std::rc::Rc;

use forebay_pifo::{
    BmwTree, DoubleEndedPartitions, PHeap, PartitionedPipelinedHeap, PartitionedQueue,
    PartitionedShiftRegister, PieoQueue, PipelinedHeap, RankedQueue, Reason, ReferenceQueue,
    Replaced, ShiftRegister,
};
use proptest::prelude::*;

use forebay_pifo::testing::{
    Both, LONG, Random, Smallest, conform, conform_partitions, drops_once, endure,
    endure_partitions,
};

fn shift_register<R: Copy + Ord, T>(capacity: usize) -> ShiftRegister<R, T> {
    ShiftRegister::new(capacity).unwrap()
}

fn logical_pifos<R: Copy + Ord, T>(
    partitions: usize,
    capacity: usize,
) -> PartitionedShiftRegister<R, T> {
    PartitionedShiftRegister::new(partitions, capacity).unwrap()
}

fn pieo<R: Copy + Ord, T>(capacity: usize) -> PieoQueue<R, T> {
    PieoQueue::new(capacity).unwrap()
}

fn p_heap<R: Copy + Ord, T>(capacity: usize) -> PHeap<R, T> {
    PHeap::new(capacity).unwrap()
}

fn bmw_tree<R: Copy + Ord, T>(ways: usize, capacity: usize) -> BmwTree<R, T> {
    BmwTree::new(ways, capacity).unwrap()
}

fn pipelined_heap<R: Copy + Ord, T>(capacity: usize) -> PipelinedHeap<R, T> {
    PipelinedHeap::new(capacity).unwrap()
}

#[test]
fn sorted_shift_register() {
    conform(128, |capacity| Both(shift_register::<u16, u32>(capacity)));
    conform(128, |capacity| Both(shift_register::<u32, u32>(capacity)));
    conform(128, |capacity| Both(shift_register::<u64, u32>(capacity)));
    conform(128, |capacity| Both(shift_register::<(u64, u32), u32>(capacity)));
    endure(Both(shift_register::<u32, u32>(200)));
    drops_once(shift_register::<u64, Rc<usize>>);
}

#[test]
fn sorted_shift_register_with_logical_pifos() {
    conform_partitions(128, logical_pifos::<u16, u32>);
    conform_partitions(64, logical_pifos::<(u64, u32), u32>);
    endure_partitions(logical_pifos::<u32, u32>(8, 200));
}

#[test]
fn push_in_extract_out() {
    conform(128, |capacity| Both(pieo::<u16, u32>(capacity)));
    conform(128, |capacity| Both(pieo::<u32, u32>(capacity)));
    conform(128, |capacity| Both(pieo::<u64, u32>(capacity)));
    conform(128, |capacity| Both(pieo::<(u64, u32), u32>(capacity)));
    endure(Both(pieo::<u32, u32>(500)));
    drops_once(pieo::<u64, Rc<usize>>);
}

#[test]
fn heap_with_vacancy_counts() {
    conform(128, |capacity| Smallest(p_heap::<u16, u32>(capacity)));
    conform(128, |capacity| Smallest(p_heap::<u32, u32>(capacity)));
    conform(128, |capacity| Smallest(p_heap::<u64, u32>(capacity)));
    conform(128, |capacity| Smallest(p_heap::<(u64, u32), u32>(capacity)));
    endure(Smallest(p_heap::<u32, u32>(3_000)));
    drops_once(p_heap::<u64, Rc<usize>>);
}

#[test]
fn balanced_multi_way_tree() {
    conform(128, |capacity| Smallest(bmw_tree::<u16, u32>(2, capacity)));
    conform(128, |capacity| Smallest(bmw_tree::<u32, u32>(3, capacity)));
    conform(128, |capacity| Smallest(bmw_tree::<u64, u32>(4, capacity)));
    conform(128, |capacity| Smallest(bmw_tree::<(u64, u32), u32>(8, capacity)));
    endure(Smallest(bmw_tree::<u32, u32>(2, 3_000)));
    endure(Smallest(bmw_tree::<u32, u32>(4, 3_000)));
    drops_once(|capacity| bmw_tree::<u64, Rc<usize>>(4, capacity));
}

#[test]
fn pipelined_complete_heap() {
    conform(128, |capacity| Smallest(pipelined_heap::<u16, u32>(capacity)));
    conform(128, |capacity| Smallest(pipelined_heap::<u32, u32>(capacity)));
    conform(128, |capacity| Smallest(pipelined_heap::<u64, u32>(capacity)));
    conform(128, |capacity| Smallest(pipelined_heap::<(u64, u32), u32>(capacity)));
    endure(Smallest(pipelined_heap::<u32, u32>(3_000)));
    drops_once(pipelined_heap::<u64, Rc<usize>>);
}

/// Heaps with a fixed share each, beside one reference queue of that capacity per partition. (The
/// suite's partitions share one pool, which these do not.) Ranks end in the arrival number, so that
/// they differ.
struct Shares {
    heaps: PartitionedPipelinedHeap<(u16, u32), u32>,
    references: Vec<ReferenceQueue<(u16, u32), u32>>,
}

impl Shares {
    fn new(partitions: usize, share: usize) -> Self {
        let heaps = PartitionedPipelinedHeap::new(partitions, share).unwrap();
        let reference = || ReferenceQueue::new(heaps.share());
        let references: Vec<_> = std::iter::repeat_with(reference).take(partitions).collect();
        assert_eq!(
            (heaps.partitions(), heaps.capacity()),
            (partitions, partitions * heaps.share())
        );
        Shares { heaps, references }
    }

    fn apply(&mut self, partition: usize, op: u8, rank: u16, item: u32) {
        let (heaps, reference) = (&mut self.heaps, &mut self.references[partition]);
        let rank = (rank, item);
        match op {
            0 => assert_eq!(heaps.pop_min_in(partition), reference.pop_min()),
            1 => assert_eq!(heaps.replace_in(partition, rank, item), reference.replace(rank, item)),
            _ => assert_eq!(heaps.push_in(partition, rank, item), reference.push(rank, item)),
        }
        assert_eq!(heaps.peek_min_in(partition), reference.peek_min());
        assert_eq!(heaps.len_in(partition), reference.len());
    }

    fn drain(&mut self) {
        let waiting: usize = self.references.iter().map(RankedQueue::len).sum();
        assert_eq!(self.heaps.len(), waiting);
        for (partition, reference) in self.references.iter_mut().enumerate() {
            while !reference.is_empty() {
                assert_eq!(self.heaps.pop_min_in(partition), reference.pop_min());
            }
            assert_eq!(self.heaps.pop_min_in(partition), None);
        }
        assert!(self.heaps.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn pipelined_heaps_with_shares(
        partitions in 1usize..9,
        share in 1usize..40,
        ops in prop::collection::vec((0usize..8, 0u8..5, 0u16..8), 1..300),
    ) {
        let mut shares = Shares::new(partitions, share);
        for (&(partition, op, rank), item) in ops.iter().zip(0..) {
            shares.apply(partition % partitions, op, rank, item);
        }
        shares.drain();
    }

    #[test]
    fn the_largest_of_a_logical_pifo(
        ops in prop::collection::vec((0usize..3, 0u8..5, 0u16..8), 1..300),
    ) {
        let mut pifo = logical_pifos::<u16, u32>(3, 90);
        let mut references: Vec<_> = (0..3).map(|_| ReferenceQueue::new(90)).collect();
        for (&(partition, op, rank), item) in ops.iter().zip(0..) {
            use forebay_pifo::DoubleEnded;
            let reference = &mut references[partition];
            match op {
                0 => assert_eq!(pifo.pop_max_in(partition), reference.pop_max()),
                1 => assert_eq!(pifo.replace_in(partition, rank, item), reference.replace(rank, item)),
                _ if pifo.len() < 90 => {
                    assert_eq!(pifo.push_in(partition, rank, item), reference.push(rank, item));
                }
                _ => assert_eq!(pifo.pop_min_in(partition), reference.pop_min()),
            }
            assert_eq!(pifo.peek_max_in(partition), reference.peek_max());
        }
    }
}

#[test]
fn pipelined_heaps_with_shares_for_long() {
    let mut shares = Shares::new(8, 50);
    let mut random = Random::new(3);
    for item in 0..LONG {
        // Rising and falling by turns; the load moves between partitions.
        let falling = item / (LONG / 10) % 2 == 1;
        let favourite = u64::from(item / (LONG / 40)) % 8;
        let partition = if random.below(4) == 0 { random.below(8) } else { favourite };
        let op = random.below(if falling { 3 } else { 5 }) as u8;
        shares.apply(partition as usize, op, random.next() as u16, item);
    }
    shares.drain();
}

#[test]
fn heaps_refuse_partitions_that_do_not_exist() {
    let mut shares = Shares::new(2, 3);
    let reason = Reason::NoSuchPartition { partitions: 2 };
    let refused = shares.heaps.push_in(2, (0, 0), 0);
    assert_eq!(refused.map_err(|refused| refused.reason), Err(reason));
    let Replaced { popped, pushed } = shares.heaps.replace_in(9, (0, 0), 0);
    assert_eq!((popped, pushed.map_err(|refused| refused.reason)), (None, Err(reason)));
    assert_eq!((shares.heaps.pop_min_in(2), shares.heaps.len_in(usize::MAX)), (None, 0));
}

//! Structures with a fixed range of ranks, offered 16-bit ranks so that every draw of the suite
//! fits. (The rolling window is exact only for ranks that advance: `windows.rs`.)

use std::rc::Rc;

use forebay_pifo::{
    BucketQueue, CircularWindow, DoubleEnded, Elements, PartitionedBuckets, PartitionedQueue,
    RankedQueue, Rejected, Ties, WindowPolicy,
};

use forebay_pifo::testing::{
    Both, conform, conform_partitions, drops_once, endure, endure_partitions,
};

/// The number of 16-bit ranks.
pub const RANKS: usize = 1 << 16;

/// A queue of 64-bit ranks that is offered 16-bit ones.
pub struct Narrow<Q>(pub Q);

fn narrow<T>((rank, item): (u64, T)) -> (u16, T) {
    (u16::try_from(rank).unwrap(), item)
}

fn refused<T>(rejected: Rejected<u64, T>) -> Rejected<u16, T> {
    let (rank, item) = narrow((rejected.rank, rejected.item));
    Rejected { rank, item, reason: rejected.reason }
}

impl<Q: RankedQueue<Rank = u64>> RankedQueue for Narrow<Q> {
    type Rank = u16;
    type Item = Q::Item;

    fn push(&mut self, rank: u16, item: Q::Item) -> Result<(), Rejected<u16, Q::Item>> {
        self.0.push(rank.into(), item).map_err(refused)
    }

    fn pop_min(&mut self) -> Option<(u16, Q::Item)> {
        self.0.pop_min().map(narrow)
    }

    fn peek_min(&self) -> Option<(u16, &Q::Item)> {
        self.0.peek_min().map(narrow)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn iter(&self) -> Elements<'_, u16, Q::Item> {
        Box::new(self.0.iter().map(narrow))
    }

    fn ties(&self) -> Ties {
        self.0.ties()
    }
}

impl<Q: DoubleEnded<Rank = u64>> DoubleEnded for Narrow<Q> {
    fn pop_max(&mut self) -> Option<(u16, Q::Item)> {
        self.0.pop_max().map(narrow)
    }

    fn peek_max(&self) -> Option<(u16, &Q::Item)> {
        self.0.peek_max().map(narrow)
    }
}

impl<Q: PartitionedQueue<Rank = u64>> PartitionedQueue for Narrow<Q> {
    type Rank = u16;
    type Item = Q::Item;

    fn partitions(&self) -> usize {
        self.0.partitions()
    }

    fn push_in(
        &mut self,
        partition: usize,
        rank: u16,
        item: Q::Item,
    ) -> Result<(), Rejected<u16, Q::Item>> {
        self.0.push_in(partition, rank.into(), item).map_err(refused)
    }

    fn pop_min_in(&mut self, partition: usize) -> Option<(u16, Q::Item)> {
        self.0.pop_min_in(partition).map(narrow)
    }

    fn peek_min_in(&self, partition: usize) -> Option<(u16, &Q::Item)> {
        self.0.peek_min_in(partition).map(narrow)
    }

    fn len_in(&self, partition: usize) -> usize {
        self.0.len_in(partition)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn ties(&self) -> Ties {
        self.0.ties()
    }
}

fn buckets<T, const W: usize>(capacity: usize) -> Narrow<BucketQueue<T, W>> {
    Narrow(BucketQueue::new(RANKS, capacity).unwrap())
}

fn window<T>(capacity: usize) -> Narrow<CircularWindow<T>> {
    Narrow(CircularWindow::new(RANKS, capacity, WindowPolicy::default()).unwrap())
}

fn partitions<T, const W: usize>(
    parts: usize,
    capacity: usize,
) -> Narrow<PartitionedBuckets<T, W>> {
    Narrow(PartitionedBuckets::new(parts, parts * RANKS, capacity).unwrap())
}

#[test]
fn bucket_queue() {
    conform(64, |capacity| Both(buckets::<u32, 64>(capacity)));
    conform(64, |capacity| Both(buckets::<u32, 4>(capacity)));
    endure(Both(buckets::<u32, 64>(3_000)));
    endure(Both(buckets::<u32, 2>(3_000)));
    drops_once(buckets::<Rc<usize>, 64>);
}

#[test]
fn circular_window() {
    conform(64, |capacity| Both(window::<u32>(capacity)));
    endure(Both(window::<u32>(3_000)));
    drops_once(window::<Rc<usize>>);
}

#[test]
fn partitioned_buckets() {
    conform_partitions(32, partitions::<u32, 64>);
    conform_partitions(32, partitions::<u32, 4>);
    endure_partitions(partitions::<u32, 64>(8, 3_000));
}

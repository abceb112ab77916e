//! Any bytes as operations on every exact queue of one partition at once: each answers as the
//! sorted vector does, at the brim, in the middle and empty.
#![no_main]

use forebay_pifo::{
    BmwTree, BucketQueue, CircularWindow, ClubHeap, DoubleEnded, ExactQueue, HandleQueue,
    IndexedBuckets, IndexedExact, IntervalClubHeap, PHeap, PieoQueue, PipelinedHeap, RankedQueue,
    ReferenceQueue, SampleQueue, ShiftRegister, Stable, Ties, WindowPolicy,
};
use libfuzzer_sys::fuzz_target;

/// Ranks are bytes, so every fixed range holds them.
const RANKS: usize = 256;

/// What two bytes ask for.
enum Op {
    Push(u8),
    PopMin,
    PopMax,
    Replace(u8),
}

fn ops(bytes: &[u8]) -> impl Iterator<Item = Op> {
    bytes.chunks_exact(2).map(|pair| match pair[0] % 8 {
        0..=3 => Op::Push(pair[1]),
        4 => Op::PopMin,
        5 => Op::PopMax,
        _ => Op::Replace(pair[1]),
    })
}

/// A rank type of some queue, from a byte.
trait FromByte: Copy + Ord {
    fn from_byte(byte: u8) -> Self;
}

impl FromByte for u16 {
    fn from_byte(byte: u8) -> Self {
        byte.into()
    }
}

impl FromByte for u64 {
    fn from_byte(byte: u8) -> Self {
        byte.into()
    }
}

/// Plays the operations on `queue`; `pop_max` is `None` for queues with one end.
fn play<Q, R: FromByte>(mut queue: Q, bytes: &[u8], pop_max: Option<fn(&mut Q) -> Option<(R, u32)>>)
where
    Q: RankedQueue<Rank = R, Item = u32>,
{
    let mut reference: ReferenceQueue<R, u32> = ReferenceQueue::new(queue.capacity());
    let ties = queue.ties();
    let same = |ours: Option<(R, u32)>, theirs: Option<(R, u32)>| match ties {
        Ties::Fifo => assert!(ours == theirs),
        Ties::Unspecified => assert!(ours.map(|(rank, _)| rank) == theirs.map(|(rank, _)| rank)),
    };
    for (op, item) in ops(bytes).zip(0..) {
        match op {
            Op::Push(byte) => {
                let rank = R::from_byte(byte);
                assert!(queue.push(rank, item).is_ok() == reference.push(rank, item).is_ok());
            }
            Op::PopMin => same(queue.pop_min(), reference.pop_min()),
            Op::PopMax => match pop_max {
                Some(pop_max) => same(pop_max(&mut queue), reference.pop_max()),
                None => same(queue.pop_min(), reference.pop_min()),
            },
            Op::Replace(byte) => {
                let rank = R::from_byte(byte);
                same(queue.replace(rank, item).popped, reference.replace(rank, item).popped);
            }
        }
        assert!(queue.len() == reference.len());
        let shown = |entry: Option<(R, &u32)>| entry.map(|(rank, &item)| (rank, item));
        same(shown(queue.peek_min()), shown(reference.peek_min()));
    }
    assert!(queue.iter().count() == reference.len());
}

/// A queue with one end, if it could be built.
fn one_end<Q, E>(queue: Result<Q, E>, bytes: &[u8])
where
    Q: RankedQueue<Item = u32>,
    Q::Rank: FromByte,
{
    if let Ok(queue) = queue {
        play(queue, bytes, None);
    }
}

/// A queue with both ends, if it could be built.
fn both_ends<Q, E>(queue: Result<Q, E>, bytes: &[u8])
where
    Q: DoubleEnded<Item = u32>,
    Q::Rank: FromByte,
{
    if let Ok(queue) = queue {
        play(queue, bytes, Some(Q::pop_max));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&shape, bytes)) = bytes.split_first() else { return };
    let capacity = usize::from(shape % 64) + 1;
    let cluster = 2 + usize::from(shape / 64);
    both_ends::<_, ()>(Ok(ExactQueue::<u64, u32>::new(capacity)), bytes);
    both_ends(BucketQueue::<u32, 4>::new(RANKS, capacity), bytes);
    both_ends(CircularWindow::<u32>::new(RANKS, capacity, WindowPolicy::default()), bytes);
    both_ends::<_, ()>(Ok(HandleQueue::new(IndexedExact::<u16>::new(), capacity)), bytes);
    both_ends(IndexedBuckets::new(RANKS as u64).map(|q| HandleQueue::new(q, capacity)), bytes);
    both_ends(ShiftRegister::<u16, u32>::new(capacity), bytes);
    both_ends(PieoQueue::<u16, u32>::new(capacity), bytes);
    both_ends(IntervalClubHeap::<u16, u32>::new(cluster + 2, capacity), bytes);
    one_end(ClubHeap::<u16, u32>::new(cluster, capacity), bytes);
    one_end(ClubHeap::<u16, u32, 3>::new(cluster, capacity), bytes);
    one_end(ClubHeap::<(u16, u64), u32, 4>::new(cluster, capacity).map(Stable::new), bytes);
    // Few slots and a large capacity, so that they are divided, closed and packed.
    let large = 16 * capacity;
    one_end::<_, ()>(Ok(SampleQueue::<u16, u32, 1, 8>::new(large)), bytes);
    one_end::<_, ()>(Ok(SampleQueue::<u16, u32, 2, 8>::new(large)), bytes);
    one_end::<_, ()>(Ok(SampleQueue::<u16, u32, 4, 16>::new(large)), bytes);
    one_end(PHeap::<u16, u32>::new(capacity), bytes);
    one_end(PipelinedHeap::<u16, u32>::new(capacity), bytes);
    one_end(BmwTree::<u16, u32>::new(cluster, capacity), bytes);
});

//! Prints what a queue answers to a fixed stream of operations, one line an operation, so that its
//! answers can be compared from one version to the next:
//! `cargo run --release -p forebay-pifo --example answers bbq`.
//!
//! The first names are of the cores in `rtl/`, whose tests ask these same types, their golden
//! models, through the Python package; here no simulator is needed. Then come the other exact
//! structures, and the approximate ones by their registry's names. Shapes are small, so that queues
//! are often full and often empty. The stream comes from a generator in this file, which no other
//! change touches.

use forebay_pifo::approximate::{AnyApproximate, ApproximateConfig, approximate_queues};
use forebay_pifo::{
    BmwTree, BucketQueue, CircularWindow, ClubHeap, DoubleEnded, DoubleEndedPartitions, Eligible,
    ExactQueue, IntervalClubHeap, PHeap, PartitionedBuckets, PartitionedClubHeap,
    PartitionedPipelinedHeap, PartitionedQueue, PartitionedShiftRegister, Pieo, PieoElement,
    PieoQueue, PipelinedHeap, RankedQueue, Replaced, RollingWindow, SampleQueue, ShiftRegister,
    WindowPolicy,
};

const OPERATIONS: u32 = 4000;
const RANKS: u64 = 64;

/// SplitMix64.
struct Stream(u64);

impl Stream {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Of eight: 0 to 4 while a queue fills, 3 to 7 while it drains; the two alternate.
    fn phase(&mut self, operation: u32) -> u64 {
        self.below(5) + if operation % 400 < 200 { 0 } else { 3 }
    }
}

/// What was popped.
fn popped(operation: u32, element: Option<(u64, u32)>) {
    match element {
        Some((rank, item)) => println!("{operation} popped {rank} {item}"),
        None => println!("{operation} nothing"),
    }
}

/// Whether an element was taken.
fn pushed<E>(operation: u32, answer: Result<(), E>) {
    println!("{operation} {}", if answer.is_ok() { "taken" } else { "refused" });
}

fn replaced(operation: u32, answer: Replaced<u64, u32>) {
    popped(operation, answer.popped);
    pushed(operation, answer.pushed);
}

/// Pushes, pops and replacements of a queue with one end.
fn single(queue: &mut impl RankedQueue<Rank = u64, Item = u32>) {
    let mut stream = Stream(1);
    for operation in 0..OPERATIONS {
        let rank = stream.below(RANKS);
        match stream.phase(operation) {
            0..=3 => pushed(operation, queue.push(rank, operation)),
            4 => replaced(operation, queue.replace(rank, operation)),
            _ => popped(operation, queue.pop_min()),
        }
    }
}

/// The same with both ends.
fn double(queue: &mut impl DoubleEnded<Rank = u64, Item = u32>, step: u64) {
    let mut stream = Stream(2);
    for operation in 0..OPERATIONS {
        let rank = u64::from(operation) * step / 8 + stream.below(RANKS);
        match stream.phase(operation) {
            0..=3 => pushed(operation, queue.push(rank, operation)),
            4 => replaced(operation, queue.replace(rank, operation)),
            5 => popped(operation, queue.pop_max()),
            _ => popped(operation, queue.pop_min()),
        }
    }
}

/// Several logical queues; `last` takes the largest of one, where the structure can.
fn partitioned<Q: PartitionedQueue<Rank = u64, Item = u32>>(
    queue: &mut Q,
    last: impl Fn(&mut Q, usize) -> Option<(u64, u32)>,
) {
    let mut stream = Stream(3);
    for operation in 0..OPERATIONS {
        let partition = stream.below(queue.partitions() as u64) as usize;
        let rank = stream.below(RANKS);
        match stream.phase(operation) {
            0..=3 => pushed(operation, queue.push_in(partition, rank, operation)),
            4 => replaced(operation, queue.replace_in(partition, rank, operation)),
            5 => popped(operation, last(queue, partition)),
            _ => popped(operation, queue.pop_min_in(partition)),
        }
    }
}

/// Elements that may not leave yet.
fn pieo(list: &mut Pieo<u64, u32>) {
    let pair = |element: PieoElement<u64, u32>| (element.rank, element.item);
    let mut stream = Stream(4);
    for operation in 0..OPERATIONS {
        let (flow, now) = (stream.below(64) as u32, u64::from(operation));
        let element = PieoElement {
            flow,
            rank: stream.below(RANKS),
            send_time: now + stream.below(400),
            item: operation,
        };
        match stream.phase(operation) {
            0..=3 => pushed(operation, list.enqueue(element)),
            4 => popped(operation, list.dequeue_flow(flow).map(pair)),
            5 => popped(operation, list.dequeue_last().map(pair)),
            6 => popped(operation, list.dequeue(&Eligible::at(now).among(flow..64)).map(pair)),
            _ => popped(operation, list.dequeue(&Eligible::at(now)).map(pair)),
        }
    }
}

/// Ranks that advance with time, as those of fair queueing do.
fn approximate(queue: &mut AnyApproximate<u32>) {
    let mut stream = Stream(5);
    for operation in 0..OPERATIONS {
        let rank = u64::from(operation) + stream.below(200);
        match stream.phase(operation) {
            0..=4 => match queue.push(rank, operation) {
                Ok(Some((rank, item))) => println!("{operation} taken for {rank} {item}"),
                Ok(None) => println!("{operation} taken"),
                Err(_) => println!("{operation} refused"),
            },
            _ => popped(operation, queue.pop()),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).unwrap_or_default().as_str() {
        "bbq" => {
            let mut queue = <PartitionedBuckets<u32>>::new(4, 256, 48)?;
            partitioned(&mut queue, |queue, partition| queue.pop_max_in(partition));
        }
        "bbq_free" => double(&mut <ExactQueue<u64, u32>>::new(48), 0),
        "bbq_rolling" => {
            double(&mut <RollingWindow<u32>>::new(64, 48, WindowPolicy::default())?, 16)
        }
        "bmw" => single(&mut <BmwTree<u64, u32>>::new(4, 85)?),
        "clubheap" => single(&mut <ClubHeap<u64, u32>>::new(4, 60)?),
        "clubheap_partitions" => {
            partitioned(&mut <PartitionedClubHeap<u64, u32>>::new(2, 30, 4)?, |_, _| None);
        }
        "clubheap_interval" => double(&mut <IntervalClubHeap<u64, u32>>::new(4, 60)?, 0),
        "p_heap" => single(&mut <PHeap<u64, u32>>::new(63)?),
        "pieo" => pieo(&mut Pieo::new(48, 64)?),
        "pieo_queue" => double(&mut <PieoQueue<u64, u32>>::new(48)?, 0),
        "pifo" => {
            let mut queue = <PartitionedShiftRegister<u64, u32>>::new(4, 32)?;
            partitioned(&mut queue, |queue, partition| queue.pop_max_in(partition));
        }
        "pifo_register" => double(&mut <ShiftRegister<u64, u32>>::new(32)?, 0),
        "pipelined_heap" => single(&mut <PipelinedHeap<u64, u32>>::new(63)?),
        "pipelined_heap_partitions" => {
            partitioned(&mut <PartitionedPipelinedHeap<u64, u32>>::new(4, 15)?, |_, _| None);
        }
        "buckets" => double(&mut <BucketQueue<u32>>::new(64, 48)?, 0),
        "circular" => {
            double(&mut <CircularWindow<u32>>::new(100, 48, WindowPolicy::default())?, 16);
        }
        "sample" => single(&mut <SampleQueue<u64, u32>>::new(48)),
        other => {
            let queues = approximate_queues();
            approximate(&mut (queues.named(other)?.build)(&ApproximateConfig::default())?);
        }
    }
    Ok(())
}

//! Adversarial scheduling: nanoseconds per packet of the scheduler against the length of its queue,
//! with the largest packet rate of one core that follows, and the goodput of a processor behind it
//! under attack (the shape of Fig. 3.20, thesis §3.6.3).
//!
//! Innocent packets and jobs are Gaussian, 1250 bytes and 1 us on average, as in the paper; it does
//! not give the deviations (here a quarter of the mean) nor the innocent rate (here 9 Gb/s of the
//! 10 that the processor can do). Attack packets are of 64 bytes and 10 us.

mod attack;
mod buffers;

use std::hint::black_box;
use std::time::Instant;

use forebay_surge::model::heaps::{Buckets, Buffer, HeapBuffer, HeapJob as Packet, PairBuffer};
use forebay_surge::{DropRule, Ranks};
use forebay_units::{Bytes, Duration};
use forebay_workload::random::{stream, uniform};

use crate::race::{Options, Report, Subject};
use buffers::{BinaryHeapBuffer, Fifo, Ours, PairOfHeaps};

/// Lengths of the queue.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// Attack rates of the second race, in Mb/s.
const ATTACK_MBPS: [u64; 6] = [100, 500, 1_000, 2_000, 5_000, 10_000];

const COUNTED: &str = "accesses per packet at so many Mb/s of attack";

/// What is measured of a buffer under an attack of so many Mb/s.
type Measure = fn(&mut dyn Buffer, u64) -> f64;

/// Name, unit, measurement.
const CASES: [(&str, &str, Measure); 3] = [
    ("goodput under attack", "Gb/s at so many Mb/s of attack", attack::goodput_gbps),
    ("overhead under attack", "ns per packet at so many Mb/s of attack", attack::ns_per_packet),
    ("accesses under attack", COUNTED, attack::accesses_per_packet),
];

/// A buffer under attack.
#[derive(Clone, Copy)]
struct Entrant {
    name: &'static str,
    ours: bool,
    /// Whether it counts accesses.
    counts: bool,
    build: fn() -> Option<Box<dyn Buffer>>,
}

const SUBJECTS: [Entrant; 7] = [
    Entrant {
        name: "wsjf, buckets",
        ours: true,
        counts: true,
        build: || Some(Box::new(Buckets::new(attack::CAPACITY).ok()?)),
    },
    Entrant {
        name: "wsjf, exact",
        ours: true,
        counts: false,
        build: || ours("wsjf", Ranks::Exact, attack::CAPACITY, true),
    },
    Entrant {
        name: "Fibonacci heap, drop-tail",
        ours: false,
        counts: true,
        build: || Some(Box::new(HeapBuffer::new(attack::CAPACITY))),
    },
    Entrant {
        name: "pair of Fibonacci heaps",
        ours: false,
        counts: true,
        build: || Some(Box::new(PairBuffer::new(attack::CAPACITY))),
    },
    Entrant {
        name: "BinaryHeap, drop-tail",
        ours: false,
        counts: false,
        build: || Some(Box::new(BinaryHeapBuffer::new(attack::CAPACITY))),
    },
    Entrant {
        name: "pair of binary heaps",
        ours: false,
        counts: false,
        build: || Some(Box::new(PairOfHeaps::new(attack::CAPACITY))),
    },
    Entrant {
        name: "FIFO",
        ours: false,
        counts: false,
        build: || Some(Box::new(Fifo::new(attack::CAPACITY))),
    },
];

/// Packets per measurement.
const PACKETS: usize = 200_000;

/// Different packets, over and over; a power of two.
const KINDS: usize = 1 << 16;

/// Runs every case.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for (case, drops) in
        [("overhead, drop-largest off", false), ("overhead, drop-largest on", true)]
    {
        for size in SIZES.into_iter().filter(|_| options.wants(case)) {
            overhead(&mut report, options, (case, size), drops);
        }
    }
    for (case, unit, measure) in CASES {
        for mbps in ATTACK_MBPS.into_iter().filter(|_| options.wants(case)) {
            let subjects = SUBJECTS
                .into_iter()
                .filter(|subject| unit != COUNTED || subject.counts)
                .map(|Entrant { name, ours, build, .. }| {
                    let run =
                        move || build().map_or(f64::NAN, |mut buffer| measure(&mut *buffer, mbps));
                    if ours { Subject::ours(name, run) } else { Subject::peer(name, run) }
                });
            report.race((case, mbps, unit), options, subjects.collect());
        }
    }
    report
}

/// One of Forebay's schedulers.
fn ours(
    policy: &'static str,
    ranks: Ranks,
    capacity: usize,
    drops: bool,
) -> Option<Box<dyn Buffer>> {
    let drop = if drops { DropRule::Largest } else { DropRule::Tail };
    Some(Box::new(Ours::new(policy, ranks, capacity, drop).ok()?))
}

/// The queue is held at a length. Without drops, a packet leaves and another comes. With drops, the
/// queue is full, and two come for each that leaves.
fn overhead(report: &mut Report, options: &Options, (case, size): (&str, usize), drops: bool) {
    let packets = innocent(KINDS);
    let mut subjects = Vec::new();
    let ranked = [
        ("wsjf, buckets", "wsjf", Ranks::Buckets),
        ("wsjf, exact", "wsjf", Ranks::Exact),
        ("wsjf-inorder, buckets", "wsjf-inorder", Ranks::Buckets),
    ];
    for (label, policy, ranks) in ranked {
        let Some(buffer) = ours(policy, ranks, size, drops) else { continue };
        subjects.push(Subject::ours(label, hold(buffer, &packets, size, drops)));
    }
    let pair: Box<dyn Buffer> = Box::new(PairOfHeaps::new(size));
    subjects.push(Subject::peer("pair of binary heaps", hold(pair, &packets, size, drops)));
    let pair: Box<dyn Buffer> = Box::new(PairBuffer::new(size));
    subjects.push(Subject::peer("pair of Fibonacci heaps", hold(pair, &packets, size, drops)));
    if !drops {
        // It cannot give up its largest.
        let heap: Box<dyn Buffer> = Box::new(BinaryHeapBuffer::new(size));
        subjects.push(Subject::peer("BinaryHeap", hold(heap, &packets, size, drops)));
    }
    let fifo: Box<dyn Buffer> = Box::new(Fifo::new(size));
    subjects.push(Subject::peer("FIFO", hold(fifo, &packets, size, drops)));
    report.race((case, size as u64, "ns per packet"), options, subjects);
}

/// Fills the queue, and measures it from then on.
fn hold<'a>(
    mut buffer: Box<dyn Buffer>,
    packets: &'a [Packet],
    size: usize,
    drops: bool,
) -> impl FnMut() -> f64 + 'a {
    let mut next = 0usize;
    let mut draw = move || {
        next += 1;
        packets[next & (KINDS - 1)]
    };
    for _ in 0..size {
        black_box(buffer.offer(draw()));
    }
    let per_departure = if drops { 2 } else { 1 };
    move || {
        let start = Instant::now();
        for _ in 0..PACKETS / per_departure {
            black_box(buffer.poll());
            for _ in 0..per_departure {
                black_box(buffer.offer(draw()));
            }
        }
        start.elapsed().as_nanos() as f64 / PACKETS as f64
    }
}

/// Gaussian packets of 10,000 flows.
fn innocent(count: usize) -> Vec<Packet> {
    let mut rng = stream(1, "surge bench", 0);
    let mut gaussian = |mean: f64| {
        let normal: f64 = (0..12).map(|_| uniform(&mut rng)).sum::<f64>() - 6.0;
        (mean * (1.0 + normal / 4.0)).max(mean / 16.0)
    };
    let packet = |flow: usize| Packet {
        flow: flow as u64 % 10_000,
        size: Bytes::new(gaussian(1250.0) as u64),
        work: Duration::from_ps(gaussian(1e6) as u64),
        innocent: true,
    };
    (0..count).map(packet).collect()
}

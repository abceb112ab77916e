//! Schedulers that hold packets: nanoseconds for one enqueue and one dequeue, against the number of
//! flows.
//!
//! Two cases. In *backlogged*, every flow has a packet waiting, and one that leaves is followed by
//! the next of its flow, so that the structure grows with the flows. In *sparse*, a thousand
//! packets wait and the next is of any flow, so that only the flow state grows. Sizes are 64 to
//! 1500 bytes, weights 1 to 8, and a unit of virtual time 64 bytes, so that packets of all levels
//! of Gearbox are there; it has its default 56 FIFOs. The peer is exact WFQ over the standard
//! library's binary heap, as it would be written without a structure for it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use forebay_pifo::{
    Beyond, CircularWindow, Elements, FifoTies, RankedQueue, Reason, Rejected, Ties, WindowPolicy,
};
use forebay_sched::Packet;
use forebay_sched::fair::gearbox::{Gearbox, GearboxConfig};
use forebay_sched::fair::{
    CalendarConfig, Cq, DropTailScheduler, Drr, DrrConfig, Limits, PifoConfig, PifoWfq, VirtualUnit,
};
use forebay_sched::scheduler::{PacketScheduler, Weights};
use forebay_units::{Bytes, Time};

use crate::race::{Options, Report, Subject};

const FLOWS: [u32; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// Those that race, by their names in the registry.
const OURS: [&str; 6] = ["gearbox", "wfq-bucket", "pifo-wfq", "drr", "cq-10", "drop-tail"];
/// Packets that wait in the sparse case.
const SPARSE: u32 = 1_000;
/// A measurement is the median over this many chunks, short enough that most are not interrupted.
const CHUNKS: usize = 256;
/// Packets of a chunk.
const PACKETS: u32 = 1 << 11;

/// Which flow's packet arrives next.
#[derive(Clone, Copy)]
enum Arrivals {
    /// The flow's of the packet that left.
    Backlogged,
    /// Any of so many.
    Sparse(u32),
}

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for case in ["backlogged", "sparse"].into_iter().filter(|case| options.wants(case)) {
        for flows in FLOWS {
            let load = |scheduler: Box<dyn PacketScheduler>| match case {
                "backlogged" => measure(scheduler, flows, flows, Arrivals::Backlogged),
                _ => measure(scheduler, SPARSE, flows, Arrivals::Sparse(flows)),
            };
            let ours = OURS
                .iter()
                .filter_map(|name| Some(Subject::ours(name, load(scheduler(name, flows)?))));
            let peer = Subject::peer("wfq, std BinaryHeap", load(over_binary_heap(flows)));
            let subjects = ours.chain([peer]).collect();
            report.race((case, u64::from(flows), "ns per packet"), options, subjects);
        }
    }
    report
}

const LIMITS: Limits = Limits { packets: 1 << 21, bytes: Bytes::new(1 << 40) };
const UNIT: VirtualUnit = VirtualUnit { bytes: Bytes::new(64), total_weight: 1 };

fn weights(flows: u32) -> Weights {
    Weights::new(1, (0..flows).map(|flow| 1 << (flow % 4)).collect()).unwrap_or_default()
}

/// One of [`OURS`], for so many flows.
fn scheduler(name: &str, flows: u32) -> Option<Box<dyn PacketScheduler>> {
    let (limits, unit, weights) = (LIMITS, UNIT, weights(flows));
    let pifo = PifoConfig { unit, flows, limits, ..PifoConfig::default() };
    Some(match name {
        "gearbox" => {
            let config = GearboxConfig { unit, flows, limits, ..GearboxConfig::default() };
            Box::new(Gearbox::new(&config, weights).ok()?)
        }
        "wfq-bucket" => {
            let policy = WindowPolicy { beyond: Beyond::Reject, ..WindowPolicy::default() };
            let window: CircularWindow<Packet> =
                CircularWindow::new(1 << 16, limits.packets as usize, policy).ok()?;
            Box::new(PifoWfq::over(window, &PifoConfig { fraction: 4, ..pifo }, weights))
        }
        "pifo-wfq" => Box::new(PifoWfq::exact(&pifo, weights)),
        "drr" => Box::new(Drr::new(&DrrConfig { quantum: 1500, flows, limits }, weights)),
        "cq-10" => {
            let calendar = CalendarConfig {
                granularity: 10,
                unit,
                flows,
                limits,
                ..CalendarConfig::default()
            };
            Box::new(Cq::new(&calendar, weights).ok()?)
        }
        _ => Box::new(DropTailScheduler::new(limits)),
    })
}

fn over_binary_heap(flows: u32) -> Box<dyn PacketScheduler> {
    let pifo = PifoConfig { unit: UNIT, flows, limits: LIMITS, ..PifoConfig::default() };
    Box::new(PifoWfq::over(StdHeap::default(), &pifo, weights(flows)))
}

/// Fills with `waiting` packets, then measures one out and one in.
fn measure(
    mut scheduler: Box<dyn PacketScheduler>,
    waiting: u32,
    flows: u32,
    arrivals: Arrivals,
) -> impl FnMut() -> f64 {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for packet in 0..waiting {
        let packet = random.packet(packet % flows);
        let _ = scheduler.enqueue(Time::ZERO, packet);
    }
    let mut step = move || {
        let left = scheduler.dequeue(Time::ZERO).map_or(0, |packet| packet.flow);
        let flow = match arrivals {
            Arrivals::Backlogged => left,
            Arrivals::Sparse(flows) => random.below(flows),
        };
        let packet = random.packet(flow);
        let _ = scheduler.enqueue(Time::ZERO, packet);
    };
    for _ in 0..3 * u64::from(waiting.max(flows)) {
        step();
    }
    move || {
        let mut chunks = [0.0; CHUNKS];
        for chunk in &mut chunks {
            let start = Instant::now();
            for _ in 0..PACKETS {
                step();
            }
            *chunk = start.elapsed().as_nanos() as f64 / f64::from(PACKETS);
        }
        chunks.sort_by(f64::total_cmp);
        chunks[CHUNKS / 2]
    }
}

/// The same numbers for every subject.
struct Random(u64);

impl Random {
    fn below(&mut self, below: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(below)) >> 32) as u32
    }

    fn packet(&mut self, flow: u32) -> Packet {
        Packet { flow, size: 64 + self.below(1437), ..Packet::default() }
    }
}

/// A packet in the order of a max-heap turned round: rank, then arrival.
struct Waiting(Reverse<(u64, u64)>, Packet);

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

/// The standard library's heap with arrival numbers.
#[derive(Default)]
struct StdHeap {
    heap: BinaryHeap<Waiting>,
    arrivals: u64,
}

impl RankedQueue for StdHeap {
    type Rank = u64;
    type Item = Packet;

    fn push(&mut self, rank: u64, item: Packet) -> Result<(), Rejected<u64, Packet>> {
        if self.heap.len() >= self.capacity() {
            let reason = Reason::Full { capacity: self.capacity() };
            return Err(Rejected { rank, item, reason });
        }
        self.heap.push(Waiting(Reverse((rank, self.arrivals)), item));
        self.arrivals += 1;
        Ok(())
    }

    fn pop_min(&mut self) -> Option<(u64, Packet)> {
        self.heap.pop().map(|Waiting(Reverse((rank, _)), packet)| (rank, packet))
    }

    fn peek_min(&self) -> Option<(u64, &Packet)> {
        self.heap.peek().map(|Waiting(Reverse((rank, _)), packet)| (*rank, packet))
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn capacity(&self) -> usize {
        1 << 21
    }

    fn iter(&self) -> Elements<'_, u64, Packet> {
        Box::new(self.heap.iter().map(|Waiting(Reverse((rank, _)), packet)| (*rank, packet)))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl FifoTies for StdHeap {}

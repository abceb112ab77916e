//! The on-chip shared buffer under every policy: admission, departure and expulsion per packet.
//!
//! A tenth of the queues gets nine tenths of the packets and slightly less service than that, the
//! others slightly more, so that the buffer stays as full as the policy lets it and every decision
//! is a real one. A packet is one arrival (accepted or not), one attempt to dequeue, and whatever
//! it makes the policy drop. Every subject sees the same packets. The peer is Pushout that scans
//! all queues for the longest.

use std::time::Instant;

use forebay_buffer::Descriptor;
use forebay_buffer::onchip::{
    Admission, ChipConfig, MemoryConfig, OnChipPolicy, PoolView, SharedBuffer, Victim, policies,
};
use forebay_parameters::Entry;
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::race::{Options, Report, Subject};

/// Ports of 8 queues: the main case, and two that show how cost grows with queues.
const CASES: [(&str, u16); 3] =
    [("256 ports x 8 queues", 256), ("8 ports x 8 queues", 8), ("2048 ports x 8 queues", 2048)];
const CLASSES: u16 = 8;
/// A measurement is the median over this many chunks, so short that most are not interrupted even
/// on a machine that is busy with other work.
const CHUNKS: usize = 512;
/// Packets of a chunk.
const PACKETS: u32 = 1 << 9;

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for (case, ports) in CASES.into_iter().filter(|(case, _)| options.wants(case)) {
        let load = Load::new(u32::from(ports) * u32::from(CLASSES));
        let policies = policies();
        let ours = policies.iter().filter_map(|policy| {
            let buffer = SharedBuffer::new(&chip(ports), policy);
            Some(Subject::ours(policy.name(), measure(&load, buffer.ok()?)))
        });
        let scan = SharedBuffer::with_policies(&chip(ports), |_, shape| {
            Ok(Box::new(PushoutByScan { queues: shape.queues.len() as u32 }))
        });
        let peer = scan.ok().map(|buffer| Subject::peer("pushout by scan", measure(&load, buffer)));
        let queues = u64::from(ports) * u64::from(CLASSES);
        report.race((case, queues, "ns per packet"), options, ours.chain(peer).collect());
    }
    report
}

/// 64 MB in cells of 256 bytes, whatever the number of ports.
fn chip(ports: u16) -> ChipConfig {
    ChipConfig {
        ports,
        classes: CLASSES,
        capacity: Bytes::new(64 << 20),
        memory: MemoryConfig { cell: 256, ..MemoryConfig::default() },
        descriptors: 1 << 18,
        port_rate: Rate::from_gbps(200),
        ..ChipConfig::default()
    }
}

/// Arrivals (queue, packet) and the queues that are served, used in a circle.
struct Load {
    arrivals: Vec<(u32, Packet)>,
    services: Vec<u32>,
}

impl Load {
    fn new(queues: u32) -> Self {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = move |below: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32 % below
        };
        let hot = queues.div_ceil(10);
        let queue = |draw: &mut dyn FnMut(u32) -> u32, hot_percent| {
            // Hot queues lie scattered among the others.
            let hot_one = draw(100) < hot_percent;
            if hot_one { draw(hot) * 10 % queues } else { draw(queues) }
        };
        let length = 1 << 17;
        let arrivals = (0..length).map(|_| {
            let number = queue(&mut draw, 90);
            let size = [64, 64, 576, 1500, 1500][draw(5) as usize];
            (number, Packet { size, class: (number % 8) as u8, ..Packet::default() })
        });
        let arrivals = arrivals.collect();
        let services = (0..length - 1).map(|_| queue(&mut draw, 85)).collect();
        Load { arrivals, services }
    }
}

/// Fills `buffer`, then measures it in steady state; nanoseconds per packet, the median of the
/// chunks.
fn measure(load: &Load, mut buffer: SharedBuffer) -> impl FnMut() -> f64 {
    let mut step = Step::default();
    for (queue, packet) in &load.arrivals {
        buffer.enqueue(Time::ZERO, *queue, *packet, Rank::default());
    }
    for _ in 0..2 * CHUNKS as u32 * PACKETS {
        step.run(load, &mut buffer);
    }
    move || {
        let mut chunks = [0.0; CHUNKS];
        for chunk in &mut chunks {
            let start = Instant::now();
            for _ in 0..PACKETS {
                step.run(load, &mut buffer);
            }
            *chunk = start.elapsed().as_nanos() as f64 / f64::from(PACKETS);
        }
        chunks.sort_by(f64::total_cmp);
        chunks[CHUNKS / 2]
    }
}

#[derive(Default)]
struct Step {
    now: Time,
    arrival: usize,
    service: usize,
}

impl Step {
    #[inline]
    fn run(&mut self, load: &Load, buffer: &mut SharedBuffer) {
        let (queue, packet) = load.arrivals[self.arrival];
        let rank = Rank::new(packet.class.into());
        buffer.enqueue(self.now, queue, packet, rank);
        buffer.dequeue(self.now, load.services[self.service]);
        self.arrival = (self.arrival + 1) % load.arrivals.len();
        self.service = (self.service + 1) % load.services.len();
        self.now += Duration::from_ns(10);
    }
}

/// Pushout as it would be written without a structure for it.
struct PushoutByScan {
    queues: u32,
}

impl OnChipPolicy for PushoutByScan {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        if cells <= pool.free() {
            return Admission::Accept;
        }
        let longest = (0..self.queues).max_by_key(|queue| pool.length(*queue)).unwrap_or(0);
        if pool.length(arriving.queue) + cells >= pool.length(longest) {
            return Admission::Drop;
        }
        Admission::PushOut(Victim::Tail(longest))
    }
}

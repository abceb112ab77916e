//! A processor behind a scheduler that takes time itself, under attack (thesis §3.6.3).
//!
//! What the scheduler takes per packet is measured, on the same packets in the same order; the rest
//! is simulated ([`two_cores`]), so that no third core, card or clock is needed.

use std::hint::black_box;
use std::time::Instant;

use forebay_surge::model::heaps::{Buffer, Cost, HeapJob, TwoCoresConfig, two_cores};
use forebay_units::{Bytes, Duration, Time};

use super::innocent;

/// Places in the buffer.
pub(super) const CAPACITY: usize = 1 << 14;

/// Places in the ring.
const RING: usize = 4096;

/// Innocent traffic.
const INNOCENT_GBPS: f64 = 9.0;

/// What is simulated, and what of it passes before anything is counted.
const SPAN: Duration = Duration::from_ms(220);
const WARMUP: Duration = Duration::from_ms(200);

/// Packets that are measured, after as many that fill the buffer.
const MEASURED: usize = 400_000;

/// The smallest packet with the longest job.
fn attack() -> HeapJob {
    let (size, work) = (Bytes::new(64), Duration::from_us(10));
    HeapJob { flow: u64::MAX, size, work, innocent: false }
}

/// Goodput in Gb/s behind `buffer` under so many Mb/s of attack.
pub(super) fn goodput_gbps(buffer: &mut dyn Buffer, attack_mbps: u64) -> f64 {
    let ns = ns_per_packet(buffer, attack_mbps);
    let cost = Cost::PerPacket(Duration::from_ps((ns * 1e3) as u64));
    let measured = SPAN - WARMUP;
    let config = TwoCoresConfig { ring: RING, cost, warmup: WARMUP, measured };
    two_cores(config, buffer, arrivals(attack_mbps)).goodput.as_bps() as f64 / 1e9
}

/// Both kinds, evenly spaced, by time.
fn arrivals(attack_mbps: u64) -> impl Iterator<Item = (Time, HeapJob)> {
    let gap = 1250.0 * 8.0 / INNOCENT_GBPS * 1e3;
    let attack_gap = attack().size.get() as f64 * 8.0 / attack_mbps as f64 * 1e6;
    let (mut at, mut attack_at) = (gap, attack_gap);
    let mut next = innocent(1 << 16).into_iter().cycle();
    std::iter::from_fn(move || {
        if attack_at < at {
            attack_at += attack_gap;
            return Some((Time::from_ps(attack_at as u64), attack()));
        }
        at += gap;
        Some((Time::from_ps(at as u64), next.next()?))
    })
}

/// What the scheduler takes per packet that arrives: it is filled with the first of them, and
/// polled as often as the processor would.
pub(super) fn ns_per_packet(buffer: &mut dyn Buffer, attack_mbps: u64) -> f64 {
    drive(buffer, attack_mbps, MEASURED)
}

/// Accesses per packet that arrives, on the same packets: the same on every machine.
pub(super) fn accesses_per_packet(buffer: &mut dyn Buffer, attack_mbps: u64) -> f64 {
    let mut from = 0;
    let filled = |buffer: &dyn Buffer| from = buffer.accesses();
    drive_from(buffer, attack_mbps, MEASURED, filled);
    (buffer.accesses() - from) as f64 / MEASURED as f64
}

fn drive(buffer: &mut dyn Buffer, attack_mbps: u64, packets: usize) -> f64 {
    drive_from(buffer, attack_mbps, packets, |_| {})
}

/// Nanoseconds per packet from when the buffer is filled, of which `filled` is told.
fn drive_from(
    buffer: &mut dyn Buffer,
    attack_mbps: u64,
    packets: usize,
    filled: impl FnOnce(&dyn Buffer),
) -> f64 {
    let arrivals: Vec<_> = arrivals(attack_mbps).take(2 * packets).collect();
    let (fill, rest) = arrivals.split_at(packets);
    let mut free_at = Time::ZERO;
    let mut pass = |buffer: &mut dyn Buffer, arrivals: &[(Time, HeapJob)]| {
        for (at, packet) in arrivals {
            while free_at <= *at {
                match buffer.poll() {
                    Some(next) => free_at += next.work,
                    None => free_at = *at + Duration::from_ps(1),
                }
            }
            black_box(buffer.offer(*packet));
        }
    };
    pass(buffer, fill);
    filled(buffer);
    let start = Instant::now();
    pass(buffer, rest);
    let ns = start.elapsed().as_nanos() as f64 / rest.len() as f64;
    while buffer.poll().is_some() {}
    ns
}

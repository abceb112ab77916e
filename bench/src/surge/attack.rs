//! A processor behind a scheduler that takes time itself, under attack (thesis §3.6.3).
//!
//! As in the paper one core schedules and another processes; packets wait for the scheduling core in a ring
//! of the network card, and are lost when it is full. What the scheduler takes per packet is measured, on the
//! same packets in the same order; the rest is simulated, so that no third core, card or clock is needed.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

use super::buffers::{Buffer, Packet};
use super::innocent;

/// Places in the buffer.
pub(super) const CAPACITY: usize = 1 << 16;

/// Places in the ring.
const RING: usize = 4096;

/// Innocent traffic.
const INNOCENT_GBPS: f64 = 9.0;

/// Packets of a run.
const PACKETS: usize = 1_000_000;

const ATTACK: Packet = Packet { flow: u64::MAX, bytes: 64, work_ps: 10_000_000, innocent: false };

/// Goodput in Gb/s behind `buffer` under so many Mb/s of attack.
pub(super) fn goodput_gbps(buffer: &mut dyn Buffer, attack_mbps: u64) -> f64 {
    let arrivals = arrivals(attack_mbps);
    let ns = ns_per_packet(buffer, &arrivals);
    simulate(buffer, &arrivals, (ns * 1e3) as u64)
}

/// Both kinds, evenly spaced, by time in picoseconds.
fn arrivals(attack_mbps: u64) -> Vec<(u64, Packet)> {
    let innocent = innocent(PACKETS);
    let mean = 1250.0 * 8.0;
    let gap = mean / INNOCENT_GBPS * 1e3;
    let attack_gap = f64::from(ATTACK.bytes) * 8.0 / attack_mbps as f64 * 1e6;
    let (mut at, mut attack_at) = (gap, attack_gap);
    let mut next = innocent.into_iter();
    let one = || {
        if attack_at < at {
            attack_at += attack_gap;
            return Some((attack_at as u64, ATTACK));
        }
        at += gap;
        Some((at as u64, next.next()?))
    };
    std::iter::from_fn(one).take(PACKETS).collect()
}

/// What the scheduler takes per packet that arrives: it is filled with the first of them, and polled as often as
/// the processor would.
fn ns_per_packet(buffer: &mut dyn Buffer, arrivals: &[(u64, Packet)]) -> f64 {
    let (fill, rest) = arrivals.split_at(arrivals.len() / 2);
    for (_, packet) in fill {
        black_box(buffer.offer(*packet));
    }
    let mut free_at = 0;
    let start = Instant::now();
    for (at, packet) in rest {
        while free_at <= *at {
            match buffer.poll() {
                Some(next) => free_at += next.work_ps,
                None => free_at = *at + 1,
            }
        }
        black_box(buffer.offer(*packet));
    }
    let ns = start.elapsed().as_nanos() as f64 / rest.len() as f64;
    while buffer.poll().is_some() {}
    ns
}

/// Gb/s of innocent traffic processed in the second half, if the scheduler takes `cost_ps` per packet.
fn simulate(buffer: &mut dyn Buffer, arrivals: &[(u64, Packet)], cost_ps: u64) -> f64 {
    let Some((end, _)) = arrivals.last() else { return f64::NAN };
    let mut ring: VecDeque<(u64, Packet)> = VecDeque::new();
    let (mut scheduler_at, mut processor_at, mut bytes) = (0u64, 0u64, 0u64);
    for &(now, packet) in arrivals {
        // What the scheduling core has got done until now.
        while let Some(&(came, waiting)) = ring.front() {
            let done = scheduler_at.max(came) + cost_ps;
            if done > now {
                break;
            }
            ring.pop_front();
            scheduler_at = done;
            // Up to now the processor has taken from what waited before.
            while processor_at <= done {
                let Some(next) = buffer.poll() else {
                    processor_at = done;
                    break;
                };
                processor_at += next.work_ps;
                if next.innocent && done > end / 2 {
                    bytes += u64::from(next.bytes);
                }
            }
            buffer.offer(waiting);
        }
        if ring.len() < RING {
            ring.push_back((now, packet));
        }
    }
    bytes as f64 * 8.0 / ((end - end / 2) as f64 * 1e-3)
}

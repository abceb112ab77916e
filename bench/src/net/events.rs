//! The event queue against a binary heap, under the hold model: pop the next event, schedule it a
//! little later.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use forebay_net::event::EventQueue;
use forebay_units::{Duration, Time};

use super::Options;
use crate::race::{Report, Subject};

/// Runs the case, if it is wanted.
pub(super) fn run(options: &Options, report: &mut Report) {
    for pending in [1_000, 30_000] {
        if options.race.wants("events") {
            let subjects = vec![
                Subject::ours("event queue", hold_ours(pending)),
                Subject::peer("BinaryHeap", hold_heap(pending)),
            ];
            report.race(("events", pending.into(), "ns per event"), &options.race, subjects);
        }
    }
}

/// Events of a chunk.
const EVENTS: u32 = 1 << 20;

/// How far ahead of the present an event goes: mostly one packet's time, at times a link's delay.
fn ahead(state: &mut u64) -> Duration {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let far = state.is_multiple_of(16);
    Duration::from_ps(if far { 10_000_000 } else { *state >> 32 & 0x3_FFFF })
}

/// Pops the next event and schedules it again, a little later.
fn hold_ours(pending: u32) -> impl FnMut() -> f64 {
    let (mut queue, mut state) = (EventQueue::new(pending), 1);
    (0..pending).for_each(|id| queue.schedule(id, Time::ZERO + ahead(&mut state)));
    move || {
        let start = Instant::now();
        for _ in 0..EVENTS {
            if let Some((now, id)) = queue.pop() {
                queue.schedule(id, now + ahead(&mut state));
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(EVENTS)
    }
}

fn hold_heap(pending: u32) -> impl FnMut() -> f64 {
    let (mut heap, mut state) = (BinaryHeap::new(), 1);
    heap.extend((0..pending).map(|id| Reverse((Time::ZERO + ahead(&mut state), id))));
    move || {
        let start = Instant::now();
        for _ in 0..EVENTS {
            if let Some(Reverse((now, id))) = heap.pop() {
                heap.push(Reverse((now + ahead(&mut state), id)));
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(EVENTS)
    }
}

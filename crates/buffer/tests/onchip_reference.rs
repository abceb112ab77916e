//! Occamy in a shared buffer against a naive model of it that steps through every clock cycle,
//! keeps plain queues, scans them all, and counts tokens as occamy §5.3 tells: one a cycle,
//! departures may overdraw.
#![allow(clippy::unwrap_used)]

use std::collections::VecDeque;

use forebay_buffer::onchip::{ChipConfig, MemoryConfig, OnChipVerdict, SharedBuffer, policies};
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

const QUEUES: usize = 5;
const CELLS: u64 = 64;
const ALPHA: u64 = 8;
const SUBLISTS: u64 = 2;
const BURST: i64 = 6;

#[derive(Default)]
struct Naive {
    queues: [VecDeque<(u32, u64)>; QUEUES],
    tokens: i64,
    turn: usize,
    expelled: Vec<u32>,
}

fn cost(cells: u64) -> i64 {
    cells.div_ceil(SUBLISTS).max(2) as i64
}

impl Naive {
    fn length(&self, queue: usize) -> u64 {
        self.queues[queue].iter().map(|(_, cells)| cells).sum()
    }

    fn free(&self) -> u64 {
        CELLS - (0..QUEUES).map(|queue| self.length(queue)).sum::<u64>()
    }

    fn tick(&mut self) {
        self.tokens = (self.tokens + 1).min(BURST);
        self.expel();
    }

    fn expel(&mut self) {
        loop {
            let threshold = ALPHA * self.free();
            let over = (0..QUEUES)
                .map(|step| (self.turn + step) % QUEUES)
                .find(|queue| self.length(*queue) > threshold);
            let Some(queue) = over else { return };
            let (tag, cells) = self.queues[queue][0];
            if cost(cells) > self.tokens {
                return;
            }
            self.tokens -= cost(cells);
            self.queues[queue].pop_front();
            self.expelled.push(tag);
            self.turn = (queue + 1) % QUEUES;
        }
    }

    fn enqueue(&mut self, queue: usize, tag: u32, cells: u64) -> bool {
        let accepted = self.length(queue) + cells <= ALPHA * self.free() && cells <= self.free();
        if accepted {
            self.queues[queue].push_back((tag, cells));
        }
        self.expel();
        accepted
    }

    fn dequeue(&mut self, queue: usize) -> Option<u32> {
        let (tag, cells) = self.queues[queue].pop_front()?;
        self.tokens -= cost(cells);
        self.expel();
        Some(tag)
    }
}

fn real() -> SharedBuffer {
    let chip = ChipConfig {
        ports: QUEUES as u16,
        capacity: Bytes::new(CELLS * 100),
        memory: MemoryConfig {
            cell: 100,
            sublists: SUBLISTS as u32,
            burst_cycles: BURST as u32,
            ..MemoryConfig::default()
        },
        largest_packet: 1000,
        ..ChipConfig::default()
    };
    SharedBuffer::new(&chip, policies().named("occamy").unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn occamy_agrees_with_a_model_that_steps_every_cycle(
        steps in proptest::collection::vec((0u64..4, 0usize..3, 0..QUEUES, 1u64..11), 1..300)
    ) {
        let (mut naive, mut real) = (Naive::default(), real());
        let (mut now, mut expelled) = (Time::ZERO, Vec::new());
        for (tag, (wait, kind, queue, cells)) in (0..).zip(steps) {
            for _ in 0..wait {
                now += Duration::from_ns(1);
                naive.tick();
            }
            if kind < 2 {
                let packet = Packet { size: cells as u32 * 100, tag, ..Packet::default() };
                let verdict = real.enqueue(now, queue as u32, packet, Rank::default());
                prop_assert_eq!(naive.enqueue(queue, tag, cells), verdict == OnChipVerdict::Queued);
            } else {
                let departure = real.dequeue(now, queue as u32);
                prop_assert_eq!(naive.dequeue(queue), departure.map(|gone| gone.packet.tag));
            }
            expelled.extend(real.losses().iter().map(|loss| loss.packet.tag));
            // What is due at this very moment is done by the next call.
            let due = real.next_event().is_some_and(|at| at <= now);
            if !due {
                prop_assert_eq!(&naive.expelled, &expelled);
            }
        }
    }
}

#[test]
fn asking_for_every_event_changes_nothing() {
    let (mut eager, mut lazy) = (real(), real());
    let mut now = Time::ZERO;
    let (mut eager_losses, mut lazy_losses) = (Vec::new(), Vec::new());
    let mut state = 1u32;
    for tag in 0..20_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        now += Duration::from_ns(u64::from(state >> 28));
        while let Some(at) = eager.next_event().filter(|at| *at <= now) {
            eager.advance(at);
            eager_losses.extend_from_slice(eager.losses());
        }
        let (queue, size) = (state >> 8 & 3, 1 + (state >> 12) % 1000);
        let packet = Packet { size, tag, ..Packet::default() };
        let verdicts = [&mut eager, &mut lazy].map(|buffer| {
            buffer.dequeue(now, 3 - queue);
            buffer.losses().to_vec()
        });
        eager_losses.extend_from_slice(&verdicts[0]);
        lazy_losses.extend_from_slice(&verdicts[1]);
        let verdicts = [&mut eager, &mut lazy]
            .map(|buffer| buffer.enqueue(now, queue, packet, Rank::default()));
        assert_eq!(verdicts[0], verdicts[1]);
        eager_losses.extend_from_slice(eager.losses());
        lazy_losses.extend_from_slice(lazy.losses());
    }
    assert!(eager_losses.len() > 100);
    assert_eq!(eager_losses, lazy_losses);
    assert_eq!(eager.counters(), lazy.counters());
}

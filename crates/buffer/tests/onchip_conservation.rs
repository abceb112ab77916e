//! Every policy under random traffic: after every operation each packet, cell and byte has exactly
//! one place, and every decision that a policy takes is checked by a scan of all queues.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::witness::Witness;
use forebay_buffer::DropCause;
use forebay_buffer::onchip::{
    Alpha, ChipConfig, End, MemoryConfig, OnChipVerdict, QueueConfig, SharedBuffer, policies,
};
use forebay_parameters::{Entry, set};
use forebay_sched::{Packet, Rank};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

/// Two pools, reservations, two values of α: everything that can interact.
fn chip() -> ChipConfig {
    let high = QueueConfig { alpha: Some(Alpha::power_of_two(3)), ..QueueConfig::default() };
    let low =
        QueueConfig { alpha: Alpha::new(0.7), reserved: Bytes::new(600), ..QueueConfig::default() };
    let other = QueueConfig { pool: 1, limit: Some(Bytes::new(3000)), ..QueueConfig::default() };
    ChipConfig {
        ports: 3,
        classes: 3,
        capacity: Bytes::new(100 * 200),
        pools: vec![Bytes::new(60 * 200), Bytes::new(31 * 200)],
        queues: vec![high, low, other],
        memory: MemoryConfig {
            cycle: Duration::from_ns(10),
            sublists: 2,
            ..MemoryConfig::default()
        },
        descriptors: 70,
        ..ChipConfig::default()
    }
}

/// Packets are pushed out at the end `from`.
fn witnessed(name: &str, from: End, chip: &ChipConfig) -> SharedBuffer {
    let mut policy = policies().named(name).unwrap().clone();
    let word = if from == End::Head { "head" } else { "tail" };
    // Refused by those that push nothing out.
    let _ = set(&mut policy, &[("push_out", word)]);
    SharedBuffer::with_policies(chip, |_, shape| {
        Ok(Box::new(Witness::new(name, policy.build(shape)?, from, shape)))
    })
    .unwrap()
}

#[derive(Clone, Debug)]
enum Step {
    Enqueue { queue: u32, size: u32, rank: u64 },
    Dequeue { queue: u32 },
    HeadDrop { queue: u32 },
    Advance,
}

/// Queue 9 does not exist. One queue in each pool gets most of the packets.
fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let queue = || prop_oneof![4 => Just(0u32), 3 => Just(1u32), 2 => Just(2u32), 3 => 0u32..10];
    let size = prop_oneof![3 => Just(1500u32), 2 => 0u32..1501, 1 => 1u32..201, 1 => 1501u32..9000];
    let step = prop_oneof![
        12 => (queue(), size, 0u64..5).prop_map(|(queue, size, rank)| Step::Enqueue { queue, size, rank }),
        5 => queue().prop_map(|queue| Step::Dequeue { queue }),
        1 => queue().prop_map(|queue| Step::HeadDrop { queue }),
        1 => Just(Step::Advance),
    ];
    proptest::collection::vec((0u64..60, step), 1..400)
}

/// A packet is refused for want of room if and only if it does not fit when the refusal is final.
fn check_refusal(buffer: &SharedBuffer, queue: u32, size: u32, cause: DropCause) {
    let Some(account) = buffer.account(queue) else { return };
    let covered = account.reserved().saturating_sub(account.cells());
    let charge = buffer.memory().cells(size).saturating_sub(covered);
    let fits = charge <= buffer.pool(account.pool()).unwrap().free();
    assert!(cause != DropCause::SramFull || !fits, "dropped, though it fits");
    assert!(cause != DropCause::Threshold || fits, "over a threshold, though it does not fit");
}

fn run(name: &str, from: End, steps: &[(u64, Step)]) {
    let mut buffer = witnessed(name, from, &chip());
    let mut now = Time::ZERO;
    for (index, (wait, step)) in steps.iter().enumerate() {
        now += Duration::from_ns(*wait);
        let lost = buffer.counters().dropped.total().packets;
        let overdrawn = buffer.spare_bandwidth().1;
        let mut refused = 0;
        match *step {
            Step::Enqueue { queue, size, rank } => {
                let packet = Packet { size, tag: index as u32, ..Packet::default() };
                let verdict = buffer.enqueue(now, queue, packet, Rank::new(rank));
                refused = u64::from(verdict != OnChipVerdict::Queued);
                assert_eq!(
                    verdict == OnChipVerdict::Dropped(DropCause::Impossible),
                    queue >= 9 || size > 1500
                );
                if let OnChipVerdict::Dropped(cause) = verdict {
                    check_refusal(&buffer, queue, size, cause);
                }
            }
            Step::Dequeue { queue } => {
                buffer.dequeue(now, queue);
            }
            Step::HeadDrop { queue } => {
                buffer.head_drop(now, queue);
            }
            Step::Advance => {
                buffer.advance(now);
                // Expulsions never take bandwidth that is not there.
                assert!(buffer.spare_bandwidth().1 <= overdrawn);
            }
        }
        buffer.audit().unwrap();
        let losses = buffer.losses();
        assert_eq!(buffer.counters().dropped.total().packets - lost, losses.len() as u64 + refused);
        assert!(losses.is_sorted_by_key(|loss| loss.at));
        assert!(losses.iter().all(|loss| loss.at <= now));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_policy_conserves_and_keeps_its_word(steps in steps()) {
        for info in &policies() {
            for from in [End::Tail, End::Head] {
                run(info.name(), from, &steps);
            }
        }
    }
}

#[test]
fn fifo_order_survives_push_outs_and_expulsions() {
    for info in &policies() {
        let mut buffer = witnessed(info.name(), End::default(), &chip());
        let mut now = Time::ZERO;
        let mut last = [None; 9];
        for index in 0..5000u32 {
            now += Duration::from_ns(7);
            let queue = index * 7 % 9;
            let packet = Packet { size: 300 + index % 1200, tag: index, ..Packet::default() };
            buffer.enqueue(now, queue, packet, Rank::new(u64::from(index % 3)));
            if index % 3 == 0
                && let Some(departure) = buffer.dequeue(now, index / 3 % 9)
            {
                let last = &mut last[departure.queue as usize];
                assert!(last.is_none_or(|last| last < departure.packet.tag), "{}", info.name());
                *last = Some(departure.packet.tag);
            }
        }
    }
}

#[test]
fn pushing_out_the_own_head_frees_the_reservation_for_the_packet() {
    // Five of ten cells are reserved for queue 0. It holds six and queue 1 four: the pool is full.
    let reserving = QueueConfig { reserved: Bytes::new(5 * 200), ..QueueConfig::default() };
    let chip = ChipConfig {
        ports: 2,
        capacity: Bytes::new(10 * 200),
        queues: vec![reserving, QueueConfig::default()],
        memory: MemoryConfig::default(),
        ..ChipConfig::default()
    };
    for name in ["pushout", "quasi-pushout"] {
        let mut buffer = witnessed(name, End::Head, &chip);
        let mut put = |queue: u32, cells: u32| {
            let packet = Packet { size: cells * 200, ..Packet::default() };
            let verdict = buffer.enqueue(Time::ZERO, queue, packet, Rank::default());
            (verdict, buffer.losses().len(), buffer.occupancy().0)
        };
        assert_eq!(put(1, 4), (OnChipVerdict::Queued, 0, 4));
        assert_eq!(put(0, 6), (OnChipVerdict::Queued, 0, 10));
        // The six cells that its head frees are what it needs, one of them in the pool.
        assert_eq!(put(0, 6), (OnChipVerdict::Queued, 1, 10), "{name}");
    }
}

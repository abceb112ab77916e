//! What a sample queue promises itself, after every operation; and the inputs that are hard for it.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use alloc::vec::Vec;

use proptest::prelude::*;

use super::SampleQueue;
use crate::RankedQueue;

type Small = SampleQueue<u16, u32, 1, 8>;

/// The sorted part is sorted, below every slot, and empty only if the slots are; lengths agree.
fn assert_holds<const N: usize, const S: usize>(queue: &SampleQueue<u16, u32, N, S>) {
    assert!(queue.near.is_sorted_by(|a, b| a.0 >= b.0));
    queue.slots.assert_ordered();
    if let (Some(bound), Some(largest)) = (queue.slots.bound(), queue.near.first()) {
        assert!(largest.0 <= bound);
    }
    assert_eq!(queue.near.is_empty(), queue.is_empty());
    assert_eq!(queue.near.len() + queue.slots.iter().count(), queue.len());
}

proptest! {
    #[test]
    fn invariants_hold(ops in prop::collection::vec((0u8..5, 0u16..40), 1..400)) {
        let mut queue = Small::new(150);
        for (&(op, rank), item) in ops.iter().zip(0..) {
            match op {
                0 => drop(queue.pop_min()),
                1 => drop(queue.push(rank / 40, item)),
                _ => drop(queue.push(rank, item)),
            }
            assert_holds(&queue);
        }
    }
}

/// Pushes `ranks`, then pops all and compares with a stable sort.
fn assert_sorts(ranks: impl Iterator<Item = u32>) {
    let mut queue: SampleQueue<u32, usize> = SampleQueue::new(usize::MAX);
    let mut expected: Vec<_> = ranks.zip(0..).collect();
    for &(rank, item) in &expected {
        queue.push(rank, item).unwrap();
    }
    expected.sort();
    assert!(core::iter::from_fn(|| queue.pop_min()).eq(expected));
}

#[test]
fn hard_orders_are_sorted() {
    const MANY: u32 = 200_000;
    assert_sorts((0..MANY).map(|_| 7));
    assert_sorts(0..MANY);
    assert_sorts((0..MANY).rev());
    assert_sorts((0..MANY).map(|at| at % 3));
    assert_sorts((0..MANY).map(|at| if at % 100 == 0 { at } else { MANY / 2 }));
    assert_sorts((0..MANY).map(|at| if at % 2 == 0 { at } else { u32::MAX - at }));
    assert_sorts((0..MANY).map(|at| at.reverse_bits()));
    assert_sorts((0..MANY).map(|at| 1 << (at % 32)));
}

/// Alternating floods of ever smaller ranks and drains, over a standing crowd: slots are packed and
/// divided again and again, and nothing takes long.
#[test]
fn descending_floods_over_a_crowd() {
    let mut queue: SampleQueue<u32, u32, 4, 16> = SampleQueue::new(usize::MAX);
    for item in 0..20_000_u32 {
        queue.push(1 << 30 | item.reverse_bits() >> 8, item).unwrap();
    }
    for round in 0..200_u32 {
        for rank in (0..500).rev() {
            queue.push(rank, round).unwrap();
        }
        for rank in 0..500 {
            assert_eq!(queue.pop_min(), Some((rank, round)));
        }
    }
    assert_eq!(queue.len(), 20_000);
}

/// Several common ranks among others, filled and drained in waves, so that their slots are divided,
/// closed and packed in every order: equals still leave as they came.
fn assert_equals_keep_their_order<const NEAR: usize, const SLOTS: usize>(mut random: u64) {
    let mut queue: SampleQueue<u16, u32, NEAR, SLOTS> = SampleQueue::new(usize::MAX);
    let mut model = alloc::collections::BTreeSet::new();
    for item in 0..4_000_u32 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if random.is_multiple_of(2) || item % 600 < 200 {
            let rank = match random >> 8 & 7 {
                7 => (random >> 32) as u16,
                common => common as u16 % 4 * 1_000,
            };
            queue.push(rank, item).unwrap();
            model.insert((rank, item));
        } else {
            assert_eq!(queue.pop_min(), model.pop_first());
        }
    }
    while let Some(first) = model.pop_first() {
        assert_eq!(queue.pop_min(), Some(first));
    }
}

#[test]
fn equals_keep_their_order() {
    for seed in 1..100 {
        assert_equals_keep_their_order::<1, 8>(seed);
        assert_equals_keep_their_order::<2, 8>(seed);
        assert_equals_keep_their_order::<4, 16>(seed);
    }
}

/// Equal ranks by the hundred thousand, with others pushed on either side while they are served.
#[test]
fn a_common_rank_is_never_sorted_twice() {
    let mut queue: SampleQueue<u32, u32> = SampleQueue::new(usize::MAX);
    for item in 0..100_000 {
        queue.push(1_000, item).unwrap();
    }
    for item in 0..100_000 {
        queue.push(item % 1_000, u32::MAX).unwrap();
        assert_eq!(queue.pop_min(), Some((item % 1_000, u32::MAX)));
        queue.push(1_001 + item % 7, u32::MAX).unwrap();
        assert_eq!(queue.pop_min(), Some((1_000, item)));
    }
    assert_eq!(queue.pop_min().map(|(rank, _)| rank), Some(1_001));
}

#[test]
fn memory_is_reused() {
    let mut queue: SampleQueue<u32, u32> = SampleQueue::new(usize::MAX);
    let mut most = 0;
    for round in 0..5 {
        for item in 0..50_000_u32 {
            queue.push(item.wrapping_mul(0x9E37_79B9), item).unwrap();
        }
        while queue.pop_min().is_some() {}
        if round == 0 {
            most = queue.slots.blocks();
        }
    }
    assert!(
        queue.slots.blocks() <= most + most / 4,
        "{} blocks, {most} at first",
        queue.slots.blocks()
    );
}

/// Elements that a single pop moves from slot to slot, at most, while `len` are held.
fn most_moves_of_a_pop(len: u32, mut next: impl FnMut(u32) -> u32) -> usize {
    let mut queue: SampleQueue<u32, u32> = SampleQueue::new(usize::MAX);
    for item in 0..len {
        queue.push(next(0), item).unwrap();
    }
    let mut most = 0;
    for item in 0..4 * len {
        let before = queue.slots.moves;
        let (rank, _) = queue.pop_min().unwrap();
        most = most.max(queue.slots.moves - before);
        queue.push(next(rank), item).unwrap();
    }
    most
}

#[test]
fn no_pop_divides_a_large_slot() {
    const LEN: u32 = 200_000;
    let mut random = 1_u64;
    let mut draw = move |below: u32| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 40) as u32 % below
    };
    let hold = most_moves_of_a_pop(LEN, |rank| rank + draw(1 << 20));
    // Twice what is divided before its turn: 32 times 128.
    assert!(hold <= 8_192, "{hold} elements moved");
}

/// Ranks beside each other and equal ones, while slots are divided before their turn.
#[test]
fn what_comes_while_a_slot_is_divided_keeps_its_order() {
    let mut queue: SampleQueue<u32, u32, 2, 16> = SampleQueue::new(usize::MAX);
    let mut model = alloc::collections::BTreeSet::new();
    let (mut random, mut ahead) = (7_u64, 0);
    for item in 0..30_000_u32 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let base = queue.peek_min().map_or(0, |(rank, _)| rank);
        let rank = base + (random >> 33) as u32 % if item % 1_000 < 500 { 300 } else { 12 };
        queue.push(rank, item).unwrap();
        model.insert((rank, item));
        ahead += u32::from(queue.slots.divides_ahead());
        if item % 5_000 > 1_500 {
            assert_eq!(queue.pop_min(), model.pop_first());
        }
        if item % 100 == 0 {
            queue.slots.assert_ordered();
            assert_eq!(queue.iter().count(), model.len());
        }
    }
    assert!(ahead > 1_000, "divided ahead during {ahead} operations");
    while let Some(first) = model.pop_first() {
        assert_eq!(queue.pop_min(), Some(first));
    }
}

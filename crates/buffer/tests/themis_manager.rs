//! What the model of Themis's hardware promises, whatever comes.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use std::collections::BTreeMap;

use forebay_buffer::{ThemisAnswer, ThemisManager, ThemisManagerConfig, ThemisOperation as Op};
use forebay_pifo::Tier;
use proptest::prelude::*;

const CONFIG: ThemisManagerConfig = ThemisManagerConfig {
    levels: 2,
    width: 4,
    slot_bits: 5,
    near: 12,
    high: 8,
    low: 4,
    batch: 4,
    groups: 2,
};

/// What has waited: each element's rank, and its tier while it waits.
#[derive(Default)]
struct Seen {
    waiting: BTreeMap<u64, (u64, Tier)>,
    /// The last element of each rank that left.
    left: BTreeMap<u64, u64>,
    near: usize,
}

impl Seen {
    fn answer(&mut self, answer: ThemisAnswer) {
        let Some((rank, item, tier)) = answer.element else { return };
        match answer.operation {
            Op::Enqueue | Op::EnqueueNear | Op::EnqueueFar => {
                assert!(self.waiting.insert(item, (rank, tier)).is_none());
            }
            Op::SwapOut | Op::SwapIn => {
                let before = self.waiting.insert(item, (rank, tier.other()));
                assert_eq!(before, Some((rank, tier)));
            }
            Op::Dequeue | Op::DropLargest => {
                assert_eq!(self.waiting.remove(&item), Some((rank, tier)));
            }
        }
        if answer.operation == Op::Dequeue {
            // Numbers rise with arrival, so of a rank the lowest that waits leaves.
            assert!(self.waiting.iter().all(|(&other, &(at, _))| at != rank || other > item));
            assert!(self.left.insert(rank, item).is_none_or(|before| before < item));
        }
        self.near = self.waiting.values().filter(|(_, tier)| *tier == Tier::Sram).count();
    }
}

/// Ranks that arrive (16 for none), whether the next is asked for, whether a batch is taken.
fn traffic() -> impl Strategy<Value = Vec<(u64, bool, bool)>> {
    let phase = (1u64..=17, 0u8..4, 0u8..4).prop_flat_map(|(ranks, drain, writes)| {
        let cycle = (0..ranks, 0u8..3, 0u8..3);
        prop::collection::vec(cycle, 1..80).prop_map(move |cycles| {
            let cycle = |(rank, departs, takes)| (rank, departs < drain, takes < writes);
            cycles.into_iter().map(cycle).collect::<Vec<_>>()
        })
    });
    prop::collection::vec(phase, 1..8).prop_map(|phases| phases.concat())
}

proptest! {
    #[test]
    fn equal_ranks_leave_as_they_came(traffic in traffic()) {
        let mut manager = ThemisManager::new(&CONFIG).unwrap();
        let (mut seen, mut next, mut pending) = (Seen::default(), 0, None);
        for (rank, departs, takes) in traffic {
            if rank < 16 && pending.is_none() {
                pending = Some((rank, next));
                next += 1;
            }
            let shown = manager.cycle(pending, departs, takes);
            prop_assert!(shown.batch.len() <= 4 && (!shown.lost || shown.arrived));
            for staged in shown.batch.iter().flatten() {
                prop_assert_eq!(seen.waiting[staged].1, Tier::Hbm);
            }
            if let Some(answer) = shown.answer {
                seen.answer(answer);
            }
            prop_assert!(seen.near <= 12, "{} of 12 are on chip", seen.near);
            if shown.arrived {
                pending = None;
            }
        }
        // All that waits leaves.
        for _ in 0..64 {
            if let Some(answer) = manager.cycle(None, true, true).answer {
                seen.answer(answer);
            }
        }
        prop_assert!(seen.waiting.is_empty(), "{:?}", seen.waiting);
    }
}

#[test]
fn shapes_that_cannot_be_are_refused_by_name() {
    let refused = |config: ThemisManagerConfig| {
        ThemisManager::new(&config).map(|_| ()).unwrap_err().to_string()
    };
    for (config, name) in [
        (ThemisManagerConfig { near: 32, ..CONFIG }, "near"),
        (ThemisManagerConfig { high: 12, ..CONFIG }, "high"),
        (ThemisManagerConfig { low: 8, ..CONFIG }, "low"),
        (ThemisManagerConfig { levels: 15, width: 16, ..CONFIG }, "levels"),
        (ThemisManagerConfig { batch: 1, ..CONFIG }, "batch"),
    ] {
        assert!(refused(config).contains(name), "{}", refused(config));
    }
}

#[test]
fn nothing_is_swapped_in_for_a_user_without_room() {
    let mut manager = ThemisManager::new(&CONFIG).unwrap();
    // Twenty that come in, larger ranks first, so that some are swapped out; then near runs low.
    let (mut next, mut seen) = (0, Vec::new());
    for cycle in 0..400 {
        let arrival = (next < 20).then(|| (15 - next.min(15), next));
        let shown = manager.cycle_with(arrival, false, true, false);
        next += u64::from(shown.arrived);
        let departs = next == 20 && cycle > 100 && manager.answered().0 > 2;
        if departs {
            manager.cycle_with(None, true, true, false);
        }
        seen.extend(shown.answer.map(|answer| answer.operation));
    }
    assert!(seen.contains(&Op::SwapOut) && !seen.contains(&Op::SwapIn), "{seen:?}");
    let (near, far) = manager.answered();
    assert!(near < CONFIG.low && far > 0, "{near} near, {far} far");
    let room = (0..20).filter_map(|_| manager.cycle_with(None, false, true, true).answer);
    assert!(room.map(|answer| answer.operation).any(|operation| operation == Op::SwapIn));
}

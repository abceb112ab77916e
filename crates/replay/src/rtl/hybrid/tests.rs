//! The follower against a core made by hand of the library's manager: what it says when it is
//! right, and with one thing wrong. The model itself is run by `make rtl-test` and `make
//! rtl-capture`.

use forebay_buffer::{ThemisManager, ThemisManagerConfig, ThemisOperation};
use forebay_pifo::Tier;

use super::config::HybridCoreConfig;
use super::events::{
    Answer, Cycle, Event, Leaving, Level, REGISTERS, Register, Told, Verdict, read,
};
use super::follow::Follower;
use super::totals::HybridTotals;
use crate::rtl::difference::{Difference, Place};
use crate::rtl::events::Packet;
use crate::rtl::run::Follow;

fn core() -> HybridCoreConfig {
    let small = HybridCoreConfig {
        width: 4,
        slot_bits: 5,
        near: 6,
        high: 4,
        low: 2,
        batch: 2,
        ..HybridCoreConfig::default()
    };
    HybridCoreConfig { groups: 2, regions: 8, ..small }
}

/// Fifteen packets for two ports, the larger ranks first, and one that is too long.
fn packets() -> Vec<Packet> {
    let packet = |index: u32| Packet {
        index,
        earliest: 0,
        bytes: if index == 3 { 1537 } else { 60 + index },
        field: (40 - index) % 16,
        port: (index % 2) as u16,
        class: 0,
        source: 1,
        flow: 0,
    };
    (0..16).map(packet).collect()
}

/// What a right core says: all come, then all leave.
fn right() -> Vec<Event> {
    let (config, packets) = (core(), packets());
    let HybridCoreConfig { levels, width, slot_bits, near, high, low, batch, groups, .. } = config;
    let sizes = ThemisManagerConfig { levels, width, slot_bits, near, high, low, batch, groups };
    let mut manager = ThemisManager::new(&sizes).unwrap();
    let (mut next, mut due, mut events) = (0, std::collections::VecDeque::new(), Vec::new());
    let mut totals = [HybridTotals::default(); 2];
    let mut swaps = [0; 2];
    for cycle in 0..400_u64 {
        if next == 3 {
            events.push(Event::Malformed);
            next += 1;
        }
        let offered = packets.get(next).map(|packet| (u64::from(packet.field), next as u64));
        let (departs, takes_batch) = (cycle > 100 && cycle % 4 == 0, cycle % 9 == 0);
        let (near, far) = manager.answered();
        let shown = manager.cycle_with(offered, departs, takes_batch, true);
        let answer = shown.answer.map(|answer| Answer {
            operation: answer.operation,
            done: answer.element.is_some(),
            is_far: answer.element.is_some_and(|(_, _, tier)| tier == Tier::Hbm),
            rank: answer.element.map_or(77, |(rank, ..)| rank as u32),
        });
        events.push(Event::Cycle(Cycle {
            arrival: offered.map(|(rank, _)| rank as u16),
            departs,
            takes_batch,
            takes_swap_in: true,
            arrived: shown.arrived,
            lost: shown.lost,
            departure_taken: shown.departs,
            answer,
        }));
        if answer.is_some() {
            events.push(Event::Level { level: Level::Near, value: near });
            events.push(Event::Level { level: Level::Far, value: far });
        }
        if shown.arrived {
            due.push_back((cycle + 10, next, shown.lost));
            next += 1;
        }
        let element = shown.answer.and_then(|answer| answer.element);
        if due.front().is_some_and(|(at, ..)| *at == cycle) {
            let (_, at, lost) = due.pop_front().unwrap();
            let verdict = match element {
                _ if lost => Verdict::Staging,
                None => Verdict::Full,
                Some((_, _, Tier::Sram)) => Verdict::Near,
                Some((_, _, Tier::Hbm)) => Verdict::Far,
            };
            let Packet { port, bytes, .. } = packets[at];
            totals[usize::from(port)].came(verdict, bytes);
            events.push(Event::Verdict { verdict, port, bytes });
        }
        let (Some(answer), Some((_, at, tier))) = (shown.answer, element) else { continue };
        let Packet { port, bytes, source, .. } = packets[at as usize];
        let leaving = match (answer.operation, tier) {
            (ThemisOperation::DropLargest, _) => Leaving::Dropped,
            (ThemisOperation::Dequeue, Tier::Sram) => Leaving::SentNear,
            (ThemisOperation::Dequeue, Tier::Hbm) => Leaving::SentFar,
            (ThemisOperation::SwapOut, _) => {
                swaps[0] += 1;
                continue;
            }
            (ThemisOperation::SwapIn, _) => {
                swaps[1] += 1;
                continue;
            }
            (
                ThemisOperation::Enqueue
                | ThemisOperation::EnqueueNear
                | ThemisOperation::EnqueueFar,
                _,
            ) => {
                continue;
            }
        };
        totals[usize::from(port)].left(leaving, bytes);
        events.push(Event::Left { leaving, port, bytes });
        if leaving != Leaving::Dropped {
            events.push(Event::Out { port, source, data: packets[at as usize].data() });
        }
    }
    assert_eq!(manager.answered(), (0, 0));
    assert!(swaps[0] > 0 && swaps[1] > 0, "{swaps:?}");
    for (level, value) in [
        (Level::NearAtRest, 0),
        (Level::FarAtRest, 0),
        (Level::FreeCells, core().cells()),
        (Level::FreeRegions, 8),
        (Level::RowHits, 3),
        (Level::RowMisses, 2),
    ] {
        events.push(Event::Level { level, value });
    }
    for (port, totals) in (0..).zip(&totals) {
        events.extend((0..).zip(totals.counters()).map(|(number, tally)| Event::Counter {
            port,
            number,
            packets: tally.packets as u32,
            bytes: tally.bytes,
        }));
    }
    events.extend(REGISTERS.map(|register| {
        let value = match register {
            Register::Malformed => 1,
            Register::FreeCells => core().cells(),
            Register::FreeRegions => 8,
            Register::SwappedOut => swaps[0],
            Register::SwappedIn => swaps[1],
            Register::Writes => 5,
            Register::Near | Register::Far | Register::Reads | Register::Errors => 0,
        };
        Event::Register { register, value }
    }));
    events.push(Event::End);
    events
}

fn followed(events: Vec<Event>) -> Result<(HybridTotals, HybridTotals), Difference> {
    let (core, packets) = (core(), packets());
    let mut follower = Follower::new(&core, 2, &packets).unwrap();
    for (cycle, event) in (0..).zip(events) {
        follower.step(&Told { cycle, event }).map_err(|difference| *difference)?;
    }
    assert!(follower.ended);
    Ok((follower.core, follower.model()))
}

#[test]
fn a_right_core_is_equal() {
    let (core, library) = followed(right()).unwrap();
    assert_eq!(core, library);
    assert_eq!(core.came.packets, 15);
    let out = core.sent_near.packets + core.sent_far.packets;
    assert_eq!(out + core.dropped.packets + core.staging.packets, 15, "{core:?}");
    assert!(
        core.sent_far.packets > 0 && core.dropped.packets + core.staging.packets > 0,
        "{core:?}"
    );
}

/// The first event that `change` changes; what is said of it.
fn wrong(change: impl Fn(&mut Event) -> bool) -> Difference {
    let mut events = right();
    assert!(events.iter_mut().any(change));
    followed(events).unwrap_err()
}

#[test]
fn the_first_difference_is_named_with_its_place() {
    let at = |place: Place, change: fn(&mut Event) -> bool| {
        let difference = wrong(change);
        assert_eq!(difference.place, place, "{difference}");
    };
    at(Place::Verdict, |event| {
        let Event::Cycle(cycle) = event else { return false };
        if !(cycle.arrived) {
            return false;
        }
        cycle.lost = true;
        true
    });
    at(Place::Event, |event| {
        let Event::Cycle(Cycle { arrival: Some(rank), .. }) = event else { return false };
        *rank += 1;
        true
    });
    at(Place::Order, |event| {
        let Event::Cycle(Cycle { answer: Some(answer), .. }) = event else { return false };
        if !(answer.done) {
            return false;
        }
        answer.is_far = !answer.is_far;
        true
    });
    at(Place::Order, |event| {
        let Event::Cycle(Cycle { answer: Some(answer), .. }) = event else { return false };
        if !(answer.operation == ThemisOperation::SwapIn) {
            return false;
        }
        answer.rank += 1;
        true
    });
    at(Place::Verdict, |event| {
        let Event::Verdict { verdict, .. } = event else { return false };
        *verdict = Verdict::Full;
        true
    });
    at(Place::Departure, |event| {
        let Event::Left { bytes, .. } = event else { return false };
        *bytes += 1;
        true
    });
    at(Place::Bytes, |event| {
        let Event::Out { data, .. } = event else { return false };
        data[5] ^= 1;
        true
    });
    at(Place::Bytes, |event| {
        let Event::Out { source, .. } = event else { return false };
        *source += 1;
        true
    });
    at(Place::Cells, |event| {
        let Event::Level { level: Level::Far, value } = event else { return false };
        *value += 1;
        true
    });
    at(Place::Cells, |event| {
        let Event::Level { level: Level::FreeRegions, value } = event else { return false };
        *value -= 1;
        true
    });
    at(Place::Counter, |event| {
        let Event::Counter { packets, .. } = event else { return false };
        *packets += 1;
        true
    });
    at(Place::Counter, |event| {
        let Event::Register { register: Register::FreeCells, value } = event else { return false };
        *value -= 1;
        true
    });
}

#[test]
fn nothing_may_be_left_out() {
    let without = |which: fn(&Event) -> bool, place: Place| {
        let mut events = right();
        let at = events.iter().rposition(which).unwrap();
        events.remove(at);
        let difference = followed(events).unwrap_err();
        assert_eq!(difference.place, place, "{difference}");
    };
    without(|event| matches!(event, Event::Verdict { .. }), Place::Verdict);
    without(|event| matches!(event, Event::Left { .. }), Place::Bytes);
    without(|event| matches!(event, Event::Out { .. }), Place::Event);
    without(|event| matches!(event, Event::Counter { .. }), Place::Counter);
    without(|event| matches!(event, Event::Register { .. }), Place::Counter);
}

#[test]
fn a_cycle_is_read_of_its_bits() {
    let mut record = 9_u64.to_le_bytes().to_vec();
    // Arrival of rank 300, a departure that is taken, an answer: a swap-in of rank 5.
    record.extend([11, 0b1100_0011, 44, 1]);
    record.extend((7_u32 | 1 << 5 | 5 << 8).to_le_bytes());
    let told = read(&mut record.as_slice()).unwrap().unwrap();
    let operation = ThemisOperation::SwapIn;
    let cycle = Cycle {
        arrival: Some(300),
        departs: true,
        departure_taken: true,
        answer: Some(Answer { operation, done: true, is_far: true, rank: 5 }),
        ..Cycle::default()
    };
    assert_eq!(told, Told { cycle: 9, event: Event::Cycle(cycle) });
    for (kind, small) in [(3, 0), (1, 4), (4, 3), (10, 10), (12, 8)] {
        let mut record = vec![0; 8];
        record.extend([kind, small, 0, 0, 0, 0, 0, 0]);
        assert!(read(&mut record.as_slice()).is_err(), "{kind} {small}");
    }
}

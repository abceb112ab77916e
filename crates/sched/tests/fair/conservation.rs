//! Every scheduler: each packet is exactly one of held, sent, refused or dropped; flows stay in
//! order, but for rank functions that may rank a flow's later packet lower.

use std::collections::BTreeSet;

use forebay_parameters::{Choice, Entry};
use forebay_sched::Packet;
use forebay_sched::rank_functions;
use forebay_sched::scheduler::{PacketScheduler, SchedulerShape, schedulers};
use forebay_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

/// A step: time that passes, whether a packet arrives (flow, size), and how many may leave.
type Step = (u64, Option<(u32, u32)>, u32);

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![Just(1500u32), 0u32..9000, Just(64u32)];
    let flow = prop_oneof![0u32..4, Just(u32::MAX), 0u32..100];
    let arrival = prop::option::weighted(0.7, (flow, size));
    prop::collection::vec((0u64..20_000_000_000, arrival, 0u32..3), 1..300)
}

fn check(choice: &Choice<dyn PacketScheduler>, steps: &[Step]) -> Result<(), TestCaseError> {
    let name = choice.name();
    let mut scheduler = choice.build(&SchedulerShape::of_link(Rate::from_gbps(10))).unwrap();
    let (mut now, mut held, mut bytes) = (Time::ZERO, BTreeSet::new(), 0u64);
    let mut last = std::collections::BTreeMap::new();
    let in_order = rank_functions().get(name).is_none();
    let finish = (0, None, u32::MAX);
    for (tag, (pause, arrival, departures)) in (1..).zip(steps.iter().copied().chain([finish])) {
        now += Duration::from_ps(pause);
        if let Some((flow, size)) = arrival {
            let packet = Packet { flow, size, tag, ..Packet::default() };
            if scheduler.enqueue(now, packet).is_ok() {
                held.insert((flow, tag, size));
                bytes += u64::from(size);
            }
        }
        for _ in 0..departures {
            let left = scheduler.dequeue(now);
            if let Some(packet) = left {
                let Packet { flow, tag, size, .. } = packet;
                prop_assert!(
                    held.remove(&(flow, tag, size)),
                    "{name}: packet {tag} came from nowhere"
                );
                bytes -= u64::from(size);
                prop_assert!(
                    last.insert(flow, tag) < Some(tag) || !in_order,
                    "{name}: flow {flow} out of order"
                );
            }
            while let Some((packet, _)) = scheduler.take_dropped() {
                let Packet { flow, tag, size, .. } = packet;
                prop_assert!(held.remove(&(flow, tag, size)), "{name}: packet {tag} was not held");
                bytes -= u64::from(size);
            }
            if left.is_none() {
                let Some(ready) = scheduler.ready_at(now) else { break };
                prop_assert!(ready > now, "{name} idles");
                if departures < u32::MAX {
                    break;
                }
                now = ready;
            }
        }
        while let Some((packet, _)) = scheduler.take_dropped() {
            let Packet { flow, tag, size, .. } = packet;
            prop_assert!(held.remove(&(flow, tag, size)), "{name}: packet {tag} was not held");
            bytes -= u64::from(size);
        }
        prop_assert_eq!(scheduler.len(), held.len(), "{}", name);
        prop_assert_eq!(scheduler.bytes(), Bytes::new(bytes), "{}", name);
        prop_assert!(scheduler.len() <= 40 && scheduler.bytes() <= Bytes::new(60_000));
        prop_assert_eq!(scheduler.ready_at(now).is_some(), !held.is_empty());
    }
    prop_assert!(held.is_empty(), "{} holds something back", name);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn nothing_is_lost_or_invented(steps in any_steps(), quantum in prop_oneof![Just(1u32), Just(1514)]) {
        let quantum = format!("{quantum} B");
        let given = [
            ("weights", "1:50:1000000"),
            ("default_weight", "2"),
            ("packets", "40"),
            ("bytes", "60 KB"),
            ("flows", "1000"),
            ("hashed_queues", "8"),
            ("quantum", &quantum),
        ];
        for mut choice in schedulers() {
            crate::fair::set_known(&mut choice, &given);
            check(&choice, &steps)?;
        }
    }
}

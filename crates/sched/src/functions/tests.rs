use alloc::string::ToString;

use forebay_parameters::Entry;
use forebay_units::{Duration, Rate, Time};
use proptest::prelude::*;

use super::*;
use crate::{Packet, Rank};

#[test]
fn every_registered_name_builds_and_orders() {
    let small = Packet { flow_size: 10, class: 0, size: 10, ..Packet::default() };
    let large = Packet { flow_size: 20, class: 1, size: 10, flow: 1, ..Packet::default() };
    for choice in &rank_functions() {
        let mut function = rank_function(choice.name()).unwrap();
        assert!(function.rank(Time::ZERO, &small) <= function.rank(Time::ZERO, &large));
    }
    let error = rank_function("ssf").err().unwrap().to_string();
    assert!(error.starts_with("there is no rank function `ssf`; "), "{error}");
}

#[test]
fn bad_parameters_are_named() {
    let config = RankConfig { rate: Rate::from_bps(0), ..RankConfig::default() };
    let error = configured_rank_function("wfq", &config).err().unwrap().to_string();
    assert_eq!(error, "rate: it is 0 or empty; give at least one");
    let config = RankConfig { budgets: alloc::vec![], ..RankConfig::default() };
    assert!(configured_rank_function("edf", &config).is_err());
    assert!(matches!(
        configured_rank_function("x", &config).err().unwrap(),
        RankFunctionError::Unknown(_)
    ));
}

#[test]
fn no_packet_makes_a_function_panic() {
    let extreme = Packet {
        size: u32::MAX,
        flow: u32::MAX,
        input: u16::MAX,
        class: u8::MAX,
        flow_size: u64::MAX,
        tag: u32::MAX,
        ..Packet::default()
    };
    for choice in &rank_functions() {
        let mut function = rank_function(choice.name()).unwrap();
        for packet in [extreme, Packet::default(), extreme, extreme] {
            for now in [Time::ZERO, Time::MAX, Time::from_ps(1)] {
                let rank = function.rank(now, &packet);
                function.departed(now, &packet, rank);
                function.dropped(&packet, Rank::new(u64::MAX));
                let rank = function.rank(now, &packet);
                function.refused(&packet, rank);
                let _ = function.may_leave_at(rank);
            }
        }
    }
}

proptest! {
    /// A packet that was refused might as well never have come: every other rank is the same.
    #[test]
    fn a_refused_packet_leaves_no_trace(
        steps in prop::collection::vec((0u32..4, 1u32..2000, 0u32..3, 0u64..900), 1..150),
        which in 0..rank_functions().iter().len(),
    ) {
        let all = rank_functions();
        let name = all.names().nth(which).unwrap();
        let config = RankConfig {
            rate: Rate::from_gbps(8),
            flows: 3,
            weights: crate::scheduler::Weights::new(1, alloc::vec![3, 1, 7]).unwrap(),
            ..RankConfig::default()
        };
        let build = || configured_rank_function(name, &config).unwrap();
        let (mut asked, mut spared) = (build(), build());
        let (mut now, mut waiting) = (Time::ZERO, alloc::collections::VecDeque::new());
        for (flow, size, what, pause) in steps {
            now += Duration::from_ns(pause);
            let packet = Packet { flow, size, flow_size: 5000, ..Packet::default() };
            match what {
                0 => {
                    let rank = asked.rank(now, &packet);
                    asked.refused(&packet, rank);
                }
                1 => {
                    let ranks = [asked.rank(now, &packet), spared.rank(now, &packet)];
                    prop_assert_eq!(ranks[0], ranks[1], "{}", name);
                    waiting.push_back((packet, ranks[0]));
                }
                _ => if let Some((packet, rank)) = waiting.pop_front() {
                    asked.departed(now, &packet, rank);
                    spared.departed(now, &packet, rank);
                },
            }
        }
    }
}

#[test]
fn a_flow_that_was_idle_gains_no_credit() {
    for name in ["wfq", "scfq", "stfq"] {
        let mut function = rank_function(name).unwrap();
        let busy = Packet { size: 1000, flow: 0, ..Packet::default() };
        let mut now = Time::ZERO;
        let mut waiting = alloc::collections::VecDeque::new();
        let mut sent = Rank::default();
        // Flow 0 keeps two packets waiting for long; the port sends one in its time at 100 Gb/s.
        for _ in 0..100 {
            waiting.push_back(function.rank(now, &busy));
            if waiting.len() > 2 {
                sent = waiting.pop_front().unwrap();
                function.departed(now, &busy, sent);
                now += Rate::from_gbps(100).time_for(forebay_units::Bytes::new(1000));
            }
        }
        let newcomer = function.rank(now, &Packet { flow: 1, ..busy });
        assert!(newcomer >= sent, "{name}: {newcomer:?} before {sent:?}, which is sent already");
        let last = function.rank(now, &busy);
        assert!(newcomer < last, "{name}: the newcomer waits behind all that flow 0 has sent");
    }
}

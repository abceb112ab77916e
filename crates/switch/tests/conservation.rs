//! Random traffic through small buffers under every policy; after every operation everything that
//! arrived is accounted for, flows stay in order, and Themis keeps to its rules.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use std::collections::{HashMap, HashSet};

use forebay_buffer::{DropCause, PacketState, SlotOrder, policies};
use forebay_mem::ControllerConfig;
use forebay_parameters::{ParameterError, set};
use forebay_pifo::{TieredBuckets, TieredExact, TieredQueue};
use forebay_sched::{Packet, Quantizer, ShortestFlowFirst};
use forebay_switch::manager::{
    HbmOrder, ManagerConfig, QueueBy, StagingWrites, TrafficManager, Verdict,
};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

const POLICIES: [&str; 4] = ["greedy-hybrid", "dt-hybrid", "occamy-hybrid", "themis"];

#[derive(Clone, Debug)]
struct Case {
    policy: &'static str,
    /// Of Themis: what gives way when staging is full, whether equal ranks go to SRAM, and whether
    /// urgent batches come in above the watermark.
    strict: bool,
    equal_to_sram: bool,
    urgent: bool,
    buckets: bool,
    config: ManagerConfig,
    /// (gap in ps, flow, size, whether the port's link is busy and nothing departs)
    steps: Vec<(u64, u32, u32, bool)>,
}

fn config() -> impl Strategy<Value = ManagerConfig> {
    let sizes = (20_000u64..80_000, 1500u64..9000, 1u32..200, 1usize..6, 1u32..4);
    let choices = (any::<[bool; 4]>(), 1u32..600, 0usize..3, 0usize..3);
    (sizes, choices).prop_map(
        |(
            (sram, staging, descriptors, read_window, moves),
            ([reads, fwd, seq, whole], rows, ahead, writes),
        )| {
            let mut config = ManagerConfig {
                sram: Bytes::new(sram + staging),
                staging: Bytes::new(staging),
                descriptors,
                read_window,
                move_bytes: Bytes::new(u64::from(moves) * 1000),
                queues: 7,
                queue_by: QueueBy::Flow,
                hbm_order: if reads { HbmOrder::ReadsFirst } else { HbmOrder::Fcfs },
                write_forwarding: fwd,
                fetch_batches: whole,
                staging_writes: [
                    StagingWrites::Merged,
                    StagingWrites::Closed,
                    StagingWrites::Whole,
                ][writes],
                fetch_reserve: f64::from(rows % 4) / 4.0,
                slot_order: if seq { SlotOrder::Sequential } else { SlotOrder::Scattered },
                controller: ControllerConfig {
                    queue_depth: ahead + 1,
                    ..ControllerConfig::in_order(ahead)
                },
                ..ManagerConfig::default()
            };
            // A few HBM rows, so that it fills up in some cases.
            config.hbm.geometry.rows = rows.div_ceil(100);
            config
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let step = (0u64..60_000, 0u32..12, 40u32..1500, prop::bool::weighted(0.6));
    let kind = (0usize..4, any::<[bool; 4]>());
    (kind, config(), prop::collection::vec(step, 1..400)).prop_map(
        |((policy, [strict, equal_to_sram, urgent, buckets]), config, steps)| Case {
            policy: POLICIES[policy],
            strict,
            equal_to_sram,
            urgent,
            buckets,
            config,
            steps,
        },
    )
}

/// A flow's size, fixed by its number, so that ranks repeat and differ.
fn flow_size(flow: u32) -> u64 {
    [3_000, 3_000, 700, 90_000, 1_000_000, 12_345, 50, 90_001, 4_096, 4_097, 20, 8_000_000]
        [flow as usize % 12]
}

struct Checked<Q> {
    tm: TrafficManager<Q>,
    themis: bool,
    strict: bool,
    equal_to_sram: bool,
    /// Last tag that left, by flow.
    left: HashMap<u32, u32>,
    /// Tags that were accepted and have neither left nor been reported lost.
    held: HashSet<u32>,
}

impl<Q: TieredQueue> Checked<Q> {
    fn audit(&mut self) {
        if let Err(error) = self.tm.audit() {
            panic!("{error}");
        }
        for loss in self.tm.losses() {
            assert!(self.held.remove(&loss.packet.tag), "lost twice or never accepted");
        }
        assert_eq!(
            self.held,
            self.waiting(),
            "held is what was accepted, less what left or was lost"
        );
    }

    /// The smallest rank off chip, by a scan.
    fn smallest_hbm(&self) -> Option<u64> {
        let off_chip = |place| !matches!(place, PacketState::Sram | PacketState::MovingIn);
        let buffer = self.tm.buffer();
        buffer
            .live_descriptors()
            .filter(|(_, d)| off_chip(d.state) && !d.committed && !d.departed)
            .map(|(_, d)| d.rank.get())
            .min()
    }

    fn largest_sram(&self) -> Option<u64> {
        let buffer = self.tm.buffer();
        buffer
            .live_descriptors()
            .filter(|(_, d)| d.state == PacketState::Sram && !d.committed)
            .map(|(_, d)| d.rank.get())
            .max()
    }

    /// Tags and ranks of the packets that rest in SRAM or are on their way in.
    fn in_sram(&self) -> HashMap<u32, u64> {
        let buffer = self.tm.buffer();
        let in_sram = |place| matches!(place, PacketState::Sram | PacketState::MovingIn);
        buffer
            .live_descriptors()
            .filter(|(_, d)| in_sram(d.state) && !d.committed && !d.departed)
            .map(|(_, d)| (d.packet.tag, d.rank.get()))
            .collect()
    }

    /// Tags of all packets that still wait.
    fn waiting(&self) -> HashSet<u32> {
        let buffer = self.tm.buffer();
        buffer.live_descriptors().filter(|(_, d)| !d.departed).map(|(_, d)| d.packet.tag).collect()
    }

    fn enqueue(&mut self, now: Time, packet: Packet, rank: u64) {
        let smallest_hbm = self.smallest_hbm();
        let in_sram = self.in_sram();
        let lost = *self.tm.counters();
        let verdict = self.tm.enqueue(now, 0, packet);
        if !matches!(verdict, Verdict::Dropped(_)) {
            self.held.insert(packet.tag);
        }
        self.audit();
        let waiting = self.waiting();
        for (tag, victim) in in_sram {
            assert!(waiting.contains(&tag) || victim > rank, "a smaller rank gave way");
        }
        if !self.themis {
            return;
        }
        let to_hbm = smallest_hbm
            .is_some_and(|smallest| rank > smallest || rank == smallest && !self.equal_to_sram);
        let lost_now = *self.tm.counters() - lost;
        match verdict {
            // §4.1: to SRAM exactly if the rank is below the smallest off chip, or equal to it
            // where so told ...
            Verdict::Sram if lost_now.dropped.of(DropCause::StagingFull).packets == 0 => {
                assert!(!to_hbm);
            }
            Verdict::Hbm => assert!(to_hbm),
            // §4.3: ... and nothing is dropped while a larger rank stays in SRAM.
            Verdict::Dropped(DropCause::SramFull) => {
                assert!(self.largest_sram().is_none_or(|largest| largest <= rank));
            }
            Verdict::Dropped(DropCause::StagingFull) if self.strict => {
                assert!(self.largest_sram().is_none_or(|largest| largest <= rank));
            }
            _ => {}
        }
    }

    fn dequeue(&mut self, now: Time) {
        if let Some(departure) = self.tm.dequeue(now, 0) {
            let packet = departure.packet;
            assert!(self.held.remove(&packet.tag), "left twice");
            if let Some(before) = self.left.insert(packet.flow, packet.tag) {
                assert!(before < packet.tag, "flow {} is reordered", packet.flow);
            }
        }
        self.audit();
    }
}

fn run<Q: TieredQueue>(
    case: &Case,
    quantizer: Quantizer,
    queue: impl FnMut(u16) -> Result<Q, ParameterError>,
) {
    let config = ManagerConfig { quantizer, ..case.config.clone() };
    let mut policy = policies().named(case.policy).unwrap().clone();
    if case.policy == "themis" {
        let equal = if case.equal_to_sram { "sram" } else { "hbm" };
        let given = [
            ("strict_drop_order", case.strict.to_string()),
            ("equal_ranks", equal.to_owned()),
            ("swap_in_urgent", case.urgent.to_string()),
        ];
        set(&mut policy, &given).unwrap();
    }
    let mut checked = Checked {
        tm: TrafficManager::new(&config, &policy, Box::new(ShortestFlowFirst), queue).unwrap(),
        themis: case.policy == "themis",
        strict: case.strict,
        equal_to_sram: case.equal_to_sram,
        left: HashMap::new(),
        held: HashSet::new(),
    };
    let mut now = Time::ZERO;
    for (tag, (gap, flow, size, link_busy)) in (0u32..).zip(case.steps.iter().copied()) {
        now += Duration::from_ps(gap);
        while let Some(at) = checked.tm.next_event().filter(|at| *at <= now) {
            checked.tm.advance(at);
            checked.audit();
        }
        let packet = Packet { flow, size, flow_size: flow_size(flow), tag, ..Packet::default() };
        let rank = quantizer.bucket(forebay_sched::Rank::new(flow_size(flow)));
        checked.enqueue(now, packet, rank);
        if !link_busy {
            checked.dequeue(now);
        }
    }
    drain(&mut checked, now);
}

/// Everything still queued leaves, without new arrivals, in a bounded number of events.
fn drain<Q: TieredQueue>(checked: &mut Checked<Q>, mut now: Time) {
    for _ in 0..100_000 {
        checked.dequeue(now);
        match checked.tm.next_event() {
            Some(at) => {
                now = now.max(at);
                checked.tm.advance(now);
            }
            None if checked.tm.backlog(0) == 0 => break,
            None => {}
        }
    }
    assert_eq!(checked.tm.backlog(0), 0, "packets are stuck");
    let counters = checked.tm.counters();
    assert_eq!(
        counters.departed().packets + counters.dropped.total().packets,
        counters.arrived.packets
    );
    assert_eq!(counters.departed().bytes + counters.dropped.total().bytes, counters.arrived.bytes);
    assert_eq!(checked.tm.buffer().live(), 0, "a descriptor is lost");
    assert_eq!(checked.tm.buffer().sram_used(), 0);
    assert_eq!(checked.tm.buffer().hbm().bytes(), 0);
    assert_eq!(checked.tm.buffer().staging().used(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn everything_is_accounted_for_after_every_operation(case in case()) {
        if case.buckets {
            run(&case, Quantizer::log_linear(6), |_| Ok(TieredBuckets::new(1 << 12).unwrap()));
        } else {
            run(&case, Quantizer::Identity, |_| Ok(TieredExact::new()));
        }
    }
}

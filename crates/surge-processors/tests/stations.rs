//! Both processors behind the scheduler: every byte is accounted for, and the attacks are what they
//! claim to be. The clock is made up, so that results do not hang on the machine.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use forebay_surge::ProtectConfig;
use forebay_surge::model::{ClassBytes, SurgeOutcome};
use forebay_surge_processors::driver::{
    Clock, Flood, ItemArrival, MatchingStation, Paced, ReassemblyCosts, ReassemblyStation,
    Repeated, RuleRatios, Span, Suspect, merged, run, suspects,
};
use forebay_surge_processors::rules::{MatchConfig, Matcher, backtracking_payload};
use forebay_surge_processors::tcp::{ListStore, Reassembler, ReassemblyConfig, TreeStore};
use forebay_surge_processors::{EXAMPLE_RULES, Packet, read_packets};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::CaptureLimits;

fn shipped() -> Vec<Packet> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/made-web.pcap");
    let open = std::fs::File::open(file).unwrap();
    read_packets(open, "made-web.pcap", CaptureLimits::default()).unwrap().packets
}

/// A clock that goes on by a microsecond whenever it is read.
fn ticking() -> Clock {
    let ticks = Cell::new(0);
    Clock::new(move || {
        ticks.set(ticks.get() + 1_000_000);
        Time::from_ps(ticks.get())
    })
}

fn conserved(share: ClassBytes) {
    let before = share.arrived + share.waiting_before;
    assert_eq!(before, share.completed + share.dropped + share.waiting_after);
}

fn check(outcome: SurgeOutcome) {
    conserved(outcome.innocent);
    conserved(outcome.attack);
    assert!(outcome.innocent.completed > Bytes::ZERO && outcome.attack.arrived > Bytes::ZERO);
}

const SPAN: Span = Span { warmup: Duration::from_us(100), measured: Duration::from_us(300) };

#[test]
fn reassembly_behind_every_policy_conserves_bytes() {
    let (packets, clock) = (shipped(), ticking());
    let config = ReassemblyConfig { window: 200, ..ReassemblyConfig::paper() };
    let costs = ReassemblyCosts::measure::<ListStore>(&packets, config, &clock).unwrap();
    for name in forebay_surge::policies::policies().names() {
        let protect = ProtectConfig::under(name).unwrap();
        let mut station =
            ReassemblyStation::build::<TreeStore>(&protect, config, &costs, &clock).unwrap();
        let innocent = Repeated::new(&packets);
        let mean = innocent.mean_size();
        let innocent = innocent.map(|(_, packet)| (packet.size, packet));
        let innocent = Paced::innocent(innocent, Rate::from_gbps(800), mean);
        let flood = Flood::new(50, 3).map(|packet| (packet.size, packet));
        let flood = Paced::attack(flood, Rate::from_gbps(100));
        check(run(station.as_mut(), merged(innocent, flood), SPAN));
    }
}

#[test]
fn a_flood_walks_the_list_and_not_the_tree() {
    let visits = |flood: Flood, list: bool| {
        let mut on_list: Reassembler<ListStore> =
            Reassembler::new(ReassemblyConfig::paper()).unwrap();
        let mut on_tree: Reassembler<TreeStore> =
            Reassembler::new(ReassemblyConfig::paper()).unwrap();
        let work = flood.take(10_000).map(|packet| {
            let segment = packet.segment().unwrap();
            let work = if list {
                on_list.process(&segment, |_, _| {})
            } else {
                on_tree.process(&segment, |_, _| {})
            };
            f64::from(work.visited)
        });
        work.sum::<f64>() / 10_000.0
    };
    // N segments in a flow, of which the first is in order: (N - 2)(N - 1) / 2N traversals on
    // average.
    assert!((visits(Flood::new(100, 1), true) - 98.0 * 99.0 / 200.0).abs() < 1e-9);
    assert!((visits(Flood::new(100, 50), true) - 98.0 * 99.0 / 200.0).abs() < 1e-9);
    assert!(visits(Flood::new(100, 1), false) < 8.0);
}

#[test]
fn matching_behind_the_scheduler_conserves_bytes_and_learns() {
    let (packets, clock) = (shipped(), ticking());
    let matcher = Rc::new(Matcher::new(EXAMPLE_RULES, MatchConfig::default()));
    let list = suspects(&matcher, &packets);
    assert!(!list.is_empty() && list.len() < packets.len());
    let shot = Suspect::of(&matcher, &packets[3]).unwrap();
    let ratios = RuleRatios::new(matcher.rules().len(), 1e-9, 1000);
    let mut station =
        MatchingStation::build(&ProtectConfig::default(), Rc::clone(&matcher), ratios, &clock)
            .unwrap();
    let innocent = list.iter().cycle().map(|one| (one.packet.size, one.clone()));
    let innocent = Paced::innocent(innocent, Rate::from_gbps(5), Bytes::new(800));
    let attack = std::iter::repeat_with(|| (shot.packet.size, shot.clone()));
    let attack = Paced::attack(attack, Rate::from_gbps(1));
    let arrivals: Box<dyn Iterator<Item = ItemArrival<Suspect>>> =
        Box::new(merged(innocent, attack));
    check(run(station.as_mut(), arrivals, SPAN));
    assert!(station.statistics().calibration.jobs > 10);
}

/// With time as a count of nothing but the limit reached, the crafted payload is one that reaches
/// it.
#[test]
fn a_payload_is_found_that_backtracks_to_the_limit() {
    let packets = shipped();
    let like = packets.iter().find(|packet| packet.segment().is_some()).unwrap();
    let matcher =
        Matcher::new(EXAMPLE_RULES, MatchConfig { backtracks: 10_000, ..MatchConfig::default() });
    let start = std::time::Instant::now();
    let clock = || Time::from_ps(start.elapsed().as_nanos() as u64 * 1000);
    let (payload, _) = backtracking_payload(&matcher, like, 100, clock).unwrap();
    let candidates = matcher.candidates(&payload).rules;
    let verdict = matcher.full_match(&payload, &candidates, || Time::ZERO);
    assert!(verdict.limited > 0 && payload.size <= Bytes::new(154));
}

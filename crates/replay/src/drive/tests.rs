use std::collections::HashMap;
use std::io::{Cursor, Write};

use forebay_sched::tree::TreeConfig;
use forebay_switch::{Catalogue, SwitchConfig, SwitchShape};
use forebay_units::Rate;
use forebay_workload::{CaptureLimits, Recording};
use proptest::prelude::*;

use super::*;
use crate::departures::DepartureCapture;
use crate::fields::class_rule;
use crate::plan::{Pace, PlanConfig};
use crate::ranking::Ranking;
use crate::summary::{ReplayReport, Summary};
use crate::table::PacketTable;
use crate::testing::{Made, capture, recording};

/// Every fate, by the packet's place.
#[derive(Default)]
struct Fates(Vec<(u32, Fate)>);

impl Witness for Fates {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        self.0.push((packet.index, *fate));
    }
}

fn run(plan: &ReplayPlan<'_>, switch: &str, buffer: u64) -> (Vec<(u32, Fate)>, ReplayReport) {
    let config = SwitchConfig::named(switch).unwrap().with_buffer(Bytes::new(buffer));
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    let mut switch = plan.switch(config).unwrap().build(&shape).unwrap();
    let (mut fates, mut tally) = (Fates::default(), Summary::new(plan));
    let mut both: Vec<Box<dyn Witness + '_>> = vec![Box::new(&mut fates), Box::new(&mut tally)];
    let end = replay(plan, &mut switch, &mut both, &AtomicBool::new(false));
    assert_eq!(end.how, Ended::Finished);
    assert_eq!(switch.backlog(), Bytes::ZERO);
    drop(both);
    (fates.0, tally.report(end))
}

/// A first-in first-out queue with a limit, the naive way: departures by port, in order.
fn naive(plan: &ReplayPlan<'_>, limit: u64) -> HashMap<u32, Option<Time>> {
    let mut fates = HashMap::new();
    let mut queues: Vec<Vec<(Time, Time, u64)>> = vec![Vec::new(); plan.ports().len()];
    for index in 0..plan.packets() {
        let offered = plan.offered(index).unwrap();
        let port = usize::from(offered.port.unwrap());
        let bytes = u64::from(offered.recorded.bytes);
        // What has begun to leave does not wait; at one instant, ports are free before packets
        // arrive, but send after.
        let waiting: u64 = queues[port]
            .iter()
            .filter(|(came, begin, _)| {
                *begin > offered.at || (*begin == offered.at && *came == offered.at)
            })
            .map(|(_, _, bytes)| bytes)
            .sum();
        let free = queues[port].last().map_or(Time::ZERO, |(_, begin, bytes)| {
            *begin + plan.ports()[port].time_for(Bytes::new(*bytes))
        });
        // One that begins at this instant because its predecessor ends now is asked for after the
        // arrivals.
        let begins_now: u64 = queues[port]
            .iter()
            .filter(|(came, begin, _)| *begin == offered.at && *came < offered.at)
            .map(|(_, _, bytes)| bytes)
            .sum();
        if waiting + begins_now + bytes > limit {
            fates.insert(index, None);
            continue;
        }
        let begin = free.max(offered.at);
        queues[port].push((offered.at, begin, bytes));
        fates.insert(index, Some(begin + plan.ports()[port].time_for(Bytes::new(bytes))));
    }
    fates
}

fn packets() -> impl Strategy<Value = Vec<Made>> {
    let one = (0u32..200, 0u8..5, 1u8..4, 60u32..1500, 0u8..64).prop_map(
        |(time_us, destination, source, bytes, dscp)| Made {
            time_us,
            destination,
            source,
            bytes,
            dscp,
            ..Made::default()
        },
    );
    prop::collection::vec(one, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn drop_tail_is_what_a_naive_queue_is(packets in packets(), limit in 1500u64..6000) {
        let recording = recording(&capture(&packets));
        let plan = ReplayPlan::new(&recording, PlanConfig::new(vec![Rate::from_bps(300_000_007); 3])).unwrap();
        let (fates, report) = run(&plan, "drop-tail", limit);
        let expected = naive(&plan, limit);
        prop_assert_eq!(fates.len(), packets.len());
        for (index, fate) in fates {
            let end = match fate {
                Fate::Sent { end, .. } => Some(end),
                Fate::Lost { cause, .. } => {
                    prop_assert_eq!(cause, DropCause::QueueFull);
                    None
                }
            };
            prop_assert_eq!(end, expected[&index], "packet {}", index);
        }
        prop_assert_eq!(report.sent.packets + report.lost.packets, packets.len() as u64);
    }

    #[test]
    fn every_packet_has_one_fate_in_any_switch(
        packets in packets(),
        switch in prop::sample::select(vec!["pifo", "drr", "fq-codel", "occamy", "pushout", "themis", "dt-hybrid"]),
        load in 0.5f64..4.0,
    ) {
        let recording = recording(&capture(&packets));
        let ports = vec![Rate::from_gbps(1), Rate::from_gbps(2)];
        let pace = if recording.span_ns() == 0 { Pace::Speed(2.0) } else { Pace::Load(load) };
        let plan = ReplayPlan::new(&recording, PlanConfig { pace, ..PlanConfig::new(ports) }).unwrap();
        let buffer = if switch.contains("hybrid") || switch == "themis" { 200_000 } else { 20_000 };
        let (fates, report) = run(&plan, switch, buffer);
        let mut seen: Vec<u32> = fates.iter().map(|(index, _)| *index).collect();
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..packets.len() as u32));
        // A port sends one packet at a time, each after its arrival.
        let mut free = [Time::ZERO; 2];
        for (index, fate) in fates {
            let offered = plan.offered(index).unwrap();
            if let Fate::Sent { begin, end, .. } = fate {
                let free = &mut free[usize::from(offered.port.unwrap())];
                prop_assert!(begin >= offered.at && begin >= *free && end > begin);
                *free = end;
            }
        }
        prop_assert!(report.ports.iter().all(|port| port.utilization <= 1.0));
    }
}

#[test]
fn ranks_by_a_header_field_decide_the_order() {
    let packet = |dscp| Made { dscp, bytes: 1000, ..Made::default() };
    let recording = recording(&capture(&[packet(0), packet(10), packet(46), packet(10)]));
    let config = PlanConfig {
        rank: Some(Ranking::read("63 - dscp", &Catalogue::default()).unwrap()),
        ..PlanConfig::new(vec![Rate::from_gbps(1)])
    };
    let plan = ReplayPlan::new(&recording, config).unwrap();
    for switch in ["pifo", "themis"] {
        let (fates, _) = run(&plan, switch, 1_000_000);
        let order: Vec<u32> = fates.iter().map(|(index, _)| *index).collect();
        assert_eq!(order, [2, 1, 3, 0], "{switch}");
    }
}

/// The rank of a text is the same, whether it is asked with the headers at hand or inside of the
/// switch.
#[test]
fn a_rule_ranks_as_it_does_in_any_switch() {
    let packet = |n: u32| Made {
        time_us: n / 3,
        destination: (n % 5) as u8,
        source: 1 + (n % 3) as u8,
        bytes: 64 + n * 97 % 1400,
        ..Made::default()
    };
    let recording = recording(&capture(&(0..200).map(packet).collect::<Vec<_>>()));
    let text = "(flow % 2 == 0 ? now / 1000 : flow_size) + size % 7 + input * 50 + class";
    let inside = Catalogue::default().rank(text).unwrap();
    let fates = |rank| {
        let ports = vec![Rate::from_bps(300_000_007); 3];
        let class = Some(class_rule("size % 4").unwrap());
        let config = PlanConfig { rank: Some(rank), class, ..PlanConfig::new(ports) };
        let plan = ReplayPlan::new(&recording, config).unwrap();
        ["pifo", "themis", "occamy-rank"].map(|switch| run(&plan, switch, 200_000).0)
    };
    let headers = Ranking::read(text, &Catalogue::default()).unwrap();
    assert_eq!(fates(headers), fates(Ranking::Function(inside)));
}

#[test]
fn what_no_route_takes_is_lost_and_the_rest_is_not() {
    let packet = |destination| Made { destination, ..Made::default() };
    let recording = recording(&capture(&[packet(1), packet(2), packet(1)]));
    let routes = vec!["10.1.0.1=1".parse().unwrap()];
    let config = PlanConfig { routes, ..PlanConfig::new(vec![Rate::from_gbps(1); 2]) };
    let (fates, report) = run(&ReplayPlan::new(&recording, config).unwrap(), "drop-tail", 10_000);
    assert!(matches!(fates[0], (1, Fate::Lost { cause: DropCause::NoRoute, .. })));
    assert_eq!((report.causes[0].cause, report.causes[0].count.packets), ("no-route", 1));
    assert_eq!((report.ports[0].sent.packets, report.ports[1].sent.packets), (0, 2));
}

/// Nothing was queued, so nothing can have been full.
#[test]
fn what_no_rule_of_a_tree_takes_is_lost_as_unmatched() {
    let capture = "/../../experiments/themis/captures/mixed-programs.pcap";
    let capture = format!("{}{capture}", env!("CARGO_MANIFEST_DIR"));
    let recording = Recording::open(capture.as_ref(), CaptureLimits::default()).unwrap();
    let plan = ReplayPlan::new(&recording, PlanConfig::new(vec![Rate::from_gbps(1); 4])).unwrap();
    let mut config = SwitchConfig::named("tree").unwrap();
    let SwitchConfig::Scheduled(scheduled) = &mut config else { panic!("a tree is scheduled") };
    let node = "[[node]]\nname";
    let leaf = |class| {
        format!("{node} = \"{class}\"\nparent = \"root\"\nmatch = [{{ class = {class} }}]\n")
    };
    let tree = format!("rate = \"1 Gb/s\"\n{node} = \"root\"\n{}{}", leaf(8), leaf(9));
    scheduled.scheduler = forebay_sched::scheduler::tree(TreeConfig::from_toml(&tree).unwrap());
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    let mut switch = config.build(&shape).unwrap();
    let mut summary = Summary::new(&plan);
    let end = replay(&plan, &mut switch, &mut summary, &AtomicBool::new(false));
    let report = summary.report(end);
    assert_eq!(report.sent.packets, 0);
    let causes: Vec<_> =
        report.causes.iter().map(|lost| (lost.cause, lost.count.packets)).collect();
    assert_eq!(causes, [("unmatched", 5728)]);
}

#[test]
fn what_went_to_the_hbm_comes_back_without_another_arrival() {
    // 1.2 Tb/s for 20 us into a link that is faster than a read of the HBM takes: the port stalls.
    let packet = |time_us| Made { time_us, bytes: 1500, ..Made::default() };
    let recording = recording(&capture(&(0..2000).map(packet).collect::<Vec<_>>()));
    let pace = Pace::Speed(100.0);
    let ports = vec![Rate::from_gbps(400)];
    let plan = ReplayPlan::new(&recording, PlanConfig { pace, ..PlanConfig::new(ports) }).unwrap();
    let (fates, report) = run(&plan, "greedy-hybrid", 200_000);
    assert_eq!(fates.len(), 2000);
    // Several times what the SRAM holds was sent, and nothing is left (`run` asserts it).
    assert!(report.sent.bytes > 1_000_000, "{report:?}");
}

#[test]
fn a_raised_flag_stops_and_what_was_seen_is_kept() {
    let recording = recording(&capture(&[Made::default()]));
    let plan = ReplayPlan::new(&recording, PlanConfig::new(vec![Rate::from_gbps(1)])).unwrap();
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    let mut switch = SwitchConfig::named("drop-tail").unwrap().build(&shape).unwrap();
    let mut tally = Summary::new(&plan);
    let end = replay(&plan, &mut switch, &mut tally, &AtomicBool::new(true));
    assert!(!tally.report(end).finished);
}

#[test]
fn what_left_is_a_capture_with_the_same_bytes() {
    let packet =
        |time_us, destination, bytes| Made { time_us, destination, bytes, ..Made::default() };
    let file = capture(&[packet(5, 1, 201), packet(5, 1, 202), packet(6, 2, 1203)]);
    let recorded = recording(&file);
    let plan = ReplayPlan::new(&recorded, PlanConfig::new(vec![Rate::from_gbps(1); 2])).unwrap();
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    let mut switch = SwitchConfig::named("drop-tail").unwrap().build(&shape).unwrap();
    let (mut left, mut lines) = (Vec::new(), Vec::new());
    let mut departures =
        DepartureCapture::new(Cursor::new(&file), "in".into(), &mut left, "out".into(), &plan);
    let mut table = PacketTable::new(&mut lines, "table".into());
    let mut both: Vec<Box<dyn Witness + '_>> =
        vec![Box::new(&mut departures), Box::new(&mut table)];
    replay(&plan, &mut switch, &mut both, &AtomicBool::new(false));
    drop(both);
    departures.finish().unwrap();
    table.finish().unwrap();
    drop((departures, table));
    let again = Recording::read(&left[..], "out", CaptureLimits::default()).unwrap();
    assert_eq!(again.warnings(), []);
    // 201 bytes at 1 Gb/s take 1608 ns. The third begins before the second, at another port, and
    // ends after it.
    let seen: Vec<_> = again.packets().iter().map(|p| (p.at_ns, p.bytes)).collect();
    assert_eq!(seen, [(6608, 201), (8224, 202), (15_624, 1203)]);
    for packet in again.packets() {
        let original = recorded.packets().iter().find(|p| p.bytes == packet.bytes).unwrap();
        let bytes =
            |file: &[u8], offset: u64| file[offset as usize..][..packet.kept as usize].to_vec();
        assert_eq!(bytes(&left, packet.offset), bytes(&file, original.offset));
    }
    let lines = String::from_utf8(lines).unwrap();
    assert!(lines.contains("\n1,0,0,201,,0,0.000,sent,0.000,1608.000,0\n"), "{lines}");
}

/// A disk that is full after so many bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::Error::other("no space"));
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_ends_the_file_and_not_the_replay() {
    let packets: Vec<_> = (0..9).map(|time_us| Made { time_us, ..Made::default() }).collect();
    let file = capture(&packets);
    let recorded = recording(&file);
    let plan = ReplayPlan::new(&recorded, PlanConfig::new(vec![Rate::from_gbps(1); 2])).unwrap();
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    for room in [0, 30, 400] {
        let mut switch = SwitchConfig::named("drop-tail").unwrap().build(&shape).unwrap();
        let (mut tally, mut table) =
            (Summary::new(&plan), PacketTable::new(Full(room), "table".into()));
        let mut left = DepartureCapture::new(
            Cursor::new(&file),
            "in".into(),
            Full(room),
            "left".into(),
            &plan,
        );
        let mut all: Vec<&mut dyn Witness> = vec![&mut tally, &mut table, &mut left];
        let end = replay(&plan, &mut switch, &mut all, &AtomicBool::new(false));
        assert_eq!(tally.report(end).sent.packets, 9);
        for (name, finished) in [("table", table.finish()), ("left", left.finish())] {
            let error = finished.unwrap_err();
            assert_eq!(error.to_string(), format!("cannot write {name}: no space"));
        }
    }
}

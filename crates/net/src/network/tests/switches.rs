//! Small networks of every switch that has a name.

use super::*;
use crate::network::Nic;
use forebay_parameters::{Entry, set};
use forebay_sched::ShortestFlowFirst;
use forebay_switch::{AnySwitch, Catalogue, OnChipConfig, SwitchConfig};

use crate::measure::FlowRecord;

fn transport(control: &str) -> Transport {
    let (initial, min) = (Duration::from_ms(1), Duration::from_us(240));
    let rto = RtoConfig { initial, min, ..RtoConfig::default() };
    let sender = SenderConfig { rto, ..SenderConfig::default() };
    Transport::window(sender, congestion_controls().named(control).unwrap()).unwrap()
}

fn network(graph: &Graph, control: &str, config: &SwitchConfig) -> Network<AnySwitch> {
    Network::of(config, graph, NetworkConfig::new(transport(control))).unwrap()
}

/// Twelve hosts that all send to each other, some of them to one host at once.
fn flows() -> Vec<Flow> {
    let all = (0..12u32).flat_map(|src| (0..12u32).map(move |dst| (src, dst)));
    let all = all.filter(|(src, dst)| src != dst);
    let flow = |(src, dst): (u32, u32)| {
        let bytes = 1 + u64::from(src * 7919 + dst * 104_729) % 60_000;
        let start = if dst == 3 { 50_000_000 } else { u64::from(src * 12 + dst) * 1_000_000 };
        Flow::new(src, dst, Bytes::new(bytes), Time::from_ps(start))
    };
    all.map(flow).collect()
}

/// So small that a leaf loses packets.
fn shallow(name: &str) -> SwitchConfig {
    let config = SwitchConfig::named(name).unwrap().with_marks(Some(Bytes::new(4_000)));
    match config {
        SwitchConfig::DropTail(_) | SwitchConfig::Scheduled(_) => {
            config.with_buffer(Bytes::new(10_000))
        }
        SwitchConfig::OnChip(chip) => {
            let rank = (name == "occamy-rank").then(ShortestFlowFirst::choice);
            SwitchConfig::OnChip(OnChipConfig { rank, ports_per_pool: 2, ..chip })
                .with_buffer(Bytes::new(40_000))
        }
        SwitchConfig::Hybrid(mut hybrid) => {
            hybrid.memory.staging = Bytes::new(4_000);
            hybrid.memory.hbm.geometry.rows = 1;
            SwitchConfig::Hybrid(hybrid).with_buffer(Bytes::new(44_000))
        }
    }
}

#[test]
fn every_flow_finishes_and_no_sooner_than_it_could() {
    let (host, fabric) = (link(10, 2), link(40, 2));
    let shape = LeafSpine { leaves: 3, spines: 2, hosts_per_leaf: 4, host, fabric };
    let graph = shape.graph().unwrap();
    for info in Catalogue::default().switches() {
        for config in [SwitchConfig::named(info.name()).unwrap(), shallow(info.name())] {
            let mut network = network(&graph, "new-reno", &config);
            network.add_flows(flows()).unwrap();
            network.run().unwrap();
            let soon = |record: FlowRecord| record.fct() < Some(record.ideal);
            assert!(!network.records().any(soon), "{}", info.name());
            let totals = network.totals();
            assert_eq!(network.live_packets(), 0, "{}", info.name());
            assert_eq!(totals.made.packets, totals.arrived.packets + totals.dropped.packets);
            let lost: u64 = network.losses().iter().map(|loss| loss.packets).sum();
            assert_eq!(lost, totals.dropped.packets);
            let ended = |record: FlowRecord| record.transit.packets + record.transit.lost;
            let sent: u64 = network.records().map(|record| record.sender.segments).sum();
            assert_eq!(network.records().map(ended).sum::<u64>(), sent, "{}", info.name());
        }
    }
}

/// The same run twice: nothing depends on where packets are parked.
#[test]
fn runs_repeat() {
    let graph = Graph::star(12, link(10, 1));
    for name in ["occamy", "themis", "pifo"] {
        let run = || {
            let mut network = network(&graph, "dctcp", &shallow(name));
            network.add_flows(flows()).unwrap();
            network.run().unwrap();
            network.records().map(|record| record.finish).collect::<Vec<_>>()
        };
        assert_eq!(run(), run(), "{name}");
    }
}

/// Cut in two, on threads, every switch does the same bit for bit.
#[test]
fn threads_change_nothing() {
    let (host, fabric) = (link(10, 5), link(40, 5));
    let shape = LeafSpine { leaves: 4, spines: 2, hosts_per_leaf: 3, host, fabric };
    let graph = shape.graph().unwrap();
    let switches = Catalogue::default().switches();
    for (info, nic) in switches.iter().zip([Nic::Fifo, Nic::Fair].into_iter().cycle()) {
        let run = |partitions| {
            let own = NetworkConfig::new(transport("dctcp"));
            let config = NetworkConfig { partitions, nic, ..own };
            let switch = shallow(info.name()).with_marks(Some(Bytes::new(15_000)));
            let mut network = Network::of(&switch, &graph, config).unwrap();
            network.add_flows(flows()).unwrap();
            network.run_parallel().unwrap();
            let records: Vec<_> = network.records().collect();
            (records, network.totals(), network.losses(), network.links().collect::<Vec<_>>())
        };
        assert!(run(1) == run(2), "{} {nic:?}", info.name());
    }
}

/// Two DCTCP flows into one port of a shared buffer keep its queue around K.
#[test]
fn dctcp_keeps_an_on_chip_queue_at_the_threshold() {
    let threshold = 100_000;
    let mark_above = Some(Bytes::new(threshold));
    let config = OnChipConfig { mark_above, ..OnChipConfig::named("dt").unwrap() };
    let config = SwitchConfig::OnChip(config);
    let mut network = network(&Graph::star(3, link(10, 10)), "dctcp", &config);
    let flow = |src| Flow::new(src, 2, Bytes::new(1 << 40), Time::ZERO);
    network.add_flows([flow(0), flow(1)]).unwrap();
    network.run_until(Time::ZERO + Duration::from_ms(10)).unwrap();
    let (mut sum, mut highest, samples) = (0, 0, 3000);
    for step in 0..samples {
        let at = Time::ZERO + Duration::from_ms(10) + Duration::from_us(10) * step;
        network.run_until(at).unwrap();
        let backlog = network.switches().map(|switch| switch.backlog().get()).sum::<u64>();
        sum += backlog;
        highest = highest.max(backlog);
    }
    let mean = sum / samples;
    assert!((threshold / 2..threshold * 3 / 2).contains(&mean), "mean queue {mean}");
    assert!(highest < 2 * threshold, "{highest}");
    assert_eq!(network.totals().dropped.packets, 0);
}

/// Weights are those of the flows as they were given; each is served whatever the other does.
#[test]
fn flows_share_a_port_by_their_weights() {
    for name in ["pifo-wfq", "wfq-bucket", "gearbox", "cq-10", "drr", "stfq", "wfq"] {
        let mut config = SwitchConfig::named(name).unwrap();
        let SwitchConfig::Scheduled(scheduled) = &mut config else { panic!("{name}") };
        set(&mut scheduled.scheduler, &[("weights", "1:3")]).unwrap();
        // Not all have units of virtual time.
        let _ = set(&mut scheduled.scheduler, &[("total_weight", "4")]);
        // Windows that fill the queue, and do not overflow it.
        let sender = SenderConfig { receive_window: Bytes::new(64_000), ..SenderConfig::default() };
        let controls = congestion_controls();
        let window = Transport::window(sender, controls.named("new-reno").unwrap());
        let transport = NetworkConfig::new(window.unwrap());
        let mut network = Network::of(&config, &Graph::star(3, link(10, 1)), transport).unwrap();
        let flow = |src| Flow::new(src, 2, Bytes::new(1 << 40), Time::ZERO);
        network.add_flows([flow(0), flow(1)]).unwrap();
        let mut after = |ms| {
            network.run_until(Time::ZERO + Duration::from_ms(ms)).unwrap();
            [0, 1].map(|flow| network.delivered(flow).get() as f64)
        };
        let (before, end) = (after(10), after(40));
        let ratio = (end[1] - before[1]) / (end[0] - before[0]);
        assert!((2.7..3.3).contains(&ratio), "{name}: {ratio}");
    }
}

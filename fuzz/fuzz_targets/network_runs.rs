//! A small network with any flows, structured: the same results whether it is whole or cut, and
//! every flow that has finished delivered all it had; never a panic.
#![no_main]

use forebay_net::flow::Flow;
use forebay_net::measure::{FlowRecord, LossCount, Totals};
use forebay_net::network::{Network, NetworkConfig, Nic, Transport};
use forebay_net::topology::{Graph, LeafSpine, LinkConfig};
use forebay_net::transport::{RtoConfig, SenderConfig, congestion_controls};
use forebay_switch::{DropTailSwitch, PortLimits};
use forebay_units::{Bytes, Duration, Rate, Time};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Run {
    leaves: u8,
    spines: u8,
    hosts: u8,
    gigabits: u8,
    flows: Vec<(u8, u8, u16, u32)>,
    more: Vec<(u8, u8, u16, u32)>,
    control: u8,
    fair: bool,
    handshake: bool,
    buffer: u16,
    mark: Option<u16>,
    failure: Option<(u8, u16, bool)>,
}

/// More would take long and show nothing else.
const FLOWS: usize = 40;

type Outcome = (Vec<FlowRecord>, Totals, Vec<LossCount>, String);

fn flows(given: &[(u8, u8, u16, u32)], hosts: u32) -> Vec<Flow> {
    let flow = |&(src, step, bytes, start): &(u8, u8, u16, u32)| {
        let src = u32::from(src) % hosts;
        let dst = (src + 1 + u32::from(step) % (hosts - 1)) % hosts;
        let start = Time::from_ps(u64::from(start) % 1_000_000_000);
        Flow::new(src, dst, Bytes::new(1 + u64::from(bytes) * 4), start)
    };
    given.iter().take(FLOWS).map(flow).collect()
}

fn outcome(run: &Run, graph: &Graph, partitions: usize) -> Outcome {
    let names = ["new-reno", "cubic", "dctcp"];
    let controls = congestion_controls();
    let control = controls.named(names[usize::from(run.control) % 3]).unwrap();
    let (initial, min) = (Duration::from_ms(1), Duration::from_us(240));
    let rto = RtoConfig { initial, min, ..RtoConfig::default() };
    let sender = SenderConfig { rto, handshake: run.handshake, ..SenderConfig::default() };
    let transport = Transport::window(sender, control).unwrap();
    let nic = if run.fair { Nic::Fair } else { Nic::Fifo };
    let config = NetworkConfig { nic, partitions, ..NetworkConfig::new(transport) };
    let limits = PortLimits {
        limit: Bytes::new(2_000 + u64::from(run.buffer)),
        mark_above: run.mark.map(|mark| Bytes::new(u64::from(mark) + 1)),
    };
    let made = Network::new(graph, config, |shape| DropTailSwitch::new(shape, &limits));
    let mut network = made.unwrap();
    network.add_flows(flows(&run.flows, graph.hosts)).unwrap();
    if let Some((link, us, repaired)) = run.failure {
        let link = usize::from(link) % graph.links.len();
        let at = Time::ZERO + Duration::from_us(u64::from(us) % 2_000);
        network.fail_link(at, link).unwrap();
        if repaired {
            network.repair_link(at + Duration::from_us(300), link).unwrap();
        }
    }
    let early = network.run_until(Time::ZERO + Duration::from_us(500));
    // Paths may be gone by now.
    let added = network.add_flows(flows(&run.more, graph.hosts));
    let ended = network.run_until(Time::ZERO + Duration::from_ms(40));
    let records: Vec<FlowRecord> = network.records().collect();
    for record in &records {
        assert!(record.finish.is_none() || record.delivered == record.flow.bytes);
        assert!(record.slowdown().is_none_or(|slowdown| slowdown >= 1.0));
    }
    let totals = network.totals();
    let under_way = totals.made.packets - totals.arrived.packets - totals.dropped.packets;
    assert_eq!(under_way, network.live_packets());
    assert_eq!(records.iter().filter(|record| record.finish.is_some()).count(), network.finished());
    (records, totals, network.losses(), format!("{early:?} {added:?} {ended:?}"))
}

fuzz_target!(|run: Run| {
    let host = LinkConfig {
        rate: Rate::from_gbps(1 + u64::from(run.gigabits) % 40),
        delay: Duration::from_us(1),
    };
    let shape = LeafSpine {
        leaves: 2 + u32::from(run.leaves) % 3,
        spines: 1 + u32::from(run.spines) % 2,
        hosts_per_leaf: 1 + u32::from(run.hosts) % 3,
        host,
        fabric: host,
    };
    let graph = shape.graph().unwrap();
    let whole = outcome(&run, &graph, 1);
    assert_eq!(outcome(&run, &graph, 3), whole);
});

//! How cost and memory grow with the network, and Occamy's largest run.
//!
//! Growth: 128 hosts in Occamy's leaf-spine (§6.4), 1,024 and 8,192 in a three-level fat-tree of
//! switches with 16 and 32 ports, all at 100 Gb/s; WebSearch at 0.4 of the hosts' links (a
//! leaf-spine that is twice oversubscribed then has 0.7 of its uplinks), New Reno, 1 MB a port.
//! Flows begin within a shorter span where there are more hosts, so that every size takes seconds.
//! With 65,536 hosts, switches of 64 ports, it is a burst of an all-to-all: at once every host
//! sends 15 KB to each of sixteen others, which are spread evenly over the network.
//!
//! Fig. 16: background at 0.9 of the uplinks and 200 queries a second and host, each of 4 MB from
//! 16 servers, for 20 ms; 4 MB for every 8 ports, DCTCP with K = 720 KB, minimum RTO 5 ms.

use std::error::Error;

use forebay_net::flow::Flow;
use forebay_net::network::{Network, NetworkConfig, Transport};
use forebay_net::topology::{FatTree, Graph, GraphError, LeafSpine, LinkConfig};
use forebay_net::transport::{RtoConfig, SenderConfig, congestion_controls};
use forebay_net::workload::{IncastConfig, LinkSet, Load, incast};
use forebay_switch::{DropTailSwitch, OnChipConfig, PortLimits, SwitchConfig};
use forebay_units::{Bytes, Duration, Rate, Time};

use super::{Options, measure, peak_memory, reported, websearch};
use crate::race::{Report, Subject};

const RATE: Rate = Rate::from_gbps(100);
const UNIT: &str = "ns per packet-hop";
const FIG16: &str = "occamy fig16";

/// Runs the cases that are wanted.
pub(super) fn run(options: &Options, report: &mut Report) {
    for hosts in [128, 1024, 8192, 65_536] {
        let case = format!("growth, {hosts} hosts");
        if options.race.wants(&case) {
            let run = |threads| reported(&case, growth(hosts, threads));
            report.race((&case, hosts.into(), UNIT), &options.race, by_threads(options, &run));
        }
    }
    if options.race.wants(FIG16) {
        let run = |threads| reported(FIG16, fig16(threads));
        report.race((FIG16, 128, UNIT), &options.race, by_threads(options, &run));
    }
}

fn by_threads<'a>(options: &Options, run: &'a dyn Fn(usize) -> f64) -> Vec<Subject<'a>> {
    let subject = |threads| Subject::ours(&format!("{threads} threads"), move || run(threads));
    options.thread_counts().into_iter().map(subject).collect()
}

fn growth(hosts: u32, threads: usize) -> Result<f64, Box<dyn Error>> {
    let (graph, span) = match hosts {
        128 => (leaf_spine()?, Duration::from_ms(4)),
        1024 => (fat_tree(16)?, Duration::from_us(500)),
        8192 => (fat_tree(32)?, Duration::from_us(200)),
        _ => (fat_tree(64)?, Duration::ZERO),
    };
    let flows = if span == Duration::ZERO {
        all_to_all(graph.hosts)
    } else {
        websearch(graph.hosts, Load::of_hosts(0.4, RATE), span)?
    };
    let config = config("new-reno", Duration::from_us(240), threads)?;
    let switch = PortLimits { limit: Bytes::new(1_000_000), mark_above: None };
    let before = peak_memory().unwrap_or(0);
    let network = Network::new(&graph, config, |shape| DropTailSwitch::new(shape, &switch))?;
    let cost = measure(&format!("{hosts} hosts, {threads} threads"), network, &flows)?;
    // Only the first run of a process shows it: later ones use the memory that it left.
    let bytes = 1024 * peak_memory().unwrap_or(0).saturating_sub(before) / u64::from(hosts);
    eprintln!("{hosts} hosts, {threads} threads: the peak rose by {bytes} bytes a host");
    Ok(cost)
}

/// Every host to sixteen others.
fn all_to_all(hosts: u32) -> Vec<Flow> {
    const PEERS: u32 = 16;
    let peers = |src| (0..PEERS).map(move |peer| (src, (src + 1 + peer * (hosts / PEERS)) % hosts));
    let flow = |(src, dst)| Flow::new(src, dst, Bytes::new(15_000), Time::ZERO);
    (0..hosts).flat_map(peers).map(flow).collect()
}

fn fig16(threads: usize) -> Result<f64, Box<dyn Error>> {
    let (graph, span) = (leaf_spine()?, Duration::from_ms(20));
    let uplinks = LinkSet::uplinks(&graph)?;
    let mut flows: Vec<Flow> = websearch(graph.hosts, Load { fraction: 0.9, of: uplinks }, span)?;
    let queries = incast(&IncastConfig::new(graph.hosts, 16, Bytes::new(4_000_000), 200.0, span))?;
    flows.extend_from_slice(queries.flows());
    let mut chip = OnChipConfig::named("occamy")?;
    (chip.pool, chip.ports_per_pool) = (Bytes::new(4_000_000), 8);
    let switch = SwitchConfig::OnChip(chip).with_marks(Some(Bytes::new(720_000)));
    let network = Network::of(&switch, &graph, config("dctcp", Duration::from_ms(5), threads)?)?;
    measure(&format!("{FIG16}, {threads} threads"), network, &flows)
}

fn leaf_spine() -> Result<Graph, GraphError> {
    let host = LinkConfig { rate: RATE, delay: Duration::from_us(10) };
    LeafSpine { leaves: 8, spines: 8, hosts_per_leaf: 16, host, fabric: host }.graph()
}

fn fat_tree(ports: u32) -> Result<Graph, GraphError> {
    FatTree::k_ary(ports, LinkConfig { rate: RATE, delay: Duration::from_us(1) })?.graph()
}

fn config(control: &str, min: Duration, threads: usize) -> Result<NetworkConfig, Box<dyn Error>> {
    let rto = RtoConfig { initial: min.max(Duration::from_ms(1)), min, ..RtoConfig::default() };
    let sender = SenderConfig { rto, ..SenderConfig::default() };
    let transport = Transport::window(sender, congestion_controls().named(control)?)?;
    Ok(NetworkConfig { partitions: threads, ..NetworkConfig::new(transport) })
}

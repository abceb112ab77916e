//! The network simulator: its event queue against a binary heap, and whole runs of a leaf-spine.
//!
//! The scenario is 144 hosts at 9 leaves with 4 spines, 50 and 200 Gb/s, 10 µs links, drop-tail with 1 MB a
//! port, WebSearch flows that begin within 4 ms, run until every flow has finished. A packet-hop is one
//! packet transmitted by one device, acknowledgements included. Peak memory is the process's own; run one
//! case alone (`--only "load 0.8" --rounds 1`) to read it. `--switch NAME` puts other switches in place of
//! drop-tail, with their defaults; it may be given several times, and then they race.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::time::Instant;

use clap::Args;
use forebay_net::event::EventQueue;
use forebay_net::network::{Network, NetworkConfig, Transport};
use forebay_net::switch::{DropTail, SwitchConfig, SwitchModel};
use forebay_net::topology::{Graph, LeafSpine, LinkConfig};
use forebay_net::transport::{ControllerConfig, RtoConfig, SenderConfig};
use forebay_net::workload::{Load, PoissonConfig, poisson_flows};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::SizeDistribution;

use crate::race::{self, Report, Subject};

/// What the caller of this race chooses.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    pub race: race::Options,
    /// A switch by its name (drop-tail, pifo, occamy, themis, ...).
    #[arg(long, default_value = "drop-tail", value_parser = switch_name)]
    switch: Vec<String>,
    /// A congestion controller, new-reno or dctcp (which marks). Without it, both.
    #[arg(long)]
    control: Option<String>,
    /// Also run each network on so many threads, beside the run on one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=144))]
    threads: u16,
}

/// Refuses a name that no switch has.
fn switch_name(name: &str) -> Result<String, String> {
    SwitchConfig::named(name).map(|_| name.to_owned()).map_err(|error| error.to_string())
}

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for pending in [1_000, 30_000] {
        if options.race.wants("events") {
            let subjects = vec![
                Subject::ours("event queue", hold_ours(pending)),
                Subject::peer("BinaryHeap", hold_heap(pending)),
            ];
            report.race(("events", pending.into(), "ns per event"), &options.race, subjects);
        }
    }
    for (case, load) in [("leaf-spine, load 0.4", 0.4), ("leaf-spine, load 0.8", 0.8)] {
        if options.race.wants(case) {
            let subjects = subjects(options, case, load);
            report.race((case, 144, "ns per packet-hop"), &options.race, subjects);
        }
    }
    report
}

/// Every switch under every controller.
fn subjects<'a>(options: &'a Options, case: &'a str, load: f64) -> Vec<Subject<'a>> {
    let controls = ["new-reno", "dctcp"].into_iter();
    let wanted = |control: &&str| options.control.as_deref().is_none_or(|only| only == *control);
    let threads = if options.threads > 1 { vec![1, options.threads] } else { vec![1] };
    let mut subjects = Vec::new();
    for control in controls.filter(wanted) {
        for switch in &options.switch {
            subjects.extend(
                threads.iter().map(|&threads| subject(control, switch, case, load, threads)),
            );
        }
    }
    subjects
}

fn subject<'a>(
    control: &'static str,
    switch: &'a str,
    case: &'a str,
    load: f64,
    threads: u16,
) -> Subject<'a> {
    let mut name = control.to_owned();
    if switch != "drop-tail" {
        name += &format!(", {switch}");
    }
    if threads > 1 {
        name += &format!(", {threads} threads");
    }
    Subject::ours(&name, move || match scenario(control, switch, load, threads) {
        Ok(nanoseconds) => nanoseconds,
        Err(error) => {
            eprintln!("forebay-bench: {case}, {control}, {switch}: {error}");
            f64::NAN
        }
    })
}

/// The hosts' links.
const HOST_RATE: Rate = Rate::from_gbps(50);

/// One run; nanoseconds per packet-hop.
fn scenario(control: &str, switch: &str, load: f64, threads: u16) -> Result<f64, Box<dyn Error>> {
    let (graph, config) = leaf_spine(control)?;
    let config = NetworkConfig { partitions: threads.into(), ..config };
    let marks = (control == "dctcp").then_some(Bytes::new(300_000));
    let label = format!("{control}, {switch}, load {load}, {threads} threads");
    match SwitchConfig::named(switch)?.with_marks(marks) {
        SwitchConfig::DropTail(switch) => {
            let network = Network::new(&graph, config, |shape| DropTail::new(shape, &switch))?;
            measure(&label, network, load)
        }
        switch => measure(&label, switch.network(&graph, config)?, load),
    }
}

/// The graph and the hosts.
fn leaf_spine(control: &str) -> Result<(Graph, NetworkConfig), Box<dyn Error>> {
    let delay = Duration::from_us(10);
    let topology = LeafSpine {
        leaves: 9,
        spines: 4,
        hosts_per_leaf: 16,
        host: LinkConfig { rate: HOST_RATE, delay },
        fabric: LinkConfig { rate: Rate::from_gbps(200), delay },
    };
    let ecn = control == "dctcp";
    let rto = RtoConfig {
        initial: Duration::from_ms(1),
        min: Duration::from_us(240),
        ..RtoConfig::default()
    };
    let sender = SenderConfig { initial_window: 20, rto, ecn, ..SenderConfig::default() };
    let transport = Transport::window(sender, ControllerConfig::named(control)?)?;
    Ok((topology.graph()?, NetworkConfig::new(transport)))
}

/// Runs flows that offer `load` through the network.
fn measure<S: SwitchModel + Send>(
    label: &str,
    mut network: Network<S>,
    load: f64,
) -> Result<f64, Box<dyn Error>> {
    let sizes = SizeDistribution::builtin("websearch")?;
    let span = Duration::from_ms(4);
    network.add_flows(&poisson_flows(&PoissonConfig {
        hosts: 144,
        load: Load::of_hosts(load, HOST_RATE),
        sizes,
        span,
        seed: 1,
    })?)?;

    let start = Instant::now();
    network.run_parallel()?;
    let elapsed = start.elapsed().as_secs_f64();
    let (flows, totals) = (network.records().count(), network.totals());
    let hops = totals.packet_hops as f64;
    eprintln!(
        "{label}: {flows} flows, {:.2} M packet-hops, {:.2} M events, {} dropped, at \
         most {} packets at once, {elapsed:.2} s, {:.2} M packet-hops/s, peak {} KiB",
        hops / 1e6,
        totals.events as f64 / 1e6,
        totals.dropped.packets,
        network.peak_packets(),
        hops / elapsed / 1e6,
        peak_memory().unwrap_or(0),
    );
    Ok(elapsed * 1e9 / hops)
}

/// The process's peak resident memory in KiB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Events of a chunk.
const EVENTS: u32 = 1 << 20;

/// How far ahead of the present an event goes: mostly one packet's time, at times a link's delay.
fn ahead(state: &mut u64) -> Duration {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let far = state.is_multiple_of(16);
    Duration::from_ps(if far { 10_000_000 } else { *state >> 32 & 0x3_FFFF })
}

/// Pops the next event and schedules it again, a little later.
fn hold_ours(pending: u32) -> impl FnMut() -> f64 {
    let (mut queue, mut state) = (EventQueue::new(pending), 1);
    (0..pending).for_each(|id| queue.schedule(id, Time::ZERO + ahead(&mut state)));
    move || {
        let start = Instant::now();
        for _ in 0..EVENTS {
            if let Some((now, id)) = queue.pop() {
                queue.schedule(id, now + ahead(&mut state));
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(EVENTS)
    }
}

fn hold_heap(pending: u32) -> impl FnMut() -> f64 {
    let (mut heap, mut state) = (BinaryHeap::new(), 1);
    heap.extend((0..pending).map(|id| Reverse((Time::ZERO + ahead(&mut state), id))));
    move || {
        let start = Instant::now();
        for _ in 0..EVENTS {
            if let Some(Reverse((now, id))) = heap.pop() {
                heap.push(Reverse((now + ahead(&mut state), id)));
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(EVENTS)
    }
}

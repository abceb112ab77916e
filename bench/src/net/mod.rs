//! The network simulator: its event queue against a binary heap, and whole runs of a leaf-spine.
//!
//! The scenario is 144 hosts at 9 leaves with 4 spines, 50 and 200 Gb/s, 10 µs links, drop-tail
//! with 1 MB a port, WebSearch flows that begin within 4 ms, run until every flow has finished. A
//! packet-hop is one packet transmitted by one device, acknowledgements included. Peak memory is
//! the process's own; run one case alone (`--only "load 0.8" --rounds 1`) to read it.
//! `--switch NAME` puts other switches in place of drop-tail, with their defaults; it may be given
//! several times, and then they race. The cases of growth and of Occamy's largest run are in
//! `growth.rs`.

mod events;
mod growth;

use std::error::Error;
use std::time::Instant;

use clap::Args;
use forebay_net::flow::Flow;
use forebay_net::network::{Network, NetworkConfig, Transport};
use forebay_net::topology::{Graph, LeafSpine, LinkConfig};
use forebay_net::transport::{RtoConfig, SenderConfig, congestion_controls};
use forebay_net::workload::{Load, PoissonConfig, poisson_flows};
use forebay_switch::{DropTailSwitch, SwitchConfig, SwitchModel};
use forebay_units::{Bytes, Duration, Rate};
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

impl Options {
    /// One thread, and the number asked for.
    fn thread_counts(&self) -> Vec<usize> {
        let threads = usize::from(self.threads);
        if threads > 1 { vec![1, threads] } else { vec![1] }
    }
}

/// Refuses a name that no switch has.
fn switch_name(name: &str) -> Result<String, String> {
    SwitchConfig::named(name).map(|_| name.to_owned()).map_err(|error| error.to_string())
}

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    events::run(options, &mut report);
    for (case, load) in [("leaf-spine, load 0.4", 0.4), ("leaf-spine, load 0.8", 0.8)] {
        if options.race.wants(case) {
            let subjects = subjects(options, case, load);
            report.race((case, 144, "ns per packet-hop"), &options.race, subjects);
        }
    }
    growth::run(options, &mut report);
    report
}

/// Every switch under every controller, on each number of threads.
fn subjects<'a>(options: &'a Options, case: &'a str, load: f64) -> Vec<Subject<'a>> {
    let wanted = |control: &&str| options.control.as_deref().is_none_or(|only| only == *control);
    let mut subjects = Vec::new();
    for control in ["new-reno", "dctcp"].into_iter().filter(wanted) {
        for switch in &options.switch {
            for threads in options.thread_counts() {
                let mut name = control.to_owned();
                if switch != "drop-tail" {
                    name += &format!(", {switch}");
                }
                if threads > 1 {
                    name += &format!(", {threads} threads");
                }
                let run = move || scenario(control, switch, load, threads);
                subjects.push(Subject::ours(&name, move || reported(case, run())));
            }
        }
    }
    subjects
}

/// The number, or none with the reason on standard error.
fn reported(case: &str, result: Result<f64, Box<dyn Error>>) -> f64 {
    result.unwrap_or_else(|error| {
        eprintln!("forebay-bench: {case}: {error}");
        f64::NAN
    })
}

/// The hosts' links.
const HOST_RATE: Rate = Rate::from_gbps(50);

/// One run; nanoseconds per packet-hop.
fn scenario(control: &str, switch: &str, load: f64, threads: usize) -> Result<f64, Box<dyn Error>> {
    let (graph, config) = leaf_spine(control)?;
    let config = NetworkConfig { partitions: threads, ..config };
    let marks = (control == "dctcp").then_some(Bytes::new(300_000));
    let label = format!("{control}, {switch}, load {load}, {threads} threads");
    let flows = websearch(144, Load::of_hosts(load, HOST_RATE), Duration::from_ms(4))?;
    match SwitchConfig::named(switch)?.with_marks(marks) {
        SwitchConfig::DropTail(switch) => {
            let limits = switch.limits;
            let network =
                Network::new(&graph, config, |shape| DropTailSwitch::new(shape, &limits))?;
            measure(&label, network, &flows)
        }
        switch => measure(&label, Network::of(&switch, &graph, config)?, &flows),
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
    let rto = RtoConfig {
        initial: Duration::from_ms(1),
        min: Duration::from_us(240),
        ..RtoConfig::default()
    };
    let sender = SenderConfig { initial_window: 20, rto, ..SenderConfig::default() };
    let transport = Transport::window(sender, congestion_controls().named(control)?)?;
    Ok((topology.graph()?, NetworkConfig::new(transport)))
}

/// WebSearch flows between random hosts.
fn websearch(hosts: u32, load: Load, span: Duration) -> Result<Vec<Flow>, Box<dyn Error>> {
    let sizes = SizeDistribution::builtin("websearch")?;
    Ok(poisson_flows(&PoissonConfig { hosts, load, sizes, span, seed: 1 })?)
}

/// Runs flows through the network until all have finished.
fn measure<S: SwitchModel + Send>(
    label: &str,
    mut network: Network<S>,
    flows: &[Flow],
) -> Result<f64, Box<dyn Error>> {
    network.add_flows(flows)?;
    let start = Instant::now();
    network.run_parallel()?;
    let elapsed = start.elapsed().as_secs_f64();
    let (flows, totals) = (network.finished(), network.totals());
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

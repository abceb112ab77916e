//! The network simulator: its event queue against a binary heap, and whole runs of a leaf-spine.
//!
//! The scenario is 144 hosts at 9 leaves with 4 spines, 50 and 200 Gb/s, 10 µs links, drop-tail with 1 MB a
//! port, WebSearch flows that begin within 4 ms, run until every flow has finished. A packet-hop is one
//! packet transmitted by one device, acknowledgements included. Peak memory is the process's own; run one
//! case alone (`--only "load 0.8" --rounds 1`) to read it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::time::Instant;

use clap::Args;
use forebay_net::event::EventQueue;
use forebay_net::flow::{PoissonConfig, poisson_flows};
use forebay_net::network::{Network, NetworkConfig, Transport};
use forebay_net::switch::{DropTail, DropTailConfig};
use forebay_net::topology::{LeafSpine, LinkConfig};
use forebay_net::transport::{ControllerConfig, RtoConfig, SenderConfig};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::SizeDistribution;

use crate::race::{self, Report, Subject};

/// What the race of networks lets its caller choose.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    pub race: race::Options,
    /// Also run each network on so many threads, beside the run on one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=144))]
    threads: u16,
}

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let (threads, options) = (usize::from(options.threads), &options.race);
    let mut report = Report::default();
    for pending in [1_000, 30_000] {
        if options.wants("events") {
            let subjects = vec![
                Subject::ours("event queue", hold_ours(pending)),
                Subject::peer("BinaryHeap", hold_heap(pending)),
            ];
            report.race(("events", pending.into(), "ns per event"), options, subjects);
        }
    }
    for (case, load) in [("leaf-spine, load 0.4", 0.4), ("leaf-spine, load 0.8", 0.8)] {
        if !options.wants(case) {
            continue;
        }
        let subject = |(control, threads): (&'static str, usize)| {
            let name = if threads > 1 {
                format!("{control}, {threads} threads")
            } else {
                control.to_string()
            };
            Subject::ours(&name, move || match scenario(control, load, threads) {
                Ok(nanoseconds) => nanoseconds,
                Err(error) => {
                    eprintln!("forebay-bench: {case}, {control}: {error}");
                    f64::NAN
                }
            })
        };
        let threads = if threads > 1 { vec![1, threads] } else { vec![1] };
        let both = ["new-reno", "dctcp"].into_iter();
        let all = both.flat_map(|control| threads.iter().map(move |&threads| (control, threads)));
        let subjects = all.map(subject).collect();
        report.race((case, 144, "ns per packet-hop"), options, subjects);
    }
    report
}

/// One run; nanoseconds per packet-hop.
fn scenario(control: &str, load: f64, threads: usize) -> Result<f64, Box<dyn Error>> {
    let (delay, rate) = (Duration::from_us(10), Rate::from_gbps(50));
    let topology = LeafSpine {
        leaves: 9,
        spines: 4,
        hosts_per_leaf: 16,
        host: LinkConfig { rate, delay },
        fabric: LinkConfig { rate: Rate::from_gbps(200), delay },
    };
    let ecn = control == "dctcp";
    let mark_above = ecn.then_some(Bytes::new(300_000));
    let rto = RtoConfig {
        initial: Duration::from_ms(1),
        min: Duration::from_us(240),
        ..RtoConfig::default()
    };
    let sender = SenderConfig { initial_window: 20, rto, ecn, ..SenderConfig::default() };
    let transport = Transport::window(sender, ControllerConfig::named(control)?)?;
    let switch = DropTailConfig { limit: Bytes::new(1_000_000), mark_above };
    let config = NetworkConfig { partitions: threads, ..NetworkConfig::new(transport) };
    let mut network =
        Network::new(&topology.graph()?, config, |shape| DropTail::new(shape, &switch))?;
    let sizes = SizeDistribution::builtin("websearch")?;
    let span = Duration::from_ms(4);
    network.add_flows(&poisson_flows(&PoissonConfig {
        hosts: 144,
        rate,
        load,
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
        "{control}, load {load}, {threads} threads: {flows} flows, {:.2} M packet-hops, {:.2} M events, {} dropped, at \
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

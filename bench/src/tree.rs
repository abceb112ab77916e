//! Scheduling trees: what a level costs.
//!
//! A hold model: 4096 packets wait in 256 leaves (one leaf, where the tree has one level); the
//! packet that leaves is put back into its leaf. A measurement is one dequeue and one enqueue,
//! classification included. Fan-out by levels: 1 leaf; 256; 16 × 16; 4 × 8 × 8. Beside them,
//! without any tree: one ranked queue of packets by start tags of 256 flows.

use std::time::Instant;

use forebay_pifo::ExactQueue;
use forebay_sched::functions::RankConfig;
use forebay_sched::rank_queue::RankQueue;
use forebay_sched::scheduler::PacketScheduler;
use forebay_sched::tree::{
    BuildError, ClubLevel, LevelQueue, NodeConfig, Rule, SchedulingTree, SeparateQueues, Shaper,
    TreeConfig,
};
use forebay_sched::{Packet, configured_rank_function};
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::race::{Options, Report, Subject};

/// Packets that wait.
const WAITING: u32 = 4096;
/// Packets of a measurement.
const PACKETS: u32 = 1 << 19;
/// Fan-outs from the root down, by number of levels.
const FAN_OUTS: [&[u32]; 4] = [&[], &[256], &[16, 16], &[4, 8, 8]];

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for scheduler in ["wfq", "sp", "drr"] {
        let case = format!("tree, {scheduler}");
        if !options.wants(&case) {
            continue;
        }
        for (levels, fan_outs) in (1u64..).zip(FAN_OUTS) {
            let config = config(fan_outs, scheduler, false);
            let subjects = subjects(&config);
            report.race((&case, levels, "ns per packet"), options, subjects);
        }
    }
    if options.wants("tree, shaped wfq") {
        for (levels, fan_outs) in (1u64..).zip(FAN_OUTS) {
            let config = config(fan_outs, "wfq", true);
            let subjects = subjects(&config);
            report.race(("tree, shaped wfq", levels, "ns per packet"), options, subjects);
        }
    }
    report
}

/// A tree with these fan-outs; its leaves take the flows one by one. If it is shaped, every leaf
/// is, to far less than the port's rate, so that each of its packets makes it wait.
fn config(fan_outs: &[u32], scheduler: &str, is_shaped: bool) -> TreeConfig {
    let mut config = TreeConfig::new(Rate::from_gbps(1_000));
    config.mtu = Bytes::new(1500);
    config.capacity = WAITING as usize;
    let mut level = vec![NodeConfig::root("0")];
    for &fan_out in fan_outs {
        let mut next = Vec::new();
        for parent in &mut level {
            parent.scheduler = Some(scheduler.to_string());
            next.extend((0..fan_out).map(|child| {
                let name = format!("{}.{child}", parent.name);
                let weight = Some(child % 4 + 1);
                let priority = if scheduler == "sp" { child } else { 0 };
                NodeConfig { weight, priority, ..NodeConfig::below(&parent.name, &name) }
            }));
        }
        config.nodes.append(&mut level);
        level = next;
    }
    let leaves = level.len();
    for (flow, leaf) in (0..).zip(&mut level) {
        leaf.rules = if leaves == 1 { vec![Rule::any()] } else { vec![Rule::flows(flow..=flow)] };
        let shaper = Shaper { rate: Rate::from_gbps(1), burst: Bytes::new(1500) };
        leaf.shaper = is_shaped.then_some(shaper);
    }
    config.nodes.append(&mut level);
    config
}

fn subjects(config: &TreeConfig) -> Vec<Subject<'static>> {
    vec![
        tree::<ClubLevel>("one ClubHeap a level", config),
        tree::<SeparateQueues>("one exact queue a node", config),
        flat(),
    ]
}

fn tree<Q: LevelQueue + Send + 'static>(name: &str, config: &TreeConfig) -> Subject<'static> {
    let built: Result<SchedulingTree<Q>, BuildError> = SchedulingTree::new(config);
    match built {
        Ok(tree) => Subject::ours(name, hold(tree)),
        Err(error) => {
            eprintln!("forebay-bench: {name}: {error}");
            Subject::ours(name, || f64::NAN)
        }
    }
}

/// No tree: start tags of flows in one queue.
fn flat() -> Subject<'static> {
    match configured_rank_function("stfq", &RankConfig::default()) {
        Ok(function) => {
            let queue = RankQueue::new(function, ExactQueue::new(WAITING as usize));
            Subject::peer("no tree: stfq, exact queue", hold(queue))
        }
        Err(error) => {
            eprintln!("forebay-bench: {error}");
            Subject::peer("no tree: stfq, exact queue", || f64::NAN)
        }
    }
}

/// Fills a scheduler, then takes a packet and puts it back, over and over. Time goes on by a
/// packet's time at the port, or to where the scheduler has one ready.
fn hold(mut scheduler: impl PacketScheduler) -> impl FnMut() -> f64 {
    for packet in 0..WAITING {
        let packet = Packet { flow: packet % 256, size: 1000, ..Packet::default() };
        if let Err(cause) = scheduler.enqueue(Time::ZERO, packet) {
            eprintln!("forebay-bench: a packet was refused: {cause}");
        }
    }
    let mut now = Time::ZERO;
    move || {
        let start = Instant::now();
        let mut sent = 0;
        while sent < PACKETS {
            now += Duration::from_ns(8);
            match scheduler.dequeue(now) {
                Some(packet) => {
                    sent += u32::from(scheduler.enqueue(now, packet).is_ok());
                }
                None => match scheduler.ready_at(now) {
                    Some(ready) => now = ready,
                    None => return f64::NAN,
                },
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(PACKETS)
    }
}

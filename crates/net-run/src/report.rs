//! The report of a run. Field names are those of the command's JSON; times are in microseconds.

use std::ops::Range;
use std::time::Duration as Wall;

use forebay_net::measure::{Completions, LossCount};
use forebay_net::network::{LinkUse, Network, PauseRecord, Trimming};
use forebay_parameters::Entry;
use forebay_switch::{PauseCounts, SwitchModel};
use forebay_units::{Bytes, Duration, Time};
use serde::Serialize;

use crate::plan::NetRunPlan;
use crate::session::End;

/// The report of a run.
#[derive(Clone, Debug, Serialize)]
pub struct NetRunReport {
    /// The kind of switch.
    pub switch: String,
    /// Congestion control.
    pub control: String,
    /// Number of hosts in the topology.
    pub hosts: u32,
    /// Number of switches in the topology.
    pub switches: u32,
    /// `finished`, `unfinished`, `gave up`, `stopped` or `stuck`.
    pub ended: &'static str,
    /// Number of flows.
    pub flows: usize,
    /// Number of flows that have finished.
    pub finished: usize,
    /// Simulated time.
    pub simulated_us: f64,
    /// Per size class, then all flows; without those that began during the warm-up.
    pub classes: Vec<ClassRow>,
    /// Where packets were lost, the worst place first.
    pub losses: Vec<LossRow>,
    /// The links, busiest first.
    pub links: Vec<LinkRow>,
    /// What flow control did, if switches have lossless classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pauses: Option<PauseReport>,
    /// What trimming did, if switches trim or receivers pull.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trimming: Option<TrimReport>,
    /// Counts of packets.
    pub packets: Packets,
    /// Number of retransmitted segments.
    pub resent: u64,
    /// Number of retransmission timeouts.
    pub timeouts: u64,
    /// Packets transmitted, each counted at every device.
    pub packet_hops: u64,
    /// How long the run took, in seconds.
    pub wall_s: f64,
    /// Packet-hops per second of that time.
    pub packet_hops_per_second: f64,
}

/// The flows of a size class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassRow {
    /// The smallest size in the class.
    pub from_bytes: u64,
    /// The size above the class; none for the last one.
    pub to_bytes: Option<u64>,
    /// Number of flows that have finished.
    pub finished: usize,
    /// Number of flows that have not.
    pub unfinished: usize,
    /// Mean completion time.
    pub fct_mean_us: Option<f64>,
    /// 99th percentile of completion times.
    pub fct_p99_us: Option<f64>,
    /// Mean slowdown: completion time over that on an empty network.
    pub slowdown_mean: Option<f64>,
    /// 99th percentile of the slowdown.
    pub slowdown_p99: Option<f64>,
}

/// A place where packets were lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LossRow {
    /// The switch or host, as `switch 3`.
    pub node: String,
    /// The output port at which they were lost.
    pub port: u16,
    /// Why they were lost, in words.
    pub cause: &'static str,
    /// How many packets.
    pub packets: u64,
    /// How many bytes on the wire.
    pub bytes: u64,
}

/// A link's use in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkRow {
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// Its rate, in bits per second.
    pub bps: u64,
    /// The fraction of time in which it was sending.
    pub utilization: f64,
}

/// What flow control did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PauseReport {
    /// Pauses that switches asked their neighbours for.
    pub asked: u64,
    /// Frames that granted credit, if senders need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<u64>,
    /// The most headroom that was in use at once in a memory of a switch; with credit, of the
    /// buffers of inputs.
    pub headroom_bytes: u64,
    /// How long packets waited in paused queues, summed over the queues of all switches.
    pub blocked_us: f64,
    /// Times that a watchdog emptied a queue.
    pub watchdog: u64,
    /// The nodes of a circle of pauses that never ends, in order; none if there is none.
    pub deadlock: Vec<String>,
    /// The directions of links that were paused, longest first.
    pub links: Vec<PauseRow>,
}

/// How a class was paused in one direction of a link, or waited for credit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PauseRow {
    /// The node that was paused.
    pub from: String,
    /// The node that asked for it, or had not granted credit.
    pub to: String,
    /// The class.
    pub class: u8,
    /// How often a pause began.
    pub pauses: u64,
    /// How long it was paused in all.
    pub paused_us: f64,
}

/// What trimming did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TrimReport {
    /// Packets whose data switches cut off.
    pub trimmed: u64,
    /// The bytes that this was.
    pub trimmed_bytes: u64,
    /// How many of them waited already, and made room for another.
    pub trimmed_waiting: u64,
    /// Headers that found no room, and went back to their senders.
    pub returned: u64,
    /// Headers that reached receivers, which asked for the packets again.
    pub nacks: u64,
    /// Packets that receivers asked for one by one.
    pub pulls: u64,
}

impl From<Trimming> for TrimReport {
    fn from(of: Trimming) -> Self {
        TrimReport {
            trimmed: of.trimmed.packets,
            trimmed_bytes: of.trimmed.bytes,
            trimmed_waiting: of.waiting,
            returned: of.returned,
            nacks: of.nacks,
            pulls: of.pulls,
        }
    }
}

/// Counts of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Packets {
    /// Packets that hosts made.
    pub made: u64,
    /// Packets that were lost.
    pub lost: u64,
}

impl NetRunReport {
    pub(crate) fn new<S: SwitchModel>(
        plan: &NetRunPlan,
        network: &Network<S>,
        end: End,
        wall: Wall,
    ) -> Self {
        // Where it gave up, nothing happens until then, but time passes.
        let until = if end == End::GaveUp { plan.give_up } else { network.now() };
        let simulated = until.since(Time::ZERO);
        let (mut resent, mut timeouts) = (0, 0);
        for sender in network.senders() {
            resent += u64::from(sender.resent);
            timeouts += u64::from(sender.timeouts);
        }
        let (totals, wall_s) = (network.totals(), wall.as_secs_f64());
        NetRunReport {
            switch: plan.config.switch_name.clone(),
            control: plan.config.hosts.control.name().to_owned(),
            hosts: plan.graph.hosts,
            switches: plan.graph.switches,
            ended: ended(end),
            flows: network.flow_count() as usize,
            finished: network.finished(),
            simulated_us: microseconds(simulated),
            classes: classes(plan, network),
            losses: losses(network.losses(), plan.config.top),
            links: links(network, simulated, plan.config.top),
            pauses: pauses(network, plan.config.top),
            trimming: network.trimming().map(Into::into),
            packets: Packets { made: totals.made.packets, lost: totals.dropped.packets },
            resent,
            timeouts,
            packet_hops: totals.packet_hops,
            wall_s,
            packet_hops_per_second: totals.packet_hops as f64 / wall_s.max(1e-9),
        }
    }
}

fn ended(end: End) -> &'static str {
    match end {
        End::Finished => "finished",
        End::Unfinished => "unfinished",
        End::GaveUp => "gave up",
        End::Stopped => "stopped",
        End::Stuck(_) => "stuck",
    }
}

fn classes<S: SwitchModel>(plan: &NetRunPlan, network: &Network<S>) -> Vec<ClassRow> {
    let measured = Time::ZERO + plan.config.warm_up..Time::MAX;
    let (of_class, all) = network.completions(&measured, &plan.classes);
    let ranges = plan.classes.ranges().chain([Bytes::ZERO..Bytes::new(u64::MAX)]);
    ranges
        .zip(of_class.iter().chain([&all]))
        .map(|(sizes, class)| class_row(&sizes, class))
        .collect()
}

fn class_row(sizes: &Range<Bytes>, class: &Completions) -> ClassRow {
    let (time, slowdown) = (class.time.as_ref(), class.slowdown.as_ref());
    let to = sizes.end.get();
    ClassRow {
        from_bytes: sizes.start.get(),
        to_bytes: (to < u64::MAX).then_some(to),
        finished: time.map_or(0, |time| time.count),
        unfinished: class.unfinished,
        fct_mean_us: time.map(|time| microseconds(time.mean)),
        fct_p99_us: time.map(|time| microseconds(time.p99)),
        slowdown_mean: slowdown.map(|slowdown| slowdown.mean),
        slowdown_p99: slowdown.map(|slowdown| slowdown.p99),
    }
}

fn losses(mut losses: Vec<LossCount>, top: usize) -> Vec<LossRow> {
    losses.sort_by_key(|loss| std::cmp::Reverse(loss.packets));
    let row = |loss: &LossCount| LossRow {
        node: loss.node.to_string(),
        port: loss.port,
        cause: loss.cause.name(),
        packets: loss.packets,
        bytes: loss.bytes,
    };
    losses.iter().take(top).map(row).collect()
}

fn links<S: SwitchModel>(network: &Network<S>, simulated: Duration, top: usize) -> Vec<LinkRow> {
    let mut links: Vec<LinkUse> = network.links().filter(|l| l.sent > Bytes::ZERO).collect();
    let used = |link: &LinkUse| link.utilization(simulated);
    links.sort_by(|a, b| used(b).total_cmp(&used(a)));
    let row = |link: &LinkUse| LinkRow {
        from: link.from.to_string(),
        to: link.to.to_string(),
        bps: link.rate.as_bps(),
        utilization: used(link),
    };
    links.iter().take(top).map(row).collect()
}

fn pauses<S: SwitchModel>(network: &Network<S>, top: usize) -> Option<PauseReport> {
    let PauseCounts { asked, headroom_most, blocked, watchdog } = network.pause_counts()?;
    let mut links: Vec<PauseRecord> = network.pauses().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.paused));
    let row = |link: &PauseRecord| PauseRow {
        from: link.from.to_string(),
        to: link.to.to_string(),
        class: link.class,
        pauses: link.pauses,
        paused_us: microseconds(link.paused),
    };
    let deadlock = network.deadlock().map(|(nodes, _)| nodes);
    Some(PauseReport {
        asked,
        grants: network.credit_frames(),
        headroom_bytes: headroom_most.get(),
        blocked_us: microseconds(blocked),
        watchdog,
        deadlock: deadlock.iter().flatten().map(ToString::to_string).collect(),
        links: links.iter().take(top).map(row).collect(),
    })
}

fn microseconds(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e6
}

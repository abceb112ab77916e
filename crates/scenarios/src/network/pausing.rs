//! What flow control did: metrics of networks with lossless classes.

use forebay_lab::Better::{Lower, Neither};
use forebay_lab::{Lack, MetricSpec, metric};
use forebay_net::network::{Network, PauseRecord};
use forebay_net::topology::Node;
use forebay_switch::{AnySwitch, PauseCounts};
use forebay_units::{Duration, Time};

/// A metric for each number of a run's pauses.
pub(super) const PAUSES: &[MetricSpec] = &[
    metric("pauses", "", "Pauses", Lower)
        .is("Pauses that switches asked their neighbours for, with lossless classes; 0 where \
             senders need credit."),
    metric("host_pause_fraction", "fraction", "Hosts paused", Lower).is(
        "Share of the run during which a host was kept from a class, by a pause or for want of \
             credit, mean over hosts and lossless classes.",
    ),
    metric("fabric_pause_fraction", "fraction", "Fabric paused", Lower)
        .is("The same of the directions of links between switches."),
    metric("paused_links_fraction", "fraction", "Links paused", Lower)
        .is("Directions of links that were ever paused, of all: how far pauses spread."),
    metric("headroom_most", "KB", "Headroom in use, most", Neither).is(
        "The most headroom in use at once, in the memory in which it was most; with credit, of \
             the buffers of inputs.",
    ),
    metric("blocked_time", "us", "Time in paused queues", Lower)
        .is("Time during which a paused queue of a switch held packets, summed over queues."),
    metric("watchdog_fires", "", "Watchdog", Lower).is("Times that the watchdog emptied a queue."),
    metric("deadlock", "", "Deadlock", Lower)
        .is("1 if pauses, or waits for credit, form a circle when the run ends, which then never \
             end."),
];

/// Why a network without lossless classes has no value of these.
pub(super) fn lack(quantity: &str) -> Option<Lack> {
    let is_one = PAUSES.iter().any(|metric| metric.name == quantity);
    is_one.then_some(Lack { why: "no class is lossless", parameter: "pfc.lossless" })
}

/// What flow control did in a network until its end.
#[derive(Clone, Copy, Debug)]
pub struct Pausing {
    counts: PauseCounts,
    hosts: f64,
    fabric: f64,
    links: f64,
    deadlock: bool,
}

impl Pausing {
    /// Of `network`, `classes` of which are lossless; `None` if none is. O(links).
    pub(super) fn new(network: &Network<AnySwitch>, classes: usize) -> Option<Self> {
        let counts = network.pause_counts()?;
        let is_host = |node: Node| matches!(node, Node::Host(_));
        let records: Vec<PauseRecord> = network.pauses().collect();
        let mut paused: Vec<(Node, Node)> = records.iter().map(|one| (one.from, one.to)).collect();
        paused.dedup();
        let span = network.now().since(Time::ZERO);
        // Those that can be paused: what leads to a switch.
        let links = network.links().filter(|link| !is_host(link.to));
        let (hosts, others): (Vec<_>, Vec<_>) = links.partition(|link| is_host(link.from));
        let share = |of_hosts: bool, links: usize| {
            let own = records.iter().filter(|one| is_host(one.from) == of_hosts);
            let sum: Duration = own.map(|one| one.paused).fold(Duration::ZERO, |a, b| a + b);
            sum.as_ps() as f64 / span.as_ps().max(1) as f64 / (links * classes) as f64
        };
        Some(Pausing {
            counts,
            hosts: share(true, hosts.len()),
            fabric: share(false, others.len()),
            links: paused.len() as f64 / (hosts.len() + others.len()) as f64,
            deadlock: network.deadlock().is_some(),
        })
    }

    /// A value for every metric of pauses; none of them is a number without flow control.
    pub(super) fn values(pausing: Option<&Self>) -> [(&'static str, f64); 8] {
        let of = |value: fn(&Self) -> f64| pausing.map_or(f64::NAN, value);
        [
            ("pauses", of(|one| one.counts.asked as f64)),
            ("host_pause_fraction", of(|one| one.hosts)),
            ("fabric_pause_fraction", of(|one| one.fabric)),
            ("paused_links_fraction", of(|one| one.links)),
            ("headroom_most", of(|one| one.counts.headroom_most.get() as f64 / 1e3)),
            ("blocked_time", of(|one| one.counts.blocked.as_ps() as f64 / 1e6)),
            ("watchdog_fires", of(|one| one.counts.watchdog as f64)),
            ("deadlock", of(|one| f64::from(u8::from(one.deadlock)))),
        ]
    }
}

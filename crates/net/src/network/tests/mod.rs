//! Whole networks: what must hold in every run, and what theory says.

#[cfg(feature = "fabrics")]
mod balance;
mod classes;
mod credits;
mod delayed_ack;
mod ended;
mod failure;
mod invariants;
mod large_packets;
mod measures;
mod nic;
mod order;
mod parallel;
mod pauses;
mod plan;
#[cfg(feature = "fabrics")]
mod rates;
mod roce;
mod seeds;
mod stalls;
mod switches;
mod theory;
#[cfg(feature = "fabrics")]
mod trimming;
mod workloads;

use alloc::vec::Vec;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::{Network, NetworkConfig, Transport};
use crate::flow::Flow;
use crate::route::mix;
use crate::topology::{FatTree, Graph, LeafSpine, LinkConfig, Node};
use crate::transport::{RtoConfig, SenderConfig, congestion_controls};
use forebay_switch::{DropTailSwitch, Handle, Losses, PortLimits, SwitchModel};

fn link(gbps: u64, us: u64) -> LinkConfig {
    LinkConfig { rate: Rate::from_gbps(gbps), delay: Duration::from_us(us) }
}

fn small_leaf_spine() -> Graph {
    let (host, fabric) = (link(10, 2), link(40, 2));
    LeafSpine { leaves: 3, spines: 2, hosts_per_leaf: 4, host, fabric }.graph().unwrap()
}

fn small_fat_tree() -> Graph {
    FatTree::k_ary(4, link(10, 1)).unwrap().graph().unwrap()
}

/// A data-centre transport, with marks if the controller is DCTCP.
fn transport(name: &str) -> Transport {
    let rto = RtoConfig {
        initial: Duration::from_ms(1),
        min: Duration::from_us(240),
        ..RtoConfig::default()
    };
    let sender = SenderConfig { rto, ..SenderConfig::default() };
    Transport::window(sender, congestion_controls().named(name).unwrap()).unwrap()
}

/// Flows between pseudo-random hosts, within a millisecond.
fn some_flows(hosts: u32, count: u64, largest: u64, seed: u64) -> Vec<Flow> {
    let draw = |n: u64, salt: u64| mix(mix(seed ^ salt << 32) ^ n);
    (0..count)
        .map(|n| {
            let src = (draw(n, 1) % u64::from(hosts)) as u32;
            let step = 1 + (draw(n, 2) % u64::from(hosts - 1)) as u32;
            let start = Time::from_ps(draw(n, 4) % 1_000_000_000);
            Flow::new(src, (src + step) % hosts, Bytes::new(1 + draw(n, 3) % largest), start)
        })
        .collect()
}

fn network(graph: &Graph, transport: Transport, limit: u64) -> Network<DropTailSwitch> {
    let config = PortLimits { limit: Bytes::new(limit), mark_above: Some(Bytes::new(30_000)) };
    Network::new(graph, NetworkConfig::new(transport), |s| DropTailSwitch::new(s, &config)).unwrap()
}

/// Wraps a switch and notes what passes through it.
struct Watched<F> {
    inner: DropTailSwitch,
    note: F,
}

impl<F: FnMut(Time, &Handle, Bytes)> SwitchModel for Watched<F> {
    fn arrive(&mut self, now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        (self.note)(now, &packet, self.inner.backlog());
        self.inner.arrive(now, port, packet, lost);
    }

    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        self.inner.next(now, port, lost)
    }

    fn is_empty(&self, port: u16) -> bool {
        self.inner.is_empty(port)
    }

    fn backlog(&self) -> Bytes {
        self.inner.backlog()
    }
}

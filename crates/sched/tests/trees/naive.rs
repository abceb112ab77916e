//! A scheduling tree as plainly as it can be said: vectors that are searched, token counts that are
//! refilled, tags in whole numbers. One port.

use forebay_sched::tree::TreeConfig;
use forebay_sched::{Packet, RankFunction, rank_function};
use forebay_units::Time;

use crate::trees::random::{MTU, children, parent};

/// More rounds than any test has: under `sp`, ranks are priority · SP + round.
const SP: u64 = 1 << 20;
/// Pico-bits per byte.
const BYTE: u128 = 8_000_000_000_000;

#[derive(Clone, Copy, Default)]
struct Bucket {
    rate: u128,
    burst: u128,
    tokens: u128,
    at: u64,
}

impl Bucket {
    fn refill(&mut self, now: u64) {
        self.tokens = self.burst.min(self.tokens + self.rate * u128::from(now - self.at));
        self.at = now;
    }

    /// When it will hold a largest packet.
    fn ready(&self) -> u64 {
        let missing = (u128::from(MTU) * BYTE).saturating_sub(self.tokens);
        self.at + (missing.div_ceil(self.rate)) as u64
    }
}

#[derive(Default)]
struct Node {
    parent: Option<usize>,
    is_leaf: bool,
    /// Children or packets: rank, order of arrival, which.
    pifo: Vec<(u64, u64, usize)>,
    bucket: Option<Bucket>,
    /// Held until this instant, in this order.
    held: Option<(u64, u64)>,
    present: bool,
    scheduler: String,
    weight: u64,
    priority: u64,
    // Of the node among its siblings.
    start: u64,
    finish: u64,
    credit: i64,
    round: u64,
    // Of the node over its children.
    virtual_time: u64,
    latest_finish: u64,
    rounds: [u64; 3],
}

pub(crate) struct NaiveTree {
    nodes: Vec<Node>,
    orders: Vec<Box<dyn RankFunction>>,
    limits: Vec<usize>,
    capacity: usize,
    packets: Vec<Option<Packet>>,
    stamp: u64,
}

impl NaiveTree {
    pub(crate) fn new(config: &TreeConfig) -> Self {
        let node = |(number, node): (usize, &forebay_sched::tree::NodeConfig)| {
            let weight = u64::from(node.weight.unwrap_or(1));
            Node {
                parent: parent(config, number),
                is_leaf: children(config, number).is_empty(),
                bucket: node.shaper.map(|shaper| {
                    let burst = u128::from(shaper.burst.get()) * BYTE;
                    let rate = shaper.rate.as_bps().into();
                    Bucket { rate, burst, tokens: burst, at: 0 }
                }),
                scheduler: node.scheduler.clone().unwrap_or_default(),
                weight,
                priority: node.priority.into(),
                credit: weight as i64 * i64::from(MTU),
                ..Node::default()
            }
        };
        let order = |node: &forebay_sched::tree::NodeConfig| {
            rank_function(node.order.as_deref().unwrap_or("fifo")).unwrap()
        };
        NaiveTree {
            nodes: config.nodes.iter().enumerate().map(node).collect(),
            orders: config.nodes.iter().map(order).collect(),
            limits: config.nodes.iter().map(|node| node.limit.unwrap_or(usize::MAX)).collect(),
            capacity: config.capacity,
            packets: Vec::new(),
            stamp: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.iter().flatten().count()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.packets.iter().flatten().map(|packet| u64::from(packet.size)).sum()
    }

    /// Whether the packet, whose class is the number of its leaf, is taken.
    pub(crate) fn enqueue(&mut self, now: u64, packet: Packet) -> bool {
        self.release(now);
        let leaf = usize::from(packet.class);
        if self.len() >= self.capacity || self.nodes[leaf].pifo.len() >= self.limits[leaf] {
            return false;
        }
        let rank = self.orders[leaf].rank(Time::from_ps(now), &packet).get();
        self.packets.push(Some(packet));
        let stamp = self.next_stamp();
        self.nodes[leaf].pifo.push((rank, stamp, self.packets.len() - 1));
        if !self.nodes[leaf].present && self.nodes[leaf].held.is_none() {
            self.show(leaf, now);
        }
        true
    }

    pub(crate) fn dequeue(&mut self, now: u64) -> Option<Packet> {
        self.release(now);
        if !self.nodes[0].present {
            return None;
        }
        let mut path = vec![0];
        loop {
            let node = &mut self.nodes[path[path.len() - 1]];
            let first =
                node.pifo.iter().enumerate().min_by_key(|(_, element)| **element).unwrap().0;
            let (rank, _, which) = node.pifo.remove(first);
            if !node.is_leaf {
                self.nodes[which].start = rank; // as it stood
                path.push(which);
                continue;
            }
            let packet = self.packets[which].take().unwrap();
            for &node in path.iter().rev() {
                self.sent(node, &packet, now);
            }
            return Some(packet);
        }
    }

    fn sent(&mut self, number: usize, packet: &Packet, now: u64) {
        let size = u64::from(packet.size);
        let node = &mut self.nodes[number];
        if let Some(bucket) = &mut node.bucket {
            bucket.refill(now);
            bucket.tokens -= u128::from(size) * BYTE;
        }
        node.present = false;
        let is_empty = node.pifo.is_empty();
        if is_empty {
            node.virtual_time = node.virtual_time.max(node.latest_finish);
        }
        if let Some(parent) = node.parent {
            let start = node.start;
            match self.nodes[parent].scheduler.as_str() {
                "wfq" => {
                    let finish = start + size * 4096 / self.nodes[number].weight;
                    self.nodes[number].finish = finish;
                    let parent = &mut self.nodes[parent];
                    parent.virtual_time = parent.virtual_time.max(start);
                    parent.latest_finish = parent.latest_finish.max(finish);
                }
                scheduler => {
                    // Rounds of the parent, or under `sp` of the priority.
                    let priority = if scheduler == "sp" { self.nodes[number].priority } else { 0 };
                    self.nodes[parent].rounds[priority as usize] = start % SP;
                    let node = &mut self.nodes[number];
                    node.credit -= size as i64;
                    while node.credit <= 0 {
                        node.credit += node.weight as i64 * i64::from(MTU);
                        node.round += 1;
                    }
                }
            }
        }
        if !is_empty {
            self.show(number, now);
        }
    }

    fn show(&mut self, number: usize, now: u64) {
        let stamp = self.next_stamp();
        let node = &mut self.nodes[number];
        if let Some(bucket) = &mut node.bucket {
            bucket.refill(now);
            if bucket.ready() > now {
                node.held = Some((bucket.ready(), stamp));
                return;
            }
        }
        node.present = true;
        let Some(parent) = node.parent else { return };
        let (virtual_time, rounds) = (self.nodes[parent].virtual_time, self.nodes[parent].rounds);
        let scheduler = self.nodes[parent].scheduler.clone();
        let node = &mut self.nodes[number];
        let rank = match scheduler.as_str() {
            "wfq" => node.finish.max(virtual_time),
            scheduler => {
                let priority = if scheduler == "sp" { node.priority } else { 0 };
                let round = rounds[priority as usize];
                if node.round < round {
                    node.round = round;
                    node.credit = node.weight as i64 * i64::from(MTU);
                }
                priority * SP + node.round
            }
        };
        let was_empty = self.nodes[parent].pifo.is_empty();
        self.nodes[parent].pifo.push((rank, stamp, number));
        let parent_waits = self.nodes[parent].present || self.nodes[parent].held.is_some();
        if was_empty && !parent_waits {
            self.show(parent, now);
        }
    }

    fn release(&mut self, now: u64) {
        loop {
            let due = |node: &Node| node.held.filter(|(at, _)| *at <= now);
            let first = (0..self.nodes.len())
                .filter_map(|number| due(&self.nodes[number]).map(|held| (held, number)))
                .min();
            let Some((_, number)) = first else { return };
            self.nodes[number].held = None;
            self.show(number, now);
        }
    }

    fn next_stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }
}

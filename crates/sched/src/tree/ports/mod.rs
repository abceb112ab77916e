//! The trees of all ports over shared queues: a packet in, a packet out.
//!
//! Nodes are numbered as in the configuration; node `n` of port `p` has its state at
//! `p · nodes + n`, and its elements in partition `p · width + place` of the queue of its level.

mod build;

use alloc::vec::Vec;

use forebay_units::{Bytes, Time};

use super::classify::Classifier;
use super::level_queue::{LevelQueue, QueueCount};
use super::packets::Packets;
use super::shaping::{Presence, Shaping};
use super::{ClubLevel, MAX_LEVELS};
use crate::DropCause;
use crate::{Packet, Rank};
pub use build::BuildError;
use build::{Kind, Node, TreePosition};

/// What one port holds.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    /// The latest instant seen.
    latest: Time,
    packets: usize,
    bytes: Bytes,
}

/// The scheduling trees of the ports of a device, all of one configuration.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::tree::{NodeConfig, PortTrees, Rule, TreeConfig};
/// use forebay_units::{Rate, Time};
///
/// // 64 ports; in each, 4 tenants with 8 classes each: 37 nodes on 3 levels.
/// let mut config = TreeConfig::new(Rate::from_gbps(100));
/// config.nodes.push(NodeConfig::root("port"));
/// for tenant in 0..4u16 {
///     let name = format!("tenant-{tenant}");
///     config.nodes.push(NodeConfig::below("port", &name));
///     for class in 0..8 {
///         let rule = Rule { input: Some(tenant..=tenant), ..Rule::class(class) };
///         let leaf = NodeConfig::below(&name, &format!("{name}-{class}"));
///         config.nodes.push(NodeConfig { rules: vec![rule], ..leaf });
///     }
/// }
/// let mut trees: PortTrees = PortTrees::new(&config, 64)?;
/// assert_eq!(trees.queues().to_string(), "2368 logical in 3 physical queues");
///
/// let packet = Packet { input: 2, class: 5, size: 1500, ..Packet::default() };
/// assert_eq!(trees.enqueue(63, Time::ZERO, packet), Ok(()));
/// assert_eq!(trees.dequeue(0, Time::ZERO), None);
/// assert_eq!(trees.dequeue(63, Time::ZERO), Some(packet));
/// # Ok::<(), forebay_sched::tree::BuildError>(())
/// ```
pub struct PortTrees<Q = ClubLevel> {
    places: Vec<TreePosition>,
    root: u32,
    widths: Vec<usize>,
    classifier: Classifier,
    mtu: Bytes,
    capacity: usize,
    ports: Vec<Port>,
    nodes: Vec<Node>,
    levels: Vec<Q>,
    shaping: Shaping<Q>,
    packets: Packets,
}

forebay_pifo::debug_in_one_line!(
    [Q] PortTrees<Q>, |trees| { ports: trees.ports.len(), capacity: trees.capacity }
);

impl<Q: LevelQueue> PortTrees<Q> {
    /// The number of ports.
    #[must_use]
    pub fn ports(&self) -> usize {
        self.ports.len()
    }

    /// How many queues the trees would need, and how many there are.
    #[must_use]
    pub fn queues(&self) -> QueueCount {
        let shaped = self.shaping.queue();
        QueueCount {
            logical: self.nodes.len() + shaped.map_or(0, |_| self.ports.len()),
            physical: self.levels.iter().chain(shaped).map(LevelQueue::physical_queues).sum(),
        }
    }

    /// A packet arrives for `port`; as [`PacketScheduler::enqueue`].
    ///
    /// # Errors
    /// Why it was refused: no room in its leaf or in all, no rule for it, too large, or no such
    /// port (both [`DropCause::Impossible`]).
    ///
    /// [`PacketScheduler::enqueue`]: crate::scheduler::PacketScheduler::enqueue
    pub fn enqueue(&mut self, port: usize, now: Time, packet: Packet) -> Result<(), DropCause> {
        let leaf = self.classifier.leaf(&packet).ok_or(DropCause::Unmatched)?;
        let Some(now) = self.move_to(port, now) else { return Err(DropCause::Impossible) };
        let size = Bytes::new(u64::from(packet.size));
        if size > self.mtu {
            return Err(DropCause::Impossible);
        }
        if self.packets.len() >= self.capacity {
            return Err(DropCause::QueueFull);
        }
        let place = self.places[leaf as usize];
        let index = self.index(port, leaf);
        let Kind::Leaf { order, waiting, limit } = &mut self.nodes[index].kind else {
            return Err(DropCause::Unmatched);
        };
        if *waiting >= *limit {
            return Err(DropCause::QueueFull);
        }
        *waiting += 1;
        let rank = order.rank(now, &packet).get();
        let number = self.packets.keep(packet);
        self.push(port, place, rank, number);
        let counts = &mut self.ports[port];
        counts.packets += 1;
        counts.bytes += size;
        if self.nodes[index].presence == Presence::Absent {
            self.show(port, leaf, now);
        }
        Ok(())
    }

    /// The packet of `port` that leaves at `now`; as [`PacketScheduler::dequeue`].
    ///
    /// [`PacketScheduler::dequeue`]: crate::scheduler::PacketScheduler::dequeue
    pub fn dequeue(&mut self, port: usize, now: Time) -> Option<Packet> {
        let now = self.move_to(port, now)?;
        if self.nodes[self.index(port, self.root)].presence != Presence::Ready {
            return None;
        }
        // Down: who is next, and at which rank it stands with its parent.
        let mut path = [(0u32, 0u64); MAX_LEVELS];
        let (mut node, mut depth) = (self.root, 0);
        while !self.places[node as usize].is_leaf {
            let (rank, child) = self.peek(port, node)?;
            depth += 1;
            *path.get_mut(depth)? = (child, rank);
            node = child;
        }
        path[0] = (self.root, 0);
        let packet = self.pop_packet(port, node, now)?;
        // Up: everyone on the path has sent it.
        for &(node, rank) in path[..=depth].iter().rev() {
            self.account(port, node, rank, &packet, now);
        }
        Some(packet)
    }

    /// When a packet of `port` may leave if nothing else happens: `now` if at once, `None` if none
    /// waits.
    ///
    /// Where shapers stand above shapers the answer may be too early, never too late: asking again
    /// at that instant, after a [`dequeue`](Self::dequeue) that gave nothing, brings a later one,
    /// at most once for each level and shaped node.
    #[must_use]
    pub fn ready_at(&self, port: usize, now: Time) -> Option<Time> {
        let counts = self.ports.get(port)?;
        if counts.packets == 0 {
            return None;
        }
        if self.nodes[self.index(port, self.root)].presence == Presence::Ready {
            return Some(now);
        }
        Some(self.shaping.next(port)?.max(now))
    }

    /// Packets that wait at `port`, and their bytes; nothing if there is no such port.
    #[must_use]
    pub fn waiting(&self, port: usize) -> (usize, Bytes) {
        self.ports.get(port).map_or((0, Bytes::ZERO), |port| (port.packets, port.bytes))
    }

    #[inline]
    fn index(&self, port: usize, node: u32) -> usize {
        port * self.places.len() + node as usize
    }

    #[inline]
    fn partition(&self, port: usize, place: TreePosition) -> usize {
        port * self.widths[place.level] + place.place
    }

    /// Takes the clock of `port` to `now` and lets out the shaped nodes whose time has come; the
    /// latest instant seen, or `None` if there is no such port.
    fn move_to(&mut self, port: usize, now: Time) -> Option<Time> {
        let counts = self.ports.get_mut(port)?;
        counts.latest = counts.latest.max(now);
        let now = counts.latest;
        while let Some(node) = self.shaping.release(port, now) {
            self.show(port, node, now);
        }
        Some(now)
    }

    /// A node that was absent has something to send: it joins its parent's PIFO, and so do
    /// ancestors that had nothing else; or it waits until its shaper allows it.
    fn show(&mut self, port: usize, mut node: u32, now: Time) {
        loop {
            let index = self.index(port, node);
            self.nodes[index].presence = self.shaping.hold(port, index, node, now);
            let place = self.places[node as usize];
            let Some(parent) = place.parent.filter(|_| self.is_ready(index)) else { return };
            let parent_index = self.index(port, parent);
            let Kind::Inner(discipline) = &mut self.nodes[parent_index].kind else { return };
            let rank = discipline.rank(place.child);
            self.push(port, self.places[parent as usize], rank, node);
            if self.nodes[parent_index].presence != Presence::Absent {
                return;
            }
            node = parent;
        }
    }

    #[inline]
    fn is_ready(&self, index: usize) -> bool {
        self.nodes[index].presence == Presence::Ready
    }

    /// `node`, which stood at `rank` with its parent, has sent `packet`: it pays, and stands at a
    /// new rank, or waits for its shaper, or has nothing more.
    fn account(&mut self, port: usize, node: u32, rank: u64, packet: &Packet, now: Time) {
        let (index, place) = (self.index(port, node), self.places[node as usize]);
        self.shaping.spend(index, now, Bytes::new(u64::from(packet.size)));
        let has_more = self.peek(port, node).is_some();
        self.nodes[index].presence = match has_more {
            true => self.shaping.hold(port, index, node, now),
            false => Presence::Absent,
        };
        if let (false, Kind::Inner(discipline)) = (has_more, &mut self.nodes[index].kind) {
            discipline.idle();
        }
        let Some(parent) = place.parent else { return };
        let stays = self.is_ready(index);
        let parent_index = self.index(port, parent);
        let partition = self.partition(port, self.places[parent as usize]);
        let queue = &mut self.levels[place.level - 1]; // a node with a parent is not on level 0
        let Kind::Inner(discipline) = &mut self.nodes[parent_index].kind else { return };
        discipline.sent(place.child, rank, packet.size);
        let popped = if stays {
            let replaced = queue.replace_in(partition, discipline.rank(place.child), node);
            debug_assert!(replaced.pushed.is_ok(), "the pop made room");
            replaced.popped
        } else {
            queue.pop_min_in(partition)
        };
        debug_assert_eq!(
            popped,
            Some((rank, node)),
            "the child that was served is its parent's first"
        );
    }

    /// The first element of `node`: a child, or the number of a packet.
    #[inline]
    fn peek(&self, port: usize, node: u32) -> Option<(u64, u32)> {
        let place = self.places[node as usize];
        let queue = &self.levels[place.level];
        queue.peek_min_in(self.partition(port, place)).map(|(rank, item)| (rank, *item))
    }

    #[inline]
    fn push(&mut self, port: usize, place: TreePosition, rank: u64, item: u32) {
        let partition = self.partition(port, place);
        let pushed = self.levels[place.level].push_in(partition, rank, item);
        debug_assert!(pushed.is_ok(), "a level holds all packets and children there can be");
    }

    /// Takes the first packet of leaf `node` out.
    fn pop_packet(&mut self, port: usize, node: u32, now: Time) -> Option<Packet> {
        let place = self.places[node as usize];
        let partition = self.partition(port, place);
        let (rank, number) = self.levels[place.level].pop_min_in(partition)?;
        let packet = self.packets.take(number);
        let index = self.index(port, node);
        if let Kind::Leaf { order, waiting, .. } = &mut self.nodes[index].kind {
            order.departed(now, &packet, Rank::new(rank));
            *waiting -= 1;
        }
        let counts = &mut self.ports[port];
        counts.packets -= 1;
        counts.bytes -= Bytes::new(u64::from(packet.size));
        Some(packet)
    }
}

//! Who may not send yet: the token buckets of shaped nodes, and the queue in which such nodes wait.
//!
//! A node may send when its bucket holds a largest packet, whatever the packet that it will send:
//! which one that is may still change. With a burst of at least a largest packet this costs no
//! rate, and what leaves in any span t is at most rate · t + burst (see [`TokenBucket`]).

use alloc::vec::Vec;

use forebay_units::{Bytes, Time};

use super::config::TreeConfig;
use super::level_queue::LevelQueue;
use super::ports::BuildError;
use crate::TokenBucket;

/// Where a node of a port stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// It has nothing to send.
    Absent,
    /// In the shaping queue: it has, but not yet.
    Held,
    /// In its parent's PIFO; the root: its port may send.
    Ready,
}

/// The shapers of all ports.
#[derive(Clone, Debug)]
pub(super) struct Shaping<Q> {
    /// Per node of each port; empty if no node is shaped.
    buckets: Vec<Option<TokenBucket>>,
    /// Per port, the nodes that are held, by the instant at which they may send.
    held: Option<Q>,
    /// The largest packet.
    mtu: Bytes,
}

impl<Q: LevelQueue> Shaping<Q> {
    /// Full buckets for the shaped nodes of `config` at each of `ports` ports.
    pub(super) fn new(config: &TreeConfig, ports: usize) -> Result<Self, BuildError> {
        let bucket = |node: &super::NodeConfig| {
            node.shaper.map(|shaper| TokenBucket::new(shaper.rate, shaper.burst))
        };
        let one: Vec<_> = config.nodes.iter().map(bucket).collect();
        let shaped = one.iter().flatten().count();
        if shaped == 0 {
            return Ok(Shaping { buckets: Vec::new(), held: None, mtu: config.mtu });
        }
        let level = config.nodes.len();
        let held = Q::build(ports, shaped.saturating_mul(ports))
            .map_err(|error| BuildError::Queue { level, error })?;
        Ok(Shaping { buckets: one.repeat(ports), held: Some(held), mtu: config.mtu })
    }

    /// The shaping queue, if there is one.
    pub(super) fn queue(&self) -> Option<&Q> {
        self.held.as_ref()
    }

    /// Whether `node` of `port`, with its state at `index`, may send at `now`; if not, it is held.
    #[inline]
    pub(super) fn hold(&mut self, port: usize, index: usize, node: u32, now: Time) -> Presence {
        let Some(Some(bucket)) = self.buckets.get(index) else { return Presence::Ready };
        let at = bucket.conforms_at(self.mtu);
        let Some(held) = self.held.as_mut().filter(|_| at > now) else { return Presence::Ready };
        let pushed = held.push_in(port, at.as_ps(), node);
        debug_assert!(pushed.is_ok(), "a node is held at most once");
        Presence::Held
    }

    /// The node at `index` sends `size` at `now`.
    #[inline]
    pub(super) fn spend(&mut self, index: usize, now: Time, size: Bytes) {
        if let Some(Some(bucket)) = self.buckets.get_mut(index) {
            bucket.spend(now, size);
        }
    }

    /// Takes out a node of `port` that is held and may send by `now`, the earliest first.
    #[inline]
    pub(super) fn release(&mut self, port: usize, now: Time) -> Option<u32> {
        let held = self.held.as_mut()?;
        let (at, _) = held.peek_min_in(port)?;
        if Time::from_ps(at) > now {
            return None;
        }
        held.pop_min_in(port).map(|(_, node)| node)
    }

    /// The instant at which the first of the held nodes of `port` may send.
    pub(super) fn next(&self, port: usize) -> Option<Time> {
        let (at, _) = self.held.as_ref()?.peek_min_in(port)?;
        Some(Time::from_ps(at))
    }
}

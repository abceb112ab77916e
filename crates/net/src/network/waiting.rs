//! How many bytes wait at each port of a switch, where somebody reads it: load balancing by queue.
//!
//! Counted outside of the switch's model, which knows its ports' queues in ways of its own: what
//! arrived for a port and has neither begun to leave nor been lost. A network that reads it plans
//! no transmissions of switches. Constant time; 8 bytes per channel and 4 per port.

use alloc::vec::Vec;

use super::channel::Channel;
use super::fabric::Fabric;
use crate::route::ChannelId;
use crate::topology::Node;
use forebay_switch::{DropCause, Lost};

#[derive(Debug)]
pub(super) struct Waiting {
    /// For each channel.
    bytes: Vec<u64>,
    /// For each switch, the channels of its ports.
    ports: Vec<Vec<ChannelId>>,
}

impl Waiting {
    pub(super) fn new(fabric: &Fabric, channels: &[Channel]) -> Self {
        let mut ports = alloc::vec![Vec::new(); fabric.graph.switches as usize];
        for (channel, id) in channels.iter().zip(0..) {
            // Ports are numbered in the order of channels.
            if let Node::Switch(switch) = channel.from {
                ports[switch as usize].push(id);
            }
        }
        Waiting { bytes: alloc::vec![0; channels.len()], ports }
    }

    #[inline]
    pub(super) fn of(&self, channel: ChannelId) -> u64 {
        self.bytes[channel as usize]
    }

    #[inline]
    pub(super) fn add(&mut self, channel: ChannelId, size: u32) {
        self.bytes[channel as usize] += u64::from(size);
    }

    #[inline]
    pub(super) fn leave(&mut self, channel: ChannelId, size: u32) {
        self.bytes[channel as usize] -= u64::from(size);
    }

    /// So many bytes of what waits were cut off.
    #[inline]
    pub(super) fn cut(&mut self, channel: ChannelId, bytes: u64) {
        self.bytes[channel as usize] -= bytes;
    }

    /// A packet was lost at a switch; unless it came no further, or had begun to leave, it waited.
    pub(super) fn lose(&mut self, switch: u32, lost: &Lost) {
        if !matches!(lost.cause, DropCause::NoRoute | DropCause::LinkDown) {
            let channel = self.ports[switch as usize][usize::from(lost.port)];
            self.leave(channel, lost.packet.size());
        }
    }
}

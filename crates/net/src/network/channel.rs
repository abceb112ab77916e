//! One direction of a link: its transmitter, and the packets on their way.
//!
//! Packets in flight are a ring in the order they were sent, which is the order they arrive. Only the
//! first one's arrival is a pending event. 104 bytes a channel
//! and 24 a packet in flight; the ring keeps its largest size.

use alloc::collections::VecDeque;

use forebay_units::{Bytes, Duration, Rate, Time};

use crate::packet::Handle;
use crate::topology::{LinkConfig, Node};

/// A packet in flight.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// When its last bit arrives.
    due: Time,
    packet: Handle,
}

#[derive(Clone, Debug)]
pub(super) struct Channel {
    in_flight: VecDeque<InFlight>,
    /// When the transmitter is free.
    pub(super) free_at: Time,
    /// Picoseconds a byte takes, or 0 if that is not a whole number.
    ps_per_byte: u32,
    /// The port of the switch that it leaves from; 0 at a host.
    pub(super) port: u16,
    /// The port of the switch that it leads to; 0 at a host.
    pub(super) input: u16,
    pub(super) from: Node,
    pub(super) to: Node,
    config: LinkConfig,
    /// Bytes that were sent.
    pub(super) sent: u64,
}

const PS_PER_S: u64 = 1_000_000_000_000;

impl Channel {
    pub(super) fn new(ends: [(Node, u16); 2], config: LinkConfig) -> Self {
        let exact = (8 * PS_PER_S).checked_rem(config.rate.as_bps()) == Some(0);
        let whole = (8 * PS_PER_S).checked_div(config.rate.as_bps()).filter(|_| exact);
        let [(from, port), (to, input)] = ends;
        Channel {
            in_flight: VecDeque::new(),
            free_at: Time::ZERO,
            ps_per_byte: whole.and_then(|ps| u32::try_from(ps).ok()).unwrap_or(0),
            port,
            input,
            from,
            to,
            config,
            sent: 0,
        }
    }

    /// How long `bytes` take to be sent.
    #[inline]
    pub(super) fn time_for(&self, bytes: u32) -> Duration {
        if self.ps_per_byte == 0 {
            return self.config.rate.time_for(Bytes::new(bytes.into()));
        }
        Duration::from_ps(u64::from(bytes) * u64::from(self.ps_per_byte))
    }

    pub(super) fn delay(&self) -> Duration {
        self.config.delay
    }

    pub(super) fn rate(&self) -> Rate {
        self.config.rate
    }

    /// Starts to send a packet at `now`. Returns when it arrives if none is before it.
    #[inline]
    pub(super) fn send(&mut self, now: Time, packet: Handle) -> Option<Time> {
        self.free_at = now + self.time_for(packet.size());
        self.sent += u64::from(packet.size());
        let due = self.free_at + self.config.delay;
        let first = self.in_flight.is_empty();
        self.in_flight.push_back(InFlight { due, packet: packet.with_input(self.input) });
        first.then_some(due)
    }

    /// Takes the packet that arrives now, and says when the next one does.
    #[inline]
    pub(super) fn receive(&mut self) -> Option<(Handle, Option<Time>)> {
        let arrived = self.in_flight.pop_front()?;
        Some((arrived.packet, self.in_flight.front().map(|next| next.due)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_small_and_its_times_are_exact() {
        assert_eq!(size_of::<InFlight>(), 24);
        assert!(size_of::<Channel>() <= 104, "{}", size_of::<Channel>());
        for bps in [1, 3, 7_000_000, 10_000_000_000, 50_000_000_000, 3_000_000_000_000] {
            let config = LinkConfig { rate: Rate::from_bps(bps), delay: Duration::from_us(1) };
            let channel = Channel::new([(Node::Host(0), 0), (Node::Switch(0), 3)], config);
            for bytes in [1, 64, 1500, 9000] {
                let expected = config.rate.time_for(Bytes::new(bytes.into()));
                assert_eq!(channel.time_for(bytes), expected);
            }
        }
    }
}

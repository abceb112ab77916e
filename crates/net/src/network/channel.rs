//! One direction of a link: its transmitter, and the packets in flight.
//!
//! Packets in flight are a list in the order in which they were sent, which is also that of their
//! arrival. Only the first one's arrival is a pending event. The first two are kept in the channel
//! itself: what is known about the next arrival is then in the cache, and the list, which may not
//! be, is read one arrival ahead.
//!
//! Where packets leave in order of arrival and none is dropped later, each departure is known at
//! once. It is then *planned*: the packet is in the list from the start, and no event is needed
//! when the transmitter becomes free. A planned packet that has not begun leaves its size in a
//! second list: such packets follow each other without a gap, so the sizes give the start of each,
//! and whoever asks what waits first lets those begin that are due. 152 bytes per channel, 26 per
//! packet in flight or planned, and 5 more until it begins.

use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate, Time};

use crate::route::ChannelId;
use crate::topology::{LinkConfig, Node};
use crate::transport::PortReport;
use forebay_pifo::prefetch;
use forebay_switch::{Handle, List, ListPool};

/// A packet in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InFlight {
    /// When its last bit arrives.
    pub(super) due: Time,
    pub(super) packet: Handle,
}

/// The chunks of packets in flight: four cache lines for 10.
pub(super) type FlightPool = ListPool<InFlight, 10>;

/// The chunks of sizes: two cache lines for 31.
pub(super) type SizePool = ListPool<u32, 31>;

#[derive(Clone, Debug)]
pub(super) struct Channel {
    /// The first packets in flight, in order.
    first: [Option<InFlight>; 2],
    /// The packets behind them.
    in_flight: List,
    /// Picoseconds per byte, or 0 if that is not a whole number.
    ps_per_byte: u32,
    /// When the transmitter is free; if more is planned, when all of it has been sent.
    pub(super) free_at: Time,
    /// The sizes of the planned packets that have not begun.
    planned: List,
    /// When the first of these begins.
    next_start: Time,
    /// The partition that the packets arrive in.
    pub(super) into: u16,
    /// The port of the switch from which it leads; 0 at a host.
    pub(super) port: u16,
    /// The port of the switch to which it leads; 0 at a host.
    input: u16,
    /// Whether packets sent on it arrive.
    pub(super) up: bool,
    /// Whether packets are planned when they arrive.
    pub(super) plans: bool,
    pub(super) from: Node,
    pub(super) to: Node,
    config: LinkConfig,
    /// Bytes sent, including those being sent.
    pub(super) sent: u64,
}

const PS_PER_S: u64 = 1_000_000_000_000;

impl Channel {
    pub(super) fn new(ends: [(Node, u16); 2], config: LinkConfig) -> Self {
        let exact = (8 * PS_PER_S).checked_rem(config.rate.as_bps()) == Some(0);
        let whole = (8 * PS_PER_S).checked_div(config.rate.as_bps()).filter(|_| exact);
        let [(from, port), (to, input)] = ends;
        Channel {
            first: [None; 2],
            in_flight: List::default(),
            ps_per_byte: whole.and_then(|ps| u32::try_from(ps).ok()).unwrap_or(0),
            free_at: Time::ZERO,
            planned: List::default(),
            next_start: Time::ZERO,
            into: 0,
            port,
            input,
            up: true,
            plans: false,
            from,
            to,
            config,
            sent: 0,
        }
    }

    /// Prefetches what will be needed soon.
    #[inline]
    pub(super) fn approach(&self) {
        prefetch(&self.first);
        prefetch(&self.next_start);
        prefetch(self);
    }

    /// The packet that arrives next.
    #[inline]
    pub(super) fn next_packet(&self) -> Option<Handle> {
        self.first[0].map(|flight| flight.packet)
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

    pub(super) fn input(&self) -> u16 {
        self.input
    }

    pub(super) fn rate(&self) -> Rate {
        self.config.rate
    }

    /// What it writes down on a packet that begins to leave, behind which so much waits.
    pub(super) fn report(
        &self,
        port: ChannelId,
        at: Time,
        queue: Bytes,
        packet: &Handle,
    ) -> PortReport {
        let sent = Bytes::new(self.sent + u64::from(packet.size()));
        PortReport { port, at, queue, sent, rate: self.config.rate }
    }

    /// Starts to send a packet at `now`. Returns when it arrives.
    #[inline]
    pub(super) fn send(&mut self, now: Time, size: u32) -> Time {
        self.free_at = now + self.time_for(size);
        self.sent += u64::from(size);
        self.free_at + self.config.delay
    }

    /// Plans to send a packet when the transmitter is free. Returns when it arrives, and whether it
    /// has to wait; if not, it begins now.
    #[inline]
    pub(super) fn plan(&mut self, sizes: &mut SizePool, now: Time, size: u32) -> (Time, bool) {
        let waits = self.free_at > now;
        if waits {
            if self.planned.is_empty() {
                self.next_start = self.free_at;
            }
            self.planned.push(sizes, size);
        } else {
            self.free_at = now;
            self.sent += u64::from(size);
        }
        self.free_at += self.time_for(size);
        (self.free_at + self.config.delay, waits)
    }

    /// When all packets that have begun will have been sent.
    pub(super) fn sending_until(&self) -> Time {
        if self.planned.is_empty() { self.free_at } else { self.next_start }
    }

    /// Lets the first planned packet begin, if it is due by `until`. Returns its size.
    #[inline]
    pub(super) fn begin(&mut self, sizes: &mut SizePool, until: Time) -> Option<u32> {
        if self.planned.is_empty() || self.next_start > until {
            return None;
        }
        let size = self.planned.pop(sizes)?;
        self.next_start += self.time_for(size);
        self.sent += u64::from(size);
        Some(size)
    }

    /// Discards the plan for packets that have not begun. Returns how many there are: the last in
    /// flight.
    pub(super) fn forget_plan(&mut self, sizes: &mut SizePool) -> usize {
        if self.planned.is_empty() {
            return 0;
        }
        self.free_at = self.next_start;
        core::iter::from_fn(|| self.planned.pop(sizes)).count()
    }

    /// Removes all packets that are in flight or planned.
    pub(super) fn take_flights(&mut self, flights: &mut FlightPool) -> Vec<InFlight> {
        let first = core::mem::take(&mut self.first).into_iter().flatten();
        first.chain(core::iter::from_fn(|| self.in_flight.pop(flights))).collect()
    }

    /// Adds a packet in flight. Returns whether it is the only one.
    #[inline]
    pub(super) fn fly(&mut self, flights: &mut FlightPool, due: Time, packet: Handle) -> bool {
        let flight = InFlight { due, packet: packet.with_input(self.input) };
        match &mut self.first {
            [Some(_), Some(_)] => self.in_flight.push(flights, flight),
            [Some(_), second] => *second = Some(flight),
            [first, _] => {
                *first = Some(flight);
                return true;
            }
        }
        false
    }

    /// Removes the packet that arrives next. Returns the one behind it, too.
    #[inline]
    pub(super) fn receive(
        &mut self,
        flights: &mut FlightPool,
    ) -> Option<(Handle, Option<InFlight>)> {
        let [first, second] = self.first;
        self.first = [second, self.in_flight.pop(flights)];
        if let Some(third) = self.in_flight.first(flights) {
            prefetch(third);
        }
        Some((first?.packet, second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_small_and_its_times_are_exact() {
        assert_eq!((size_of::<InFlight>(), size_of::<Option<InFlight>>()), (24, 24));
        assert!(size_of::<Channel>() <= 152, "{}", size_of::<Channel>());
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

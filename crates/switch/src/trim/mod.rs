//! Trimming: a packet that finds its queue full loses its data, and its header goes on.
//!
//! Source: Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
//! performance", SIGCOMM 2017 (NDP), by its authors' public overview and what others cite of it.
//! Each port has two queues of equal size: one of data, and one of headers, which also holds all
//! that goes back to senders. While both wait, ten headers leave for each packet of data, so that
//! headers are fast and cannot keep data from leaving. If a packet finds no room, it or the last
//! one of the queue is trimmed, at random, which keeps arrivals from locking onto departures. A
//! header that finds no room is given up; the network sends it back if
//! [told](TrimConfig::returns) to.
//!
//! Chosen here: headers are counted only while data waits; the last packet is trimmed only if that
//! makes room for the one that arrives; which of the two it is is drawn from a counter, so the same
//! packets give the same results. Constant time; a port takes 96 bytes, and 16 for each packet that
//! it has ever held at once.

mod config;
#[cfg(test)]
mod tests;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_units::{Bytes, Time};

pub use config::{DropTailConfig, TrimConfig};

use crate::draws::mix;
use crate::{
    DropCause, Gauge, Handle, Location, Losses, SwitchBuildError, SwitchModel, SwitchShape, Tally,
};

/// What switches have trimmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrimCounts {
    /// Packets whose data was cut off, and the bytes that this was.
    pub trimmed: Tally,
    /// How many of them waited already, and made room for another.
    pub waiting: u64,
}

impl core::ops::AddAssign for TrimCounts {
    fn add_assign(&mut self, other: TrimCounts) {
        self.trimmed += other.trimmed;
        self.waiting += other.waiting;
    }
}

/// Packets that wait in order.
#[derive(Clone, Debug, Default)]
struct Queue {
    packets: VecDeque<Handle>,
    bytes: u64,
}

impl Queue {
    fn push(&mut self, packet: Handle) {
        self.bytes += u64::from(packet.size());
        self.packets.push_back(packet);
    }

    fn pop(&mut self) -> Option<Handle> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size());
        Some(packet)
    }

    fn pop_last(&mut self) -> Option<Handle> {
        let packet = self.packets.pop_back()?;
        self.bytes -= u64::from(packet.size());
        Some(packet)
    }

    /// Whether so many bytes more are within a limit.
    fn has_room(&self, size: u32, limit: u64) -> bool {
        self.bytes.saturating_add(size.into()) <= limit
    }
}

#[derive(Clone, Debug, Default)]
struct Port {
    data: Queue,
    headers: Queue,
    /// Headers that have left since the last packet of data, while data waited.
    ahead: u32,
}

/// A switch whose ports trim.
///
/// ```
/// use forebay_switch::{
///     Handle, Losses, PortLimits, SwitchModel, SwitchShape, TrimConfig, TrimSwitch,
/// };
/// use forebay_units::{Bytes, Rate, Time};
///
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10)] };
/// let limits = PortLimits { limit: Bytes::new(18_000), mark_above: None };
/// let config = TrimConfig { last: 0.0, ..TrimConfig::default() };
/// let (mut switch, mut lost) = (TrimSwitch::new(&shape, &limits, &config)?, Losses::default());
/// for flow in 1..=3 {
///     switch.arrive(Time::ZERO, 0, Handle::new(flow, 9000), &mut lost);
/// }
/// assert!(lost.is_empty());
/// // Two find room; what is left of the third overtakes them.
/// let first = switch.next(Time::ZERO, 0, &mut lost).unwrap();
/// assert_eq!((first.flow(), first.size(), first.is_trimmed()), (3, 64, true));
/// # Ok::<(), forebay_switch::SwitchBuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrimSwitch {
    ports: Vec<Port>,
    limit: u64,
    mark_above: u64,
    header_limit: u64,
    header: u32,
    header_weight: u32,
    /// The share of draws that trim the last packet, in 2^-32.
    last: u64,
    drawn: u64,
    counts: TrimCounts,
}

impl TrimSwitch {
    /// An empty switch.
    ///
    /// # Errors
    /// If headers would be empty, or larger than their queue.
    pub fn new(
        shape: &SwitchShape<'_>,
        limits: &crate::PortLimits,
        config: &TrimConfig,
    ) -> Result<Self, SwitchBuildError> {
        config.check(limits.limit)?;
        Ok(TrimSwitch {
            ports: alloc::vec![Port::default(); shape.ports.len()],
            limit: limits.limit.get(),
            mark_above: limits.mark_above.map_or(u64::MAX, Bytes::get),
            header_limit: config.header_limit.unwrap_or(limits.limit).get(),
            header: u32::try_from(config.to.get()).unwrap_or(u32::MAX),
            header_weight: config.header_weight,
            last: (config.last.clamp(0.0, 1.0) * 4_294_967_296.0) as u64,
            drawn: u64::from(shape.index) << 32,
            counts: TrimCounts::default(),
        })
    }

    /// Whether the last packet is trimmed in place of one that arrives.
    fn trims_last(&mut self) -> bool {
        self.drawn += 1;
        mix(self.drawn) >> 32 < self.last
    }

    /// A packet without its data.
    fn trim(&mut self, packet: Handle, lost: &mut Losses) -> Handle {
        let header = packet.trimmed(self.header);
        let cut = u64::from(packet.size() - header.size());
        self.counts.trimmed += Tally { packets: 1, bytes: cut };
        lost.cut(cut);
        header
    }

    fn push_header(&mut self, port: u16, header: Handle, lost: &mut Losses) {
        let headers = &mut self.ports[usize::from(port)].headers;
        if headers.has_room(header.size(), self.header_limit) {
            headers.push(header);
        } else {
            lost.push(port, DropCause::QueueFull, header);
        }
    }

    fn push_data(&mut self, port: u16, mut packet: Handle, lost: &mut Losses) {
        let (limit, index) = (self.limit, usize::from(port));
        let data = &self.ports[index].data;
        if data.bytes > self.mark_above {
            packet.mark();
        }
        if data.has_room(packet.size(), limit) {
            return self.ports[index].data.push(packet);
        }
        let last = data.packets.back().map_or(0, Handle::size);
        let makes_room = data.bytes - u64::from(last) + u64::from(packet.size()) <= limit;
        let trimmed = match makes_room && self.trims_last() {
            false => packet,
            true => {
                let data = &mut self.ports[index].data;
                let Some(last) = data.pop_last() else { return };
                data.push(packet);
                self.counts.waiting += 1;
                last
            }
        };
        let header = self.trim(trimmed, lost);
        self.push_header(port, header, lost);
    }
}

impl SwitchModel for TrimSwitch {
    fn arrive(&mut self, _now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        match packet.is_back() || packet.is_trimmed() {
            true => self.push_header(port, packet, lost),
            false => self.push_data(port, packet, lost),
        }
    }

    fn next(&mut self, _now: Time, port: u16, _lost: &mut Losses) -> Option<Handle> {
        let Port { data, headers, ahead } = &mut self.ports[usize::from(port)];
        if data.packets.is_empty() {
            *ahead = 0;
            return headers.pop();
        }
        if *ahead < self.header_weight
            && let Some(header) = headers.pop()
        {
            *ahead += 1;
            return Some(header);
        }
        *ahead = 0;
        data.pop()
    }

    fn is_empty(&self, port: u16) -> bool {
        let Port { data, headers, .. } = &self.ports[usize::from(port)];
        data.packets.is_empty() && headers.packets.is_empty()
    }

    fn backlog(&self) -> Bytes {
        Bytes::new(self.ports.iter().map(|port| port.data.bytes + port.headers.bytes).sum())
    }

    fn trim_counts(&self) -> Option<TrimCounts> {
        Some(self.counts)
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        for (port, Port { data, headers, .. }) in (0..=u16::MAX).zip(&self.ports) {
            let location = Location::Port(port);
            show(Gauge::Level { location, name: "waiting data", bytes: data.bytes });
            show(Gauge::Level { location, name: "waiting headers", bytes: headers.bytes });
            show(Gauge::Threshold { location, name: "limit", bytes: self.limit });
        }
        let cause = "a packet found its queue of data full";
        show(Gauge::Moved { name: "trim", cause, total: self.counts.trimmed });
    }
}

//! A capture as a source: its packets at the offered load of a run, over and over.
//!
//! *Inputs.* In the first pass, source address number k sends on input k mod `inputs`. Each later
//! pass shifts every address by one input, and all its flows are new flows, as if other hosts were
//! attached: real captures have one busy server, which would otherwise saturate its one input for
//! the whole run and keep the offered load below the requested one.
//! [`CaptureReplay::peak_input_load`] says how uneven a pass is.
//!
//! *Time.* Time is stretched so that a pass offers `load` of the inputs' aggregate rate; passes
//! follow each other at the packets' mean distance. On an input, a packet starts at its own time or
//! when the link is free, whichever is later, and takes the time its bytes need.
//!
//! *Sizes.* A packet whose IP part exceeds `mtu` was assembled by the recording host's offloads; it
//! is cut into parts of at most `mtu`, each behind its own link header (the repeated IP and
//! transport headers, 40 bytes in 1500, are not added). `flow_size` counts the bytes after cutting.
//!
//! O(log inputs) per packet; memory O(packets of the capture).

use forebay_units::{Bytes, Duration, Rate, Time};

use crate::error::{check_links, check_packet};
use crate::merge::Tournament;
use crate::{Arrival, Capture, CaptureError, CapturedPacket, PacketSource, SourceError};

/// The parameters of [`CaptureReplay`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayConfig {
    /// The number of input links, at least 1.
    pub inputs: u16,
    /// The rate of each, above 0 and at most 8 Tb/s.
    pub rate: Rate,
    /// The offered fraction of the inputs' aggregate rate, in (0, 1].
    pub load: f64,
    /// The largest IP packet that is not cut, from 68 bytes (RFC 791) to 1 MB.
    pub mtu: u32,
    /// No packet is received after this instant; `None` for an endless source.
    pub stop: Option<Time>,
}

impl ReplayConfig {
    /// An endless replay, cut to an MTU of 1500 bytes.
    #[must_use]
    pub fn new(inputs: u16, rate: Rate, load: f64) -> Self {
        ReplayConfig { inputs, rate, load, mtu: 1500, stop: None }
    }
}

/// The smallest MTU of IPv4 (RFC 791).
const MIN_MTU: u32 = 68;

/// A capture, repeated at a chosen load; see the module's head for the model.
#[derive(Clone, Debug)]
pub struct CaptureReplay {
    rate: Rate,
    mtu: u32,
    last_ps: u64,
    pass_time: Duration,
    peak_input_load: f64,
    /// The packets of the senders that share an input, one group after the other, each ordered by
    /// time.
    packets: Vec<ReplayedPacket>,
    /// Where each group begins, and the end.
    groups: Vec<usize>,
    /// The bytes of each flow in one pass.
    flow_sizes: Vec<u64>,
    inputs: Vec<Input>,
    next: Tournament,
}

#[derive(Clone, Copy, Debug)]
struct ReplayedPacket {
    /// Time since the beginning of the pass.
    at: Duration,
    ip_bytes: u32,
    link_bytes: u32,
    flow: u32,
}

/// The reception state of an input.
#[derive(Clone, Copy, Debug)]
struct Input {
    pass: u64,
    /// The packet, of which `ip_left` bytes have not been received yet.
    packet: usize,
    /// The end of this pass's packets.
    end: usize,
    ip_left: u32,
}

impl CaptureReplay {
    /// Builds the source that replays `capture`; O(packets).
    ///
    /// # Errors
    /// [`CaptureError::ZeroDuration`] if all packets have the same time, [`CaptureError::Source`]
    /// if a parameter is impossible.
    pub fn new(capture: &Capture, config: ReplayConfig) -> Result<Self, CaptureError> {
        let ReplayConfig { inputs, rate, load, mtu, stop } = config;
        check_links(inputs, rate, load)?;
        check_packet("mtu", mtu)?;
        if mtu < MIN_MTU {
            return Err(SourceError::SmallMtu { mtu, least: MIN_MTU }.into());
        }
        if capture.span_ns() == 0 {
            let (name, packets) = (capture.name().to_owned(), capture.packets().len());
            return Err(CaptureError::ZeroDuration { name, packets });
        }
        let mut flow_sizes = vec![0; capture.flows() as usize];
        let mut group_bytes = vec![0; usize::from(inputs)];
        for packet in capture.packets() {
            let bytes = wire_bytes(packet, mtu);
            flow_sizes[packet.flow as usize] += bytes;
            group_bytes[group_of(packet, inputs)] += bytes;
        }
        let total: u64 = group_bytes.iter().sum();
        let aggregate = rate.as_bps() as f64 * f64::from(inputs) * load;
        let pass_ps = (total as f64 * 8e12 / aggregate).ceil().max(1.0);
        let busiest = group_bytes.iter().copied().max().unwrap_or(0);
        let peak_input_load = busiest as f64 * 8e12 / (pass_ps * rate.as_bps() as f64);
        let pass_time = Duration::from_ps(pass_ps as u64);
        let (packets, groups) = grouped(capture, inputs, pass_time);
        let mut replay = CaptureReplay {
            rate,
            mtu,
            // Time::MAX is "never".
            last_ps: stop.unwrap_or(Time::MAX).as_ps().min(u64::MAX - 1),
            pass_time,
            peak_input_load,
            packets,
            groups,
            flow_sizes,
            inputs: vec![],
            next: Tournament::new(&[]),
        };
        replay.inputs = (0..usize::from(inputs)).map(|input| replay.first_pass(input)).collect();
        let first: Vec<u64> =
            (0..usize::from(inputs)).map(|input| replay.received(input, Time::ZERO)).collect();
        replay.next = Tournament::new(&first);
        Ok(replay)
    }

    /// How long one pass over the capture lasts.
    #[must_use]
    pub fn pass_time(&self) -> Duration {
        self.pass_time
    }

    /// The load that one pass puts on its busiest input. If it is above 1, that input's packets
    /// queue at their sender beyond the end of the pass, and are worked off in passes that load the
    /// input less.
    #[must_use]
    pub fn peak_input_load(&self) -> f64 {
        self.peak_input_load
    }

    fn first_pass(&self, input: usize) -> Input {
        let (packet, end) = (self.groups[input], self.groups[input + 1]);
        let mut first = Input { pass: 0, packet, end, ip_left: 0 };
        self.begin_packet(input, &mut first);
        first
    }

    /// Moves `state` of `input` to its packet, or to the next pass that has one: some pass of the
    /// next `inputs` has, since the groups visit all inputs.
    fn begin_packet(&self, input: usize, state: &mut Input) {
        let inputs = self.groups.len() - 1;
        while state.packet == state.end {
            state.pass += 1;
            let moved = (state.pass % inputs as u64) as usize;
            let group = (input + inputs - moved) % inputs;
            (state.packet, state.end) = (self.groups[group], self.groups[group + 1]);
        }
        state.ip_left = self.packets[state.packet].ip_bytes;
    }

    /// The bytes of the part that `state` receives next.
    #[inline]
    fn part_bytes(&self, state: &Input) -> u32 {
        state.ip_left.min(self.mtu) + self.packets[state.packet].link_bytes
    }

    /// When `input`, whose link is free from `free`, will have received its next part.
    #[inline]
    fn received(&self, input: usize, free: Time) -> u64 {
        let state = &self.inputs[input];
        let ready = Time::ZERO + self.pass_time * state.pass + self.packets[state.packet].at;
        let needed = self.rate.time_for(Bytes::new(u64::from(self.part_bytes(state))));
        (ready.max(free) + needed).as_ps()
    }
}

fn group_of(packet: &CapturedPacket, inputs: u16) -> usize {
    (packet.source % u32::from(inputs)) as usize
}

/// The bytes of a packet after it is cut to `mtu`.
fn wire_bytes(packet: &CapturedPacket, mtu: u32) -> u64 {
    let ip_bytes = packet.bytes - packet.link_bytes;
    u64::from(ip_bytes) + u64::from(ip_bytes.div_ceil(mtu)) * u64::from(packet.link_bytes)
}

/// The packets by group, stretched to `pass_time`, and where each group begins.
fn grouped(
    capture: &Capture,
    inputs: u16,
    pass_time: Duration,
) -> (Vec<ReplayedPacket>, Vec<usize>) {
    let mut packets: Vec<&CapturedPacket> = capture.packets().iter().collect();
    packets.sort_by_key(|packet| group_of(packet, inputs));
    let groups = (0..=usize::from(inputs))
        .map(|group| packets.partition_point(|packet| group_of(packet, inputs) < group))
        .collect();
    // The last packet and the first of the next pass are one mean distance apart.
    let gaps = capture.packets().len().max(2) as u128 - 1;
    let span = u128::from(capture.span_ns());
    let cycle = span + span / gaps;
    let stretched = |at_ns: u64| {
        // At most the pass time, since no packet is later than the cycle.
        (u128::from(at_ns) * u128::from(pass_time.as_ps()) / cycle) as u64
    };
    let replayed = packets.into_iter().map(|packet| ReplayedPacket {
        at: Duration::from_ps(stretched(packet.at_ns)),
        ip_bytes: packet.bytes - packet.link_bytes,
        link_bytes: packet.link_bytes,
        flow: packet.flow,
    });
    (replayed.collect(), groups)
}

impl PacketSource for CaptureReplay {
    #[inline]
    fn next_time(&self) -> Option<Time> {
        let (at, _) = self.next.winner();
        (at <= self.last_ps).then(|| Time::from_ps(at))
    }

    #[inline]
    fn next_packet(&mut self) -> Option<Arrival> {
        let (at, index) = self.next.winner();
        if at > self.last_ps {
            return None;
        }
        let mut state = self.inputs[index];
        let flow = self.packets[state.packet].flow;
        let size = self.part_bytes(&state);
        let flows = self.flow_sizes.len() as u64;
        let arrival = Arrival {
            at: Time::from_ps(at),
            input: index as u16,
            flow: state.pass.wrapping_mul(flows).wrapping_add(u64::from(flow)) as u32,
            size,
            flow_size: self.flow_sizes[flow as usize],
            class: 0,
        };
        state.ip_left -= state.ip_left.min(self.mtu);
        if state.ip_left == 0 {
            state.packet += 1;
            self.begin_packet(index, &mut state);
        }
        self.inputs[index] = state;
        self.next.replace_winner(self.received(index, arrival.at));
        Some(arrival)
    }
}

#[cfg(test)]
mod tests;

//! Packets with their payloads, as processors need them.
//!
//! Read from captures through `forebay-workload`; TCP and UDP headers through `etherparse`. IP
//! fragments and transport headers truncated in the capture are left out and counted. Checksums are
//! not verified, since captures on hosts with checksum offload hold wrong ones. Memory: what was
//! captured, and 112 bytes per packet.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::sync::Arc;

use etherparse::{TcpSlice, UdpSlice};
use forebay_surge::FlowKey;
use forebay_units::Bytes;
use forebay_workload::{
    CaptureError, CaptureLimits, CaptureWarning, IpPacket, for_each_ip_packet,
    for_each_live_ip_packet,
};

use crate::tcp::{Segment, TcpFields};

/// The transport protocol of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP, with the header fields that reassembly needs.
    Tcp(TcpFields),
    /// UDP.
    Udp,
    /// Another protocol, by its number; the payload is all that follows IP.
    Other(u8),
}

/// A packet with its payload. Clones share the payload.
///
/// ```
/// use forebay_surge_processors::{Packet, Transport};
///
/// let (client, server) = ("10.0.0.1:4000".parse()?, "10.0.0.2:53".parse()?);
/// let query = Packet::new(client, server, Transport::Udp, b"query");
/// let answer = Packet::new(server, client, Transport::Udp, b"answer");
/// assert_eq!(query.flow(), answer.flow());
/// assert_eq!(query.size.get(), 64); // the smallest on Ethernet
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Nanoseconds since the epoch of its clock.
    pub at_ns: u64,
    /// Its size on the wire.
    pub size: Bytes,
    /// The address and port that sent it.
    pub source: SocketAddr,
    /// The address and port it goes to.
    pub destination: SocketAddr,
    /// The protocol above IP, with what its header says.
    pub transport: Transport,
    /// The payload of the transport protocol.
    pub payload: Arc<[u8]>,
}

impl Packet {
    /// A packet at time 0, as large as its payload and 54 bytes of headers, at least 64 bytes.
    #[must_use]
    pub fn new(
        source: SocketAddr,
        destination: SocketAddr,
        transport: Transport,
        payload: &[u8],
    ) -> Self {
        let size = Bytes::new((payload.len() as u64 + 54).max(64));
        Packet { at_ns: 0, size, source, destination, transport, payload: payload.into() }
    }

    /// The connection it belongs to, the same for both directions.
    #[must_use]
    pub fn flow(&self) -> FlowKey {
        let (a, b) = (self.source, self.destination);
        let protocol = match self.transport {
            Transport::Tcp(_) => 6,
            Transport::Udp => 17,
            Transport::Other(number) => number,
        };
        let mut hasher = DefaultHasher::new();
        (a.min(b), a.max(b), protocol).hash(&mut hasher);
        FlowKey(hasher.finish())
    }

    /// The packet as a TCP segment, if it is one.
    #[must_use]
    pub fn segment(&self) -> Option<Segment<'_>> {
        let Transport::Tcp(fields) = self.transport else { return None };
        let Packet { source, destination, .. } = *self;
        Some(Segment { source, destination, fields, payload: &self.payload })
    }

    /// The same packet between other hosts: those of the `pass`-th repetition of a capture.
    /// Distinct hosts stay distinct; pass 0 changes nothing.
    #[must_use]
    pub fn in_pass(&self, pass: u32) -> Self {
        let moved = |mut address: SocketAddr| {
            address.set_ip(renumbered(address.ip(), pass));
            address
        };
        let (source, destination) = (moved(self.source), moved(self.destination));
        Packet { source, destination, ..self.clone() }
    }
}

/// Adds a multiple of an odd constant, which no two passes share.
fn renumbered(address: IpAddr, pass: u32) -> IpAddr {
    let step = pass.wrapping_mul(0x9E37_79B1);
    match address {
        IpAddr::V4(ip) => IpAddr::V4(u32::from(ip).wrapping_add(step).into()),
        IpAddr::V6(ip) => IpAddr::V6(u128::from(ip).wrapping_add(u128::from(step) << 32).into()),
    }
}

/// The packets of a capture, in the file's order.
#[derive(Clone, Debug, Default)]
pub struct Packets {
    /// The packets that can be processed.
    pub packets: Vec<Packet>,
    /// The number of fragments, and of truncated or damaged transport headers.
    pub left_out: u64,
    /// The number of packets of which the capture kept only a part.
    pub cut: u64,
    /// What of the file was left out, and how it ended, if not well.
    pub warnings: Vec<CaptureWarning>,
    /// What stopped the reading, if only the packets before it were read.
    pub damage: Option<CaptureError>,
}

/// Reads the packets of a capture with their payloads; messages call the file `name`.
///
/// # Errors
/// A [`CaptureError`] with the place and the fix, if it occurs before the first packet; otherwise
/// it is in [`Packets::damage`].
pub fn read_packets(
    reader: impl Read + Send,
    name: &str,
    limits: CaptureLimits,
) -> Result<Packets, CaptureError> {
    let mut read = Packets::default();
    let ending = for_each_ip_packet(reader, name, limits.max_file_bytes, |ip| {
        if read.packets.len() >= limits.max_packets {
            return ControlFlow::Break(());
        }
        read.cut += u64::from(ip.cut);
        match packet(&ip) {
            Some(packet) => read.packets.push(packet),
            None => read.left_out += 1,
        }
        ControlFlow::Continue(())
    });
    match ending {
        Ok(warnings) => Ok(Packets { warnings, ..read }),
        Err(error) if read.packets.is_empty() => Err(error),
        Err(error) => Ok(Packets { damage: Some(error), ..read }),
    }
}

/// Shows the packets of a capture that is being written, each as soon as it can be read, until
/// `visit` breaks off or the stream ends; `None` for one that cannot be processed, as counted by
/// [`Packets::left_out`], and whether the capture kept only a part of it, as counted by
/// [`Packets::cut`]. Returns what of the stream was left out, and how it ended, if not well.
///
/// # Errors
/// A [`CaptureError`] with the place and the fix.
pub fn read_live_packets(
    reader: impl Read + Send,
    name: &str,
    mut visit: impl FnMut(Option<Packet>, bool) -> ControlFlow<()>,
) -> Result<Vec<CaptureWarning>, CaptureError> {
    for_each_live_ip_packet(reader, name, |ip| visit(packet(&ip), ip.cut))
}

fn packet(ip: &IpPacket<'_>) -> Option<Packet> {
    if ip.fragment {
        return None;
    }
    let (transport, ports, payload) = match ip.protocol {
        6 => {
            let tcp = TcpSlice::from_slice(ip.payload).ok()?;
            let fields = TcpFields {
                seq: tcp.sequence_number(),
                ack: tcp.ack().then(|| tcp.acknowledgment_number()),
                syn: tcp.syn(),
                fin: tcp.fin(),
                rst: tcp.rst(),
            };
            let ports = [tcp.source_port(), tcp.destination_port()];
            (Transport::Tcp(fields), ports, tcp.payload())
        }
        17 => {
            let udp = UdpSlice::from_slice_lax(ip.payload).ok()?;
            (Transport::Udp, [udp.source_port(), udp.destination_port()], udp.payload())
        }
        other => (Transport::Other(other), [0; 2], ip.payload),
    };
    Some(Packet {
        at_ns: ip.at_ns,
        size: Bytes::new(u64::from(ip.bytes)),
        source: (ip.source, ports[0]).into(),
        destination: (ip.destination, ports[1]).into(),
        transport,
        payload: payload.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_damage_is_kept() {
        let whole = &include_bytes!("../data/made-web.pcap")[..];
        let read = |file: &[u8]| read_packets(file, "t", CaptureLimits::default());
        let length = |at: usize| u32::from_le_bytes(whole[at + 8..at + 12].try_into().unwrap());
        // The fourth record claims to be 4 GiB long.
        let fourth = (0..3).fold(24, |at, _| at + 16 + length(at) as usize);
        let mut damaged = whole.to_vec();
        damaged[fourth + 8..fourth + 12].fill(0xff);
        let found = read(&damaged).unwrap();
        assert_eq!(found.packets, read(whole).unwrap().packets[..3]);
        let error = found.damage.unwrap().to_string();
        assert!(error.contains(&format!("after record 3, at byte {fourth}")), "{error}");
        damaged[24 + 8..24 + 12].fill(0xff);
        assert!(read(&damaged).is_err());
    }

    #[test]
    fn passes_keep_connections_apart_and_together() {
        let (a, b) = ("10.0.0.1:1".parse().unwrap(), "[::1]:2".parse().unwrap());
        let there = Packet::new(a, b, Transport::Udp, b"x");
        let back = Packet::new(b, a, Transport::Udp, b"x");
        let flows: Vec<_> = (0..100).map(|pass| there.in_pass(pass).flow()).collect();
        for (pass, flow) in flows.iter().enumerate() {
            assert_eq!(back.in_pass(pass as u32).flow(), *flow);
            assert!(!flows[..pass].contains(flow));
        }
        assert_eq!(there.in_pass(0), there);
        assert!(there.segment().is_none());
        let other = Packet { transport: Transport::Other(1), ..there.clone() };
        assert_ne!(other.flow(), there.flow());
    }
}

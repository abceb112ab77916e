//! The addresses, protocol and ports in a packet's first bytes, below Ethernet (with VLAN tags),
//! Linux cooked capture (both versions), raw IP and loopback headers. O(1). Truncated headers give
//! what can be read of them.

use std::net::IpAddr;

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice};

use super::visit::IpPacket;

/// What identifies a flow: its five-tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Headers {
    /// The address that it comes from.
    pub source: IpAddr,
    /// The address that it goes to.
    pub destination: IpAddr,
    /// IP's protocol number, behind extension headers.
    pub protocol: u8,
    /// Source and destination; 0 where there are none.
    pub ports: [u16; 2],
}

/// What the IP header requests from the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// The type of service of IPv4, the traffic class of IPv6.
    pub traffic_class: u8,
    /// The time to live, the hop limit.
    pub ttl: u8,
}

/// What kind of packet some bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// IPv4 or IPv6, with the headers that give it its flow.
    Ip {
        /// Addresses, ports and protocol, of which its flow follows.
        headers: Headers,
        /// Bytes of the link header in front of it, tags included.
        link_bytes: u32,
        /// What it requests.
        service: Service,
    },
    /// Something else, or too short to tell.
    NotIp,
    /// A link type that is not known.
    UnknownLink,
}

impl Parsed {
    /// What an Ethernet frame is.
    #[must_use]
    pub fn of_ethernet(frame: &[u8]) -> Self {
        of_link(Link::Ethernet, frame)
    }
}

/// Link header layouts, by LINKTYPE number.
#[derive(Clone, Copy, Debug)]
enum Link {
    Ethernet,
    /// A header of `length` bytes, the EtherType at `ether_type`.
    Cooked {
        length: usize,
        ether_type: usize,
    },
    /// An IP packet after `length` bytes.
    Ip {
        length: usize,
    },
}

fn link(link_type: i32) -> Option<Link> {
    Some(match link_type {
        0 | 108 => Link::Ip { length: 4 }, // NULL and LOOP: an address family
        1 => Link::Ethernet,
        12 | 14 | 101 | 228 | 229 => Link::Ip { length: 0 }, // RAW, as files and systems number it
        113 => Link::Cooked { length: 16, ether_type: 14 },
        276 => Link::Cooked { length: 20, ether_type: 0 },
        _ => return None,
    })
}

pub(super) fn parse(link_type: i32, data: &[u8]) -> Parsed {
    link(link_type).map_or(Parsed::UnknownLink, |link| of_link(link, data))
}

fn of_link(link: Link, data: &[u8]) -> Parsed {
    match slice(link, data) {
        Some((packet, link_bytes)) => ip(&packet, link_bytes),
        None => Parsed::NotIp,
    }
}

/// The layers of a packet, and the length of the outermost.
fn slice(link: Link, data: &[u8]) -> Option<(LaxSlicedPacket<'_>, usize)> {
    const ETHERNET_BYTES: usize = 14;
    match link {
        Link::Ethernet => Some((LaxSlicedPacket::from_ethernet(data).ok()?, ETHERNET_BYTES)),
        Link::Ip { length } => Some((LaxSlicedPacket::from_ip(data.get(length..)?).ok()?, length)),
        Link::Cooked { length, ether_type } => {
            let field = data.get(ether_type..ether_type + 2)?;
            let ether_type = EtherType(u16::from_be_bytes([field[0], field[1]]));
            let payload = data.get(length..)?;
            Some((LaxSlicedPacket::from_ether_type(ether_type, payload), length))
        }
    }
}

fn ip(packet: &LaxSlicedPacket<'_>, outer_bytes: usize) -> Parsed {
    let (source, destination, protocol, service) = match &packet.net {
        Some(LaxNetSlice::Ipv4(ip)) => {
            let header = ip.header();
            let [source, destination] = [header.source_addr(), header.destination_addr()];
            let traffic_class = header.dcp().value() << 2 | header.ecn().value();
            let service = Service { traffic_class, ttl: header.ttl() };
            (source.into(), destination.into(), ip.payload_ip_number().0, service)
        }
        Some(LaxNetSlice::Ipv6(ip)) => {
            let header = ip.header();
            let [source, destination] = [header.source_addr(), header.destination_addr()];
            let service =
                Service { traffic_class: header.traffic_class(), ttl: header.hop_limit() };
            (source.into(), destination.into(), ip.payload().ip_number.0, service)
        }
        Some(LaxNetSlice::Arp(_)) | None => return Parsed::NotIp,
    };
    let ports = match &packet.transport {
        Some(TransportSlice::Tcp(tcp)) => [tcp.source_port(), tcp.destination_port()],
        Some(TransportSlice::Udp(udp)) => [udp.source_port(), udp.destination_port()],
        _ => [0; 2],
    };
    let tags: usize = packet.link_exts.iter().map(|extension| extension.header_len()).sum();
    let headers = Headers { source, destination, protocol, ports };
    Parsed::Ip { headers, link_bytes: (outer_bytes + tags) as u32, service }
}

/// The addresses and the payload of an IP packet, without time and size.
///
/// # Errors
/// What it is instead.
pub(super) fn net_payload(link_type: i32, data: &[u8]) -> Result<IpPacket<'_>, Parsed> {
    let link = link(link_type).ok_or(Parsed::UnknownLink)?;
    let (packet, _) = slice(link, data).ok_or(Parsed::NotIp)?;
    let (source, destination, payload): (IpAddr, IpAddr, _) = match packet.net {
        Some(LaxNetSlice::Ipv4(ip)) => {
            let header = ip.header();
            (header.source_addr().into(), header.destination_addr().into(), ip.payload().clone())
        }
        Some(LaxNetSlice::Ipv6(ip)) => {
            let header = ip.header();
            (header.source_addr().into(), header.destination_addr().into(), ip.payload().clone())
        }
        Some(LaxNetSlice::Arp(_)) | None => return Err(Parsed::NotIp),
    };
    let (protocol, fragment) = (payload.ip_number.0, payload.fragmented);
    let (at_ns, bytes, payload) = (0, 0, payload.payload);
    Ok(IpPacket { at_ns, bytes, source, destination, protocol, payload, fragment, cut: false })
}

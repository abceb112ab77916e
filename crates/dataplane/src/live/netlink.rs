//! What is asked of the kernel's routing tables, interface by interface: the few requests that a
//! link needs.
//!
//! A socket belongs to the namespace of the thread that opened it.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsRawFd, RawFd};

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL, NLM_F_REQUEST, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::address::{AddressAttribute, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::link::{
    InfoData, InfoKind, InfoVeth, LinkAttribute, LinkFlags, LinkInfo, LinkLayerType, LinkMessage,
};
use netlink_packet_route::neighbour::{
    NeighbourAddress, NeighbourAttribute, NeighbourMessage, NeighbourState,
};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol,
    RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

/// An interface of a pair, as it is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interface<'a> {
    pub(super) name: &'a str,
    pub(super) address: [u8; 6],
}

/// The longest name of an interface, in bytes: IFNAMSIZ with a zero byte.
const LONGEST_NAME: usize = 15;

/// An interface that there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) index: u32,
    pub(super) is_up: bool,
    pub(super) is_ethernet: bool,
    pub(super) mtu: Option<u32>,
}

/// A host that is reached by TCP.
#[derive(Clone, Copy, Debug)]
pub(super) struct TcpRoute {
    pub(super) to: Ipv4Addr,
    pub(super) gateway: Option<Ipv4Addr>,
    /// In segments.
    pub(super) initial_window: u32,
    /// Shortest retransmission timeout.
    pub(super) min_rto_ms: u32,
}

/// The number of this metric (linux/rtnetlink.h).
const RTAX_RTO_MIN: u32 = 13;

pub(super) struct Netlink {
    socket: Socket,
    sequence: u32,
}

impl Netlink {
    pub(super) fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Netlink { socket, sequence: 0 })
    }

    /// Makes a pair of interfaces: `here`, and `there` in another namespace.
    pub(super) fn make_pair(
        &mut self,
        here: Interface<'_>,
        there: Interface<'_>,
        namespace: &impl AsRawFd,
        mtu: u32,
    ) -> io::Result<()> {
        let namespace: RawFd = namespace.as_raw_fd();
        let mut peer = interface(there, mtu);
        peer.attributes.push(LinkAttribute::NetNsFd(namespace));
        let mut pair = interface(here, mtu);
        let data = InfoData::Veth(InfoVeth::Peer(peer));
        pair.attributes.push(LinkAttribute::LinkInfo(vec![
            LinkInfo::Kind(InfoKind::Veth),
            LinkInfo::Data(data),
        ]));
        self.add(RouteNetlinkMessage::NewLink(pair))
    }

    /// The number of the interface with this name.
    pub(super) fn index(&mut self, name: &str) -> io::Result<u32> {
        Ok(self.find(name)?.index)
    }

    /// The interface with this name.
    pub(super) fn find(&mut self, name: &str) -> io::Result<Found> {
        let LinkMessage { header, attributes, .. } = self.link(name)?;
        let mtu = attributes.iter().find_map(|attribute| match attribute {
            LinkAttribute::Mtu(mtu) => Some(*mtu),
            _ => None,
        });
        let is_up = header.flags.contains(LinkFlags::Up);
        let is_ethernet = header.link_layer_type == LinkLayerType::Ether;
        Ok(Found { index: header.index, is_up, is_ethernet, mtu })
    }

    /// What the kernel says of an interface.
    fn link(&mut self, name: &str) -> io::Result<LinkMessage> {
        if name.is_empty() || name.len() > LONGEST_NAME {
            let problem = format!("an interface's name has 1 to {LONGEST_NAME} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let mut wanted = LinkMessage::default();
        wanted.attributes.push(LinkAttribute::IfName(name.to_owned()));
        let answers =
            self.request(RouteNetlinkMessage::GetLink(wanted), NLM_F_REQUEST | NLM_F_ACK)?;
        let found = answers.into_iter().find_map(|answer| match answer {
            RouteNetlinkMessage::NewLink(link) => Some(link),
            _ => None,
        });
        found.ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("there is no interface {name}"))
        })
    }

    /// Removes an interface, and with it the other one of its pair.
    pub(super) fn remove(&mut self, name: &str) -> io::Result<()> {
        let mut link = LinkMessage::default();
        link.header.index = self.index(name)?;
        self.request(RouteNetlinkMessage::DelLink(link), NLM_F_REQUEST | NLM_F_ACK).map(drop)
    }

    /// How many want what is for others on an interface.
    #[cfg(test)]
    pub(super) fn promiscuity(&mut self, name: &str) -> io::Result<Option<u32>> {
        let found = self.link(name)?.attributes.into_iter().find_map(|attribute| match attribute {
            LinkAttribute::Promiscuity(count) => Some(count),
            _ => None,
        });
        Ok(found)
    }

    /// Takes an interface down.
    #[cfg(test)]
    pub(super) fn set_down(&mut self, index: u32) -> io::Result<()> {
        let mut link = LinkMessage::default();
        (link.header.index, link.header.change_mask) = (index, LinkFlags::Up);
        self.request(RouteNetlinkMessage::SetLink(link), NLM_F_REQUEST | NLM_F_ACK).map(drop)
    }

    pub(super) fn set_up(&mut self, index: u32) -> io::Result<()> {
        let mut link = LinkMessage::default();
        (link.header.index, link.header.flags, link.header.change_mask) =
            (index, LinkFlags::Up, LinkFlags::Up);
        self.request(RouteNetlinkMessage::SetLink(link), NLM_F_REQUEST | NLM_F_ACK).map(drop)
    }

    /// Gives an interface an address, which is in use at once.
    pub(super) fn add_address(
        &mut self,
        index: u32,
        address: IpAddr,
        prefix: u8,
    ) -> io::Result<()> {
        let mut message = AddressMessage::default();
        message.header.family = family(address);
        message.header.prefix_len = prefix;
        message.header.index = index;
        if address.is_ipv6() {
            message.header.flags = AddressHeaderFlags::Nodad;
        }
        message.attributes =
            vec![AddressAttribute::Local(address), AddressAttribute::Address(address)];
        self.add(RouteNetlinkMessage::NewAddress(message))
    }

    /// Says for good which hardware address a neighbour has.
    pub(super) fn add_neighbour(
        &mut self,
        index: u32,
        address: IpAddr,
        hardware: [u8; 6],
    ) -> io::Result<()> {
        let mut message = NeighbourMessage::default();
        message.header.family = family(address);
        message.header.ifindex = index;
        message.header.state = NeighbourState::Permanent;
        let destination = match address {
            IpAddr::V4(address) => NeighbourAddress::Inet(address),
            IpAddr::V6(address) => NeighbourAddress::Inet6(address),
        };
        message.attributes = vec![
            NeighbourAttribute::Destination(destination),
            NeighbourAttribute::LinkLayerAddress(hardware.to_vec()),
        ];
        self.add(RouteNetlinkMessage::NewNeighbour(message))
    }

    /// Sends everything that goes nowhere else to `gateway`.
    pub(super) fn add_default_route(&mut self, index: u32, gateway: IpAddr) -> io::Result<()> {
        let mut message = route(gateway, RouteScope::Universe);
        message.attributes =
            vec![RouteAttribute::Gateway(RouteAddress::from(gateway)), RouteAttribute::Oif(index)];
        self.add(RouteNetlinkMessage::NewRoute(message))
    }

    /// Says that `address` is at the other end of an interface.
    pub(super) fn add_host_route(&mut self, index: u32, address: IpAddr) -> io::Result<()> {
        let mut message = route(address, RouteScope::Link);
        message.header.destination_prefix_length = if address.is_ipv4() { 32 } else { 128 };
        message.attributes = vec![
            RouteAttribute::Destination(RouteAddress::from(address)),
            RouteAttribute::Oif(index),
        ];
        self.add(RouteNetlinkMessage::NewRoute(message))
    }

    /// Says how TCP begins towards a host.
    pub(super) fn add_tcp_route(&mut self, index: u32, wanted: &TcpRoute) -> io::Result<()> {
        let scope = wanted.gateway.map_or(RouteScope::Link, |_| RouteScope::Universe);
        let mut message = route(wanted.to.into(), scope);
        message.header.destination_prefix_length = 32;
        // The kernel reads this timeout only where it is locked.
        let lock = RouteMetric::Lock(1 << RTAX_RTO_MIN);
        let min_rto = RouteMetric::RtoMin(wanted.min_rto_ms);
        let metrics = vec![lock, RouteMetric::InitCwnd(wanted.initial_window), min_rto];
        message.attributes = vec![
            RouteAttribute::Destination(RouteAddress::Inet(wanted.to)),
            RouteAttribute::Oif(index),
            RouteAttribute::Metrics(metrics),
        ];
        let gateway = wanted.gateway.map(RouteAddress::Inet);
        message.attributes.extend(gateway.map(RouteAttribute::Gateway));
        self.add(RouteNetlinkMessage::NewRoute(message))
    }

    /// The IPv4 networks of all interfaces.
    pub(super) fn networks(&mut self) -> io::Result<Vec<(Ipv4Addr, u8)>> {
        let mut wanted = AddressMessage::default();
        wanted.header.family = AddressFamily::Inet;
        let answers =
            self.request(RouteNetlinkMessage::GetAddress(wanted), NLM_F_REQUEST | NLM_F_DUMP)?;
        let networks = answers.into_iter().filter_map(|answer| match answer {
            RouteNetlinkMessage::NewAddress(message) => {
                let prefix = message.header.prefix_len;
                message.attributes.into_iter().find_map(|attribute| match attribute {
                    AddressAttribute::Address(IpAddr::V4(address)) => Some((address, prefix)),
                    _ => None,
                })
            }
            _ => None,
        });
        Ok(networks.collect())
    }

    fn add(&mut self, message: RouteNetlinkMessage) -> io::Result<()> {
        self.request(message, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL).map(drop)
    }

    /// Sends a request and waits for all of the answer.
    fn request(
        &mut self,
        message: RouteNetlinkMessage,
        flags: u16,
    ) -> io::Result<Vec<RouteNetlinkMessage>> {
        self.sequence += 1;
        let mut request = NetlinkMessage::from(message);
        request.header.flags = flags;
        request.header.sequence_number = self.sequence;
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        let mut answers = Vec::new();
        loop {
            let (bytes, _) = self.socket.recv_from_full()?;
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(rest);
                let answer = answer.map_err(|error| {
                    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
                })?;
                // Messages are padded to multiples of four bytes.
                let length = (answer.header.length as usize).next_multiple_of(4).max(16);
                rest = rest.get(length..).unwrap_or_default();
                match answer.payload {
                    NetlinkPayload::Done(_) => return Ok(answers),
                    NetlinkPayload::Error(error) if error.code.is_none() => return Ok(answers),
                    NetlinkPayload::Error(error) => return Err(error.to_io()),
                    NetlinkPayload::InnerMessage(message) => answers.push(message),
                    _ => {}
                }
            }
        }
    }
}

fn interface(described: Interface<'_>, mtu: u32) -> LinkMessage {
    let mut message = LinkMessage::default();
    message.attributes = vec![
        LinkAttribute::IfName(described.name.to_owned()),
        LinkAttribute::Address(described.address.to_vec()),
        LinkAttribute::Mtu(mtu),
    ];
    message
}

fn route(address: IpAddr, scope: RouteScope) -> RouteMessage {
    let mut message = RouteMessage::default();
    message.header.address_family = family(address);
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.protocol = RouteProtocol::Static;
    message.header.scope = scope;
    message.header.kind = RouteType::Unicast;
    message
}

fn family(address: IpAddr) -> AddressFamily {
    match address {
        IpAddr::V4(_) => AddressFamily::Inet,
        IpAddr::V6(_) => AddressFamily::Inet6,
    }
}

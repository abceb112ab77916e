//! A router's table: the longest prefix of a destination's address says which next hops there are;
//! of several, a hash of the five-tuple picks one, so that a flow keeps its way (RFC 2992 names the
//! reasons).
//!
//! Left out, since nobody in a lab waits for it: no answers by ICMP, so an expired packet is only
//! counted; a router's own address answers nothing, and hosts are told its hardware address when
//! they are made.

use std::collections::HashMap;
use std::net::IpAddr;

use forebay_net::route::mix;
use forebay_workload::Headers;

use super::{MacAddress, Way};
use crate::link::{Frame, Hop, LinkLoss};

/// A way to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextHop {
    /// The port it leaves by.
    pub port: u16,
    /// The hardware address that receives the packet there.
    pub hardware: MacAddress,
}

/// Prefixes of one address family: the longest first, each length with its own.
type Prefixes = Vec<(u8, HashMap<u128, Vec<NextHop>>)>;

/// Routes over IPv4 and IPv6. A lookup takes O(lengths of prefixes).
#[derive(Clone, Debug, Default)]
pub struct RouteTable {
    v4: Prefixes,
    v6: Prefixes,
    /// By port: the address that this router has there.
    hardware: Vec<MacAddress>,
    seed: u64,
}

impl RouteTable {
    /// None yet, of a router with these hardware addresses, one a port. Routers with different
    /// seeds pick independently of each other.
    #[must_use]
    pub fn new(hardware: Vec<MacAddress>, seed: u64) -> Self {
        RouteTable { hardware, seed, ..RouteTable::default() }
    }

    /// Adds ways to the network of `length` bits that `address` is in, which replace those that
    /// were there. A longer length than the address has counts as all of it; without ways, nothing
    /// changes.
    pub fn add(&mut self, address: IpAddr, length: u8, ways: Vec<NextHop>) {
        if ways.is_empty() {
            return;
        }
        let (prefixes, bits) = match address {
            IpAddr::V4(_) => (&mut self.v4, 32),
            IpAddr::V6(_) => (&mut self.v6, 128),
        };
        let length = length.min(bits);
        let key = masked(number(address), length, bits);
        let found = prefixes.binary_search_by(|(other, _)| length.cmp(other));
        let place = found.unwrap_or_else(|place| {
            prefixes.insert(place, (length, HashMap::new()));
            place
        });
        prefixes[place].1.insert(key, ways);
    }

    /// The ways to an address; empty if there are none.
    #[must_use]
    pub fn ways(&self, address: IpAddr) -> &[NextHop] {
        let (prefixes, bits) = match address {
            IpAddr::V4(_) => (&self.v4, 32),
            IpAddr::V6(_) => (&self.v6, 128),
        };
        let address = number(address);
        let mut longest = prefixes.iter();
        longest
            .find_map(|(length, ways)| ways.get(&masked(address, *length, bits)))
            .map_or(&[], Vec::as_slice)
    }

    pub(super) fn way(&self, port: u16, frame: &mut Frame) -> Way {
        let Some((destination, _)) = frame.addresses() else {
            return Way::Lost(LinkLoss::Damaged);
        };
        if self.hardware.get(usize::from(port)) != Some(&destination) {
            return Way::Lost(LinkLoss::NotForwarded);
        }
        let Some(flow) = frame.flow() else { return Way::Lost(LinkLoss::NotForwarded) };
        let ways = self.ways(flow.destination);
        let pick = (u128::from(hash(self.seed, &flow)) * ways.len() as u128) >> 64;
        let Some(next) = ways.get(pick as usize) else { return Way::NoRoute };
        let own = self.hardware.get(usize::from(next.port)).copied().unwrap_or_default();
        match frame.hop(next.hardware, own) {
            Hop::Done => Way::To(next.port),
            Hop::Expired => Way::Lost(LinkLoss::Expired),
            Hop::Damaged => Way::Lost(LinkLoss::Damaged),
        }
    }
}

/// A number that is the same for all packets of a flow, on every machine.
fn hash(seed: u64, flow: &Headers) -> u64 {
    let halves = |address: IpAddr| [(number(address) >> 64) as u64, number(address) as u64];
    let [source, destination] = [halves(flow.source), halves(flow.destination)];
    let [from, to] = flow.ports.map(u64::from);
    let rest = from << 32 | to << 16 | u64::from(flow.protocol);
    let words = source.into_iter().chain(destination).chain([rest]);
    words.fold(mix(seed), |hash, word| mix(hash ^ word))
}

/// An address as a number.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The first `length` of an address's `bits`.
fn masked(address: u128, length: u8, bits: u8) -> u128 {
    let rest = u32::from(bits - length.min(bits));
    address.checked_shr(rest).and_then(|kept| kept.checked_shl(rest)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{IpHeaders, Ipv4Header, PacketBuilder};

    const OWN: MacAddress = [2, 0, 0, 0, 1, 0];
    const NEXT: MacAddress = [2, 0, 0, 0, 2, 0];

    fn way(port: u16) -> NextHop {
        NextHop { port, hardware: NEXT }
    }

    fn packet(to: [u8; 4], ttl: u8, source_port: u16) -> Frame {
        let ip = Ipv4Header::new(0, ttl, etherparse::IpNumber::UDP, [10, 0, 0, 1], to).unwrap();
        let builder = PacketBuilder::ethernet2([2, 9, 9, 9, 9, 9], OWN)
            .ip(IpHeaders::Ipv4(ip, Default::default()));
        let mut bytes = Vec::new();
        builder.udp(source_port, 9).write(&mut bytes, &[1; 40]).unwrap();
        Frame::new(bytes)
    }

    #[test]
    fn the_longest_prefix_wins() {
        let mut routes = RouteTable::new(vec![OWN; 4], 0);
        let add = |routes: &mut RouteTable, text: &str, length, port| {
            routes.add(text.parse().unwrap(), length, vec![way(port)]);
        };
        add(&mut routes, "10.1.0.0", 16, 1);
        add(&mut routes, "10.0.0.0", 8, 0);
        add(&mut routes, "10.1.2.3", 32, 2);
        add(&mut routes, "::", 0, 3);
        add(&mut routes, "fd64::", 16, 1);
        let port = |text: &str| routes.ways(text.parse().unwrap()).first().map(|way| way.port);
        assert_eq!(port("10.1.2.3"), Some(2));
        assert_eq!(port("10.1.2.4"), Some(1));
        assert_eq!(port("10.2.2.4"), Some(0));
        assert_eq!(port("11.2.2.4"), None);
        assert_eq!((port("fd64::1"), port("::1")), (Some(1), Some(3)));
    }

    #[test]
    fn a_hop_rewrites_the_header_and_keeps_its_checksum_right() {
        let mut routes = RouteTable::new(vec![OWN; 2], 0);
        routes.add([10, 0, 0, 0].into(), 8, vec![way(1)]);
        let mut frame = packet([10, 0, 0, 7], 9, 5);
        assert_eq!(routes.way(0, &mut frame), Way::To(1));
        let mut expected = packet([10, 0, 0, 7], 8, 5).head().to_vec();
        expected[..6].copy_from_slice(&NEXT);
        expected[6..12].copy_from_slice(&OWN);
        assert_eq!(frame.head(), expected);
    }

    #[test]
    fn what_a_router_does_not_forward() {
        let mut routes = RouteTable::new(vec![OWN; 2], 0);
        routes.add([10, 0, 0, 0].into(), 8, vec![way(1)]);
        let lost = |mut frame: Frame| routes.way(0, &mut frame);
        assert_eq!(lost(packet([10, 0, 0, 7], 1, 5)), Way::Lost(LinkLoss::Expired));
        assert_eq!(lost(packet([11, 0, 0, 7], 9, 5)), Way::NoRoute);
        let mut to_all = packet([10, 0, 0, 7], 9, 5);
        to_all.head_mut()[..6].fill(0xff);
        assert_eq!(lost(to_all), Way::Lost(LinkLoss::NotForwarded));
        assert_eq!(lost(Frame::new(vec![0; 9])), Way::Lost(LinkLoss::Damaged));
    }

    #[test]
    fn a_flow_keeps_its_way_and_many_flows_use_all() {
        let mut routes = RouteTable::new(vec![OWN; 5], 3);
        routes.add([0, 0, 0, 0].into(), 0, (1..5).map(way).collect());
        let port = |source_port| match routes.way(0, &mut packet([10, 0, 0, 7], 9, source_port)) {
            Way::To(port) => port,
            other => panic!("{other:?}"),
        };
        let mut counts = [0; 5];
        for source in 0..4_000 {
            assert_eq!(port(source), port(source));
            counts[usize::from(port(source))] += 1;
        }
        assert!(counts[1..].iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }
}

//! The fields of a packet by name: what ranks and classes are made of. What a switch knows of a
//! packet is called as in every other rule; its headers come in addition.

use std::net::IpAddr;

use forebay_expression::{Expression, ExpressionError};
use forebay_units::Time;
use forebay_workload::{Headers, Recording, Service};

use crate::plan::Offered;

/// Every field: its name, and what it is. All are whole numbers.
pub const FIELDS: [(&str, &str); 17] = [
    ("now", "when it arrives, in picoseconds since the first packet, as replayed"),
    ("size", "its bytes on the wire, with the link header"),
    ("flow", "its five-tuple, numbered by first appearance"),
    ("flow_size", "the bytes of its five-tuple in the whole capture"),
    ("input", "the input that it comes from: one for each source, as many as there are ports"),
    ("frame", "its number in the capture, from 1"),
    ("dscp", "its differentiated services code point, 0 to 63"),
    ("ecn", "its congestion field, 0 to 3"),
    ("ttl", "its time to live (IPv4) or hop limit (IPv6)"),
    ("protocol", "IP's protocol number: 6 is TCP, 17 UDP"),
    ("source", "its source address as a number; of IPv6 the last 32 bits"),
    ("destination", "its destination address as a number; of IPv6 the last 32 bits"),
    ("source_port", "its source port, 0 where there is none"),
    ("destination_port", "its destination port, 0 where there is none"),
    ("hash", "a hash of its five-tuple, 32 bits (FNV-1a)"),
    ("port", "the output port that it leaves through"),
    ("class", "its class, for ranks"),
];

/// The names of [`FIELDS`].
#[must_use]
pub fn names() -> [&'static str; FIELDS.len()] {
    FIELDS.map(|(name, _)| name)
}

/// A rule for the class of a packet, compiled: it reads all other fields.
///
/// # Errors
/// The mistake, with its column.
pub fn class_rule(text: &str) -> Result<Expression, ExpressionError> {
    Expression::parse(text, &names()[..FIELDS.len() - 1])
}

/// What rules read of a packet, whether it was recorded or is just arriving.
#[derive(Clone, Copy, Debug)]
pub struct PacketFields {
    /// When it arrives.
    pub now: Time,
    /// Its bytes on the wire, with the link header.
    pub size: u32,
    /// The number of its flow.
    pub flow: u32,
    /// The bytes of its flow, 0 if they are not known.
    pub flow_size: u64,
    /// The input that it comes from.
    pub input: u16,
    /// Its number, from 1.
    pub frame: u32,
    /// Its five-tuple.
    pub headers: Headers,
    /// What its IP header requests.
    pub service: Service,
    /// The output port that it leaves through.
    pub port: u16,
    /// Its class, for ranks.
    pub class: u8,
}

impl PacketFields {
    /// The fields, in the order of [`FIELDS`]. O(1).
    #[must_use]
    pub fn values(&self) -> [i64; FIELDS.len()] {
        let Headers { source, destination, protocol, ports } = self.headers;
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        [
            signed(self.now.as_ps()),
            self.size.into(),
            self.flow.into(),
            signed(self.flow_size),
            self.input.into(),
            self.frame.into(),
            (self.service.traffic_class >> 2).into(),
            (self.service.traffic_class & 3).into(),
            self.service.ttl.into(),
            protocol.into(),
            low_bits(source).into(),
            low_bits(destination).into(),
            ports[0].into(),
            ports[1].into(),
            hash(&self.headers).into(),
            self.port.into(),
            self.class.into(),
        ]
    }
}

/// The fields of a packet of a capture, in the order of [`FIELDS`]. O(1).
pub(crate) fn values(recording: &Recording, offered: &Offered<'_>) -> [i64; FIELDS.len()] {
    let packet = offered.recorded;
    let address = |index: u32| recording.addresses()[index as usize];
    let fields = PacketFields {
        now: offered.at,
        size: packet.bytes,
        flow: packet.flow,
        flow_size: recording.flow_bytes()[packet.flow as usize],
        input: offered.input,
        frame: packet.frame,
        headers: Headers {
            source: address(packet.source),
            destination: address(packet.destination),
            protocol: packet.protocol,
            ports: packet.ports,
        },
        service: Service { traffic_class: packet.traffic_class, ttl: packet.ttl },
        port: offered.port.unwrap_or(0),
        class: offered.class,
    };
    fields.values()
}

fn low_bits(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(address) => address.to_bits(),
        IpAddr::V6(address) => address.to_bits() as u32,
    }
}

/// FNV-1a (draft-eastlake-fnv, 64 bits, its halves folded together) over the five-tuple's bytes in
/// network order.
fn hash(headers: &Headers) -> u32 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = OFFSET;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    };
    for address in [headers.source, headers.destination] {
        match address {
            IpAddr::V4(address) => take(&address.octets()),
            IpAddr::V6(address) => take(&address.octets()),
        }
    }
    take(&[headers.protocol]);
    for port in headers.ports {
        take(&port.to_be_bytes());
    }
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Made, capture, recording};

    #[test]
    fn every_name_has_its_value() {
        let made = Made { dscp: 46, ttl: 9, source_port: 1234, ..Made::default() };
        let recording = recording(&capture(&[made]));
        let recorded = &recording.packets()[0];
        let at = Time::from_ps(77);
        let offered =
            Offered { index: 0, at, input: 2, port: Some(3), rank: None, class: 5, recorded };
        let values = values(&recording, &offered);
        let value = |text: &str| Expression::parse(text, &names()).unwrap().evaluate(&values);
        assert_eq!((value("now"), value("frame"), value("port")), (77, 1, 3));
        assert_eq!((value("input"), value("class"), value("flow")), (2, 5, 0));
        assert_eq!((value("dscp"), value("ecn"), value("ttl")), (46, 0, 9));
        assert_eq!((value("source_port"), value("destination_port")), (1234, 80));
        assert_eq!((value("size"), value("flow_size"), value("protocol")), (100, 100, 17));
        assert_eq!(value("source"), i64::from(u32::from_be_bytes([10, 0, 0, 1])));
        assert_eq!(value("destination"), i64::from(u32::from_be_bytes([10, 1, 0, 0])));
        assert_eq!(value("63 - dscp"), 17);
    }

    #[test]
    fn the_hash_tells_five_tuples_apart_and_nothing_else() {
        let made = [1, 1, 2].map(|source_port| Made { source_port, ..Made::default() });
        let recording = recording(&capture(&[made[0], Made { dscp: 5, ..made[1] }, made[2]]));
        let hash = |index: usize| {
            let recorded = &recording.packets()[index];
            let addresses = recording.addresses();
            let address = |index: u32| addresses[index as usize];
            super::hash(&Headers {
                source: address(recorded.source),
                destination: address(recorded.destination),
                protocol: recorded.protocol,
                ports: recorded.ports,
            })
        };
        assert_eq!(hash(0), hash(1));
        assert_ne!(hash(0), hash(2));
    }

    #[test]
    fn a_wrong_name_lists_the_right_ones() {
        let says = |text| class_rule(text).unwrap_err().to_string();
        assert!(says("dcsp").ends_with("did you mean `dscp`?"), "{}", says("dcsp"));
        assert!(says("colour").contains("dscp") && says("colour").contains("flow_size"));
        assert_eq!(says("2 * length"), "column 5: there is no field `length`; write `size`");
        assert!(says("class").starts_with("column 1: there is no field `class`"));
    }
}

//! The header of a rule: protocol and ports. O(ranges) to match.

use super::problem::RuleProblem;
use crate::packet::{Packet, Transport};

/// The protocol of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Any protocol.
    Ip,
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

/// The ports of one side of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortSet {
    /// Whether the list is negated.
    negated: bool,
    /// First and last of each range; an empty list stands for all ports.
    ranges: Vec<(u16, u16)>,
}

impl PortSet {
    /// Reads `any`, `$NAME`, `80`, `1000:2000`, `:1023`, `[80,443]`, and any of them after `!`.
    pub(super) fn parse(text: &str) -> Result<Self, RuleProblem> {
        let bad = || RuleProblem::Ports(text.to_owned());
        let (negated, list) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if list == "any" || list.starts_with('$') {
            return if negated && list == "any" { Err(bad()) } else { Ok(PortSet::default()) };
        }
        let list = list.strip_prefix('[').and_then(|l| l.strip_suffix(']')).unwrap_or(list);
        let ranges: Option<Vec<_>> = list.split(',').map(range).collect();
        Ok(PortSet { negated, ranges: ranges.ok_or_else(bad)? })
    }

    /// Whether it contains a port.
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        let within = |(first, last): &(u16, u16)| (*first..=*last).contains(&port);
        self.ranges.is_empty() || self.ranges.iter().any(within) != self.negated
    }
}

fn range(text: &str) -> Option<(u16, u16)> {
    let number = |text: &str, open: u16| match text.trim() {
        "" => Some(open),
        digits => digits.parse().ok(),
    };
    match text.split_once(':') {
        Some((first, last)) => {
            let (first, last) = (number(first, 0)?, number(last, u16::MAX)?);
            (first <= last).then_some((first, last))
        }
        None => text.trim().parse().ok().map(|port| (port, port)),
    }
}

/// Which packets a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    protocol: Protocol,
    source: PortSet,
    destination: PortSet,
    /// Whether the sides may be swapped (`<>`).
    either_way: bool,
}

impl Header {
    /// Reads `alert tcp any any -> any 80`.
    pub(super) fn parse(text: &str) -> Result<Self, RuleProblem> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [_action, protocol, _, source, arrow, _, destination] = words[..] else {
            return Err(RuleProblem::Header);
        };
        let protocol = match protocol {
            "ip" => Protocol::Ip,
            "tcp" => Protocol::Tcp,
            "udp" => Protocol::Udp,
            other => return Err(RuleProblem::Protocol(other.to_owned())),
        };
        let either_way = match arrow {
            "->" => false,
            "<>" => true,
            _ => return Err(RuleProblem::Header),
        };
        let [source, destination] = [PortSet::parse(source)?, PortSet::parse(destination)?];
        Ok(Header { protocol, source, destination, either_way })
    }

    pub(super) fn matches(&self, packet: &Packet) -> bool {
        let protocol = match self.protocol {
            Protocol::Ip => true,
            Protocol::Tcp => matches!(packet.transport, Transport::Tcp(_)),
            Protocol::Udp => packet.transport == Transport::Udp,
        };
        let (from, to) = (packet.source.port(), packet.destination.port());
        let way = |from, to| self.source.contains(from) && self.destination.contains(to);
        protocol && (way(from, to) || self.either_way && way(to, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports() {
        let has = |text, port| PortSet::parse(text).map(|set| set.contains(port));
        assert_eq!(has("any", 7), Ok(true));
        assert_eq!(has("$HTTP_PORTS", 7), Ok(true));
        assert_eq!(has("[80,8000:8080]", 8010), Ok(true));
        assert_eq!(has("[80,8000:8080]", 81), Ok(false));
        assert_eq!(has("!:1023", 80), Ok(false));
        assert_eq!(has("1024:", 65_535), Ok(true));
        for bad in ["!any", "9:8", "", "[80", "x", "65536", "[]"] {
            assert_eq!(PortSet::parse(bad), Err(RuleProblem::Ports(bad.to_owned())));
        }
    }
}

//! The addresses of a link's two ends: the `number`-th network of four addresses in 100.64.0.0/10
//! (RFC 6598), and the network of the same number in fd64::/16 (RFC 4193).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How many networks there are.
pub(super) const NETWORKS: u32 = 1 << 20;
/// The prefix lengths of the networks.
pub(super) const PREFIX: u8 = 30;
pub(super) const PREFIX_6: u8 = 126;

/// The addresses of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    number: u32,
}

impl Addresses {
    /// Those of the network `number`, below 2^20.
    pub(super) const fn numbered(number: u32) -> Self {
        Addresses { number }
    }

    const fn v4(self, host: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(u32::from_be_bytes([100, 64, 0, 0]) + 4 * self.number + host)
    }

    const fn v6(self, host: u16) -> Ipv6Addr {
        Ipv6Addr::new(0xfd64, 0, 0, 0, 0, (self.number >> 16) as u16, self.number as u16, host)
    }

    /// Where the command finds the other end.
    #[must_use]
    pub const fn far(self) -> Ipv4Addr {
        self.v4(1)
    }

    /// The command's own address.
    #[must_use]
    pub const fn near(self) -> Ipv4Addr {
        self.v4(2)
    }

    /// Both addresses of the far end with the prefix lengths of their networks, and of the near
    /// end.
    pub(super) fn ends(self) -> [[(IpAddr, u8); 2]; 2] {
        let end = |host: u16| {
            [(IpAddr::V4(self.v4(host as u32)), PREFIX), (IpAddr::V6(self.v6(host)), PREFIX_6)]
        };
        [end(1), end(2)]
    }

    /// The name of the far end's interface.
    pub(super) fn interface(self) -> String {
        format!("forebay{}", self.number)
    }

    /// Hardware addresses of the far and the near end: of local use, and of nobody else on this
    /// link.
    pub(super) const fn hardware(self) -> [[u8; 6]; 2] {
        let [_, high, middle, low] = self.number.to_be_bytes();
        [[0x02, 0xfb, high, middle, low, 1], [0x02, 0xfb, high, middle, low, 2]]
    }

    /// Whether a network that is there already has an address of this one.
    pub(super) fn meets(self, network: (Ipv4Addr, u8)) -> bool {
        let mask = |prefix: u8| u32::MAX.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(0);
        let common = mask(network.1.min(PREFIX));
        network.0.to_bits() & common == self.v4(0).to_bits() & common
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_do_not_meet_and_end_where_the_range_ends() {
        let last = Addresses::numbered(NETWORKS - 1);
        assert_eq!(last.near(), Ipv4Addr::new(100, 127, 255, 254));
        assert!(Addresses::numbered(5).meets((Addresses::numbered(5).near(), PREFIX)));
        assert!(!Addresses::numbered(5).meets((Addresses::numbered(6).near(), PREFIX)));
        assert!(last.meets((Ipv4Addr::new(100, 100, 0, 0), 10)), "all of the range");
        assert!(last.meets((Ipv4Addr::UNSPECIFIED, 0)) && !last.meets((Ipv4Addr::LOCALHOST, 8)));
        assert_eq!(last.interface().len(), 14, "15 are the most");
    }
}

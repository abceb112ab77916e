//! Which port an address leads to: the longest prefix that holds it. O(prefixes) an address, and a
//! capture has each address once.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A prefix of addresses and the port that it leads to.
///
/// ```
/// use forebay_replay::Route;
///
/// let route: Route = "10.1.0.0/16=3".parse()?;
/// assert_eq!(route.port, 3);
/// assert!(route.holds("10.1.200.7".parse()?) && !route.holds("10.2.0.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    address: IpAddr,
    bits: u8,
    /// The output port that it leads to, from 0.
    pub port: u16,
}

/// An address as a number that begins with its first bit.
fn aligned(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

impl Route {
    /// Whether `address` has this prefix; one of the other version of IP never has.
    #[must_use]
    pub fn holds(&self, address: IpAddr) -> bool {
        let ((prefix, _), (other, _)) = (aligned(self.address), aligned(address));
        let differs = (prefix ^ other).checked_shr(128 - u32::from(self.bits)).unwrap_or(0);
        self.address.is_ipv4() == address.is_ipv4() && differs == 0
    }
}

impl Route {
    /// Whether both have the same prefix.
    #[must_use]
    pub fn is_of_prefix(&self, other: &Route) -> bool {
        self.bits == other.bits && self.holds(other.address)
    }

    /// Its prefix as text.
    #[must_use]
    pub fn prefix(&self) -> String {
        format!("{}/{}", self.address, self.bits)
    }
}

impl FromStr for Route {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<Self, RouteError> {
        let form = || RouteError { text: text.to_owned(), problem: RouteProblem::Form };
        let (prefix, port) = text.split_once('=').ok_or_else(form)?;
        let port = port.trim().parse().map_err(|_| form())?;
        let (address, bits) = match prefix.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (prefix, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| form())?;
        let (_, all) = aligned(address);
        let bits = bits.map_or(Ok(all), |bits| bits.trim().parse().map_err(|_| form()))?;
        if bits > all {
            return Err(RouteError { text: text.to_owned(), problem: RouteProblem::TooLong(all) });
        }
        Ok(Route { address, bits, port })
    }
}

/// The port of `address`; `None` if no prefix holds it. Of equal prefixes the last one counts.
#[must_use]
pub fn port_of(routes: &[Route], address: IpAddr) -> Option<u16> {
    let longest = routes.iter().filter(|route| route.holds(address)).max_by_key(|route| route.bits);
    longest.map(|route| route.port)
}

/// Why a text is no route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteError {
    text: String,
    problem: RouteProblem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RouteProblem {
    Form,
    TooLong(u8),
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            RouteProblem::Form => {
                write!(
                    f,
                    "`{}` is not a route: write PREFIX=PORT, such as 10.1.0.0/16=3",
                    self.text
                )
            }
            RouteProblem::TooLong(bits) => {
                write!(
                    f,
                    "`{}` has a prefix longer than its address: give at most /{bits}",
                    self.text
                )
            }
        }
    }
}

impl std::error::Error for RouteError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

    fn routes(texts: &[&str]) -> Vec<Route> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn the_longest_prefix_counts() {
        let routes =
            routes(&["0.0.0.0/0=0", "10.0.0.0/8=1", "10.1.0.0/16=2", "10.1.0.7=3", "::/0=4"]);
        let port = |text: &str| port_of(&routes, text.parse().unwrap());
        assert_eq!(port("192.0.2.1"), Some(0));
        assert_eq!(port("10.9.0.1"), Some(1));
        assert_eq!((port("10.1.0.8"), port("10.1.0.7")), (Some(2), Some(3)));
        assert_eq!(port("2001:db8::1"), Some(4));
        assert_eq!(port_of(&routes[1..4], "11.0.0.1".parse().unwrap()), None);
    }

    #[test]
    fn what_is_no_route_says_how_one_looks() {
        for text in ["", "10.0.0.0/8", "10.0.0.0/x=1", "host=1", "10.0.0.0/8=-1"] {
            let says = text.parse::<Route>().unwrap_err().to_string();
            assert!(says.ends_with("such as 10.1.0.0/16=3"), "{says}");
        }
        let says = "10.0.0.0/33=1".parse::<Route>().unwrap_err().to_string();
        assert!(says.contains("at most /32"), "{says}");
    }

    proptest! {
        #[test]
        fn prefixes_are_compared_bit_by_bit(
            a in any::<u128>(), b in any::<u128>(), shared in 0u8..=128, bits in 0u8..=128,
        ) {
            let low = 1u128.checked_shl(128 - u32::from(shared)).map_or(u128::MAX, |top| top - 1);
            let b = a & !low | b & low;
            let same = |count: u8, width: u8, a: u128, b: u128| {
                (0..count).all(|bit| (a >> (width - 1 - bit) & 1) == (b >> (width - 1 - bit) & 1))
            };
            let long = Route { address: Ipv6Addr::from_bits(a).into(), bits, port: 0 };
            prop_assert_eq!(long.holds(Ipv6Addr::from_bits(b).into()), same(bits, 128, a, b));
            let (a, b, bits) = ((a >> 96) as u32, (b >> 96) as u32, bits.min(32));
            let short = Route { address: Ipv4Addr::from_bits(a).into(), bits, port: 0 };
            prop_assert_eq!(short.holds(Ipv4Addr::from_bits(b).into()), same(bits, 32, a.into(), b.into()));
        }
    }
}

//! What a load is a fraction of.
//!
//! Papers mean different things by load. Themis (§6.3.2) and Gearbox (§4.1.1) do not say; Occamy
//! (§6.4, footnote 5) multiplies by the oversubscription, so it means the links from the leaves to
//! the spines, and counts all traffic as crossing them. Here the set of links is explicit. Bytes
//! are payload: headers and acknowledgements come on top. Constant time, except O(links) to take a
//! set from a graph.

use alloc::vec::Vec;

use forebay_units::Rate;

use super::WorkloadError;
use crate::topology::{Graph, Node};

/// The links that a load fills to a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkSet {
    /// The links of the hosts, in the direction in which they send.
    Hosts {
        /// The rate of each.
        rate: Rate,
    },
    /// The links from the hosts' switches into the fabric.
    Uplinks {
        /// Their total rate, divided by the number of hosts: a host's rate over the
        /// oversubscription.
        per_host: Rate,
        /// The fraction of the hosts' bytes that crosses them, in (0, 1]. Occamy's formula has 1.
        crossing: f64,
    },
}

/// A load: a fraction of a set of links.
///
/// ```
/// use forebay_net::workload::{LinkSet, Load};
/// use forebay_units::Rate;
///
/// // Occamy §6.4: 100 Gb/s, twice oversubscribed. At load 0.1 a host asks 186 queries of 3.2 MiB a
/// // second (footnote 5; its "MB" are binary, or there would be 195).
/// let uplinks = LinkSet::Uplinks { per_host: Rate::from_gbps(50), crossing: 1.0 };
/// let bytes_per_second = Load { fraction: 0.1, of: uplinks }.bytes_per_second()?;
/// assert_eq!((bytes_per_second / (3.2 * 1024.0 * 1024.0)).round(), 186.0);
/// # Ok::<(), forebay_net::workload::WorkloadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The fraction, above 0 and up to [`Load::MAX`]; beyond 1 the links are overloaded.
    pub fraction: f64,
    /// The links that a fraction of 1 would fill.
    pub of: LinkSet,
}

impl Load {
    /// The largest fraction. Nothing published overloads links by more than twice, and a larger
    /// number is one of percent.
    pub const MAX: f64 = 10.0;

    /// A load of the hosts' own links, of `rate` each.
    #[must_use]
    pub const fn of_hosts(fraction: f64, rate: Rate) -> Self {
        Load { fraction, of: LinkSet::Hosts { rate } }
    }

    /// The payload that each host sends on average, in bytes per second.
    ///
    /// # Errors
    /// [`WorkloadError`] if that is not above zero, or the fraction above [`Load::MAX`].
    pub fn bytes_per_second(&self) -> Result<f64, WorkloadError> {
        if !(self.fraction > 0.0 && self.fraction <= Self::MAX) {
            return Err(WorkloadError::Load(self.fraction));
        }
        let (rate, crossing) = match self.of {
            LinkSet::Hosts { rate } => (rate, 1.0),
            LinkSet::Uplinks { per_host, crossing } => (per_host, crossing),
        };
        if rate == Rate::from_bps(0) {
            return Err(WorkloadError::NoCapacity);
        }
        if !(crossing > 0.0 && crossing <= 1.0) {
            return Err(WorkloadError::Crossing(crossing));
        }
        Ok(rate.as_bps() as f64 * self.fraction / (8.0 * crossing))
    }
}

impl LinkSet {
    /// The links of a graph from switches with hosts to other switches, loaded by the formula of
    /// Occamy (§6.4, footnote 5), which counts every byte as crossing them. Links between two
    /// switches with hosts count once for each. O(links).
    ///
    /// # Errors
    /// [`WorkloadError::NoCapacity`] if there is no such link.
    pub fn uplinks(graph: &Graph) -> Result<Self, WorkloadError> {
        match Self::crossed_uplinks(graph)? {
            LinkSet::Uplinks { per_host, .. } => Ok(LinkSet::Uplinks { per_host, crossing: 1.0 }),
            hosts @ LinkSet::Hosts { .. } => Ok(hosts),
        }
    }

    /// As [`LinkSet::uplinks`], with the fraction of bytes that does cross where both ends of a
    /// flow are drawn uniformly among different hosts: the links then really carry the load, which
    /// is more than Occamy's formula offers. O(links).
    ///
    /// # Errors
    /// [`WorkloadError::NoCapacity`] if there is no such link.
    pub fn crossed_uplinks(graph: &Graph) -> Result<Self, WorkloadError> {
        let mut hosts_at = alloc::vec![0u64; graph.switches as usize];
        for link in &graph.links {
            if let [Node::Host(_), Node::Switch(s)] | [Node::Switch(s), Node::Host(_)] = link.ends {
                hosts_at.get_mut(s as usize).into_iter().for_each(|hosts| *hosts += 1);
            }
        }
        let has_hosts = |s: &u32| hosts_at.get(*s as usize).is_some_and(|hosts| *hosts > 0);
        let rates: Vec<u128> = graph
            .links
            .iter()
            .map(|link| {
                let [Node::Switch(a), Node::Switch(b)] = link.ends else { return 0 };
                let ends = [a, b].iter().filter(|s| has_hosts(s)).count() as u128;
                ends * u128::from(link.config.rate.as_bps())
            })
            .collect();
        let per_host = rates.iter().sum::<u128>().checked_div(graph.hosts.into()).unwrap_or(0);
        let pairs = |n: u64| n as f64 * n.saturating_sub(1) as f64;
        let local: f64 = hosts_at.iter().map(|hosts| pairs(*hosts)).sum();
        let crossing = 1.0 - local / pairs(graph.hosts.into());
        let per_host = Rate::from_bps(u64::try_from(per_host).unwrap_or(u64::MAX));
        if per_host == Rate::from_bps(0) || crossing.is_nan() {
            return Err(WorkloadError::NoCapacity);
        }
        Ok(LinkSet::Uplinks { per_host, crossing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{LeafSpine, LinkConfig};
    use alloc::string::ToString;
    use forebay_units::Duration;

    fn link(gbps: u64) -> LinkConfig {
        LinkConfig { rate: Rate::from_gbps(gbps), delay: Duration::from_us(10) }
    }

    #[test]
    fn uplinks_are_read_off_a_graph() {
        let occamy = LeafSpine {
            leaves: 8,
            spines: 8,
            hosts_per_leaf: 16,
            host: link(100),
            fabric: link(100),
        };
        let graph = occamy.graph().unwrap();
        let read = |of| match of {
            Ok(LinkSet::Uplinks { per_host, crossing }) => (per_host, crossing),
            _ => unreachable!(),
        };
        // The paper's formula counts all bytes as crossing.
        assert_eq!(read(LinkSet::uplinks(&graph)), (Rate::from_gbps(50), 1.0));
        // Of 127 other hosts, 112 are at other leaves.
        let (per_host, crossing) = read(LinkSet::crossed_uplinks(&graph));
        assert_eq!(per_host, Rate::from_gbps(50));
        assert!((crossing - 112.0 / 127.0).abs() < 1e-12);
        let star = LinkSet::uplinks(&Graph::star(4, link(1)));
        assert_eq!(star, Err(WorkloadError::NoCapacity));
    }

    #[test]
    fn impossible_loads_are_named() {
        for fraction in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let load = Load::of_hosts(fraction, Rate::from_gbps(1));
            let text = load.bytes_per_second().unwrap_err().to_string();
            assert!(text.starts_with("a load of "), "{text}");
        }
        let none = Load::of_hosts(0.5, Rate::from_bps(0));
        assert_eq!(none.bytes_per_second(), Err(WorkloadError::NoCapacity));
        for crossing in [0.0, 1.5, f64::NAN] {
            let of = LinkSet::Uplinks { per_host: Rate::from_gbps(1), crossing };
            let text = Load { fraction: 0.5, of }.bytes_per_second().unwrap_err().to_string();
            assert!(text.starts_with("crossing is "), "{text}");
        }
    }
}

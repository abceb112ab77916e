//! Links that fail and are repaired at given times.

use forebay_net::network::Network;
use forebay_net::topology::{Graph, Node};
use forebay_parameters::UnknownName;
use forebay_switch::SwitchModel;
use forebay_units::{Duration, Time};

use crate::error::NetRunError;

/// A link that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkFailure {
    link: usize,
    at: Time,
    repaired: Option<Time>,
}

impl LinkFailure {
    /// Reads `LINK@TIME[-REPAIR]`; a link is its number in the graph, or its two ends.
    pub(crate) fn read(text: &str, graph: &Graph) -> Result<Self, NetRunError> {
        let bad =
            |problem: String| NetRunError::parameter("fail", format!("\"{text}\": {problem}"));
        let (link, times) = text
            .split_once('@')
            .ok_or_else(|| bad("write LINK@TIME or LINK@TIME-REPAIR, as 3@1ms-5ms".to_owned()))?;
        let link = read_link(link.trim(), graph).map_err(bad)?;
        let read = |text: &str| {
            let span = text.trim().parse::<Duration>().map_err(|error| bad(error.to_string()));
            span.map(|span| Time::ZERO + span)
        };
        let (at, repaired) = match times.split_once('-') {
            Some((at, repaired)) => (read(at)?, Some(read(repaired)?)),
            None => (read(times)?, None),
        };
        if repaired.is_some_and(|repaired| repaired <= at) {
            return Err(bad("the repair is not after the failure: give a later time".to_owned()));
        }
        Ok(LinkFailure { link, at, repaired })
    }

    /// Schedules the failures in the network.
    pub(crate) fn plan<S: SwitchModel>(self, network: &mut Network<S>) -> Result<(), NetRunError> {
        let failed = network.fail_link(self.at, self.link);
        let repaired = self.repaired.map_or(Ok(()), |at| network.repair_link(at, self.link));
        failed.and(repaired).map_err(|error| NetRunError::parameter("fail", error))
    }
}

fn read_link(text: &str, graph: &Graph) -> Result<usize, String> {
    let links = graph.links.len();
    let unknown = || {
        let error = UnknownName::new("link", text, []);
        let known = format!("a number below {links}, or the two ends of one, as h0:s0 or s0:s9");
        format!("{}; give {known}", error.message())
    };
    let Some((a, b)) = text.split_once(':') else {
        return text.parse().ok().filter(|link| *link < links).ok_or_else(unknown);
    };
    let (a, b) = (read_node(a).ok_or_else(unknown)?, read_node(b).ok_or_else(unknown)?);
    let joins = |ends: [Node; 2]| ends == [a, b] || ends == [b, a];
    graph.links.iter().position(|link| joins(link.ends)).ok_or_else(unknown)
}

fn read_node(text: &str) -> Option<Node> {
    let number = |prefix| text.strip_prefix(prefix)?.parse().ok();
    number('h').map(Node::Host).or_else(|| number('s').map(Node::Switch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_net::topology::read_shape;

    #[test]
    fn links_are_named_by_number_or_by_ends() {
        let graph = read_shape("leaf-spine:2x2x2,10G,10G,1us").unwrap();
        let read = |text| LinkFailure::read(text, &graph).map_err(|error| error.to_string());
        let at = |us| Time::ZERO + Duration::from_us(us);
        let failure = |link, repaired| Ok(LinkFailure { link, at: at(1000), repaired });
        assert_eq!(read("3@1ms"), failure(3, None));
        assert_eq!(read("h0:s0@1ms-2ms"), failure(0, Some(at(2000))));
        assert_eq!(read("s3:s1@1ms"), failure(7, None));
        for (text, words) in [
            ("3", "write LINK@TIME"),
            ("8@1ms", "give a number below 8"),
            ("h0:s1@1ms", "there is no link `h0:s1`"),
            ("x@1ms", "there is no link `x`"),
            ("3@soon", "not a span"),
            ("3@2ms-1ms", "give a later time"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words) && error.contains(text), "{error}");
        }
    }
}

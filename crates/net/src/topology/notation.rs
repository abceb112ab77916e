//! Shapes in one line of text, for command lines.
//!
//! ```text
//! star:8,10G,1us                     8 hosts at a switch
//! dumbbell:4,10G,40G,1us             4 hosts on each side; their links, the link between
//! leaf-spine:9x16x4,50G,200G,10us    9 leaves of 16 hosts, 4 spines; hosts' links, links above
//! fat-tree:k=16,100G,1us             k-ary, links all alike: k^3/4 hosts
//! fat-tree:4x2x32x2x2,100G,100G,1us  4 pods of 2 edge switches of 32 hosts, 2 aggregation switches,
//!                                    2 core switches for each of those; hosts' links, links above
//! ```
//!
//! A rate is a number with `K`, `M`, `G` or `T`, or as in files (`10Gb/s`); the delay is that of
//! every link.
//! O(links).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use forebay_parameters::{UnknownName, grouped};
use forebay_units::{Duration, ParseUnitError, Rate, printable};

use super::shapes::room;
use super::{FatTree, Graph, GraphError, LeafSpine, LinkConfig, MAX_NODES};

/// The shapes: their names, and how each is written.
const FORMS: [(&str, &str); 5] = [
    ("star", "star:HOSTS,RATE,DELAY"),
    ("dumbbell", "dumbbell:HOSTS_A_SIDE,HOST_RATE,MIDDLE_RATE,DELAY"),
    ("leaf-spine", "leaf-spine:LEAVESxHOSTSxSPINES,HOST_RATE,FABRIC_RATE,DELAY"),
    ("fat-tree", "fat-tree:k=K,RATE,DELAY"),
    ("fat-tree", "fat-tree:PODSxEDGESxHOSTSxAGGREGATIONSxCORES,HOST_RATE,FABRIC_RATE,DELAY"),
];

/// A wrong text of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopologyShapeError {
    /// There is no shape with the name before the colon.
    Unknown(UnknownName),
    /// More or fewer parts than the shape has.
    Parts {
        /// How the shape is written.
        form: &'static str,
    },
    /// A part that is not a number of nodes.
    Count {
        /// The part, as it was written.
        text: String,
        /// How the shape is written.
        form: &'static str,
    },
    /// A rate or a delay that cannot be read.
    Unit(ParseUnitError),
    /// A rate or a delay of zero.
    Zero(String),
    /// Numbers that do not fit together.
    Graph(GraphError),
}

impl fmt::Display for TopologyShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TopologyShapeError::Unknown(error) => error.fmt(f),
            TopologyShapeError::Parts { form } => {
                write!(f, "there are too few or too many parts: write {form}")
            }
            TopologyShapeError::Count { text, form } => {
                let text = printable(text);
                let most = grouped(MAX_NODES.into());
                write!(f, "\"{text}\" is not a number from 1 to {most}: write {form}")
            }
            TopologyShapeError::Unit(error) => write!(f, "{error}"),
            TopologyShapeError::Zero(text) => {
                let text = printable(text);
                write!(f, "\"{text}\" is zero: every link has a rate and a delay above zero")
            }
            TopologyShapeError::Graph(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for TopologyShapeError {}

impl From<GraphError> for TopologyShapeError {
    fn from(error: GraphError) -> Self {
        TopologyShapeError::Graph(error)
    }
}

/// Reads a shape that passes [`Graph::check`].
///
/// ```
/// use forebay_net::topology::read_shape;
///
/// let themis = read_shape("leaf-spine:9x16x4,50G,200G,10us")?;
/// assert_eq!((themis.hosts, themis.switches), (144, 13));
/// let error = read_shape("star:8,10G").unwrap_err();
/// assert!(error.to_string().ends_with("write star:HOSTS,RATE,DELAY"));
/// # Ok::<(), forebay_net::topology::TopologyShapeError>(())
/// ```
///
/// # Errors
/// [`TopologyShapeError`] names the wrong part.
pub fn read_shape(text: &str) -> Result<Graph, TopologyShapeError> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
    let graph = match name {
        "star" => star(&parts),
        "dumbbell" => dumbbell(&parts),
        "leaf-spine" => leaf_spine(&parts),
        "fat-tree" if rest.starts_with("k=") => k_ary(&parts),
        "fat-tree" => fat_tree(&parts),
        _ => {
            let name: String = name.chars().take(40).collect();
            let mut known: Vec<&str> = FORMS.iter().map(|(known, _)| *known).collect();
            known.dedup(); // one shape is written in two ways
            Err(TopologyShapeError::Unknown(UnknownName::new("shape", &name, known)))
        }
    }?;
    graph.check()?;
    Ok(graph)
}

/// Whether a text is meant as a shape: it begins with a shape's name and a colon.
#[must_use]
pub fn is_shape(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, _)| FORMS.iter().any(|(known, _)| *known == name))
}

fn star(parts: &[&str]) -> Result<Graph, TopologyShapeError> {
    let form = FORMS[0].1;
    let [hosts, rate, delay] = parts else { return Err(TopologyShapeError::Parts { form }) };
    let [hosts] = counts(hosts, form)?;
    // Room for twice as many, as a list may have that grows.
    room(&[hosts, hosts])?;
    Ok(Graph::star(hosts, link(rate, delay)?))
}

fn dumbbell(parts: &[&str]) -> Result<Graph, TopologyShapeError> {
    let form = FORMS[1].1;
    let [hosts, host, middle, delay] = parts else {
        return Err(TopologyShapeError::Parts { form });
    };
    let [side] = counts(hosts, form)?;
    room(&[side, side, side, side])?;
    Ok(Graph::dumbbell(side, link(host, delay)?, link(middle, delay)?))
}

fn leaf_spine(parts: &[&str]) -> Result<Graph, TopologyShapeError> {
    let form = FORMS[2].1;
    let [nodes, host, fabric, delay] = parts else {
        return Err(TopologyShapeError::Parts { form });
    };
    let [leaves, hosts_per_leaf, spines] = counts(nodes, form)?;
    let (host, fabric) = (link(host, delay)?, link(fabric, delay)?);
    Ok(LeafSpine { leaves, spines, hosts_per_leaf, host, fabric }.graph()?)
}

fn k_ary(parts: &[&str]) -> Result<Graph, TopologyShapeError> {
    let form = FORMS[3].1;
    let [k, rate, delay] = parts else { return Err(TopologyShapeError::Parts { form }) };
    let [k] = counts(k.trim_start_matches("k="), form)?;
    Ok(FatTree::k_ary(k, link(rate, delay)?)?.graph()?)
}

fn fat_tree(parts: &[&str]) -> Result<Graph, TopologyShapeError> {
    let form = FORMS[4].1;
    let [nodes, host, fabric, delay] = parts else {
        return Err(TopologyShapeError::Parts { form });
    };
    let [pods, edges_per_pod, hosts_per_edge, aggregations_per_pod, cores_per_group] =
        counts(nodes, form)?;
    let (host, fabric) = (link(host, delay)?, link(fabric, delay)?);
    let (edge, core) = (fabric, fabric);
    let tree = FatTree {
        pods,
        edges_per_pod,
        aggregations_per_pod,
        cores_per_group,
        hosts_per_edge,
        host,
        edge,
        core,
    };
    Ok(tree.graph()?)
}

/// Numbers in the form `NxN`.
fn counts<const N: usize>(text: &str, form: &'static str) -> Result<[u32; N], TopologyShapeError> {
    let wrong =
        |text: &str| TopologyShapeError::Count { text: text.chars().take(40).collect(), form };
    let mut found = [0; N];
    let mut fields = text.split('x');
    for count in &mut found {
        let field = fields.next().ok_or(TopologyShapeError::Parts { form })?;
        let number = field.parse().ok().filter(|number| (1..=MAX_NODES).contains(number));
        *count = number.ok_or_else(|| wrong(field))?;
    }
    if fields.next().is_some() {
        return Err(TopologyShapeError::Parts { form });
    }
    Ok(found)
}

fn link(rate: &str, delay: &str) -> Result<LinkConfig, TopologyShapeError> {
    let zero = |text: &str| TopologyShapeError::Zero(text.chars().take(40).collect());
    let config = LinkConfig {
        rate: rate.parse().map_err(TopologyShapeError::Unit)?,
        delay: delay.parse().map_err(TopologyShapeError::Unit)?,
    };
    if config.rate == Rate::from_bps(0) {
        return Err(zero(rate));
    }
    if config.delay == Duration::ZERO {
        return Err(zero(delay));
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn shapes_are_those_of_their_types() {
        for (text, hosts, switches, links) in [
            ("star:8,10G,1us", 8, 1, 8),
            ("dumbbell:4,10G,40G,1us", 8, 2, 9),
            ("leaf-spine:8x16x8,100G,100G,10us", 128, 16, 192),
            ("fat-tree:k=16,100G,1us", 1024, 320, 3072),
            ("fat-tree:4x2x32x2x1,100G,100G,1 us", 256, 18, 280),
        ] {
            let graph = read_shape(text).unwrap();
            assert_eq!((graph.hosts, graph.switches, graph.links.len()), (hosts, switches, links));
        }
        let star = read_shape("star:3,2.5G,500ns").unwrap();
        let config =
            LinkConfig { rate: Rate::from_bps(2_500_000_000), delay: Duration::from_ns(500) };
        assert_eq!(star, Graph::star(3, config));
    }

    #[test]
    fn wrong_parts_are_named() {
        for (text, words) in [
            ("ring:8,10G,1us", "there is no shape `ring`; known: star, "),
            ("star:8,10G", "write star:HOSTS,RATE,DELAY"),
            ("star:0,10G,1us", "\"0\" is not a number from 1"),
            ("star:8x2,10G,1us", "write star:HOSTS"),
            ("star:8,10GB,1us", "\"10GB\" is not a rate"),
            ("star:8,0G,1us", "\"0G\" is zero"),
            ("star:8,10G,0us", "\"0us\" is zero"),
            ("star:8,10G,-1us", "\"-1us\" is not a span"),
            ("leaf-spine:9x16,50G,200G,10us", "write leaf-spine:LEAVESxHOSTSxSPINES"),
            ("leaf-spine:9xax4,50G,200G,10us", "\"a\" is not a number"),
            ("fat-tree:k=3,1G,1us", "even number"),
            ("fat-tree:k=4,1G,1G,1us", "write fat-tree:k=K"),
            ("leaf-spine:1048576x1048576x1,1G,1G,1us", "too large"),
        ] {
            let error = read_shape(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert!(is_shape("star:1") && !is_shape("star") && !is_shape("dir:file"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(star|leaf-spine|fat-tree|dumbbell|[:,x=kG1-3us.µ]){0,14}") {
            let _ = read_shape(&text);
        }
    }
}

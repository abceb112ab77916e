//! Graphs from a text file.
//!
//! ```text
//! # two hosts at each of two switches
//! hosts 4
//! switches 2
//! link h0 s0 10Gb/s 1us
//! link h1 s0 10Gb/s 1us
//! link h2 s1 10Gb/s 1us
//! link h3 s1 10Gb/s 1us
//! link s0 s1 40Gb/s 5us
//! ```
//!
//! `h` numbers hosts and `s` switches, both from 0; a link has a rate and a delay, written without
//! a space before the unit. Blank lines and lines that begin with `#` are skipped. O(length).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use forebay_units::printable;

use super::{Graph, GraphError, LinkConfig, MAX_LINKS, MAX_NODES, Node, check_link};

/// A wrong line of a graph file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFileError {
    /// The line, from 1; the last one if the graph as a whole is wrong.
    pub line: usize,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    Unknown(String),
    Count(String),
    Node(String),
    NotThere(Node),
    Unit(String),
    Graph(GraphError),
}

impl fmt::Display for GraphFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            Problem::Unknown(text) => write!(
                f,
                "\"{}\" is none of \"hosts N\", \"switches N\" and \"link h0 s0 10Gb/s 1us\"",
                printable(text)
            ),
            Problem::Count(text) => {
                let text = printable(text);
                write!(f, "\"{text}\" is not a number of nodes: give 0 to {MAX_NODES}")
            }
            Problem::Node(text) => {
                let text = printable(text);
                write!(f, "\"{text}\" is not a node: write h or s and a number, such as h0")
            }
            Problem::NotThere(node) => write!(
                f,
                "{node} does not exist: give \"hosts\" and \"switches\" before the links, and \
                 number nodes from 0"
            ),
            Problem::Unit(text) => write!(f, "{}", printable(text)),
            Problem::Graph(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for GraphFileError {}

/// Reads a graph that passes [`Graph::check`].
///
/// ```
/// use forebay_net::topology::read_graph;
///
/// let graph = read_graph("hosts 2\nswitches 1\nlink h0 s0 10Gb/s 1us\nlink h1 s0 10Gb/s 1us\n")?;
/// assert_eq!(graph.links.len(), 2);
/// let error = read_graph("hosts 1\nswitches 1\nlink h0 s3 10Gb/s 1us\n").unwrap_err();
/// assert!(error.to_string().starts_with("line 3: switch 3 does not exist"));
/// # Ok::<(), forebay_net::topology::GraphFileError>(())
/// ```
///
/// # Errors
/// [`GraphFileError`] names the first wrong line.
pub fn read_graph(text: &str) -> Result<Graph, GraphFileError> {
    let mut graph = Graph { hosts: 0, switches: 0, links: Vec::new() };
    let mut last = 1;
    for (index, line) in text.lines().enumerate() {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        last = index + 1;
        read_line(content, &mut graph).map_err(|problem| GraphFileError { line: last, problem })?;
    }
    let whole = |error| GraphFileError { line: last, problem: Problem::Graph(error) };
    graph.check().map_err(whole)?;
    Ok(graph)
}

fn read_line(content: &str, graph: &mut Graph) -> Result<(), Problem> {
    let mut fields = content.split_ascii_whitespace();
    let five: [Option<&str>; 5] = core::array::from_fn(|_| fields.next());
    if fields.next().is_some() {
        return Err(Problem::Unknown(shortened(content)));
    }
    match five {
        [Some("hosts"), Some(count), None, ..] => graph.hosts = read_count(count)?,
        [Some("switches"), Some(count), None, ..] => graph.switches = read_count(count)?,
        [Some("link"), Some(a), Some(b), Some(rate), Some(delay)] => {
            let config = LinkConfig { rate: read_unit(rate)?, delay: read_unit(delay)? };
            let (a, b) = (read_node(a, graph)?, read_node(b, graph)?);
            if graph.links.len() == MAX_LINKS {
                return Err(Problem::Graph(GraphError::TooLarge));
            }
            let no_memory = GraphError::NoMemory { links: graph.links.len() as u64 + 1 };
            graph.links.try_reserve(1).map_err(|_| Problem::Graph(no_memory))?;
            graph.connect(a, b, config);
            let index = graph.links.len() - 1;
            check_link(index, &graph.links[index]).map_err(Problem::Graph)?;
        }
        _ => return Err(Problem::Unknown(shortened(content))),
    }
    Ok(())
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn read_count(text: &str) -> Result<u32, Problem> {
    let count = text.parse().ok().filter(|count| *count <= MAX_NODES);
    count.ok_or_else(|| Problem::Count(shortened(text)))
}

fn read_node(text: &str, graph: &Graph) -> Result<Node, Problem> {
    let number = |digits: &str| digits.parse::<u32>().ok();
    let host = text.strip_prefix('h').and_then(number).map(|n| (Node::Host(n), n < graph.hosts));
    let switch =
        || text.strip_prefix('s').and_then(number).map(|n| (Node::Switch(n), n < graph.switches));
    match host.or_else(switch) {
        Some((node, true)) => Ok(node),
        Some((node, false)) => Err(Problem::NotThere(node)),
        None => Err(Problem::Node(shortened(text))),
    }
}

fn read_unit<T: FromStr<Err: fmt::Display>>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: T::Err| Problem::Unit(alloc::format!("{error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn bad_lines_are_named() {
        let start = "hosts 2\nswitches 1\n";
        for (rest, expected) in [
            ("link h0 s0 10Gb/s", "line 3: \"link h0 s0 10Gb/s\" is none of"),
            ("link h0 s0 10Gb/s 1us 7", "line 3: \"link h0"),
            ("link h0 s0 10GB/s 1us", "line 3: \"10GB/s\" is not a rate"),
            ("link h0 s0 10Gb/s -1us", "line 3: \"-1us\" is not a span"),
            ("link h0 s0 0Gb/s 1us", "line 3: link 0 has a rate of 0"),
            ("link h0 s0 1Gb/s 0us", "line 3: link 0 has a delay of 0"),
            ("# fine\nlink h2 s0 1Gb/s 1us", "line 4: host 2 does not exist"),
            ("link x2 s0 1Gb/s 1us", "line 3: \"x2\" is not a node"),
            ("link s0 s0 1Gb/s 1us", "line 3: link 0 leads from switch 0 to itself"),
            ("hosts -2", "line 3: \"-2\" is not a number of nodes"),
            ("link h0 s0 1Gb/s 1us", "line 3: host 1 has 0 links"),
        ] {
            let error = read_graph(&alloc::format!("{start}{rest}")).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{rest:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(hosts [0-9]|switches [0-9]|link|[hs0-9 \
            ./Gbu\n]){0,30}") {
            let _ = read_graph(&text);
        }
    }
}

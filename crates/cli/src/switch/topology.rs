//! The topology of a lab, and its ports to the outside.

use std::path::{Path, PathBuf};

use forebay_dataplane::fabric::OutsidePort;
use forebay_net::topology::{Graph, LARGEST_FILE, Node, is_shape, read_graph, read_shape};
use forebay_units::{Duration, Rate};
use toml::{Table, Value};

use super::file::shown;
use crate::Failure;
use crate::net::wrong;

/// The topology that a text is, or names.
pub(super) fn graph(
    topology: &str,
    beside: impl Fn(&Path) -> PathBuf,
    needs_hosts: bool,
) -> Result<Graph, Failure> {
    let wrong = |problem: String| wrong("topology", format!("{topology}: {problem}"));
    let graph = if is_shape(topology) {
        read_shape(topology).map_err(|error| wrong(error.to_string()))?
    } else {
        let path = beside(Path::new(topology));
        let text = forebay_files::read_text(&path, LARGEST_FILE)
            .map_err(|error| wrong(format!("it cannot be read: {error}")))?;
        read_graph(&text).map_err(|error| wrong(error.to_string()))?
    };
    graph.check().map_err(|error| wrong(error.to_string()))?;
    if graph.hosts == 0 && needs_hosts {
        return Err(wrong("it has no hosts, so that nothing could be sent".to_owned()));
    }
    Ok(graph)
}

/// The ports to the outside: each an interface, and the switch that it is of, perhaps with the rate
/// and the delay at which that sends there.
pub(super) fn ports(table: &Table, graph: &Graph) -> Result<Vec<OutsidePort>, Failure> {
    let port = |(name, value): (&String, &Value)| {
        let refused = |problem: &dyn std::fmt::Display| wrong(&format!("ports.{name}"), problem);
        let text = shown(value).map_err(|problem| refused(&problem))?;
        let mut parts = text.split(',').map(str::trim);
        let switch = parts.next().unwrap_or_default();
        let number = switch.strip_prefix('s').and_then(|number| number.parse::<u32>().ok());
        let number = number.and_then(|number| number.checked_sub(1));
        let Some(number) = number.filter(|number| *number < graph.switches) else {
            let known = match graph.switches {
                0 => "the topology has no switch".to_owned(),
                1 => "the only switch is s1".to_owned(),
                count => format!("the switches are s1 to s{count}"),
            };
            return Err(refused(&format_args!("{switch:?} is no switch: {known}")));
        };
        let at = Node::Switch(number);
        let first = graph.links.iter().find(|link| link.ends.contains(&at)).map(|link| link.config);
        let rate: Option<Rate> =
            parts.next().map(str::parse).transpose().map_err(|error| refused(&error))?;
        let delay: Option<Duration> =
            parts.next().map(str::parse).transpose().map_err(|error| refused(&error))?;
        let (Some(rate), None) = (rate.or(first.map(|first| first.rate)), parts.next()) else {
            let how = "write the switch, the rate and, if there is one, the delay: s1,1G,10us";
            return Err(refused(&how));
        };
        if rate == Rate::from_bps(0) {
            return Err(refused(&"nothing passes at 0 b/s: give a higher rate"));
        }
        let delay = delay.unwrap_or(Duration::ZERO);
        Ok(OutsidePort { name: name.clone(), switch: number, rate, delay })
    };
    table.iter().map(port).collect()
}

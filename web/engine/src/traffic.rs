//! The flows of a network: parts, each by a generator of `forebay-net` or line by line.

use std::fmt::Display;

use forebay_net::flow::{Flow, read_flows, write_flows};
use forebay_net::topology::{Graph, Node, is_shape, read_shape};
use forebay_net::workload::{
    IncastConfig, Load, PermutationConfig, PoissonConfig, incast, permutation_flows, poisson_flows,
};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::SizeDistribution;

use crate::error::LabError;
use crate::setup::{NetworkSetup, Traffic, read};

/// The most flows of a setup: a link that somebody was given must not fill a page's memory.
const MOST_FLOWS: usize = 200_000;
/// The most hosts and switches together.
const MOST_NODES: u32 = 2_048;

/// The graph of a setup's topology.
pub(crate) fn graph(topology: &str) -> Result<Graph, LabError> {
    if !is_shape(topology) && !topology.contains(':') {
        let problem = "give a shape, as star:8,10G,1us or leaf-spine:4x8x2,10G,40G,1us";
        return Err(LabError::at("topology", problem));
    }
    let graph = read_shape(topology).map_err(|error| LabError::at("topology", error))?;
    if graph.hosts + graph.switches > MOST_NODES {
        let problem = format!(
            "{} hosts and {} switches: a page runs {MOST_NODES} of both at most; give the rest to \
             the command",
            graph.hosts, graph.switches
        );
        return Err(LabError::at("topology", problem));
    }
    Ok(graph)
}

/// The flow file of a setup: what the command reads, and the page too, so that both have the same.
///
/// # Errors
/// A part is impossible, or there are too many flows.
pub(crate) fn flow_file(setup: &NetworkSetup, graph: &Graph) -> Result<String, LabError> {
    let mut flows = Vec::new();
    for (index, part) in setup.traffic.iter().enumerate() {
        let seed = setup.seed.saturating_add(index as u64);
        let made = part.flows(graph, seed);
        flows.extend(made.map_err(|error| error.within(&format!("traffic {}", index + 1)))?);
        if flows.len() > MOST_FLOWS {
            return Err(LabError::at("traffic", too_many(flows.len())));
        }
    }
    Ok(write_flows(&flows).to_string())
}

impl Traffic {
    fn flows(&self, graph: &Graph, seed: u64) -> Result<Vec<Flow>, LabError> {
        let wrong = |error: &dyn Display| LabError::at("", error);
        let hosts = graph.hosts;
        match self {
            Traffic::Poisson { load, sizes, span } => {
                let sizes = SizeDistribution::builtin(sizes);
                let sizes = sizes.map_err(|error| LabError::at("sizes", error))?;
                let (load, span) = (Load::of_hosts(*load, host_rate(graph)), read("span", span)?);
                check_expected(graph, load, span, sizes.mean())?;
                let config = PoissonConfig { hosts, load, sizes, span, seed };
                poisson_flows(&config).map_err(|error| wrong(&error))
            }
            Traffic::Incast { degree, query, load, span } => {
                let (query, span): (Bytes, Duration) = (read("query", query)?, read("span", span)?);
                let load = Load::of_hosts(*load, host_rate(graph));
                let bytes = query.get().max(1) as f64;
                let offered = check_expected(graph, load, span, bytes / f64::from(*degree))?;
                let per_second = offered / bytes;
                let config = IncastConfig::new(hosts, *degree, query, per_second, span);
                let made = incast(&IncastConfig { seed, ..config });
                made.map(|workload| workload.into_flows()).map_err(|error| wrong(&error))
            }
            Traffic::Permutation { bytes } => {
                let bytes = read("bytes", bytes)?;
                let config = PermutationConfig { hosts, bytes, start: Time::ZERO, seed };
                permutation_flows(&config).map_err(|error| wrong(&error))
            }
            Traffic::Flows { lines } => read_flows(lines, hosts).map_err(|error| wrong(&error)),
        }
    }
}

/// That the flows of a part, of so many bytes on average, are not far too many; the bytes that a
/// host offers in a second.
fn check_expected(graph: &Graph, load: Load, span: Duration, mean: f64) -> Result<f64, LabError> {
    let offered = load.bytes_per_second().map_err(|error| LabError::at("load", error))?;
    let flows = offered * span.as_secs_f64() * f64::from(graph.hosts) / mean.max(1.0);
    match flows > 2.0 * MOST_FLOWS as f64 {
        true => Err(LabError::at("span", too_many(flows as usize))),
        false => Ok(offered),
    }
}

fn too_many(flows: usize) -> String {
    format!(
        "{flows} flows: a page runs {MOST_FLOWS} at most; give a shorter span, or the rest to the \
         command"
    )
}

/// The slowest link of a host: what a load is a fraction of.
pub(crate) fn host_rate(graph: &Graph) -> Rate {
    let is_host = |node: &Node| matches!(node, Node::Host(_));
    let of_hosts = graph.links.iter().filter(|link| link.ends.iter().any(is_host));
    of_hosts.map(|link| link.config.rate).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::unwrap_used)] // in a helper, too, a failure is a failed test
    fn file(traffic: Vec<Traffic>) -> Result<String, String> {
        let setup = NetworkSetup { traffic, ..NetworkSetup::default() };
        let graph = graph(&setup.topology).unwrap();
        flow_file(&setup, &graph).map_err(|error| error.to_string())
    }

    #[test]
    fn every_part_adds_its_flows_and_reads_back() {
        let span = || "2 ms".to_owned();
        let parts = vec![
            Traffic::Poisson { load: 0.5, sizes: "websearch".into(), span: span() },
            Traffic::Incast { degree: 4, query: "64 KiB".into(), load: 0.1, span: span() },
            Traffic::Permutation { bytes: "1 MB".into() },
            Traffic::Flows { lines: "0 1 500 12.5\n".into() },
        ];
        let text = file(parts).unwrap();
        let flows = read_flows(&text, 8).unwrap();
        assert_eq!(flows.last().map(|flow| flow.start.as_ps()), Some(12_500));
        assert_eq!(write_flows(&flows).to_string(), text);
    }

    #[test]
    fn impossible_parts_are_named() {
        let poisson = |load, span: &str| Traffic::Poisson {
            load,
            sizes: "websearch".into(),
            span: span.into(),
        };
        let refused = |part| file(vec![poisson(0.5, "4 ms"), part]).unwrap_err();
        assert!(refused(poisson(0.5, "4 parsecs")).starts_with("traffic 2, span: "));
        assert!(refused(poisson(99.0, "4 ms")).starts_with("traffic 2, load: "));
        assert!(refused(poisson(1.0, "90 s")).contains("200000 at most"));
        let lines = Traffic::Flows { lines: "0 9 1 0".into() };
        assert!(refused(lines).contains("line 1: host 9 is not in the topology"));
        let refused = |text: &str| graph(text).unwrap_err().to_string();
        assert!(refused("flows.txt").contains("give a shape"));
        assert!(refused("ring:8,10G,1us").contains("there is no"));
        assert!(refused("star:60000,10G,1us").contains("a page runs 2048"));
    }
}

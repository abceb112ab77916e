//! What the network carried until the window ended.

use forebay_net::network::Network;
use forebay_net::topology::{Graph, Node};
use forebay_switch::AnySwitch;
use forebay_units::{Bytes, Time};

/// What was carried so far.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Bytes delivered, each once.
    pub delivered: Bytes,
    /// The share of the time in which a link from a switch with hosts to another switch was
    /// sending, mean over those; NaN if there is none.
    pub uplinks_mean: f64,
    /// That of the busiest.
    pub uplinks_max: f64,
}

impl Carried {
    /// Of `network` at `until`. O(flows + links).
    pub(super) fn new(network: &Network<AnySwitch>, graph: &Graph, until: Time) -> Self {
        let has_hosts = hosts_switches(graph);
        let uplinks = network.links().filter(|link| match (link.from, link.to) {
            (Node::Switch(from), Node::Switch(_)) => has_hosts[from as usize],
            (Node::Host(_), Node::Host(_) | Node::Switch(_)) | (Node::Switch(_), Node::Host(_)) => {
                false
            }
        });
        let span = until.since(Time::ZERO);
        let busy: Vec<f64> = uplinks.map(|link| link.utilization(span)).collect();
        Carried {
            delivered: delivered(network),
            uplinks_mean: busy.iter().sum::<f64>() / busy.len() as f64,
            uplinks_max: busy.into_iter().reduce(f64::max).unwrap_or(f64::NAN),
        }
    }
}

/// Bytes delivered so far, each once.
pub(super) fn delivered(network: &Network<AnySwitch>) -> Bytes {
    (0..network.flow_count()).map(|flow| network.delivered(flow)).sum()
}

/// Of each switch, whether it has hosts.
fn hosts_switches(graph: &Graph) -> Vec<bool> {
    let mut has_hosts = vec![false; graph.switches as usize];
    for link in &graph.links {
        if let [Node::Host(_), Node::Switch(s)] | [Node::Switch(s), Node::Host(_)] = link.ends {
            has_hosts[s as usize] = true;
        }
    }
    has_hosts
}

//! The usual shapes: star, dumbbell, leaf-spine, three-level fat-tree.

use alloc::vec::Vec;

use super::{Graph, GraphError, Link, LinkConfig, MAX_NODES, Node};

/// Leaf switches with hosts, each connected to every spine switch (Themis §6.3.2, Occamy §6.4).
///
/// Leaves come first in the numbering of switches; host `h` is at leaf `h / hosts_per_leaf`.
///
/// ```
/// use forebay_net::topology::{LeafSpine, LinkConfig};
/// use forebay_units::{Duration, Rate};
///
/// // Themis §6.3.2: 144 hosts.
/// let delay = Duration::from_us(10);
/// let themis = LeafSpine {
///     leaves: 9,
///     spines: 4,
///     hosts_per_leaf: 16,
///     host: LinkConfig { rate: Rate::from_gbps(50), delay },
///     fabric: LinkConfig { rate: Rate::from_gbps(200), delay },
/// };
/// let graph = themis.graph()?;
/// assert_eq!((graph.hosts, graph.switches, graph.links.len()), (144, 13, 144 + 36));
/// # Ok::<(), forebay_net::topology::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSpine {
    /// Leaf switches.
    pub leaves: u32,
    /// Spine switches.
    pub spines: u32,
    /// Hosts at each leaf.
    pub hosts_per_leaf: u32,
    /// The links of hosts.
    pub host: LinkConfig,
    /// The links between leaves and spines.
    pub fabric: LinkConfig,
}

impl LeafSpine {
    /// The shape as hosts, switches and links.
    ///
    /// # Errors
    /// [`GraphError::Shape`] or [`GraphError::TooLarge`] if the numbers are impossible.
    pub fn graph(&self) -> Result<Graph, GraphError> {
        if self.leaves == 0 || self.hosts_per_leaf == 0 || (self.leaves > 1 && self.spines == 0) {
            return Err(GraphError::Shape {
                what: "a leaf-spine without leaves, hosts or spines",
                fix: "give at least one of each (no spine is needed for a single leaf)",
            });
        }
        let hosts = bounded(&[self.leaves, self.hosts_per_leaf])?;
        let uplinks = bounded(&[self.leaves, self.spines])?;
        let room = room(&[hosts, uplinks])?;
        let mut graph = with_hosts(room, hosts, self.hosts_per_leaf, self.host);
        graph.switches = self.leaves + self.spines;
        for leaf in 0..self.leaves {
            for spine in 0..self.spines {
                let spine = Node::Switch(self.leaves + spine);
                graph.connect(Node::Switch(leaf), spine, self.fabric);
            }
        }
        Ok(graph)
    }
}

/// Three levels: pods of edge and aggregation switches, joined by core switches.
///
/// In a pod every edge switch is connected to every aggregation switch. The core is in as many
/// groups as a pod has aggregation switches, and aggregation switch `a` of every pod is connected
/// to each core switch of group `a`. Fewer uplinks than hosts, or less rate above, makes it
/// oversubscribed. Switches are numbered edge, aggregation, core; host `h` is at edge switch
/// `h / hosts_per_edge`.
///
/// ```
/// use forebay_net::topology::{FatTree, LinkConfig};
/// use forebay_units::{Duration, Rate};
///
/// // The k-ary fat-tree with k = 32: 8,192 hosts.
/// let link = LinkConfig { rate: Rate::from_gbps(100), delay: Duration::from_us(1) };
/// let graph = FatTree::k_ary(32, link)?.graph()?;
/// assert_eq!((graph.hosts, graph.switches), (8192, 512 + 512 + 256));
/// # Ok::<(), forebay_net::topology::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTree {
    /// Pods.
    pub pods: u32,
    /// Edge switches in each pod.
    pub edges_per_pod: u32,
    /// Aggregation switches in each pod, and groups of core switches.
    pub aggregations_per_pod: u32,
    /// Core switches in each group.
    pub cores_per_group: u32,
    /// Hosts at each edge switch.
    pub hosts_per_edge: u32,
    /// The links of hosts.
    pub host: LinkConfig,
    /// The links between edge and aggregation switches.
    pub edge: LinkConfig,
    /// The links between aggregation and core switches.
    pub core: LinkConfig,
}

impl FatTree {
    /// The fat-tree of switches with `k` ports each and equal links: `k³/4` hosts, not
    /// oversubscribed.
    ///
    /// # Errors
    /// [`GraphError::Shape`] unless `k` is even and at least 2.
    pub fn k_ary(k: u32, link: LinkConfig) -> Result<Self, GraphError> {
        if k < 2 || !k.is_multiple_of(2) {
            return Err(GraphError::Shape {
                what: "a k-ary fat-tree with an odd number of ports",
                fix: "give an even number of ports, at least 2",
            });
        }
        let half = k / 2;
        Ok(FatTree {
            pods: k,
            edges_per_pod: half,
            aggregations_per_pod: half,
            cores_per_group: half,
            hosts_per_edge: half,
            host: link,
            edge: link,
            core: link,
        })
    }

    /// The shape as hosts, switches and links.
    ///
    /// # Errors
    /// [`GraphError::Shape`] or [`GraphError::TooLarge`] if the numbers are impossible.
    pub fn graph(&self) -> Result<Graph, GraphError> {
        let (edges, groups) = (self.edges_per_pod, self.aggregations_per_pod);
        if [self.pods, edges, groups, self.cores_per_group, self.hosts_per_edge].contains(&0) {
            return Err(GraphError::Shape {
                what: "a fat-tree without pods, switches or hosts",
                fix: "give at least one of each",
            });
        }
        let hosts = bounded(&[self.pods, edges, self.hosts_per_edge])?;
        let middle = bounded(&[self.pods, groups, edges])?;
        let upper = bounded(&[self.pods, groups, self.cores_per_group])?;
        let room = room(&[hosts, middle, upper])?;
        let mut graph = with_hosts(room, hosts, self.hosts_per_edge, self.host);
        let (first_aggregation, first_core) = (self.pods * edges, self.pods * (edges + groups));
        graph.switches = first_core + groups * self.cores_per_group;
        for aggregation in 0..self.pods * groups {
            let (pod, group) = (aggregation / groups, aggregation % groups);
            let node = Node::Switch(first_aggregation + aggregation);
            for edge in 0..edges {
                graph.connect(Node::Switch(pod * edges + edge), node, self.edge);
            }
            for core in 0..self.cores_per_group {
                let core = first_core + group * self.cores_per_group + core;
                graph.connect(node, Node::Switch(core), self.core);
            }
        }
        Ok(graph)
    }
}

impl Graph {
    /// `hosts` hosts at one switch.
    #[must_use]
    pub fn star(hosts: u32, link: LinkConfig) -> Graph {
        // `check` refuses such a large graph; it need not be built.
        let mut graph = with_hosts(Vec::new(), hosts.min(MAX_NODES + 1), u32::MAX, link);
        graph.switches = 1;
        graph
    }

    /// Two switches with `hosts_per_side` hosts each, joined by one link. The hosts of the first
    /// switch come first.
    #[must_use]
    pub fn dumbbell(hosts_per_side: u32, host: LinkConfig, bottleneck: LinkConfig) -> Graph {
        let side = hosts_per_side.min(MAX_NODES);
        let mut graph = with_hosts(Vec::new(), 2 * side, side.max(1), host);
        graph.switches = 2;
        graph.connect(Node::Switch(0), Node::Switch(1), bottleneck);
        graph
    }
}

/// Hosts, with `each` at a switch; their links are the first.
fn with_hosts(links: Vec<Link>, hosts: u32, each: u32, link: LinkConfig) -> Graph {
    let mut graph = Graph { hosts, switches: 0, links };
    for host in 0..hosts {
        graph.connect(Node::Host(host), Node::Switch(host / each), link);
    }
    graph
}

/// Room for the sum of `counts` links.
///
/// # Errors
/// [`GraphError::NoMemory`] if there is none.
pub(super) fn room(counts: &[u32]) -> Result<Vec<Link>, GraphError> {
    let links = counts.iter().map(|count| u64::from(*count)).sum();
    let (mut room, none) = (Vec::new(), GraphError::NoMemory { links });
    match usize::try_from(links).is_ok_and(|links| room.try_reserve_exact(links).is_ok()) {
        true => Ok(room),
        false => Err(none),
    }
}

/// The product of `counts`, if that many nodes are possible.
fn bounded(counts: &[u32]) -> Result<u32, GraphError> {
    let product = counts.iter().try_fold(1u32, |product, count| product.checked_mul(*count));
    product.filter(|product| *product <= MAX_NODES).ok_or(GraphError::TooLarge)
}

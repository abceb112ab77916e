//! What the parameters build: the graph, the hosts' transports, the switches.

use forebay_buffer::onchip::{Alpha, QueueConfig};
use forebay_net::network::{NetworkConfig, Nic, StopRule, Transport};
use forebay_net::switch::SwitchConfig;
use forebay_net::topology::{FatTree, Graph, LeafSpine, LinkConfig};
use forebay_net::transport::{
    ControllerConfig, DelayedAck, ReceiverConfig, RtoConfig, SenderConfig,
};
use forebay_units::{Bytes, Duration, Time};

use super::traffic::Traffic;
use crate::config::Resolved;
use crate::error::ConfigError;
use crate::scenarios::schedulers;

/// How long a delayed acknowledgement waits at most (Linux's shortest is 40 ms; a data centre's is less).
const DELAYED_ACK: Duration = Duration::from_us(40);

/// Everything a run needs.
pub struct Setup {
    /// Hosts, switches and links.
    pub graph: Graph,
    /// The background and the queries.
    pub traffic: Traffic,
    /// Every switch.
    pub switch: SwitchConfig,
    /// How queries are sent, then how the background is.
    pub transports: [Transport; 2],
    /// How hosts choose what they send next.
    pub nic: Nic,
    /// When what is measured begins and ends.
    pub rule: StopRule,
    /// Flows below the first are small, from the second on large.
    pub sizes: [Bytes; 2],
    /// The time over which fairness is measured.
    pub scale: Duration,
    /// Samples of the series.
    pub samples: u64,
}

impl Setup {
    /// Reads the parameters for a policy.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(params: &Resolved, policy: &str) -> Result<Self, ConfigError> {
        let graph = graph(params)?;
        let control = params.text("transport.control")?.to_owned();
        let background = match params.text("background_control")? {
            "same" => control.clone(),
            other => other.to_owned(),
        };
        let transports =
            [transport(params, &graph, &control)?, transport(params, &graph, &background)?];
        let begin = Time::ZERO + params.duration("warm_up")?;
        let window = begin..begin + params.duration("run.span")?;
        let give_up = window.end + params.duration("give_up")?;
        Ok(Setup {
            nic: Nic::named(params.text("nic")?).unwrap_or_default(),
            traffic: Traffic::new(params)?,
            switch: switch(params, policy)?,
            transports,
            rule: StopRule { window, give_up },
            sizes: [params.bytes("run.small")?, params.bytes("run.large")?],
            scale: params.duration("run.scale")?,
            samples: params.count("samples")?,
            graph,
        })
    }

    /// Refuses what cannot be run.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn check(&self, params: &Resolved) -> Result<(), ConfigError> {
        if self.rule.window.is_empty() {
            return Err(params
                .blame("run.span", "nothing is measured in no time")
                .fix("give 1 ms or more"));
        }
        if self.sizes[0] >= self.sizes[1] || self.sizes[0] == Bytes::ZERO {
            let message = format!("{} is not above {}", self.sizes[1], self.sizes[0]);
            return Err(params.blame("run.large", message).fix("give more than run.small"));
        }
        let receivers = params.count("receivers")?;
        if receivers >= u64::from(self.graph.hosts) && receivers > 0 {
            let message =
                format!("{receivers} receivers leave no sender among {} hosts", self.graph.hosts);
            return Err(params.blame("receivers", message).fix("give fewer, or 0 for all"));
        }
        self.traffic.check(params, &self.graph)?;
        let last = receivers + params.count("background_receiver")?;
        if last > u64::from(self.graph.hosts) {
            let message = format!("there is no receiver {last} among {} hosts", self.graph.hosts);
            return Err(params.blame("background_receiver", message).fix("give a smaller number"));
        }
        self.check_classes(params)?;
        let network = self.switch.network(&self.graph, self.config(1));
        network.map(drop).map_err(|error| params.blame("switch.pool", error.to_string()))?;
        let traffic = self.traffic.check_background(&self.graph);
        traffic.map_err(|error| params.blame("background", error.to_string()))?;
        let queries = self.traffic.check_queries(&self.graph);
        queries.map_err(|error| params.blame("query_degree", error.to_string()))
    }

    /// One class has one transport.
    fn check_classes(&self, params: &Resolved) -> Result<(), ConfigError> {
        let [queries, background] = self.traffic.classes();
        let other = params.text("background_control")?;
        if queries != background || other == "same" || other == params.text("transport.control")? {
            return Ok(());
        }
        let message =
            format!("queries and background are both of class {queries}, which has one control");
        Err(params
            .blame("background_control", message)
            .fix("give query_class and background_class different numbers"))
    }

    /// The network's own choices: the background's class has its transport, all others that of queries.
    #[must_use]
    pub fn config(&self, seed: u64) -> NetworkConfig {
        let [queries, background] = &self.transports;
        let class = usize::from(self.traffic.classes()[1]);
        // The entry after the background's is for all classes beyond it.
        let mut transports = vec![queries.clone(); class + 2];
        transports[class] = background.clone();
        let own = NetworkConfig::new(queries.clone());
        NetworkConfig { ecmp_seed: seed, transports, nic: self.nic, ..own }
    }
}

fn graph(params: &Resolved) -> Result<Graph, ConfigError> {
    for rate in ["host_rate", "fabric_rate"] {
        if params.rate(rate)?.as_bps() == 0 {
            return Err(params
                .blame(rate, "a link carries nothing at 0 b/s")
                .fix("give a rate above 0"));
        }
    }
    let delay = params.duration("topology.delay")?;
    let host_delay = match params.duration("host_delay")? {
        Duration::ZERO => delay,
        given => given,
    };
    let host = LinkConfig { rate: params.rate("host_rate")?, delay: host_delay };
    let fabric = LinkConfig { rate: params.rate("fabric_rate")?, delay };
    let count = |name: &str| params.count(name).map(|count| count as u32);
    let hosts = count("topology.hosts")?;
    let graph = match params.text("topology.kind")? {
        "star" => Ok(Graph::star(hosts, host)),
        "fat-tree" => FatTree {
            pods: count("pods")?,
            edges_per_pod: count("edges_per_pod")?,
            aggregations_per_pod: count("aggregations_per_pod")?,
            cores_per_group: count("cores_per_group")?,
            hosts_per_edge: hosts,
            host,
            edge: fabric,
            core: fabric,
        }
        .graph(),
        _ => {
            let (leaves, spines) = (count("leaves")?, count("spines")?);
            LeafSpine { leaves, spines, hosts_per_leaf: hosts, host, fabric }.graph()
        }
    };
    graph.map_err(|error| params.blame("topology.kind", error.to_string()))
}

fn transport(params: &Resolved, graph: &Graph, control: &str) -> Result<Transport, ConfigError> {
    let bad = |error: &dyn std::error::Error| params.blame("transport.control", error.to_string());
    let min = params.duration("min_rto")?;
    let receive_window = match params.bytes("receive_window")? {
        Bytes::ZERO => SenderConfig::default().receive_window,
        given => given,
    };
    let sender = SenderConfig {
        receive_window,
        mss: params.bytes("mss")?,
        initial_window: params.count("initial_window")? as u32,
        rto: RtoConfig { min, ..RtoConfig::default() },
        handshake_rtt: params.bool("known_rtt")?.then(|| round_trip(graph)),
        sack: params.bool("sack")?,
        ecn: control == "dctcp",
        ..SenderConfig::default()
    };
    let control = ControllerConfig::named(control).map_err(|error| bad(&error))?;
    let mut transport = Transport::window(sender, control).map_err(|error| bad(&error))?;
    if params.bool("delayed_ack")?
        && let Transport::Window { receiver, .. } = &mut transport
    {
        let delayed_ack = Some(DelayedAck { timer: DELAYED_ACK, every: 2 });
        *receiver = ReceiverConfig { delayed_ack, ..(**receiver).clone() }.into();
    }
    Ok(transport)
}

/// The propagation of the longest way there and back.
fn round_trip(graph: &Graph) -> Duration {
    let hops = match graph.switches {
        0 | 1 => 2,
        _ if graph.links.len() > graph.hosts as usize && is_three_level(graph) => 6,
        _ => 4,
    };
    // Hosts' links come first, and may be shorter.
    let delays = || graph.links.iter().map(|link| link.config.delay);
    let (host, longest) = (delays().next(), delays().max());
    let of = |delay: Option<Duration>| delay.unwrap_or(Duration::ZERO);
    (of(host) * 2 + of(longest) * (hops - 2)) * 2
}

/// Whether some switch has no host and no neighbour with one.
fn is_three_level(graph: &Graph) -> bool {
    use forebay_net::topology::Node;
    let mut near = vec![false; graph.switches as usize];
    for link in &graph.links {
        if let [Node::Host(_), Node::Switch(s)] | [Node::Switch(s), Node::Host(_)] = link.ends {
            near[s as usize] = true;
        }
    }
    let edges = near.clone();
    for link in &graph.links {
        if let [Node::Switch(a), Node::Switch(b)] = link.ends {
            near[a as usize] |= edges[b as usize];
            near[b as usize] |= edges[a as usize];
        }
    }
    near.contains(&false)
}

fn switch(params: &Resolved, policy: &str) -> Result<SwitchConfig, ConfigError> {
    let bad = |error: &dyn std::error::Error| params.blame("switch.pool", error.to_string());
    let mut config = SwitchConfig::named(policy).map_err(|error| bad(&error))?;
    match &mut config {
        SwitchConfig::DropTail(config) => config.limit = params.bytes("port_limit")?,
        SwitchConfig::Scheduled(config) => {
            let limit = params.bytes("port_limit")?;
            config.limits.limit = limit;
            config.parameters = schedulers::config(params)?;
            // Room for as many of the smallest packets; the limit in bytes is what counts.
            config.parameters.packet_limit = (limit.get() / 64).clamp(1, 1 << 16) as u32;
            if policy == "pifo" {
                config.scheduler = params.text("switch.rank")?.to_owned();
            }
        }
        SwitchConfig::Hybrid(config) => {
            config.memory.sram = params.bytes("sram")?;
            config.rank = params.text("switch.rank")?.to_owned();
        }
        SwitchConfig::OnChip(config) => {
            config.pool = params.bytes("switch.pool")?;
            config.ports_per_pool = params.count("ports_per_pool")? as u16;
            config.cell = params.bytes("switch.cell")?.get().min(u64::from(u32::MAX)) as u32;
            config.scheduler = params.text("switch.scheduler")?.to_owned();
            config.scheduling.classes = params.count("switch.classes")? as u16;
            config.policies.dt.alpha = alpha(params, "dt_alpha")?;
            config.policies.abm.alpha = alpha(params, "abm_alpha")?;
            config.policies.occamy.alpha = alpha(params, "occamy_alpha")?;
            config.classes = classes(params, config.scheduling.classes)?;
        }
    }
    let above = params.bytes("mark_above")?;
    Ok(config.with_marks((above > Bytes::ZERO).then_some(above)))
}

fn alpha(params: &Resolved, name: &str) -> Result<Alpha, ConfigError> {
    let value = params.float(name)?;
    Alpha::new(value).ok_or_else(|| params.blame(name, format!("{value} is no threshold factor")))
}

/// The threshold factor of each class, where it is not the policy's.
fn classes(params: &Resolved, classes: u16) -> Result<Vec<QueueConfig>, ConfigError> {
    let own = |name: &str| {
        params.float(name).map(|value| (value > 0.0).then(|| Alpha::new(value)).flatten())
    };
    let (first, other) = (own("first_alpha")?, own("other_alpha")?);
    let queue = |class| QueueConfig {
        alpha: if class == 0 { first } else { other },
        ..QueueConfig::default()
    };
    Ok((0..classes).map(queue).collect())
}

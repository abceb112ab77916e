//! What the arguments of `forebay net run` build: the graph, the flows, the hosts, the switches.

use forebay_net::flow::{Flow, line_of, read_flows};
use forebay_net::measure::SizeClasses;
use forebay_net::network::{NetworkConfig, NetworkError, Nic, Transport};
use forebay_net::switch::SwitchConfig;
use forebay_net::topology::{Graph, is_shape, read_graph, read_shape};
use forebay_net::transport::{ControllerConfig, RtoConfig, SenderConfig};
use forebay_units::{Bytes, Duration, Time};

use super::{HostArguments, RunArguments, SwitchArguments, read, wrong};
use crate::{Failure, sched, terminal};

/// The least timeout before a round trip is measured, if none is given.
const INITIAL_RTO: Duration = Duration::from_ms(1);

/// Everything a run needs.
pub(super) struct Setup {
    pub(super) graph: Graph,
    pub(super) flows: Vec<Flow>,
    /// The flow file's text, which names the lines of what is wrong.
    text: String,
    file: String,
    pub(super) switch: SwitchConfig,
    pub(super) config: NetworkConfig,
    pub(super) classes: SizeClasses,
    /// The end of the run, in simulated time.
    pub(super) give_up: Time,
}

impl Setup {
    /// Reads the files and checks every option.
    pub(super) fn new(arguments: &RunArguments) -> Result<Self, Failure> {
        let graph = graph(&arguments.topology)?;
        let file = arguments.flows.display().to_string();
        let text = read("flows", &arguments.flows)?;
        let flows = read_flows(&text, graph.hosts)
            .map_err(|error| Failure::input(format!("error: {file}: {error}")))?;
        if flows.is_empty() {
            let problem =
                format!("{file} has no flow: give a line \"src dst bytes start_ns\" each");
            return Err(wrong("flows", problem));
        }
        let classes =
            SizeClasses::new(&arguments.classes).map_err(|error| wrong("classes", error))?;
        Ok(Setup {
            switch: switch(&arguments.switches)?,
            config: NetworkConfig {
                ecmp_seed: arguments.seed,
                partitions: arguments.threads.into(),
                nic: nic(&arguments.hosts.nic)?,
                ..NetworkConfig::new(transport(&arguments.hosts, &arguments.switches)?)
            },
            give_up: arguments.give_up.map_or(Time::MAX, |span| Time::ZERO + span),
            graph,
            flows,
            text,
            file,
            classes,
        })
    }

    /// Why the network cannot be made, with the flow file's line where it is a flow.
    pub(super) fn failure(&self, error: &NetworkError) -> Failure {
        Failure::input(match error {
            NetworkError::Flow { index, problem } => {
                let line = line_of(&self.text, *index);
                format!("error: {}: line {line}: {problem}", self.file)
            }
            other => format!("error: {other}"),
        })
    }
}

fn graph(topology: &str) -> Result<Graph, Failure> {
    let path = std::path::Path::new(topology);
    if is_shape(topology) || (topology.contains(':') && !path.exists()) {
        return read_shape(topology).map_err(|error| wrong("topology", error));
    }
    let text = read("topology", path)?;
    read_graph(&text).map_err(|error| Failure::input(format!("error: {topology}: {error}")))
}

fn transport(hosts: &HostArguments, switches: &SwitchArguments) -> Result<Transport, Failure> {
    let control =
        ControllerConfig::named(&hosts.control).map_err(|error| wrong("control", error))?;
    let ecn = hosts.control == "dctcp";
    if ecn && switches.mark.is_none() {
        terminal::warn("note: without --mark no switch marks, and dctcp sees losses only");
    }
    let initial = hosts.initial_rto.unwrap_or(INITIAL_RTO.max(hosts.min_rto));
    let rto = RtoConfig { initial, min: hosts.min_rto, ..RtoConfig::default() };
    let sender = SenderConfig {
        mss: hosts.mss,
        initial_window: hosts.initial_window,
        rto,
        sack: !hosts.no_sack,
        handshake: hosts.handshake,
        ecn,
        ..SenderConfig::default()
    };
    Transport::window(sender, control)
        .map_err(|error| Failure::input(format!("error: hosts cannot send so: {error}")))
}

fn nic(name: &str) -> Result<Nic, Failure> {
    let known = || Nic::NAMES.map(|(name, _)| name).join(" or ");
    Nic::named(name)
        .ok_or_else(|| wrong("nic", format!("no host sends by {name}: choose {}", known())))
}

/// The same switch with the tree of a file.
fn with_tree(mut config: SwitchConfig, path: &std::path::Path) -> Result<SwitchConfig, Failure> {
    match &mut config {
        SwitchConfig::Scheduled(scheduled) if scheduled.scheduler == "tree" => {
            scheduled.parameters.tree = sched::read_tree(path)?;
            Ok(config)
        }
        _ => Err(wrong("tree", "only a switch that is a tree has one: give --switch tree as well")),
    }
}

fn switch(arguments: &SwitchArguments) -> Result<SwitchConfig, Failure> {
    let config = SwitchConfig::named(&arguments.switch).map_err(|error| wrong("switch", error))?;
    let config = match &arguments.tree {
        Some(path) => with_tree(config, path)?,
        None => config,
    };
    let config = match arguments.buffer {
        Some(Bytes::ZERO) => return Err(wrong("buffer", "0 B holds no packet: give more")),
        Some(size) => config.with_buffer(size),
        None => config,
    };
    Ok(config.with_marks(arguments.mark))
}

//! What the arguments of `forebay net run` build: the graph, the flows, the hosts, the switches.

use forebay_net::flow::{Flow, line_of, read_flows};
use forebay_net::measure::SizeClasses;
use forebay_net::network::{NetworkConfig, NetworkError, Nic, RunError, Transport};
use forebay_net::switch::SwitchConfig;
use forebay_net::topology::{Graph, is_shape, read_graph, read_shape};
use forebay_net::transport::{ControllerConfig, DelayedAck, RtoConfig, SenderConfig};
use forebay_units::{Bytes, Duration, Time};

use super::failures::LinkFailure;
use super::{HostArguments, RunArguments, SwitchArguments, read, wrong};
use crate::{Failure, sched, terminal};

/// The least timeout before a round trip is measured, if none is given.
const INITIAL_RTO: Duration = Duration::from_ms(1);

/// The least receive window, if none is given.
const LEAST_WINDOW: Bytes = Bytes::new(16 << 20);

const PS_PER_S: u128 = 1_000_000_000_000;

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
    /// The links that fail.
    pub(super) failures: Vec<LinkFailure>,
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
                max_timeouts: arguments.max_timeouts,
                ..NetworkConfig::new(transport(&arguments.hosts, &arguments.switches, &graph)?)
            },
            failures: failures(&arguments.fail, &graph)?,
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

    /// Why the run cannot end, with the flow and its line.
    pub(super) fn stuck(&self, error: &RunError) -> Failure {
        let RunError::NoProgress { flow, timeouts, at } = *error else {
            return Failure { message: format!("error: {error}"), code: 1 };
        };
        let index = flow as usize;
        let ends = self.flows.get(index).map_or((0, 0), |flow| (flow.src, flow.dst));
        let message = format!(
            "error: {}: line {}: the flow from host {} to host {} made no progress for {timeouts} retransmission \
             timeouts in a row at {at}: check that buffers hold a packet and that paths are up, or raise \
             --max-timeouts; what was measured until then is kept",
            self.file,
            line_of(&self.text, index),
            ends.0,
            ends.1,
        );
        Failure { message, code: 1 }
    }
}

fn failures(texts: &[String], graph: &Graph) -> Result<Vec<LinkFailure>, Failure> {
    texts.iter().map(|text| LinkFailure::read(text, graph)).collect()
}

fn graph(topology: &str) -> Result<Graph, Failure> {
    let path = std::path::Path::new(topology);
    if is_shape(topology) || (topology.contains(':') && !path.exists()) {
        return read_shape(topology).map_err(|error| wrong("topology", error));
    }
    let text = read("topology", path)?;
    read_graph(&text).map_err(|error| Failure::input(format!("error: {topology}: {error}")))
}

fn transport(
    hosts: &HostArguments,
    switches: &SwitchArguments,
    graph: &Graph,
) -> Result<Transport, Failure> {
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
        receive_window: hosts.receive_window.unwrap_or_else(|| receive_window(graph, hosts.mss)),
        rto,
        sack: !hosts.no_sack,
        handshake: hosts.handshake,
        ecn,
        ..SenderConfig::default()
    };
    let cannot = |error| Failure::input(format!("error: hosts cannot send so: {error}"));
    let transport = Transport::window(sender, control).map_err(cannot)?;
    match hosts.delayed_ack {
        Some(timer) => transport
            .with_delayed_ack(DelayedAck { timer, every: 2 })
            .map_err(|e| wrong("delayed-ack", e)),
        None => Ok(transport),
    }
}

/// Without a limit, a window that loses nothing grows into its host's queue for as long as its flow lasts. So
/// much fills any path of up to six links, there and back.
fn receive_window(graph: &Graph, mss: Bytes) -> Bytes {
    let fastest = graph.links.iter().map(|link| link.config.rate).max().unwrap_or_default();
    let longest = graph.links.iter().map(|link| link.config.delay).max().unwrap_or_default();
    let bits = u128::from(fastest.as_bps()) * u128::from((longest * 12).as_ps()) / PS_PER_S;
    let filled = Bytes::new(u64::try_from(bits / 8).unwrap_or(u64::MAX));
    filled.max(LEAST_WINDOW).max(mss)
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

/// The switch that the options describe.
pub(crate) fn switch(arguments: &SwitchArguments) -> Result<SwitchConfig, Failure> {
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

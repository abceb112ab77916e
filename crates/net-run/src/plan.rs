//! A run's parameters, checked: the graph, the flows, the hosts, the switches.

use std::path::{Path, PathBuf};

use forebay_files::Input;
use forebay_net::flow::{Flow, FlowList};
use forebay_net::measure::SizeClasses;
use forebay_net::network::{
    HostConfig, Network, NetworkConfig, NetworkError, NetworkRunError, Transport, check_packets,
    partitions,
};
use forebay_net::route::Balance;
use forebay_net::topology::{Graph, LARGEST_FILE, is_shape, read_graph, read_shape};
use forebay_parameters::{Entry, ParameterError};
use forebay_switch::SwitchModel;
use forebay_units::{Bytes, Duration, Time};

use crate::config::RunConfig;
use crate::error::NetRunError;
use crate::failures::LinkFailure;
use crate::flow_class::classify;
use crate::flow_file;

/// The least timeout before a round trip is measured, if none is given.
const INITIAL_RTO: Duration = Duration::from_ms(1);

/// The least receive window, if none is given.
const LEAST_WINDOW: Bytes = Bytes::new(16 << 20);

const PS_PER_S: u128 = 1_000_000_000_000;

/// Where flows come from.
#[derive(Clone, Debug)]
pub enum Flows {
    /// A file with one line `src dst bytes start_ns` per flow; `-` is standard input.
    File(PathBuf),
    /// Flows that are in memory already.
    Given(Vec<Flow>),
}

/// Everything a run needs, checked.
#[derive(Debug)]
pub struct NetRunPlan {
    pub(crate) graph: Graph,
    pub(crate) flows: FlowList,
    /// The flow file, to report lines with errors.
    file: Option<PathBuf>,
    pub(crate) network: NetworkConfig,
    pub(crate) classes: SizeClasses,
    pub(crate) failures: Vec<LinkFailure>,
    /// The end of the run, in simulated time.
    pub(crate) give_up: Time,
    pub(crate) config: RunConfig,
}

impl NetRunPlan {
    /// Reads the files and checks every parameter. `topology` is a file, `-` for
    /// standard input, or a shape such as
    /// `leaf-spine:9x16x4,50G,200G,10us`. O(flows + links).
    ///
    /// # Errors
    /// A parameter is invalid, or a file cannot be read; the message has the line.
    pub fn new(topology: &str, flows: Flows, config: RunConfig) -> Result<Self, NetRunError> {
        check_files(topology, &flows, &config)?;
        let graph = graph(topology)?;
        let listed = listed(flows, graph.hosts)?;
        NetRunPlan::of(graph, Some(listed), config)
    }

    /// A run without flows, whose caller [adds](crate::Session::add) them while it goes on. It runs
    /// on one thread, and flows bring their classes.
    ///
    /// # Errors
    /// A parameter is invalid or about flows, or the topology cannot be read.
    pub fn open(topology: &str, config: RunConfig) -> Result<Self, NetRunError> {
        let of_flows = [
            (config.class.is_some(), "class", "flows bring their classes"),
            (config.threads != 1, "threads", "a run whose flows are added takes one thread"),
            (config.warm_up != Duration::ZERO, "warm-up", "nothing is measured by itself"),
            (config.trace.is_some(), "trace", "a session writes none"),
        ];
        if let Some((_, name, why)) = of_flows.into_iter().find(|(given, ..)| *given) {
            return Err(NetRunError::parameter(name, format!("{why}: leave it out")));
        }
        check_files(topology, &Flows::Given(Vec::new()), &config)?;
        NetRunPlan::of(graph(topology)?, None, config)
    }

    fn of(graph: Graph, listed: Option<Listed>, config: RunConfig) -> Result<Self, NetRunError> {
        let is_open = listed.is_none();
        let (mut flows, file) = listed.unwrap_or_default();
        let transport = transport(&config.hosts, &graph)?;
        check_read(&config, &transport)?;
        if config.seed != RunConfig::default().seed && !graph.has_cycle() {
            let problem = "the seed chooses among equal paths, and here is one path between any \
                           two hosts: leave it out";
            return Err(NetRunError::parameter("seed", problem));
        }
        if config.hosts.balance().balance != Balance::Ecmp && !graph.has_cycle() {
            let problem = "there is one path between any two hosts, and no load to balance: leave \
                           it out";
            return Err(NetRunError::parameter("balance", problem));
        }
        let is_early = |flow: Flow| flow.start < Time::ZERO + config.warm_up;
        if !is_open && flows.iter().all(is_early) {
            let problem = "no flow begins after it, so nothing is measured: give a shorter one";
            return Err(NetRunError::parameter("warm-up", problem));
        }
        if let Some(rule) = &config.class {
            classify(&mut flows, rule);
        }
        let classes = SizeClasses::new(&config.size_classes);
        let failures = config.fail.iter().map(|text| LinkFailure::read(text, &graph));
        check_threads(&config)?;
        Ok(NetRunPlan {
            classes: classes.map_err(|error| NetRunError::parameter("size-classes", error))?,
            failures: failures.collect::<Result<_, _>>()?,
            network: NetworkConfig {
                ecmp_seed: config.seed,
                balance: config.hosts.balance(),
                partitions: config.threads.into(),
                nic: config.hosts.nic,
                max_timeouts: config.max_timeouts,
                // No report of such a run has them.
                transits: false,
                ..NetworkConfig::new(transport)
            },
            give_up: config.give_up.map_or(Time::MAX, |span| Time::ZERO + span),
            graph,
            flows,
            file,
            config,
        })
    }

    /// How many switches and hosts the routes connect.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        (self.graph.switches, self.graph.hosts)
    }

    /// That switches can hold the hosts' packets.
    pub(crate) fn check_packets(&self) -> Result<(), NetRunError> {
        let checked = check_packets(&self.config.switch, &self.network);
        checked.map_err(|error| self.failure(&error))
    }

    /// Settings that are allowed but probably unintended.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let takes_marks = self.network.transports.iter().any(Transport::takes_marks);
        let unmarked = || {
            let control = self.config.hosts.control.name();
            format!(
                "no switch marks packets without a mark threshold, so {control} reacts to losses \
                 only"
            )
        };
        let is_unmarked = takes_marks && !self.config.switch.marks();
        let classless = self.config.class.is_none().then(|| self.config.switch.without_classes());
        let untrimmed = || {
            let control = self.config.hosts.control.name();
            format!("no switch trims packets, so {control} finds what is lost by its timer only")
        };
        let trims = self.config.switch.trimming().is_some();
        let is_untrimmed = self.config.hosts.is_pulled() && !trims;
        let notes = [
            is_unmarked.then(unmarked),
            is_untrimmed.then(untrimmed),
            self.of_threads(),
            classless.flatten(),
        ];
        notes.into_iter().flatten().collect()
    }

    /// What there is to say of threads that have nothing to do, or no core of their own.
    fn of_threads(&self) -> Option<String> {
        let wanted = usize::from(self.config.threads);
        let used = partitions(&self.graph, wanted);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let few = if used == 1 { "1 thread runs" } else { &format!("{used} threads run") };
        if used < wanted {
            return Some(format!(
                "{few}, and not {wanted}: each takes whole switches with their hosts, 64 at most \
                 run; the results are the same"
            ));
        }
        let shared = if cores == 1 { "1 core" } else { &format!("{cores} cores") };
        (used > cores).then(|| {
            format!(
                "{used} threads share {shared}, which takes longer than fewer threads; the results \
                 are the same"
            )
        })
    }

    /// Why the network cannot be built, with the flow file's line if a flow is the reason.
    pub(crate) fn failure(&self, error: &NetworkError) -> NetRunError {
        let name = match error {
            NetworkError::Flow { index, problem } => {
                return NetRunError::Input(format!("{}: {problem}", self.place(*index)));
            }
            NetworkError::Switch(error) => {
                return NetRunError::Parameter(self.config.switch.refuse(error, "topology"));
            }
            NetworkError::Transport(error) => return NetRunError::transport(error),
            NetworkError::Graph(_)
            | NetworkError::Memory { .. }
            | NetworkError::SwitchMemory { .. } => "topology",
            // Whoever leaves no room for usual packets means the buffer.
            NetworkError::Packet { headers, room, .. }
                if *room < HostConfig::default().mss + *headers =>
            {
                let packet = self.config.hosts.mss + *headers;
                let problem = format!(
                    "{room} cannot hold a full packet of the hosts: give at least {packet}"
                );
                let own = self.config.switch.buffer_parameter();
                return NetRunError::Parameter(
                    ParameterError::value("buffer", &problem)
                        .caused_by(ParameterError::value(own, &problem)),
                );
            }
            NetworkError::Packet { .. } => "mss",
            NetworkError::NoTransport | NetworkError::Trimmed => "control",
            NetworkError::Timeouts(_) => "max-timeouts",
            NetworkError::Workload(_) | NetworkError::TooManyFlows => "flows",
            NetworkError::UnknownLink { .. } => "fail",
            NetworkError::OneQueue => "nic",
        };
        NetRunError::parameter(name, error)
    }

    /// Why the run cannot end, with the flow and its line.
    pub(crate) fn stuck<S: SwitchModel>(
        &self,
        error: &NetworkRunError,
        network: &Network<S>,
    ) -> String {
        let NetworkRunError::NoProgress { flow, timeouts, at } = *error else {
            return error.to_string();
        };
        let ends = network.record(flow).map_or((0, 0), |record| (record.flow.src, record.flow.dst));
        format!(
            "{}: the flow from host {} to host {} made no progress for {timeouts} retransmission \
             timeouts in a row at {at}: check that buffers hold a packet and that paths are up, or \
             raise max-timeouts; what was measured until then is kept",
            self.place(flow as usize),
            ends.0,
            ends.1,
        )
    }

    /// Where a flow is defined.
    fn place(&self, index: usize) -> String {
        match &self.file {
            Some(path) => match (Input::of(path).name(), flow_file::line_of(path, index)) {
                (name, Some(line)) => format!("{name}: line {line}"),
                (name, None) => format!("{name}: flow {index}"),
            },
            None => format!("flow {index}"),
        }
    }
}

/// That hosts understand the marks of switches, and that switches read the classes of flows.
fn check_read(config: &RunConfig, transport: &Transport) -> Result<(), NetRunError> {
    if config.class.is_some() && !config.switch.reads_class() {
        let problem = format!(
            "switch {} does not read the class of a packet: leave it out, or give a switch or a \
             rank that orders by class, such as strict-priority",
            config.switch_name
        );
        return Err(NetRunError::parameter("class", problem));
    }
    if config.switch.marks() && !transport.takes_marks() {
        let problem = format!(
            "hosts under {} do not understand marks: leave it out, or give a control that does, \
             such as dctcp",
            config.hosts.control.name()
        );
        return Err(NetRunError::parameter("mark", problem));
    }
    Ok(())
}

/// Into how many parts a network may be cut.
const THREADS: std::ops::RangeInclusive<u16> = 1..=64;

fn check_threads(config: &RunConfig) -> Result<(), NetRunError> {
    if !THREADS.contains(&config.threads) {
        let problem = format!("{} parts: give 1 to {}", config.threads, THREADS.end());
        return Err(NetRunError::parameter("threads", problem));
    }
    if config.trace.is_some() && config.threads > 1 {
        let problem = "a trace is written in time order by one thread: leave out threads";
        return Err(NetRunError::parameter("trace", problem));
    }
    Ok(())
}

/// No input is overwritten, no two outputs are one file, and standard input is read once.
fn check_files(topology: &str, flows: &Flows, config: &RunConfig) -> Result<(), NetRunError> {
    let is_read_twice = Input::of(topology.as_ref()).is_standard()
        && matches!(flows, Flows::File(path) if Input::of(path).is_standard());
    if is_read_twice {
        let problem = "standard input is the topology, and can be read only once: give a file";
        return Err(NetRunError::parameter("flows", problem));
    }
    let files = config.others.clone().read("the topology", topology);
    let files = match flows {
        Flows::File(path) => files.read("the flow file", path),
        Flows::Given(_) => files,
    };
    let trace = config.trace.as_ref().map(|trace| &trace.path);
    Ok(files.write_some("trace", trace).check()?)
}

/// The flows, and their file.
type Listed = (FlowList, Option<PathBuf>);

fn listed(flows: Flows, hosts: u32) -> Result<Listed, NetRunError> {
    let (flows, file) = match flows {
        Flows::Given(given) => {
            let mut flows = FlowList::default();
            for (index, flow) in given.iter().enumerate() {
                let pushed = flows.push(flow);
                pushed.map_err(|problem| NetRunError::Input(format!("flow {index}: {problem}")))?;
            }
            (flows, None)
        }
        Flows::File(path) => (flow_file::read(&path, hosts)?, Some(path)),
    };
    if flows.is_empty() {
        return Err(NetRunError::parameter(
            "flows",
            match &file {
                Some(path) => format!(
                    "{} has no flows: give a line \"src dst bytes start_ns\" for each",
                    Input::of(path).name()
                ),
                None => "there are no flows: give at least one".to_owned(),
            },
        ));
    }
    Ok((flows, file))
}

fn graph(topology: &str) -> Result<Graph, NetRunError> {
    let path = Path::new(topology);
    if is_shape(topology) || (topology.contains(':') && !path.exists()) {
        return read_shape(topology).map_err(|error| NetRunError::parameter("topology", error));
    }
    let input = Input::of(path);
    let name = input.name();
    let text = input.read_text(LARGEST_FILE).map_err(|error| {
        NetRunError::parameter("topology", format!("cannot read {name}: {error}"))
    })?;
    let graph = read_graph(&text);
    let graph = graph.map_err(|error| NetRunError::Input(format!("{name}: {error}")))?;
    if graph.hosts == 0 {
        let problem = format!("{name} has no hosts: give a line \"hosts N\", and their links");
        return Err(NetRunError::parameter("topology", problem));
    }
    Ok(graph)
}

fn transport(hosts: &HostConfig, graph: &Graph) -> Result<Transport, NetRunError> {
    let mut sender = hosts.sender();
    if hosts.initial_rto.is_none() {
        sender.rto.initial = INITIAL_RTO.max(hosts.min_rto);
    }
    if hosts.receive_window.is_none() {
        sender.receive_window = receive_window(graph, hosts.mss);
    }
    hosts.transport(sender).map_err(|error| NetRunError::transport(&error))
}

/// Without a limit, a window that loses nothing grows into its host's queue for as long as its flow
/// lasts. This size fills any path of up to six links, there and back.
fn receive_window(graph: &Graph, mss: Bytes) -> Bytes {
    let fastest = graph.links.iter().map(|link| link.config.rate).max().unwrap_or_default();
    let longest = graph.links.iter().map(|link| link.config.delay).max().unwrap_or_default();
    let bits = u128::from(fastest.as_bps()) * u128::from((longest * 12).as_ps()) / PS_PER_S;
    let filled = Bytes::new(u64::try_from(bits / 8).unwrap_or(u64::MAX));
    filled.max(LEAST_WINDOW).max(mss)
}

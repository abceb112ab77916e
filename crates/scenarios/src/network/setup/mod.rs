//! What the parameters build: the graph, the hosts' transports, the switches.

mod blame;
mod graph;
mod transport;

use forebay_net::network::{Network, NetworkConfig, Nic, StopRule, Transport};
use forebay_net::route::BalanceConfig;
use forebay_net::topology::Graph;
use forebay_parameters::ParameterError;
use forebay_switch::SwitchConfig;
use forebay_units::{Bytes, Duration, Time};

use super::params::{Config, HostPart, RunPart, WorkloadConfig};
use super::traffic::Traffic;
use graph::{graph, round_trip};
use transport::transport;

/// What a segment has beside its payload.
pub(crate) const HEADERS: Bytes = Bytes::new(52);

/// Everything a run needs.
pub struct NetworkSetup {
    /// Hosts, switches and links.
    pub graph: Graph,
    /// The background and the queries.
    pub traffic: Traffic,
    /// What every switch is.
    pub switch: SwitchConfig,
    /// How queries are sent, then how the background is.
    pub transports: [Transport; 2],
    /// The class of acknowledgements, if it is not that of their flow.
    pub ack_class: Option<u8>,
    /// How hosts choose what they send next.
    pub nic: Nic,
    /// How switches choose among equal paths.
    pub balance: BalanceConfig,
    /// When what is measured begins and ends.
    pub rule: StopRule,
    /// Flows below the first are small, from the second on large.
    pub sizes: [Bytes; 2],
    /// The time over which fairness is measured.
    pub scale: Duration,
    /// Samples of the series.
    pub samples: u64,
}

impl NetworkSetup {
    /// What the parameters build.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(config: &Config) -> Result<Self, ParameterError> {
        let graph = graph(&config.hosts)?;
        let round_trip = round_trip(&graph);
        let hosts = &config.hosts;
        let sending = &hosts.sending;
        let queries = transport(hosts, round_trip, &sending.control, hosts.query_window())?;
        let background =
            transport(hosts, round_trip, hosts.background_control(), sending.initial_window)?;
        let traffic = Traffic::new(config, &graph)?;
        let begin = Time::ZERO + config.run.warm_up;
        let window = begin..begin + config.run.span;
        let give_up = window.end + config.run.give_up;
        Ok(NetworkSetup {
            ack_class: hosts.ack_class().filter(|_| config.switch.reads_class(false)),
            nic: sending.nic,
            balance: sending.balance(),
            switch: config.switch.made(round_trip, traffic.has_background())?,
            traffic,
            transports: [queries, background],
            rule: StopRule { window, give_up },
            sizes: [config.run.small, config.run.large],
            scale: config.run.scale,
            samples: config.run.samples,
            graph,
        })
    }

    /// Refuses what cannot be run.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn check(&self, config: &Config) -> Result<(), ParameterError> {
        if self.rule.window.is_empty() {
            return Err(
                RunPart::SPAN.refuse("the measured span must be above 0; give 1 ms or more")
            );
        }
        if self.sizes[0] >= self.sizes[1] || self.sizes[0] == Bytes::ZERO {
            let [small, large] = self.sizes;
            let problem = format_args!("{large} is not above {small}; give more than run.small");
            return Err(RunPart::LARGE.refuse(problem));
        }
        let (hosts, receivers) = (self.graph.hosts, config.workload.receivers);
        if receivers >= hosts && receivers > 0 {
            return Err(WorkloadConfig::RECEIVERS.refuse(format_args!(
                "{receivers} receivers leave no sender among {hosts} hosts; give fewer, or 0 for \
                 all"
            )));
        }
        self.traffic.check(&self.graph)?;
        let last = u64::from(receivers) + u64::from(config.workload.background_receiver);
        if last > u64::from(hosts) {
            return Err(WorkloadConfig::BACKGROUND_RECEIVER.refuse(format_args!(
                "there is no receiver {last} among {hosts} hosts; give a smaller number"
            )));
        }
        self.check_scale(config)?;
        self.check_classes(config)?;
        let network = Network::of(&self.switch, &self.graph, self.config(1));
        network.map(drop).map_err(|error| blame::network(config, &error))?;
        let traffic = self.traffic.check_background(&self.graph);
        traffic.map_err(|error| blame::background(&error))?;
        let queries = self.traffic.check_queries(&self.graph);
        queries.map_err(|error| blame::queries(config, &error))
    }

    /// Fairness over less than a packet's time, or more than the span, says nothing.
    fn check_scale(&self, config: &Config) -> Result<(), ParameterError> {
        if self.traffic.shared().is_empty() {
            return Ok(());
        }
        let least = config.hosts.host_rate.time_for(config.hosts.sending.mss + HEADERS);
        let most = self.rule.window.end.since(self.rule.window.start);
        if (least..=most).contains(&self.scale) {
            return Ok(());
        }
        Err(RunPart::SCALE.refuse(format_args!(
            "{} is not between a packet's time on a host's link, {least}, and the span, {most}; \
             give 1 ms, or another span",
            self.scale
        )))
    }

    /// Acknowledgements have a queue, and one class has one transport.
    fn check_classes(&self, config: &Config) -> Result<(), ParameterError> {
        if let (Some(class), Some(queues)) = (self.ack_class, config.switch.queues())
            && u16::from(class) >= queues
        {
            let last = queues - 1;
            return Err(HostPart::ACK_CLASS.refuse(format_args!(
                "there is no class {class} among the {queues} of a port; give 0 to {last}, or more \
                 switch.classes"
            )));
        }
        let (queries, background) = (self.traffic.query_class(), self.traffic.background_classes());
        if config.workload.query_bytes.is_none() || !background.contains(&queries) {
            return Ok(());
        }
        let hosts = &config.hosts;
        let (other, what) = if *hosts.background_control() != hosts.sending.control {
            (&HostPart::BACKGROUND_CONTROL, "control")
        } else if hosts.query_window() != hosts.sending.initial_window {
            (&HostPart::QUERY_WINDOW, "first window")
        } else {
            return Ok(());
        };
        Err(other.refuse(format_args!(
            "queries and background are both of class {queries}, which has one {what}; give \
             query_class and background_class different numbers"
        )))
    }

    /// The network's own choices: the background's classes have its transport, all others that of
    /// queries.
    #[must_use]
    pub fn config(&self, seed: u64) -> NetworkConfig {
        let [queries, background] = &self.transports;
        let classes = self.traffic.background_classes();
        // The entry after the background's is for all classes beyond it.
        let mut transports = vec![queries.clone(); usize::from(classes.end) + 1];
        for class in classes {
            transports[usize::from(class)] = background.clone();
        }
        let own = NetworkConfig::new(queries.clone());
        let (ack_class, nic) = (self.ack_class, self.nic);
        let balance = self.balance;
        NetworkConfig { ecmp_seed: seed, transports, ack_class, nic, balance, ..own }
    }
}

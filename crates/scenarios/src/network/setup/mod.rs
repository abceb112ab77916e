//! What the parameters build: the graph, the hosts' transports, the switches.

mod blame;
mod graph;
mod switch;
mod transport;

use forebay_lab::{ConfigError, Resolved};
use forebay_net::network::{Network, NetworkConfig, Nic, StopRule, Transport};
use forebay_net::topology::Graph;
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::{Bytes, Duration, Time};

use super::traffic::Traffic;
use graph::{graph, round_trip};
use switch::switch;
use transport::transport;

/// What a segment has beside its payload.
const HEADERS: Bytes = Bytes::new(52);

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
    pub fn new(
        catalogue: &Catalogue,
        params: &Resolved,
        policy: &str,
    ) -> Result<Self, ConfigError> {
        let graph = graph(params)?;
        let round_trip = round_trip(&graph);
        let control = params.text("transport.control")?.to_owned();
        let background = match params.text("background_control")? {
            "same" => control.clone(),
            other => other.to_owned(),
        };
        let transports =
            [&control, &background].map(|control| transport(params, round_trip, control));
        let [queries, background] = transports;
        let traffic = Traffic::new(params, &graph)?;
        let begin = Time::ZERO + params.duration("warm_up")?;
        let window = begin..begin + params.duration("run.span")?;
        let give_up = window.end + params.duration("give_up")?;
        Ok(Setup {
            nic: Nic::named(params.text("nic")?).unwrap_or_default(),
            switch: switch(catalogue, params, policy, round_trip, traffic.has_background())?,
            traffic,
            transports: [queries?, background?],
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
        self.check_scale(params)?;
        self.check_classes(params)?;
        let network = Network::of(&self.switch, &self.graph, self.config(1));
        network.map(drop).map_err(|error| blame::network(params, &error))?;
        let traffic = self.traffic.check_background(&self.graph);
        traffic.map_err(|error| blame::background(params, &error))?;
        let queries = self.traffic.check_queries(&self.graph);
        queries.map_err(|error| blame::queries(params, &error))
    }

    /// Fairness over less than a packet's time, or more than the span, says nothing.
    fn check_scale(&self, params: &Resolved) -> Result<(), ConfigError> {
        if self.traffic.shared().is_empty() {
            return Ok(());
        }
        let packet = params.bytes("mss")? + HEADERS;
        let least = params.rate("host_rate")?.time_for(packet);
        let most = self.rule.window.end.since(self.rule.window.start);
        if (least..=most).contains(&self.scale) {
            return Ok(());
        }
        let message = format!(
            "{} is not between a packet's time on a host's link, {least}, and the span, {most}",
            self.scale
        );
        Err(params.blame("run.scale", message).fix("give 1 ms, or another span"))
    }

    /// One class has one transport.
    fn check_classes(&self, params: &Resolved) -> Result<(), ConfigError> {
        let (queries, background) = (self.traffic.query_class(), self.traffic.background_classes());
        let other = params.text("background_control")?;
        if !background.contains(&queries)
            || other == "same"
            || other == params.text("transport.control")?
        {
            return Ok(());
        }
        let message =
            format!("queries and background are both of class {queries}, which has one control");
        Err(params
            .blame("background_control", message)
            .fix("give query_class and background_class different numbers"))
    }

    /// The network's own choices: the background's classes have its transport, all others that of queries.
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
        NetworkConfig { ecmp_seed: seed, transports, nic: self.nic, ..own }
    }
}

//! What a network experiment refuses before anything runs, each with the parameter at fault.

use std::collections::BTreeSet;

use forebay_net::switch::SwitchConfig;
use forebay_units::{Bytes, Rate};

use super::setup::Setup;
use crate::config::Resolved;
use crate::error::ConfigError;
use crate::scenarios::schedulers;

/// What a segment has beside its payload.
const HEADERS: Bytes = Bytes::new(52);

impl Setup {
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
        self.check_schedulers(params)?;
        let network = self.switch.network(&self.graph, self.config(1));
        network.map(drop).map_err(|error| params.blame("switch.pool", error.to_string()))?;
        let traffic = self.traffic.check_background(&self.graph);
        traffic.map_err(|error| params.blame("background", error.to_string()))?;
        let queries = self.traffic.check_queries(&self.graph);
        queries.map_err(|error| params.blame("query_degree", error.to_string()))
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

    /// The scheduler of a port can be built at every rate that there is.
    fn check_schedulers(&self, params: &Resolved) -> Result<(), ConfigError> {
        let SwitchConfig::Scheduled(config) = &self.switch else { return Ok(()) };
        let rates: BTreeSet<u64> =
            self.graph.links.iter().map(|link| link.config.rate.as_bps()).collect();
        rates.into_iter().try_for_each(|rate| {
            let rate = Rate::from_bps(rate);
            schedulers::check(params, &config.scheduler, &config.parameters, rate)
        })
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
}

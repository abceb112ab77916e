//! Occamy's testbed (§6.2, §6.3): the traffic of the scenario [`network`](crate::network) as real
//! TCP between hosts that are network namespaces of this machine, or simulated, as
//! `testbed.packets` says. So an experiment with both of its values has the simulator's error on
//! real stacks in one table.
//!
//! Parameters, traffic and metrics are those of `network`: the same seed gives the same flows at
//! the same instants, and every metric is computed from flows' completion times by the same code.
//! What is chosen for real packets: each flow has a fresh connection, made before the run, so that
//! no handshake is measured; queries ask over the connection that the response takes; hosts' cards
//! let flows take turns (`host.nic = "fair"`: deficit round robin) or not, as the simulated ones;
//! the class of a flow is its differentiated services code point.
//!
//! A run with real packets is [live](forebay_lab::LiveRuns): it takes as long as it says, nothing
//! else is computed beside it, and another gives other numbers. Metrics `late_p50` and `late_p99`
//! say how well this machine kept up.

mod metrics;
#[cfg(all(feature = "live", target_os = "linux"))]
mod real;
#[cfg(test)]
mod tests;

use forebay_lab::{
    ConfigError, Lack, LiveRuns, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, SeriesSpec,
};
use forebay_parameters::{Configure, ParameterError, UnknownName, Walk, Word};
use forebay_units::Bytes;

use crate::Policies;
use crate::network::DataCenter;
use crate::network::params::{Background, Config, HostPart, WorkloadConfig};

/// Whether packets are real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Packets {
    /// Kernels' TCP, between namespaces of this machine.
    Real,
    /// As in the scenario `network`.
    Simulated,
}

/// What the testbed adds to the parameters of a network.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "testbed.")]
pub struct TestbedPart {
    /// Whether packets are real, sent by this machine's TCP in real time, or simulated.
    #[parameter(assumed = "both, side by side", default = Packets::Simulated)]
    pub packets: Packets,
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct TestbedConfig {
    own: TestbedPart,
    network: Config,
}

impl Configure for TestbedConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.own.walk(walk);
        self.network.walk(walk);
    }
}

/// The scenario over switches and congestion controls; see the module's head.
pub struct Testbed {
    network: DataCenter,
}

impl Testbed {
    /// Over the switches of a catalogue and the congestion controls of these.
    #[must_use]
    pub fn new(policies: &Policies) -> Self {
        Testbed { network: DataCenter::new(policies) }
    }

    fn config(&self, policy: &str) -> Result<TestbedConfig, UnknownName> {
        Ok(TestbedConfig { own: TestbedPart::default(), network: self.network.config(policy)? })
    }

    fn filled(&self, params: &Resolved, policy: &str) -> Result<TestbedConfig, ConfigError> {
        params.fill(self.config(policy)?)
    }

    fn is_real(&self, params: &Resolved, policy: &str) -> bool {
        self.filled(params, policy).is_ok_and(|config| config.own.packets == Packets::Real)
    }
}

impl Scenario for Testbed {
    fn name(&self) -> &'static str {
        "testbed"
    }

    fn about(&self) -> &'static str {
        "the flows and queries of network, as real TCP between namespaces of this machine, or \
         simulated"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(self.config(policy).ok())
    }

    fn policies(&self) -> &[PolicyInfo] {
        self.network.policies()
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn series(&self) -> &'static [SeriesSpec] {
        crate::network::metrics::SERIES
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        self.network.check(params, policy)?;
        let config = self.filled(params, policy)?;
        if config.own.packets == Packets::Simulated {
            return Ok(());
        }
        check_real(&config.network).map_err(|error| params.refuse(&error))
    }

    fn lacks(&self, params: &Resolved, policy: &str, quantity: &str) -> Option<Lack> {
        let is_real = self.is_real(params, policy);
        let own = metrics::lack(is_real, quantity);
        own.or_else(|| self.network.lacks(params, policy, quantity))
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        self.network.missing(quantity)
    }

    fn warnings(&self, params: &Resolved) -> Vec<String> {
        let is_real = self.policies().first().is_some_and(|one| self.is_real(params, &one.name));
        is_real.then(|| LIVE.to_owned()).into_iter().collect()
    }

    fn live_runs(&self) -> Option<&dyn LiveRuns> {
        Some(self)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        if !self.is_real(point.params, point.policy) {
            let simulated = self.network.run(point, context)?;
            let values = [simulated.values, metrics::nothing_late()].concat();
            return Ok(RunOutput { values, ..simulated });
        }
        #[cfg(all(feature = "live", target_os = "linux"))]
        {
            let config = self.filled(point.params, point.policy)?;
            let setup = self.network.setup(point.params, point.policy)?.1;
            real::run(&config, &setup, point.seed, context)
        }
        #[cfg(not(all(feature = "live", target_os = "linux")))]
        Err(RunError::Failed(NOT_BUILT.to_owned()))
    }
}

/// What every report with real packets says.
const LIVE: &str = "with packets = real, the numbers are measured on this machine in real time: \
                    another run gives others, and late_p99 says how late packets were";

#[cfg(not(all(feature = "live", target_os = "linux")))]
const NOT_BUILT: &str = "this program cannot send real packets, which needs Linux and the feature \
                         live: set packets=simulated";

impl LiveRuns for Testbed {
    fn is_live(&self, params: &Resolved, policy: &str) -> bool {
        self.is_real(params, policy)
    }

    #[cfg(all(feature = "live", target_os = "linux"))]
    fn unable(&self, params: &Resolved, policy: &str) -> Option<String> {
        let config = self.filled(params, policy).ok()?;
        real::unable(&config.network)
    }

    #[cfg(not(all(feature = "live", target_os = "linux")))]
    fn unable(&self, _: &Resolved, _: &str) -> Option<String> {
        Some(NOT_BUILT.to_owned())
    }
}

/// What an empty socket takes at once, whatever the kernel is told.
const LARGEST_REQUEST: Bytes = Bytes::new(4096);

/// Refuses what only simulated hosts do.
fn check_real(config: &Config) -> Result<(), ParameterError> {
    const SIMULATED: &str = "or set packets=simulated";
    let (hosts, workload) = (&config.hosts, &config.workload);
    if hosts.query_window() != hosts.sending.initial_window {
        let problem = "a host of this machine has one first window for all flows: give 0, ";
        return Err(HostPart::QUERY_WINDOW.refuse(format_args!("{problem}{SIMULATED}")));
    }
    if hosts.ack_class().is_some() {
        let problem = "a kernel sends acknowledgements in their flow's class: give same, ";
        return Err(HostPart::ACK_CLASS.refuse(format_args!("{problem}{SIMULATED}")));
    }
    if workload.request_bytes.is_some_and(|bytes| bytes > LARGEST_REQUEST) {
        return Err(WorkloadConfig::REQUEST_BYTES.refuse(format_args!(
            "a real request is given to the kernel at once: give at most {LARGEST_REQUEST}, \
             {SIMULATED}"
        )));
    }
    match workload.background {
        Background::None | Background::Flows | Background::File | Background::Permutation => Ok(()),
        Background::Collective(_)
        | Background::LongLived
        | Background::Shares
        | Background::JoinLeave => {
            let problem = "its flows have no end, or wait for each other: give flows, permutation, \
                           file or none, ";
            Err(WorkloadConfig::BACKGROUND.refuse(format_args!("{problem}{SIMULATED}")))
        }
    }
}

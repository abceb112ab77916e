//! The parameters of a run, with the command's defaults.

use forebay_expression::Expression;
use forebay_files::Files;
use forebay_net::network::HostConfig;
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_trace::TraceOutput;
use forebay_units::{Bytes, Duration};

use crate::error::NetRunError;

/// The parameters of a run, besides the topology and the flows.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// How hosts send.
    pub hosts: HostConfig,
    /// The kind of switch.
    pub switch: SwitchConfig,
    /// The class of a flow, as a rule over [`FLOW_FIELDS`](crate::FLOW_FIELDS): from 0, the most
    /// urgent, to 255; what is beyond counts as the nearest. If none, flows keep the class that
    /// they have.
    pub class: Option<Expression>,
    /// What switches are called in the report and in traces.
    pub switch_name: String,
    /// Into how many parts the network is cut, each with its own thread; the results are the same.
    pub threads: u16,
    /// Seed of the choice among equal paths.
    pub seed: u64,
    /// Stop after this much simulated time, even if flows have not finished.
    pub give_up: Option<Duration>,
    /// Flows that begin earlier run but are left out of the size classes.
    pub warm_up: Duration,
    /// Stop when a flow has this many timeouts in a row.
    pub max_timeouts: u8,
    /// Links that fail, `LINK@TIME` or `LINK@TIME-REPAIR` each.
    pub fail: Vec<String>,
    /// The upper bounds of the size classes, increasing.
    pub size_classes: Vec<Bytes>,
    /// How many places of loss and links to report.
    pub top: usize,
    /// A trace of every switch; requires a single thread.
    pub trace: Option<TraceOutput>,
    /// The caller's own inputs and outputs; none may be a file that the run reads or writes.
    pub others: Files,
}

impl RunConfig {
    /// The defaults with the catalogue's switch of this name.
    ///
    /// # Errors
    /// There is no switch of this name; the message lists all.
    pub fn with_switch(catalogue: &Catalogue, name: &str) -> Result<Self, NetRunError> {
        let known = catalogue.switch(name);
        let switch = known.map_err(|error| NetRunError::parameter("switch", error))?;
        Ok(RunConfig { switch, switch_name: name.to_owned(), ..RunConfig::default() })
    }
}

impl Default for RunConfig {
    fn default() -> Self {
        RunConfig {
            hosts: HostConfig::default(),
            switch: SwitchConfig::DropTail(forebay_switch::DropTailConfig::default()),
            class: None,
            switch_name: "drop-tail".to_owned(),
            threads: 1,
            seed: 1,
            give_up: None,
            warm_up: Duration::ZERO,
            max_timeouts: 16,
            fail: Vec::new(),
            size_classes: [10, 100, 1_000, 10_000]
                .map(|kilobytes| Bytes::new(kilobytes * 1_000))
                .into(),
            top: 10,
            trace: None,
            others: Files::default(),
        }
    }
}

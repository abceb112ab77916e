//! One link, open loop: flows that keep to their rates, and how much later than promised their
//! packets leave.
//!
//! Source: gearbox §2.3, §2.4 (Eq. 1, 2), §3.4 (Eq. 6). A packet's ideal departure time F is its
//! arrival A, or its flow's last F if that is later, plus its size over the flow's rate (§2.1); D
//! is when its last bit has left. Time is real time (as in the paper's footnote 9), counted in
//! units of `scheduler.unit` bytes of the link, so that every scheduler is measured by the same
//! clock. F holds the packet's own time, so that the fluid server has no discrepancy; a packet that
//! is being sent is not interrupted, so that exact order by the fluid server's clock (`wfq`) may
//! have one largest packet's time (Parekh and Gallager), and all beyond that is the scheduler's.
//!
//! The paper leaves open how flows arrive: here one packet after another at the flow's rate, with a
//! random phase, and each packet moved by up to `workload.jitter` of its interval; flows of the
//! largest weight in bursts of `workload.burst`. O(packets log packets); 40 bytes a packet.

mod drive;
mod metrics;

use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario,
};
use forebay_parameters::{Configure, ParameterError, Source, grouped};
use forebay_switch::Catalogue;
use forebay_units::{Bytes, Duration, Rate};

use crate::schedulers::{Schedulers, Scheduling};

/// The scenario over some schedulers; see the module's head.
pub struct Link {
    schedulers: Schedulers,
}

impl Link {
    /// Over the schedulers of a catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        Link { schedulers: Schedulers::new(catalogue) }
    }

    /// The parameters of a point.
    fn config(&self, params: &Resolved, policy: &str) -> Result<Config, ConfigError> {
        params.fill(Config::new(self.schedulers.named(policy)?))
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, Configure)]
struct Config {
    /// Rate of the link.
    #[parameter(source = LINK, name = "link.rate")]
    rate: Rate,
    /// Bytes of a packet.
    #[parameter(source = LINK, name = "link.packet")]
    packet: Bytes,
    /// What the flows send, as a share of their assigned rates.
    #[parameter(name = "workload.load", range = 0.01..=2.0)]
    #[parameter(assumed = "flows use the rates they are assigned")]
    load: f64,
    /// How late a packet may come, as a share of its interval.
    #[parameter(name = "workload.jitter", range = 0.0..=1.0)]
    #[parameter(assumed = "senders are not synchronized")]
    jitter: f64,
    /// Packets that flows of the largest weight send at once, as rarely as keeps them to their
    /// rate.
    #[parameter(assumed = "one packet after another", name = "workload.burst", range = 1..=65_536)]
    burst: u64,
    /// Packets that arrive later are not sent.
    #[parameter(assumed = "40 thousand packets", name = "run.span")]
    span: Duration,
    #[parameter(part)]
    scheduling: Scheduling,
}

impl Config {
    fn new(scheduling: Scheduling) -> Self {
        Config {
            rate: Rate::from_gbps(10),
            packet: Bytes::new(1500),
            load: 1.0,
            jitter: 0.5,
            burst: 1,
            span: Duration::from_ms(50),
            scheduling: scheduling.measuring_units().of_one_class(),
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.rate == Rate::from_bps(0) {
            return Err(Config::RATE.refuse("give a link rate above 0 b/s"));
        }
        if !(1..=1 << 20).contains(&self.packet.get()) {
            return Err(Config::PACKET.refuse("a packet must be 1 B to 1 MiB"));
        }
        let interval = self.rate.time_for(self.packet).as_ps().max(1);
        let packets = self.span.as_ps() as f64 / interval as f64 * self.load;
        if packets > MAX_PACKETS {
            return Err(Config::SPAN.refuse(format_args!(
                "{} packets arrive, but at most {} can be remembered; give a shorter span, or \
                 larger packets",
                grouped(packets as u64),
                grouped(MAX_PACKETS as u64)
            )));
        }
        self.scheduling.build(self.rate).map(drop)
    }
}

/// The most packets of a run: each is remembered until the end.
const MAX_PACKETS: f64 = (1u32 << 22) as f64;

const LINK: Source = Source::paper("gearbox §4.1.1");

impl Scenario for Link {
    fn name(&self) -> &'static str {
        "link"
    }

    fn about(&self) -> &'static str {
        "flows that keep to their rates share one link: how late packets leave, open loop"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(self.schedulers.named(policy).ok().map(Config::new))
    }

    fn policies(&self) -> &[PolicyInfo] {
        self.schedulers.infos()
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        metrics::missing(quantity)
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        self.config(params, policy)?.check().map_err(|error| params.refuse(&error))
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let config = self.config(point.params, point.policy)?;
        let run = drive::Run::new(&config, point.seed)
            .map_err(|error| RunError::Failed(error.to_string()))?;
        let outcome = run.drive(context)?;
        Ok(RunOutput { values: metrics::values(&outcome), timelines: Vec::new() })
    }
}

#[cfg(test)]
mod tests;

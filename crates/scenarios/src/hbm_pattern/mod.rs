//! What an access pattern costs in HBM: Figures 15 to 17, Table 2 and the read/write ping-pong of
//! Themis (NSDI '26), Appendix A.
//!
//! The "policies" are the patterns ([`pattern`]); what the paper leaves open about the memory and
//! its controller is a parameter ([`config`]). Nothing is random: the seed has no effect, so
//! experiments give one. The memory model is `forebay_mem`, described in docs/hbm.md. A run takes
//! time linear in the clocks it simulates, well under a second with the defaults.

pub mod config;
pub mod pattern;
#[cfg(test)]
mod tests;

use forebay_lab::{
    Better, ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, metric,
};
use forebay_parameters::Configure;
use forebay_units::{Bytes, Rate};

use config::Config;
use pattern::{Pattern, Transfer};

/// The scenario `hbm-pattern`; see the module's head.
pub struct HbmPattern;

/// What a run measures.
pub const METRICS: &[MetricSpec] = &[
    metric("throughput", "Gb/s", "Throughput", Better::Higher)
        .is("Of the whole device: every pseudo channel in the pattern, start-up left out; \
             for Table 2, 1 MB over its latency."),
    metric("latency", "us", "Latency of 1 MB", Better::Lower)
        .is("From the first request to the last data of 1 MB laid out as in Table 2; no \
             value for other patterns."),
    metric("peak_fraction", "fraction", "Share of the peak", Better::Higher)
        .is("Throughput over the rate at which all data buses are full (an access every \
             tCCD_S)."),
    metric("bytes_per_activation", "B", "Bytes per activation", Better::Higher)
        .is("Bytes moved by a pseudo channel for every row it opened, re-opening after \
             refresh included."),
];

impl Scenario for HbmPattern {
    fn name(&self) -> &'static str {
        "hbm-pattern"
    }

    fn about(&self) -> &'static str {
        "one HBM2E stack under a fixed access pattern: what banks, rows and turnarounds cost"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(Pattern::named(policy).ok().map(Config::new))
    }

    fn policies(&self) -> &'static [PolicyInfo] {
        pattern::POLICIES
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        METRICS
    }

    fn lacks(&self, _: &Resolved, policy: &str, quantity: &str) -> Option<Lack> {
        let other = !matches!(Pattern::named(policy), Ok(Pattern::Table2(_)));
        (quantity == "latency" && other).then_some(Lack {
            why: "only the patterns of Table 2 move 1 MB",
            parameter: "policies = [\"best\", \"worst\", \"packet-worst\"]",
        })
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let config = params.fill(Config::new(Pattern::named(policy)?))?;
        config.check().map_err(|error| params.refuse(&error))
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let pattern = Pattern::named(point.policy).map_err(ConfigError::from)?;
        let config = point.params.fill(Config::new(pattern))?;
        // The longest run is a second or so, hence the flag is read once.
        if context.stopped() {
            return Err(RunError::Stopped);
        }
        let transfer = config.run().map_err(|error| RunError::Failed(error.to_string()))?;
        context.progress(1.0);
        Ok(RunOutput { values: values(&transfer, config.hbm.peak()), timelines: Vec::new() })
    }
}

/// The metrics, in the order of [`METRICS`].
fn values(transfer: &Transfer, peak: Rate) -> Vec<(&'static str, f64)> {
    let throughput = transfer.device_rate.as_bps() as f64;
    let latency = transfer.latency.map_or(f64::NAN, |span| span.as_ps() as f64 / 1e6);
    vec![
        ("throughput", throughput / 1e9),
        ("latency", latency),
        ("peak_fraction", throughput / peak.as_bps() as f64),
        ("bytes_per_activation", per_activation(transfer.moved, transfer.activations)),
    ]
}

fn per_activation(moved: Bytes, activations: u64) -> f64 {
    if activations == 0 { f64::NAN } else { moved.get() as f64 / activations as f64 }
}

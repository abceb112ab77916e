//! A scenario: by formula, what a burst finds of a buffer in which some queues are congested.
//!
//! Under Dynamic Threshold, n congested queues leave 1 / (1 + αn) of the buffer free (occamy §2.2,
//! Eq. 2); the policy of this crate leaves what it keeps, however many they are.

use forebay::lab::{
    Better, ConfigError, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, metric,
};
use forebay::prelude::*;

/// The scenario `burst-room`.
pub struct Formula;

/// Its parameters: each is declared once, and experiment files, `--set` and Python know it. A
/// policy shows what it reads and nothing else.
#[derive(Configure)]
struct Config {
    /// Queues that hold all that they may.
    #[parameter(name = "switch.congested", range = 1..=1024)]
    #[parameter(assumed = "one queue, as in most figures")]
    congested: u32,
    /// Threshold factor of Dynamic Threshold.
    #[parameter(name = "policy.alpha", assumed = "usual", range = 0.001..=1024.0, optional)]
    alpha: Option<f64>,
    /// Part of the buffer that keep-room keeps.
    #[parameter(name = "policy.kept", range = 0.0..=1.0, optional)]
    #[parameter(assumed = "the policy's default")]
    kept: Option<f64>,
}

impl Config {
    fn of(policy: &str) -> Self {
        let is_own = policy == "keep-room";
        Config { congested: 1, alpha: (!is_own).then_some(1.0), kept: is_own.then_some(0.25) }
    }
}

const POLICIES: &[PolicyInfo] = &[
    PolicyInfo::new("dt", "DT", "Dynamic Threshold."),
    PolicyInfo::new("keep-room", "Keep room", "A part is kept for small queues."),
];

const METRICS: &[MetricSpec] =
    &[metric("room", "", "Room for a burst", Better::Higher).is("Free part of the buffer.")];

impl Scenario for Formula {
    fn name(&self) -> &str {
        "burst-room"
    }

    fn about(&self) -> &str {
        "by formula: what a burst finds of a buffer in which some queues are congested"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(Config::of(policy))
    }

    fn policies(&self) -> &[PolicyInfo] {
        POLICIES
    }

    fn metrics(&self) -> &[MetricSpec] {
        METRICS
    }

    /// Another version, and stored results are computed anew.
    fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn check(&self, _params: &Resolved, _policy: &str) -> Result<(), ConfigError> {
        Ok(())
    }

    fn run(&self, point: &Point<'_>, _context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let config = point.params.fill(Config::of(point.policy))?;
        // Dynamic Threshold shows a factor, keep-room what it keeps.
        let threshold = |alpha| 1.0 / (1.0 + alpha * f64::from(config.congested));
        let room = config.kept.or(config.alpha.map(threshold)).unwrap_or(f64::NAN);
        Ok(RunOutput { values: vec![("room", room)], timelines: Vec::new() })
    }
}

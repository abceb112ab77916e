//! A scenario: by formula, what a burst finds of a buffer in which some queues are congested.
//!
//! Under Dynamic Threshold, n congested queues leave 1 / (1 + αn) of the buffer free (occamy §2.2, Eq. 2); the policy of
//! this crate leaves what it keeps, however many they are.

use forebay::lab::{
    Better, ConfigError, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, metric,
};
use forebay::prelude::*;

/// The scenario `burst-room`.
pub struct Formula;

/// Its parameters: each is declared once, and experiment files, `--set` and Python know it.
struct Config {
    congested: u32,
    /// Of Dynamic Threshold.
    alpha: Option<f64>,
    /// Of keep-room.
    kept: Option<f64>,
}

impl Config {
    fn of(policy: &str) -> Self {
        let is_own = policy == "keep-room";
        Config { congested: 1, alpha: (!is_own).then_some(1.0), kept: is_own.then_some(0.25) }
    }
}

const CONGESTED: Parameter = Parameter::new(
    "switch.congested",
    Kind::Int { min: 1, max: 1024 },
    Source::assumed("one queue, as in most figures"),
    "Queues that hold all that they may.",
);
const ALPHA: Parameter = Parameter::new(
    "policy.alpha",
    Kind::Float { min: 0.001, max: 1024.0 },
    Source::assumed("usual"),
    "Threshold factor of Dynamic Threshold.",
);
const KEPT: Parameter = Parameter::new(
    "policy.kept",
    Kind::Float { min: 0.0, max: 1.0 },
    Source::assumed("the policy's default"),
    "Part of the buffer that keep-room keeps.",
);

/// A policy shows what it reads and nothing else.
impl Configure for Config {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&CONGESTED, &mut self.congested);
        if let Some(alpha) = &mut self.alpha {
            walk.field(&ALPHA, alpha);
        }
        if let Some(kept) = &mut self.kept {
            walk.field(&KEPT, kept);
        }
    }
}

const POLICIES: &[PolicyInfo] = &[
    PolicyInfo::new("dt", "DT", "Dynamic Threshold."),
    PolicyInfo::new("keep-room", "Keep room", "A part is kept for small queues."),
];

const METRICS: &[MetricSpec] =
    &[metric("room", "", "Room for a burst", Better::Higher, "Free part of the buffer.")];

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

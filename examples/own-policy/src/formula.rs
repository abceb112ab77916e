//! A scenario: by formula, what a burst finds of a buffer in which some queues are congested.
//!
//! Under Dynamic Threshold, n congested queues leave 1 / (1 + αn) of the buffer free (occamy §2.2, Eq. 2); the policy of
//! this crate leaves what it keeps, however many they are.

use forebay::lab::{
    Better, ConfigError, Kind, MetricSpec, ParamSpec, Point, PolicyInfo, Resolved, RunContext,
    RunError, RunOutput, Scenario, assumed, metric, param,
};

/// The scenario `burst-room`.
pub struct Formula;

const PARAMS: &[ParamSpec] = &[
    param(
        "switch.congested",
        Kind::Int { min: 1, max: 1024 },
        "1",
        assumed("one queue, as in most figures"),
        "Queues that hold all that they may.",
    ),
    param(
        "policy.alpha",
        Kind::Float { min: 0.001, max: 1024.0 },
        "1",
        assumed("usual"),
        "Threshold factor of Dynamic Threshold.",
    ),
    param(
        "policy.kept",
        Kind::Float { min: 0.0, max: 1.0 },
        "0.25",
        assumed("the policy's default"),
        "Part of the buffer that keep-room keeps.",
    ),
];

const POLICIES: &[PolicyInfo] = &[
    PolicyInfo { name: "dt", label: "DT", doc: "Dynamic Threshold." },
    PolicyInfo { name: "keep-room", label: "Keep room", doc: "A part is kept for small queues." },
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

    fn params(&self) -> &[ParamSpec] {
        PARAMS
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
        let congested = point.params.count("congested")? as f64;
        let room = match point.policy {
            "keep-room" => point.params.float("kept")?,
            _ => 1.0 / (1.0 + point.params.float("alpha")? * congested),
        };
        Ok(RunOutput { values: vec![("room", room)], timelines: Vec::new() })
    }
}

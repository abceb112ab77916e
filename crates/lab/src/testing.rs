//! A scenario without a simulation, for the laboratory's own tests: an M/M/1 formula with every kind of
//! parameter, two policies, and a little seeded noise.

use crate::context::RunContext;
use crate::error::ConfigError;
use crate::parameter::{DefaultSource, ParamSpec};
use crate::registry::Registry;
use crate::resolved::Resolved;
use crate::scenario::{Point, RunError, RunOutput, Scenario, Timeline};
use crate::schema::{Better, MetricSpec, PolicyInfo, SeriesSpec};
use crate::value::Kind;

/// A mean number in system, `ρ / (1 - ρ)`, for the "queue" policy, and half of it for "fast".
pub(crate) struct Formula;

/// A registry of it alone.
pub(crate) fn registry() -> Registry {
    Registry::new().with(Formula).unwrap()
}

const NOTE: DefaultSource = DefaultSource::Assumed { why: "a test", sensitivity: Some("test/s") };

const fn param(path: &'static str, kind: Kind, default: &'static str) -> ParamSpec {
    ParamSpec { path, kind, default, doc: "A parameter.", source: NOTE }
}

impl Scenario for Formula {
    fn name(&self) -> &'static str {
        "formula"
    }
    fn about(&self) -> &'static str {
        "The M/M/1 formula."
    }
    fn params(&self) -> &'static [ParamSpec] {
        const PARAMS: &[ParamSpec] = &[
            param("workload.load", Kind::Float { min: 0.0, max: 0.99 }, "0.5"),
            param("workload.cells", Kind::Int { min: 1, max: 9 }, "1"),
            param("workload.trace", Kind::Text, ""),
            ParamSpec {
                path: "switch.egress_rate",
                kind: Kind::Rate,
                default: "100 Gb/s",
                doc: "How fast the link is.",
                source: DefaultSource::Paper("themis §6.3.1"),
            },
            param("switch.cells", Kind::Int { min: 1, max: 9 }, "1"),
            param("switch.buffer", Kind::Bytes, "16 KiB"),
            param("switch.wait", Kind::Duration, "10 us"),
            param("switch.strict", Kind::Bool, "true"),
            param("switch.order", Kind::Choice(&["fifo", "sjf"]), "fifo"),
            param("switch.fails", Kind::Text, ""),
            param("workload.file", Kind::Path, ""),
        ];
        PARAMS
    }
    fn policies(&self) -> &'static [PolicyInfo] {
        &[
            PolicyInfo { name: "queue", label: "Queue", doc: "One server." },
            PolicyInfo { name: "fast", label: "Fast & <odd>", doc: "Half as long." },
            PolicyInfo { name: "slow", label: "Slow", doc: "Twice as long." },
        ]
    }
    fn metrics(&self) -> &'static [MetricSpec] {
        &[
            MetricSpec {
                name: "in_system",
                unit: "",
                label: "Customers in the system",
                better: Better::Lower,
                doc: "Mean number.",
            },
            MetricSpec {
                name: "utilization",
                unit: "fraction",
                label: "Utilization",
                better: Better::Higher,
                doc: "Share of time busy.",
            },
        ]
    }
    fn series(&self) -> &'static [SeriesSpec] {
        &[SeriesSpec { name: "depth", unit: "packets", label: "Queue depth", doc: "Depth." }]
    }
    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        if params.text("order")? == "sjf" && policy == "slow" {
            return Err(params.blame("order", "slow cannot sort").fix("use fifo"));
        }
        Ok(())
    }
    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        context.progress(0.5);
        if context.stopped() {
            return Err(RunError::Stopped);
        }
        match point.params.text("fails")? {
            "error" => return Err(RunError::Failed("the formula has a pole".into())),
            "panic" => panic!("a bug in a scenario"),
            _ => {}
        }
        let load = point.params.float("load")?;
        let factor = match point.policy {
            "fast" => 0.5,
            "slow" => 2.0,
            _ => 1.0,
        };
        let noise = 1.0 + point.seed as f64 * 0.01;
        let mean = factor * noise * load / (1.0 - load);
        let depth = (0..20).map(|t| (f64::from(t), mean * f64::from(t))).collect();
        let timeline = Timeline { name: "depth", unit: "packets", points: depth };
        let values = vec![("in_system", mean), ("utilization", load)];
        Ok(RunOutput { values, timelines: vec![timeline] })
    }
}

/// A scenario whose declarations cannot be.
pub(crate) struct Unsound;

impl Scenario for Unsound {
    fn name(&self) -> &'static str {
        "unsound"
    }
    fn about(&self) -> &'static str {
        "Not to be registered."
    }
    fn params(&self) -> &'static [ParamSpec] {
        const TWICE: ParamSpec = param("a.b", Kind::Bytes, "5 Gb/s");
        &[TWICE, TWICE]
    }
    fn policies(&self) -> &'static [PolicyInfo] {
        &[]
    }
    fn metrics(&self) -> &'static [MetricSpec] {
        &[]
    }
    fn check(&self, _: &Resolved, _: &str) -> Result<(), ConfigError> {
        Ok(())
    }
    fn run(&self, _: &Point<'_>, _: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        Err(RunError::Stopped)
    }
}

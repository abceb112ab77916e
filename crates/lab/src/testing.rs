//! A scenario without a simulation, for the laboratory's own tests: an M/M/1 formula with every
//! kind of parameter, two policies, and a little seeded noise.

use crate::context::RunContext;
use crate::error::ConfigError;
use crate::registry::ScenarioRegistry;
use crate::resolved::Resolved;
use crate::scenario::{Lack, Point, RunError, RunOutput, Scenario, Timeline};
use crate::schema::{Better, MetricSpec, PolicyInfo, SeriesSpec, series};
use forebay_parameters::{Configure, Kind, Parameter, Source, Walk};
use forebay_units::{Bytes, Duration, Rate};

/// A mean number in system, `ρ / (1 - ρ)`, for the "queue" policy, and half of it for "fast".
pub(crate) struct Formula;

/// A registry of it alone.
pub(crate) fn registry() -> ScenarioRegistry {
    ScenarioRegistry::new().with(Formula).unwrap()
}

const NOTE: Source = Source::shown("a test", "test/s");

const fn param(name: &'static str, kind: Kind) -> Parameter {
    Parameter::new(name, kind, NOTE, "A parameter.")
}

/// A parameter of every kind; what reads only some of them is the formula.
#[derive(Clone)]
pub(crate) struct FormulaConfig {
    pub(crate) load: f64,
    pub(crate) file: String,
    fails: String,
    strict: bool,
    order: String,
    trace: String,
    cells: [u32; 2],
    egress_rate: Rate,
    buffer: Bytes,
    wait: Duration,
}

impl Default for FormulaConfig {
    fn default() -> Self {
        FormulaConfig {
            load: 0.5,
            file: String::new(),
            fails: String::new(),
            strict: true,
            order: "fifo".to_owned(),
            trace: String::new(),
            cells: [1; 2],
            egress_rate: Rate::from_gbps(100),
            buffer: Bytes::new(16 << 10),
            wait: Duration::from_us(10),
        }
    }
}

impl Configure for FormulaConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        const CELLS: Kind = Kind::Int { min: 1, max: 9 };
        let load = Kind::Float { min: 0.0, max: 0.99 };
        walk.field(&param("workload.load", load), &mut self.load);
        walk.field(&param("workload.cells", CELLS), &mut self.cells[0]);
        walk.field(&param("workload.trace", Kind::Text), &mut self.trace);
        let paper = Source::paper("themis §6.3.1");
        let rate = Parameter::new("switch.egress_rate", Kind::Rate, paper, "How fast the link is.");
        walk.field(&rate, &mut self.egress_rate);
        walk.field(&param("switch.cells", CELLS), &mut self.cells[1]);
        walk.field(&param("switch.buffer", Kind::Bytes), &mut self.buffer);
        walk.field(&param("switch.wait", Kind::Duration), &mut self.wait);
        walk.field(&param("switch.strict", Kind::Bool), &mut self.strict);
        walk.field(&param("switch.order", Kind::Choice(&["fifo", "sjf"])), &mut self.order);
        walk.field(&param("switch.fails", Kind::Text), &mut self.fails);
        walk.field(&param("workload.file", Kind::Path), &mut self.file);
    }
}

/// Those of the formula; "fast" alone has a second server.
#[derive(Default)]
struct FastConfig(FormulaConfig, Servers);

struct Servers(u32);

impl Default for Servers {
    fn default() -> Self {
        Servers(2)
    }
}

impl Configure for FastConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk(walk);
        walk.field(&param("policy.servers", Kind::at_least(1)), &mut self.1.0);
    }
}

impl Scenario for Formula {
    fn name(&self) -> &'static str {
        "formula"
    }
    fn about(&self) -> &'static str {
        "The M/M/1 formula."
    }
    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        match policy {
            "fast" => Box::new(FastConfig::default()),
            _ => Box::new(FormulaConfig::default()),
        }
    }
    fn policies(&self) -> &'static [PolicyInfo] {
        const {
            &[
                PolicyInfo::new("queue", "Queue", "One server."),
                PolicyInfo::new("fast", "Fast & <odd>", "Half as long."),
                PolicyInfo::new("slow", "Slow", "Twice as long."),
            ]
        }
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
        const { &[series("depth", "packets", "Queue depth", "Depth.")] }
    }
    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let config = params.fill(FormulaConfig::default())?;
        if config.order == "sjf" && policy == "slow" {
            return Err(params.blame("order", "slow cannot sort").fix("use fifo"));
        }
        Ok(())
    }
    fn lacks(&self, params: &Resolved, _policy: &str, quantity: &str) -> Option<Lack> {
        let idle = params.fill(FormulaConfig::default()).is_ok_and(|config| config.trace == "idle");
        let why = "nothing arrives";
        (quantity == "utilization" && idle).then_some(Lack { why, parameter: "workload.trace" })
    }
    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        context.progress(0.5);
        if context.stopped() {
            return Err(RunError::Stopped);
        }
        let config = point.params.fill(FormulaConfig::default())?;
        match config.fails.as_str() {
            "error" => return Err(RunError::Failed("the formula has a pole".into())),
            "panic" => panic!("a bug in a scenario"),
            "unwinds" => std::panic::resume_unwind(Box::new(point.seed)),
            _ => {}
        }
        let load = config.load;
        let factor = match point.policy {
            "fast" => 0.5,
            "slow" => 2.0,
            _ => 1.0,
        };
        let noise = 1.0 + point.seed as f64 * 0.01;
        let mean = factor * noise * load / (1.0 - load);
        let depth = (0..20).map(|t| (f64::from(t), mean * f64::from(t))).collect();
        let timeline = Timeline { name: "depth", unit: "packets", points: depth };
        let values = vec![
            ("in_system", mean),
            ("utilization", if config.trace == "idle" { f64::NAN } else { load }),
        ];
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
    fn configure(&self, _policy: &str) -> Box<dyn Configure> {
        struct Twice(i64);
        impl Configure for Twice {
            fn walk(&mut self, walk: &mut dyn Walk) {
                walk.field(&param("a.b", Kind::at_least(5)), &mut self.0);
                walk.field(&param("a.b", Kind::at_least(5)), &mut self.0);
            }
        }
        Box::new(Twice(4))
    }
    fn policies(&self) -> &'static [PolicyInfo] {
        const { &[PolicyInfo::new("any", "Any", "Any.")] }
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

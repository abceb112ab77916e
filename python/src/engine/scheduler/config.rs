//! The parameters of each scheduler by name, and what a scheduler is built from.

use std::fmt;
use std::sync::Arc;

use forebay_sched::fair::gearbox::{LevelConfig, Placement, Rounding};
use forebay_sched::functions::JobCost;
use forebay_sched::functions::expression::FIELDS;
use forebay_sched::scheduler::{SchedulerConfig, Weights, scheduler};
use forebay_sched::tree::TreeConfig;
use forebay_sched::{Quantizer, rank_functions};
use forebay_units::Duration;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::ranking::Held;
use crate::arguments::{Whole, bytes, picoseconds, several, whole};
use crate::engine::rule::Rule;
use crate::errors;
use crate::parameters::Parameters;

/// What a scheduler is built from, once and again.
pub(super) enum Made {
    Named { name: String, config: Box<SchedulerConfig> },
    Ranked { rule: Arc<Rule>, config: Box<SchedulerConfig> },
}

impl Made {
    /// One of the registry.
    pub(super) fn named(name: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut parameters = Parameters::new(format!("scheduler \"{name}\""), given);
        let config = Box::new(read(name, &mut parameters)?);
        // A name that does not exist is the first mistake.
        scheduler(name, &SchedulerConfig::default()).map_err(errors::shape)?;
        parameters.finish()?;
        Ok(Made::Named { name: name.to_owned(), config })
    }

    /// One whose rank is the user's.
    pub(super) fn ranked(
        rank: &Bound<'_, PyAny>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut parameters = Parameters::new("a scheduler with a rank of your own", given);
        let mut config = SchedulerConfig::default();
        limits(&mut config, &mut parameters)?;
        parameters.finish()?;
        let rule = Arc::new(Rule::read(rank, "rank", &FIELDS)?);
        Ok(Made::Ranked { rule, config: Box::new(config) })
    }

    /// An empty scheduler.
    pub(super) fn build(&self) -> PyResult<Held> {
        match self {
            Made::Named { name, config } => {
                scheduler(name, config).map(Held::own).map_err(errors::shape)
            }
            Made::Ranked { rule, config } => {
                let SchedulerConfig { packet_limit, byte_limit, .. } = **config;
                if packet_limit == 0 {
                    return Err(errors::shape("packets: 0; give room for at least one"));
                }
                Ok(Held::ranked(Arc::clone(rule), packet_limit, byte_limit))
            }
        }
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Made::Named { name, .. } => write!(f, "\"{name}\""),
            Made::Ranked { .. } => f.write_str("by a rank of your own"),
        }
    }
}

/// The schedulers whose clock is virtual time in units.
const UNITS: [&str; 10] = [
    "pifo-wfq",
    "wfq-bucket",
    "gearbox",
    "gearbox-auto",
    "gearbox-srpt",
    "cq-1",
    "cq-10",
    "cq-100",
    "afq",
    "pcq",
];

/// Others that have weights, and others that have state for each flow.
const WEIGHTED: [&str; 5] = ["pifo-wfq-drop-largest", "drr", "wfq", "scfq", "stfq"];
const BY_FLOW: [&str; 3] = ["las", "srpt", "token-bucket"];

/// The configuration of the scheduler called `name`, and nothing that it does not read.
pub(in crate::engine) fn read(
    name: &str,
    parameters: &mut Parameters<'_>,
) -> PyResult<SchedulerConfig> {
    let mut config = SchedulerConfig::default();
    limits(&mut config, parameters)?;
    let (units, weighted) = (UNITS.contains(&name), WEIGHTED.contains(&name));
    if units || weighted {
        weights(&mut config, parameters)?;
    }
    if units || weighted || BY_FLOW.contains(&name) {
        parameters.whole("flows", &mut config.flows)?;
    }
    if units {
        parameters.bytes("unit_bytes", &mut config.unit.bytes)?;
        parameters.whole("total_weight", &mut config.unit.total_weight)?;
    }
    match name {
        "cq-1" | "cq-10" | "cq-100" | "afq" | "pcq" => calendar(name, &mut config, parameters)?,
        "gearbox" | "gearbox-auto" | "gearbox-srpt" => gearbox(name, &mut config, parameters)?,
        "drr" => parameters.set("quantum", &mut config.quantum, bytes)?,
        "fq-codel" => fq_codel(&mut config, parameters)?,
        "wfq-bucket" => parameters.whole("bucket_ranks", &mut config.bucket_ranks)?,
        "tree" => {
            parameters.rate("link_rate", &mut config.link_rate)?;
            parameters.set("tree", &mut config.tree, |text| {
                TreeConfig::from_toml(&text.extract::<String>()?).map_err(errors::shape)
            })?;
        }
        _ => {}
    }
    if rank_functions().get(name).is_some() {
        rank_function(name, &mut config, parameters)?;
        parameters.set("quantizer", &mut config.quantizer, quantizer)?;
        if config.quantizer.is_some() {
            parameters.whole("bucket_ranks", &mut config.bucket_ranks)?;
        }
    }
    Ok(config)
}

fn limits(config: &mut SchedulerConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    parameters.whole("packets", &mut config.packet_limit)?;
    parameters.bytes("bytes", &mut config.byte_limit)
}

fn weights(config: &mut SchedulerConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    let (mut of, mut default) = (Vec::new(), 1);
    parameters.set("weights", &mut of, |value| {
        let weights: Vec<Whole<u32>> = value.extract()?;
        Ok(weights.into_iter().map(|weight| weight.0).collect())
    })?;
    parameters.whole("default_weight", &mut default)?;
    config.weights = Weights::new(default, of).map_err(errors::shape)?;
    Ok(())
}

fn calendar(
    name: &str,
    config: &mut SchedulerConfig,
    parameters: &mut Parameters<'_>,
) -> PyResult<()> {
    parameters.whole("calendar_queues", &mut config.calendar_queues)?;
    if name == "afq" || name == "pcq" {
        parameters.whole("calendar_granularity", &mut config.calendar_granularity)?;
    }
    if name == "afq" {
        parameters.whole("sketch_rows", &mut config.sketch.rows)?;
        parameters.whole("sketch_columns", &mut config.sketch.columns)?;
    }
    Ok(())
}

fn gearbox(
    name: &str,
    config: &mut SchedulerConfig,
    parameters: &mut Parameters<'_>,
) -> PyResult<()> {
    let gearbox = &mut config.gearbox;
    if name == "gearbox-auto" {
        parameters.whole("fifos", &mut config.auto.fifos)?;
        parameters.bytes("largest_packet", &mut config.auto.packet)?;
        parameters.whole("backlog", &mut config.auto.backlog)?;
    } else {
        parameters.set("levels", &mut gearbox.levels, |value| {
            let levels: Vec<(Whole<u32>, Whole<u64>)> = value.extract().map_err(|_| {
                PyValueError::new_err("expected pairs of FIFOs and granularity, finest first")
            })?;
            let level = |(fifos, granularity): (Whole<u32>, Whole<u64>)| LevelConfig {
                fifos: fifos.0,
                granularity: granularity.0,
            };
            Ok(levels.into_iter().map(level).collect())
        })?;
    }
    let placements = [("ping-pong", Placement::PingPong), ("algorithm-1", Placement::Algorithm1)];
    parameters.choice("placement", &mut gearbox.placement, &placements)?;
    parameters.flag("level_memory", &mut gearbox.level_memory)?;
    parameters.flag("step_down", &mut gearbox.step_down)?;
    let roundings = [("carried", Rounding::Carried), ("per-unit", Rounding::PerUnit)];
    parameters.choice("rounding", &mut gearbox.rounding, &roundings)?;
    parameters.set("fifo_packets", &mut gearbox.fifo_packets, |value| whole(value).map(Some))
}

fn fq_codel(config: &mut SchedulerConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    parameters.set("quantum", &mut config.quantum, bytes)?;
    parameters.whole("hashed_queues", &mut config.hashed_queues)?;
    parameters.whole("hash_seed", &mut config.hash_seed)?;
    parameters.span("codel_target", &mut config.codel.target)?;
    parameters.span("codel_interval", &mut config.codel.interval)?;
    parameters.bytes("codel_mtu", &mut config.codel.mtu)
}

/// The parameters that only rank functions have.
fn rank_function(
    name: &str,
    config: &mut SchedulerConfig,
    parameters: &mut Parameters<'_>,
) -> PyResult<()> {
    match name {
        "wfq" => parameters.rate("link_rate", &mut config.link_rate),
        "edf" | "lstf" => {
            if name == "lstf" {
                parameters.rate("link_rate", &mut config.link_rate)?;
            }
            parameters.set("budgets", &mut config.ranks.budgets, |value| {
                let budgets = several(value, picoseconds)?;
                Ok(budgets.into_iter().map(Duration::from_ps).collect())
            })
        }
        "wsjf" => parameters.set("job_costs", &mut config.ranks.job_costs, |value| {
            let costs: Vec<(Whole<u32>, Whole<u32>)> = value.extract().map_err(|_| {
                PyValueError::new_err("expected pairs of work per packet and work per byte")
            })?;
            let cost = |(per_packet, per_byte): (Whole<u32>, Whole<u32>)| JobCost {
                per_packet: per_packet.0,
                per_byte: per_byte.0,
            };
            Ok(costs.into_iter().map(cost).collect())
        }),
        "token-bucket" => {
            parameters.rate("shaper_rate", &mut config.ranks.shaper_rate)?;
            parameters.bytes("shaper_burst", &mut config.ranks.shaper_burst)
        }
        _ => Ok(()),
    }
}

/// How ranks become buckets: "identity", or a pair as ("linear", 100) or ("log-linear", 8).
fn quantizer(value: &Bound<'_, PyAny>) -> PyResult<Option<Quantizer>> {
    let wrong = || {
        PyValueError::new_err(
            "expected \"identity\", (\"linear\", ranks a bucket) or (\"log-linear\", bits up to 31)",
        )
    };
    if let Ok(word) = value.extract::<String>() {
        return if word == "identity" { Ok(Some(Quantizer::Identity)) } else { Err(wrong()) };
    }
    let (word, number) = value.extract::<(String, Whole<u64>)>().map_err(|_| wrong())?;
    match (word.as_str(), number.0) {
        ("linear", step @ 1..) => Ok(Some(Quantizer::Linear { step })),
        ("log-linear", bits @ 0..=31) => Ok(Some(Quantizer::log_linear(bits as u32))),
        _ => Err(wrong()),
    }
}

//! The packet schedulers as policies of experiments, and their parameters; several scenarios share them.
//!
//! Source: gearbox §4.1.1, Table 2; what a baseline's own paper says otherwise stands at its parameter. The
//! schedulers are those of `forebay_sched::scheduler`, by the same names.

use forebay_sched::fair::gearbox::LevelConfig;
use forebay_sched::scheduler::{AutoLevels, SchedulerConfig, Weights};

use crate::config::Resolved;
use crate::error::ConfigError;
use crate::scenario::DefaultSource::{self, Paper};
use crate::scenario::{ParamSpec, PolicyInfo, assumed, param};
use crate::value::Kind;

const GEARBOX: DefaultSource = Paper("gearbox §4.1.1, Table 2");
const QUEUES: Kind = Kind::Int { min: 2, max: 4096 };
const COUNT: Kind = Kind::Int { min: 1, max: 1 << 20 };

const fn policy(name: &'static str, label: &'static str, doc: &'static str) -> PolicyInfo {
    PolicyInfo { name, label, doc }
}

/// Every scheduler but drop-tail, which the scenarios have already.
pub const POLICIES: &[PolicyInfo] = &[
    policy("pifo-wfq", "PIFO-WFQ", "Weighted fair queueing in exact order."),
    policy("wfq-bucket", "WFQ, buckets", "The same to a 16th of a unit, over a bucket queue."),
    policy("gearbox", "Gearbox", "Approximate weighted fair queueing by levels of FIFOs."),
    policy("gearbox-auto", "Gearbox, levels chosen", "Gearbox with levels for the weights' range."),
    policy("gearbox-srpt", "Gearbox, SRPT", "Shortest remaining flow first over the same levels."),
    policy("cq-1", "CQ-1", "A calendar queue of 1 unit a FIFO."),
    policy("cq-10", "CQ-10", "A calendar queue of 10 units a FIFO."),
    policy("cq-100", "CQ-100", "A calendar queue of 100 units a FIFO."),
    policy("afq", "AFQ", "A calendar queue that keeps finish times in a sketch."),
    policy("pcq", "PCQ", "A programmable calendar queue."),
    policy("drr", "DRR", "Deficit round robin."),
    policy("fq-codel", "FQ-CoDel", "Deficit round robin over hashed queues kept short by CoDel."),
    policy("tree", "Tree", "A scheduling tree: class 0 first, the others in equal shares."),
    policy("fifo", "FIFO", "Order of arrival, as a rank."),
    policy("sff", "SFF", "Shortest flow first."),
    policy("strict-priority", "Strict priority", "By class."),
    policy("wfq", "WFQ, fluid clock", "Virtual finish times of the fluid server."),
    policy("scfq", "SCFQ", "Self-clocked virtual finish times."),
    policy("stfq", "STFQ", "Virtual start times."),
    policy("srpt", "SRPT", "Shortest remaining flow first."),
    policy("las", "LAS", "Least attained service first."),
    policy("edf", "EDF", "Earliest deadline first, by class."),
    policy("lstf", "LSTF", "Least slack time first."),
    policy("wsjf", "WSJF", "Weighted shortest job first."),
    policy("token-bucket", "Token bucket", "Departure times of a shaper per flow."),
];

/// Their parameters.
pub const PARAMS: &[ParamSpec] = &[
    param(
        "scheduler.weights",
        Kind::Text,
        "1",
        assumed("equal flows; gearbox Table 3 has four sets"),
        "Weights of the first flows, as 50:50:1:1 or 40:1x40; all others have weight 1.",
    ),
    param("scheduler.unit", Kind::Bytes, "750 B", GEARBOX, "Bytes of a unit of virtual time."),
    param(
        "scheduler.total_weight",
        Kind::Int { min: 0, max: 1 << 30 },
        "1",
        assumed(
            "a flow of weight 1 sends a unit's bytes in a unit, whoever else is active; \
             the number of flows is not known",
        ),
        "Weight among which a unit's bytes are shared; 0: the heaviest flow's.",
    ),
    param("scheduler.queues", QUEUES, "56", GEARBOX, "FIFOs of a calendar queue."),
    param("scheduler.levels", Kind::Int { min: 1, max: 16 }, "3", GEARBOX, "Levels of Gearbox."),
    param(
        "scheduler.level_fifos",
        Kind::Int { min: 2, max: 64 },
        "8",
        GEARBOX,
        "FIFOs in a set of a level, and how much coarser each level is; with sets A and B and step-down \
         FIFOs, 3 levels of 8 are 56.",
    ),
    param(
        "scheduler.granularity",
        COUNT,
        "10",
        assumed(
            "between those of gearbox Table 2; the calendars' own papers depend on their hardware",
        ),
        "Units in a period of AFQ and PCQ.",
    ),
    param(
        "scheduler.quantum",
        Kind::Bytes,
        "1500 B",
        assumed("a packet of gearbox §4.1.1, so that every visit sends"),
        "Bytes per weight and round, of DRR and FQ-CoDel.",
    ),
    param(
        "scheduler.auto_fifos",
        QUEUES,
        "112",
        assumed("twice the 56 of gearbox §4.1.1: weights of 1 : 10,000 need more"),
        "FIFOs among which the levels are chosen (gearbox-auto).",
    ),
    param(
        "scheduler.auto_backlog",
        COUNT,
        "16",
        assumed("a short flow of the lightest weight"),
        "Packets of the lightest flow that must fit ahead (gearbox-auto).",
    ),
    param(
        "scheduler.flows",
        COUNT,
        "65536",
        assumed("more than begin in any run here, so that none share state"),
        "Flows with state of their own at each port.",
    ),
];

/// The weights that a text such as `50:50:1:1` or `40:1x40` lists.
///
/// # Errors
/// Names the parameter, if it is no such list.
pub fn weights(params: &Resolved) -> Result<Vec<u32>, ConfigError> {
    let text = params.text("scheduler.weights")?;
    let bad = || {
        params
            .blame("scheduler.weights", format!("\"{text}\" is no list of weights"))
            .fix("write whole numbers from 1, as 50:50:1:1 or 40:1x40")
    };
    let mut weights = Vec::new();
    for part in text.split(':') {
        let (weight, times) = part.split_once('x').unwrap_or((part, "1"));
        let weight: u32 = weight.trim().parse().map_err(|_| bad())?;
        let times: usize = times.trim().parse().map_err(|_| bad())?;
        if weight == 0 || times == 0 || times + weights.len() > 1 << 16 {
            return Err(bad());
        }
        weights.extend(std::iter::repeat_n(weight, times));
    }
    Ok(weights)
}

/// The parameters of the schedulers; the link rate and the limits are the scenario's.
///
/// # Errors
/// Names the parameter at fault.
pub fn config(params: &Resolved) -> Result<SchedulerConfig, ConfigError> {
    let of = weights(params)?;
    let number = |name: &str| params.count(name).map(|count| count as u32);
    let mut config = SchedulerConfig {
        calendar_queues: number("scheduler.queues")?,
        calendar_granularity: params.count("scheduler.granularity")?,
        quantum: small(params, "scheduler.quantum")?,
        flows: number("scheduler.flows")?,
        auto: AutoLevels {
            fifos: number("scheduler.auto_fifos")?,
            backlog: number("scheduler.auto_backlog")?,
            ..AutoLevels::default()
        },
        ..SchedulerConfig::default()
    };
    config.unit.bytes = params.bytes("scheduler.unit")?;
    config.unit.total_weight = match number("scheduler.total_weight")? {
        0 => of.iter().max().copied().unwrap_or(1),
        given => given,
    };
    config.gearbox.levels = levels(number("scheduler.levels")?, number("scheduler.level_fifos")?);
    config.weights = Weights::new(1, of)
        .map_err(|error| params.blame("scheduler.weights", error.to_string()))?;
    Ok(config)
}

/// Levels each of which is as coarse as a whole set of the one below.
fn levels(levels: u32, fifos: u32) -> Vec<LevelConfig> {
    let granularity = |level| u64::from(fifos).saturating_pow(level);
    (0..levels).map(|level| LevelConfig { fifos, granularity: granularity(level) }).collect()
}

fn small(params: &Resolved, name: &str) -> Result<u32, ConfigError> {
    let bytes = params.bytes(name)?.get();
    u32::try_from(bytes)
        .map_err(|_| params.blame(name, format!("{bytes} bytes are too many")).fix("give less"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_sched::scheduler::{scheduler, schedulers};

    #[test]
    fn every_scheduler_is_a_policy_and_builds() {
        for (name, _) in schedulers().filter(|(name, _)| *name != "drop-tail") {
            assert!(POLICIES.iter().any(|policy| policy.name == name), "{name}");
        }
        let config = config(&Resolved::with_settings(PARAMS, &[]).unwrap()).unwrap();
        assert_eq!(config.gearbox.fifos(), 56);
        for policy in POLICIES {
            assert!(scheduler(policy.name, &config).is_ok(), "{}", policy.name);
        }
    }

    #[test]
    fn weights_are_read_or_named() {
        let read = |text: &str| {
            let set = [("scheduler.weights".to_owned(), text.to_owned())];
            weights(&Resolved::with_settings(PARAMS, &set).unwrap())
        };
        assert_eq!(read("50:50:1:1").unwrap(), [50, 50, 1, 1]);
        assert_eq!(read("4:1x3").unwrap(), [4, 1, 1, 1]);
        for bad in ["", "0", "1:x", "1x0", "-1", "1x99999999"] {
            assert!(read(bad).unwrap_err().to_string().contains("no list of weights"), "{bad}");
        }
    }
}

//! The parameters of on-chip buffers and of their policies by name.

use forebay_buffer::onchip::{ChipConfig, MemoryConfig, OnChipPolicy, QueueConfig, TooSlow, says};
use forebay_parameters::{Choice, Configure, Entry, Parameter, ParameterError, Renamed, listed};
use forebay_units::Rate;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::catalogue::policies;
use crate::errors;
use crate::parameters::Parameters;

/// What says how fast the memories read, which only expulsions wait for: all of them but their
/// cells.
fn clocks() -> Vec<String> {
    let all = listed(&mut MemoryConfig::default()).into_iter();
    all.map(|one| one.parameter.name.into_owned()).filter(|name| name != "cell").collect()
}

/// Why the speed of the memories has no effect.
pub(in crate::engine) const NO_EXPULSIONS: &str =
    "only a policy that expels packets, as occamy does, reads how fast the memory is; leave it out";

/// Why the rate of the ports has no effect.
const NO_RATE: &str = "only a policy that expels packets, as occamy does, or reads how fast its \
                       ports send, as abm does, has a use for it; leave it out";

/// The memories, ports and queues of a chip under a policy, which is filled too; or, without pools
/// and queues of their own, under an admission of the user's.
pub(super) fn chip(
    policy: Option<&mut Choice<dyn OnChipPolicy>>,
    parameters: &mut Parameters<'_>,
) -> PyResult<ChipConfig> {
    let mut chip = ChipConfig::default();
    let expels = policy.as_ref().is_some_and(|policy| says(policy, |one| one.expels()));
    let times =
        expels || policy.as_ref().is_some_and(|policy| says(policy, |one| one.reads_port_rate()));
    let clocks = clocks();
    let is_clock = |one: &Parameter| clocks.iter().any(|clock| *clock == one.name);
    let shown = |one: &Parameter| {
        let is_read = (policy.is_some() || one.name != "pools")
            && (expels || !is_clock(one))
            && (times || one.name != "port_rate");
        is_read.then(|| one.clone())
    };
    parameters.fill_by(|walk| chip.walk(&mut Renamed::new(walk, shown)))?;
    // What is not given of the memories and of descriptors follows from the rest.
    let all = chip.port_rate.as_bps().saturating_mul(chip.ports.into());
    let follows = match expels {
        true => MemoryConfig::of_capacity(Rate::from_bps(all), chip.memory.cell),
        false => MemoryConfig { cell: chip.memory.cell, ..MemoryConfig::default() },
    };
    chip.memory = follows;
    chip.descriptors = chip.cells().max(1);
    parameters.fill_by(|walk| chip.walk(&mut Renamed::new(walk, shown)))?;
    // A clock that nobody gave is not blamed: the rate that it follows from is.
    if expels && chip.memory.cycle == follows.cycle {
        TooSlow::check(Rate::from_bps(all), chip.memory.cell).map_err(|error| {
            let problem =
                format!("{error}; give at least {} over all ports, or cycle", error.least());
            errors::shape(ParameterError::value("port_rate", problem))
        })?;
    }
    if !times {
        parameters.idle("port_rate", NO_RATE);
    }
    if !expels {
        clocks.iter().for_each(|clock| parameters.idle(clock, NO_EXPULSIONS));
    }
    if let Some(policy) = policy {
        chip.queues = queues(policy, !chip.pools.is_empty(), parameters)?;
        parameters.fill(policy)?;
    }
    Ok(chip)
}

/// What queues have of their own: a dictionary for each class, or for each queue. An alpha or a
/// limit is among it where the policy has such a number, and a pool where there are several.
pub(in crate::engine) fn queues(
    policy: &Choice<dyn OnChipPolicy>,
    pools: bool,
    parameters: &mut Parameters<'_>,
) -> PyResult<Vec<QueueConfig>> {
    let own = listed(&mut policy.clone());
    let has = |names: &[&str]| own.iter().any(|one| names.contains(&&*one.parameter.name));
    let (alpha, limit) = (has(&["alpha"]), has(&["limit", "threshold"]));
    let shown = |one: &Parameter| {
        let is_read = match one.name.as_ref() {
            "alpha" => alpha,
            "limit" => limit,
            "pool" => pools,
            _ => true,
        };
        is_read.then(|| one.clone())
    };
    let read = |value: &Bound<'_, PyAny>| {
        let given: Vec<Bound<'_, PyDict>> = value
            .extract()
            .map_err(|_| PyValueError::new_err("expected a list of dictionaries, one a class"))?;
        let queue = |(number, given): (usize, &Bound<'_, PyDict>)| {
            let of = format!("entry {number}, of a queue under \"{}\"", policy.name());
            let mut queue = QueueConfig::default();
            Parameters::fill_from(of, Some(given), |walk| {
                queue.walk(&mut Renamed::new(walk, shown))
            })?;
            Ok(queue)
        };
        given.iter().enumerate().map(queue).collect()
    };
    Ok(parameters.read("queues", read)?.unwrap_or_default())
}

/// The policy of this name.
pub(super) fn policy(name: &str) -> PyResult<Choice<dyn OnChipPolicy>> {
    policies().switches.on_chip().named(name).cloned().map_err(errors::shape)
}

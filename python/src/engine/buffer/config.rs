//! The parameters of on-chip buffers and of their policies by name.

use forebay_buffer::onchip::{Alpha, ChipConfig, End, MemoryConfig, PolicyConfig, QueueConfig};
use forebay_units::{Bytes, Rate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{bytes, several};
use crate::errors;
use crate::parameters::Parameters;

/// The policies with a dynamic threshold.
const DYNAMIC: [&str; 5] = ["dt", "abm", "occamy", "occamy-longest", "occamy-rank"];

/// The memories, ports and queues of a chip. Queues may have an alpha or a limit of their own where the policy
/// has such a number.
pub(super) fn chip(policy: Option<&str>, parameters: &mut Parameters<'_>) -> PyResult<ChipConfig> {
    let (mut cell, mut chip) = (200, ChipConfig::default());
    parameters.whole("ports", &mut chip.ports)?;
    parameters.whole("classes", &mut chip.classes)?;
    parameters.bytes("capacity", &mut chip.capacity)?;
    parameters.set("cell", &mut cell, bytes)?;
    parameters.rate("port_rate", &mut chip.port_rate)?;
    parameters.set("largest_packet", &mut chip.largest_packet, bytes)?;
    let all = chip.port_rate.as_bps().saturating_mul(chip.ports.into());
    chip.memory = memory(MemoryConfig::of_capacity(Rate::from_bps(all), cell), parameters)?;
    chip.descriptors = chip.cells().max(1);
    parameters.whole("descriptors", &mut chip.descriptors)?;
    if let Some(policy) = policy {
        chip.pools = parameters
            .read("pools", |value| {
                Ok(several(value, bytes)?.into_iter().map(Bytes::new).collect())
            })?
            .unwrap_or_default();
        chip.queues = queues(policy, parameters)?;
    }
    Ok(chip)
}

/// The memories' clock and widths; the cell is known.
pub(in crate::engine) fn memory(
    mut memory: MemoryConfig,
    parameters: &mut Parameters<'_>,
) -> PyResult<MemoryConfig> {
    parameters.span("cycle", &mut memory.cycle)?;
    parameters.whole("sublists", &mut memory.sublists)?;
    parameters.whole("descriptor_cycles", &mut memory.descriptor_cycles)?;
    parameters.whole("data_cells", &mut memory.data_cells)?;
    parameters.whole("burst_cycles", &mut memory.burst_cycles)?;
    Ok(memory)
}

/// What queues have of their own: a dictionary for each class, or for each queue.
pub(in crate::engine) fn queues(
    policy: &str,
    parameters: &mut Parameters<'_>,
) -> PyResult<Vec<QueueConfig>> {
    let read = |value: &Bound<'_, PyAny>| {
        let given: Vec<Bound<'_, PyDict>> = value
            .extract()
            .map_err(|_| PyValueError::new_err("expected a list of dictionaries, one a class"))?;
        given.iter().enumerate().map(|(number, given)| queue(policy, number, given)).collect()
    };
    Ok(parameters.read("queues", read)?.unwrap_or_default())
}

fn queue(policy: &str, number: usize, given: &Bound<'_, PyDict>) -> PyResult<QueueConfig> {
    let mut parameters =
        Parameters::new(format!("entry {number}, of a queue under \"{policy}\","), Some(given));
    let mut queue = QueueConfig::default();
    parameters.whole("pool", &mut queue.pool)?;
    parameters.bytes("reserved", &mut queue.reserved)?;
    if DYNAMIC.contains(&policy) {
        queue.alpha = parameters.read("alpha", alpha)?;
    }
    if ["smxq", "pot"].contains(&policy) {
        queue.limit = parameters.read("limit", |value| bytes(value).map(Bytes::new))?;
    }
    parameters.finish()?;
    Ok(queue)
}

/// The parameters of the policy called `policy`, and nothing that it does not read.
pub(in crate::engine) fn policies(
    policy: &str,
    parameters: &mut Parameters<'_>,
) -> PyResult<PolicyConfig> {
    let mut config = PolicyConfig::default();
    match policy {
        "dt" => parameters.set("alpha", &mut config.dt.alpha, alpha)?,
        "abm" => {
            parameters.set("alpha", &mut config.abm.alpha, alpha)?;
            parameters.span("interval", &mut config.abm.interval)?;
            parameters.bytes("congested", &mut config.abm.congested)?;
        }
        "occamy" | "occamy-longest" | "occamy-rank" => {
            parameters.set("alpha", &mut config.occamy.alpha, alpha)?;
        }
        "smxq" => config.smxq.limit = parameters.read("limit", |v| bytes(v).map(Bytes::new))?,
        "pushout" | "quasi-pushout" => {
            parameters.choice("push_out", &mut config.pushout.from, &ENDS)?;
        }
        "pot" => {
            config.pot.threshold = parameters.read("threshold", |v| bytes(v).map(Bytes::new))?;
            parameters.choice("push_out", &mut config.pot.from, &ENDS)?;
        }
        _ => {}
    }
    Ok(config)
}

/// From which end of the longest queue packets are pushed out.
const ENDS: [(&str, End); 2] = [("head", End::Head), ("tail", End::Tail)];

fn alpha(value: &Bound<'_, PyAny>) -> PyResult<Alpha> {
    let number: f64 = value.extract()?;
    Alpha::new(number)
        .ok_or_else(|| errors::shape(format!("{number} is not between 1/65536 and 65535")))
}

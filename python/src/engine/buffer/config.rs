//! The parameters of on-chip buffers and of their policies by name.

use forebay_buffer::onchip::{Alpha, ChipConfig, MemoryConfig, OnChipPolicy, QueueConfig};
use forebay_parameters::Choice;
use forebay_units::{Bytes, Rate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{bytes, several};
use crate::catalogue::catalogue;
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

/// The policy of this name.
pub(super) fn policy(name: &str) -> PyResult<Choice<OnChipPolicy>> {
    catalogue().on_chip().named(name).cloned().map_err(errors::shape)
}

fn alpha(value: &Bound<'_, PyAny>) -> PyResult<Alpha> {
    let number: f64 = value.extract()?;
    Alpha::new(number)
        .ok_or_else(|| errors::shape(format!("{number} is not between 1/65536 and 65535")))
}

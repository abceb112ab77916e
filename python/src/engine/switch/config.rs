//! The parameters of every switch by name.

use forebay_buffer::SlotOrder;
use forebay_buffer::onchip::MemoryConfig;
use forebay_sched::RANK_FUNCTIONS;
use forebay_switch::manager::{FarOrder, QueueBy};
use forebay_switch::{
    DropTailConfig, HybridConfig, OnChipConfig, Ranked, ScheduledConfig, SwitchConfig,
};
use forebay_units::{Bytes, Rate};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Whole, bits_per_second, bytes, several, whole};
use crate::engine::{buffer, memory, scheduler};
use crate::errors;
use crate::parameters::Parameters;

/// The switch called `name`, and nothing that it does not read.
pub(super) fn read(name: &str, parameters: &mut Parameters<'_>) -> PyResult<SwitchConfig> {
    let mut config = SwitchConfig::named(name).map_err(errors::shape)?;
    let mark = parameters.read("mark", |value| bytes(value).map(Bytes::new))?;
    match &mut config {
        SwitchConfig::DropTail(config) => drop_tail(config, parameters)?,
        SwitchConfig::Scheduled(config) => scheduled(name, config, parameters)?,
        SwitchConfig::OnChip(config) => on_chip(config, parameters)?,
        SwitchConfig::Hybrid(config) => hybrid(config, parameters)?,
    }
    Ok(config.with_marks(mark))
}

fn drop_tail(config: &mut DropTailConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    parameters.bytes("buffer", &mut config.limit)
}

/// A scheduler's own parameters; of "pifo", those of the rank function that is its scheduler then.
fn scheduled(
    name: &str,
    config: &mut ScheduledConfig,
    parameters: &mut Parameters<'_>,
) -> PyResult<()> {
    parameters.bytes("buffer", &mut config.limits.limit)?;
    if name == "pifo" {
        parameters.set("rank", &mut config.scheduler, rank)?;
    }
    config.parameters = scheduler::read_config(&config.scheduler, parameters)?;
    Ok(())
}

/// The name of a rank function.
fn rank(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let name: String = value.extract()?;
    match forebay_sched::rank_function(&name) {
        Ok(_) => Ok(name),
        Err(error) => Err(errors::shape(error)),
    }
}

fn on_chip(config: &mut OnChipConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    parameters.bytes("buffer", &mut config.pool)?;
    parameters.whole("ports_per_pool", &mut config.ports_per_pool)?;
    parameters.set("cell", &mut config.cell, bytes)?;
    parameters.set("largest_packet", &mut config.largest_packet, bytes)?;
    parameters.set("scheduler", &mut config.scheduler, |value| value.extract())?;
    parameters.whole("classes", &mut config.scheduling.classes)?;
    if config.scheduler != "strict-priority" {
        parameters.set("weights", &mut config.scheduling.weights, |value| {
            let weights: Vec<Whole<u32>> = value.extract()?;
            Ok(weights.into_iter().map(|weight| weight.0).collect())
        })?;
    }
    if ["drr", "priority-drr"].contains(&config.scheduler.as_str()) {
        parameters.set("quantum", &mut config.scheduling.quantum, bytes)?;
    }
    if config.policy == "occamy-rank" {
        config.rank = parameters.read("rank", rank)?;
    }
    config.memory = parameters.read("memory", |value| {
        let given: Bound<'_, PyDict> = value.extract()?;
        let mut parameters = Parameters::new("the memory of a switch", Some(&given));
        let default = MemoryConfig { cell: config.cell, ..MemoryConfig::default() };
        let memory = buffer::memory(default, &mut parameters)?;
        parameters.finish()?;
        Ok(memory)
    })?;
    config.classes = buffer::queues(&config.policy, parameters)?;
    config.policies = buffer::policies(&config.policy, parameters)?;
    Ok(())
}

fn hybrid(config: &mut HybridConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    let memory = &mut config.memory;
    parameters.bytes("buffer", &mut memory.sram)?;
    parameters.bytes("cell", &mut memory.cell)?;
    parameters.bytes("staging", &mut memory.staging)?;
    parameters.span("cell_time", &mut memory.cell_time)?;
    parameters.whole("accounting_queues", &mut memory.queues)?;
    let by = [
        ("flow", QueueBy::Flow),
        ("input", QueueBy::Input),
        ("class", QueueBy::Class),
        ("port", QueueBy::Port),
    ];
    parameters.choice("queue_by", &mut memory.queue_by, &by)?;
    parameters.whole("descriptors", &mut memory.descriptors)?;
    parameters.set("largest_packet", &mut memory.largest_packet, bytes)?;
    let far = [("fcfs", FarOrder::Fcfs), ("reads-first", FarOrder::ReadsFirst)];
    parameters.choice("far_order", &mut memory.far_order, &far)?;
    parameters.whole("read_window", &mut memory.read_window)?;
    parameters.bytes("move_bytes", &mut memory.move_bytes)?;
    parameters.flag("write_forwarding", &mut memory.write_forwarding)?;
    parameters.set("rank", &mut config.rank, rank)?;
    if let Some(bits) = parameters.read("rank_bits", whole)? {
        config.ranked = Ranked::Buckets { bits };
    }
    scheme(config, parameters)?;
    let memory = &mut config.memory;
    parameters
        .read("hbm", |value| {
            let given: Bound<'_, PyDict> = value.extract()?;
            let mut parameters = Parameters::new("the HBM of a switch", Some(&given));
            memory.hbm = memory::stack(&mut parameters)?;
            memory.controller = memory::controller(memory.controller, &mut parameters)?;
            parameters.finish()
        })
        .map(|_| ())
}

/// The parameters of one of the four schemes.
fn scheme(config: &mut HybridConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    let memory = &mut config.memory;
    let policy = &mut memory.policy;
    match config.scheme.as_str() {
        "dt-hybrid" => parameters.number("alpha", &mut policy.dt_alpha)?,
        "occamy-hybrid" => parameters.number("alpha", &mut policy.occamy_alpha)?,
        "themis" => {
            parameters.number("swap_in_watermark", &mut policy.swap_in_watermark)?;
            parameters.number("swap_out_watermark", &mut policy.swap_out_watermark)?;
            parameters.flag("strict_drop_order", &mut policy.strict_drop_order)?;
            // Only Themis writes batches.
            parameters.flag("fetch_batches", &mut memory.fetch_batches)?;
            return parameters.number("fetch_reserve", &mut memory.fetch_reserve);
        }
        _ => {}
    }
    let slots = [("scattered", SlotOrder::Scattered), ("sequential", SlotOrder::Sequential)];
    parameters.choice("slot_order", &mut memory.slot_order, &slots)
}

/// The rates of a switch's ports.
pub(super) fn rates(value: &Bound<'_, PyAny>) -> PyResult<Vec<Rate>> {
    let value: Vec<u64> = several(value, bits_per_second)?;
    if value.is_empty() || value.len() > usize::from(u16::MAX) {
        let given = value.len();
        return Err(errors::shape(format!("rates: {given}; a switch has 1 to 65535 ports")));
    }
    if let Some(port) = value.iter().position(|rate| *rate == 0) {
        return Err(errors::shape(format!("rates: port {port} has 0 bits a second; give more")));
    }
    Ok(value.into_iter().map(Rate::from_bps).collect())
}

/// The ranks that a switch may order packets by.
pub(super) fn rank_functions() -> Vec<(&'static str, &'static str)> {
    RANK_FUNCTIONS.iter().map(|info| (info.name, info.about)).collect()
}

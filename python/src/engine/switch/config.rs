//! The parameters of every switch by name.

use forebay_buffer::onchip::MemoryConfig;
use forebay_parameters::{Choice, Entry};
use forebay_sched::RankFunctionFamily;
use forebay_sched::scheduler::by_rank;
use forebay_switch::manager::{FarOrder, QueueBy};
use forebay_switch::{
    DropTailConfig, HybridConfig, OnChipConfig, Ranked, ScheduledConfig, SwitchConfig,
};
use forebay_units::{Bytes, Rate};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{bits_per_second, bytes, several, whole};
use crate::catalogue::catalogue;
use crate::engine::{buffer, memory, scheduler};
use crate::errors;
use crate::parameters::Parameters;

/// The switch called `name`, and nothing that it does not read.
pub(super) fn read(name: &str, parameters: &mut Parameters<'_>) -> PyResult<SwitchConfig> {
    let mut config = catalogue().switch(name).map_err(errors::shape)?;
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
        parameters.set("rank", &mut config.scheduler, |value| rank(value).map(by_rank))?;
    }
    scheduler::fill(&mut config.scheduler, parameters)
}

/// A rank function by its name, or a rule.
fn rank(value: &Bound<'_, PyAny>) -> PyResult<Choice<RankFunctionFamily>> {
    let text: String = value.extract()?;
    catalogue().rank(&text).map_err(|error| errors::shape(error.sentence()))
}

fn on_chip(config: &mut OnChipConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    parameters.bytes("buffer", &mut config.pool)?;
    parameters.whole("ports_per_pool", &mut config.ports_per_pool)?;
    parameters.set("cell", &mut config.cell, bytes)?;
    parameters.set("largest_packet", &mut config.largest_packet, bytes)?;
    parameters.set("scheduler", &mut config.scheduler, |value| {
        let name: String = value.extract()?;
        catalogue().port_schedulers().named(&name).cloned().map_err(errors::shape)
    })?;
    parameters.whole("classes", &mut config.queues)?;
    parameters.fill(&mut config.scheduler)?;
    config.rank = parameters.read("rank", rank)?;
    config.memory = parameters.read("memory", |value| {
        let given: Bound<'_, PyDict> = value.extract()?;
        let mut parameters = Parameters::new("the memory of a switch", Some(&given));
        let default = MemoryConfig { cell: config.cell, ..MemoryConfig::default() };
        let memory = buffer::memory(default, &mut parameters)?;
        parameters.finish()?;
        Ok(memory)
    })?;
    config.classes = buffer::queues(config.policy.name(), parameters)?;
    parameters.fill(&mut config.policy)
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

/// The parameters of the scheme, and those that only schemes of its kind read.
fn scheme(config: &mut HybridConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    parameters.fill(&mut config.scheme)?;
    let scheme = config.scheme.build(&config.memory.shape()).map_err(errors::shape)?;
    parameters.fill_by(|walk| config.memory.walk_layout(scheme.batches(), walk))
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

//! The parameters of every switch by name.

use forebay_buffer::onchip::{MemoryConfig, says};
use forebay_parameters::{Configure, Entry, Parameter, Renamed, listed};
use forebay_sched::scheduler::by_rank;
use forebay_switch::{
    AnySwitch, OnChipConfig, RankPrecision, SwitchBuildError, SwitchConfig, SwitchShape,
};
use forebay_units::Rate;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{bits_per_second, several};
use crate::catalogue::policies;
use crate::engine::{buffer, scheduler};
use crate::parameters::{Parameters, named};
use crate::settings::{argument, in_arguments};
use crate::{errors, ranks};

/// The switch called `name`, and nothing that it does not read.
pub(super) fn read(name: &str, parameters: &mut Parameters<'_>) -> PyResult<SwitchConfig> {
    let config = policies().switches.switch(name).map_err(errors::shape)?;
    filled(config, parameters)
}

/// The switch on chip whose buffers take what a rule of the user's lets in.
pub(super) fn admitting(
    rule: &Bound<'_, PyAny>,
    parameters: &mut Parameters<'_>,
) -> PyResult<SwitchConfig> {
    let config = OnChipConfig::new(buffer::admission(rule)?);
    filled(SwitchConfig::OnChip(config), parameters)
}

fn filled(mut config: SwitchConfig, parameters: &mut Parameters<'_>) -> PyResult<SwitchConfig> {
    choose(&mut config, parameters)?;
    let known = config.clone();
    let in_python = |one: &Parameter| match one.name.as_ref() {
        // It is exact, unless there are `rank_bits`.
        "ranked_queue" => None,
        name => Some(in_arguments(&one.called(known.option(name).to_owned()))),
    };
    parameters.fill_by(|walk| config.walk(&mut Renamed::new(walk, in_python)))?;
    if let SwitchConfig::OnChip(config) = &mut config {
        on_chip(config, parameters)?;
    }
    Ok(config)
}

/// The switch of this description, or the argument at fault.
pub(super) fn built(config: &SwitchConfig, rates: &[Rate]) -> PyResult<AnySwitch> {
    let built = config.build(&SwitchShape { index: 0, ports: rates });
    built.map_err(|error| match &error {
        SwitchBuildError::Parameter(own) => {
            let name = config.option(own.name());
            errors::shape(own.clone().renamed(argument(name)))
        }
        SwitchBuildError::Packet { .. } => errors::shape(format!("largest_packet: {error}")),
        SwitchBuildError::Unknown(_)
        | SwitchBuildError::TooManyPorts
        | SwitchBuildError::Memory { .. }
        | SwitchBuildError::PortMemory { .. }
        | SwitchBuildError::TooSlow(_)
        | SwitchBuildError::NotRanked(_) => errors::shape(config.refuse(&error, "rates")),
    })
}

/// What a switch is made of, each with parameters of its own.
fn choose(config: &mut SwitchConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    match config {
        SwitchConfig::DropTail(_) => Ok(()),
        SwitchConfig::Scheduled(config) => {
            if config.takes_ranks {
                let scheduler = &mut config.scheduler;
                parameters.set("rank", scheduler, |value| ranks::read(value).map(by_rank))?;
            }
            scheduler::with_tree(&mut config.scheduler, parameters)
        }
        SwitchConfig::OnChip(config) => {
            if config.reads_ranks() {
                config.rank = parameters.read("rank", ranks::read)?;
            } else {
                let name = config.policy.name().to_owned();
                parameters.idle("rank", SwitchBuildError::NotRanked(name));
            }
            Ok(())
        }
        SwitchConfig::Hybrid(config) => {
            parameters.set("rank", &mut config.rank, ranks::read)?;
            parameters.set("rank_bits", &mut config.ranked, |_| Ok(RankPrecision::BUCKETS))
        }
    }
}

/// What stands beside the parameters of an on-chip buffer.
fn on_chip(config: &mut OnChipConfig, parameters: &mut Parameters<'_>) -> PyResult<()> {
    port_scheduler(config, parameters);
    config.classes = buffer::queues(&config.policy, false, parameters)?;
    if !says(&config.policy, |policy| policy.expels()) {
        parameters.idle("memory", buffer::NO_EXPULSIONS);
        return Ok(());
    }
    config.memory = parameters.read("memory", |value| {
        let given: Bound<'_, PyDict> = value.extract()?;
        let mut memory = MemoryConfig { cell: config.cell, ..MemoryConfig::default() };
        let but_cells = |one: &Parameter| (one.name != "cell").then(|| one.clone());
        Parameters::fill_from("the memory of a switch", Some(&given), |walk| {
            memory.walk(&mut Renamed::new(walk, but_cells));
        })?;
        Ok(memory)
    })?;
    Ok(())
}

/// Says why what chooses among the queues of a port has no effect where there is one.
fn port_scheduler(config: &mut OnChipConfig, parameters: &mut Parameters<'_>) {
    if config.queues > 1 {
        return;
    }
    let own = listed(&mut config.scheduler).into_iter().map(|one| one.parameter.name);
    for name in own.chain([OnChipConfig::SCHEDULER.name]) {
        parameters.list(&name);
        parameters.idle(&name, "a port has nothing to choose among with one class; give classes");
    }
}

/// The rates of a switch's ports.
pub(super) fn rates(value: &Bound<'_, PyAny>) -> PyResult<Vec<Rate>> {
    let value: Vec<u64> =
        several(value, bits_per_second).map_err(|error| named(value.py(), "rates", &error))?;
    if value.is_empty() || value.len() > usize::from(u16::MAX) {
        let given = value.len();
        return Err(errors::shape(format!("rates: {given}; a switch has 1 to 65535 ports")));
    }
    if let Some(port) = value.iter().position(|rate| *rate == 0) {
        return Err(errors::shape(format!("rates: port {port} has 0 bits a second; give more")));
    }
    Ok(value.into_iter().map(Rate::from_bps).collect())
}

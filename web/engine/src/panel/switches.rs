//! Of switches, and of the hosts of a network.

use forebay_net::network::HostConfig;
use forebay_net::transport::congestion_controls;
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_workload::SizeDistribution;

use super::{Panel, PolicyLine, line, names};
use crate::controls::{Control, ControlKind, controls};
use crate::error::LabError;
use crate::setup::{NetworkSetup, Side, fill};

/// The switch of a side.
pub(crate) fn switch(side: &Side) -> Result<SwitchConfig, LabError> {
    let known = Catalogue::default().switch(&side.policy);
    let mut config = known.map_err(|error| LabError::at("", error))?;
    side.fill(&mut config)?;
    Ok(config)
}

/// How the hosts of a network send.
pub(crate) fn hosts(setup: &NetworkSetup) -> Result<HostConfig, LabError> {
    let mut hosts = HostConfig::default();
    fill(&mut hosts, &setup.hosts).map_err(|error| error.within("hosts"))?;
    Ok(hosts)
}

/// What can be chosen and set of a switch.
pub(crate) fn panel(side: &Side) -> Result<Panel, LabError> {
    let controls = switch_controls(side)?;
    Ok(Panel { policies: switch_lines(), controls, ..Panel::default() })
}

/// The distributions of flow sizes.
pub(crate) fn sizes() -> Vec<&'static str> {
    SizeDistribution::BUILTIN.to_vec()
}

/// The largest packet follows from what is sent, and no control of the page asks again for what is
/// trimmed.
const DECIDED: [&str; 2] = ["largest_packet", "trim"];

fn switch_controls(side: &Side) -> Result<Vec<Control>, LabError> {
    let mut config = switch(side)?;
    let mut main = match &mut config {
        SwitchConfig::DropTail(_) => Vec::new(),
        SwitchConfig::OnChip(chip) => names(&mut chip.policy),
        SwitchConfig::Hybrid(hybrid) => names(&mut hybrid.scheme),
        SwitchConfig::Scheduled(scheduled) => names(&mut scheduled.scheduler),
    };
    main.push(config.buffer_parameter().to_owned());
    let mut shown = controls(&mut config, |name| main.iter().any(|own| own == name), &DECIDED);
    let catalogue = Catalogue::default();
    suggest(&mut shown, "scheduler", catalogue.port_schedulers().names());
    Ok(shown)
}

pub(crate) fn host_controls(setup: &NetworkSetup) -> Result<Vec<Control>, LabError> {
    let mut shown = controls(&mut hosts(setup)?, |name| name == "control", &[]);
    suggest(&mut shown, "control", congestion_controls().names());
    Ok(shown)
}

/// Names to choose among where a parameter is the name of something.
fn suggest<'a>(controls: &mut [Control], name: &str, known: impl Iterator<Item = &'a str>) {
    let known: Vec<String> = known.map(str::to_owned).collect();
    for control in controls.iter_mut().filter(|control| control.name == name) {
        (control.kind, control.words) = (ControlKind::Words, known.clone());
    }
}

fn switch_lines() -> Vec<PolicyLine> {
    let group = |config: &SwitchConfig| match config {
        SwitchConfig::DropTail(_) => "first in, first out",
        SwitchConfig::OnChip(_) => "shared buffers on chip",
        SwitchConfig::Hybrid(_) => "SRAM beside HBM",
        SwitchConfig::Scheduled(_) => "schedulers, a buffer per port",
    };
    let switches = Catalogue::default().switches();
    switches.iter().map(|info| line(info, group(&info.config))).collect()
}

//! The switches of the network experiments, by the engine's own names.

use forebay_lab::{PolicyInfo, joined};

use crate::{on_chip, schedulers, single_point};

const OWN: &[PolicyInfo] = &[
    PolicyInfo {
        name: "drop-tail",
        label: "Drop-tail",
        doc: "A first-in first-out queue per port.",
    },
    PolicyInfo { name: "pifo", label: "PIFO", doc: "Packets leave each port by rank." },
];

const SCHEDULERS: &[PolicyInfo] = schedulers::POLICIES;
const ON_CHIP: &[PolicyInfo] = on_chip::params::POLICIES;
const HYBRID: &[PolicyInfo] = single_point::params::POLICIES;

const PORTS: [PolicyInfo; OWN.len() + SCHEDULERS.len()] = joined(OWN, SCHEDULERS);
const BUFFERS: [PolicyInfo; HYBRID.len() + ON_CHIP.len()] = joined(HYBRID, ON_CHIP);

/// Every switch.
pub const POLICIES: &[PolicyInfo] = &ALL;

const ALL: [PolicyInfo; PORTS.len() + BUFFERS.len()] = joined(&PORTS, &BUFFERS);

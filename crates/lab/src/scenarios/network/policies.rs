//! The switches of the network experiments, by the engine's own names.

use crate::scenario::PolicyInfo;
use crate::scenarios::{on_chip, single_point};

const OWN: &[PolicyInfo] = &[
    PolicyInfo {
        name: "drop-tail",
        label: "Drop-tail",
        doc: "A first-in first-out queue per port.",
    },
    PolicyInfo { name: "pifo", label: "PIFO", doc: "Packets leave each port by rank." },
];

const ON_CHIP: &[PolicyInfo] = on_chip::params::POLICIES;
const HYBRID: &[PolicyInfo] = single_point::params::POLICIES;

/// Every switch.
pub const POLICIES: &[PolicyInfo] = &ALL;

const ALL: [PolicyInfo; OWN.len() + HYBRID.len() + ON_CHIP.len()] = {
    let mut all = [OWN[0]; OWN.len() + HYBRID.len() + ON_CHIP.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < OWN.len() {
            OWN[index]
        } else if index < OWN.len() + HYBRID.len() {
            HYBRID[index - OWN.len()]
        } else {
            ON_CHIP[index - OWN.len() - HYBRID.len()]
        };
        index += 1;
    }
    all
};

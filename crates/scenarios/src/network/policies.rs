//! The switches of the network experiments, by the engine's own names.

use forebay_lab::PolicyInfo;
use forebay_switch::Catalogue;

use crate::{engine_policies, schedulers};

const OWN: &[PolicyInfo] = &[
    PolicyInfo {
        name: "drop-tail",
        label: "Drop-tail",
        doc: "A first-in first-out queue per port.",
    },
    PolicyInfo { name: "pifo", label: "PIFO", doc: "Packets leave each port by rank." },
];

/// Every switch of a catalogue.
pub(super) fn all(catalogue: &Catalogue) -> Vec<PolicyInfo> {
    [
        schedulers::policies(OWN, catalogue),
        engine_policies(catalogue.hybrid().clone()),
        engine_policies(catalogue.on_chip().clone()),
    ]
    .concat()
}

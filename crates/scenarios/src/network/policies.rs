//! The switches of the network experiments, by the engine's own names.

use std::sync::LazyLock;

use forebay_lab::PolicyInfo;

use crate::{on_chip, schedulers, single_point};

const OWN: &[PolicyInfo] = &[
    PolicyInfo {
        name: "drop-tail",
        label: "Drop-tail",
        doc: "A first-in first-out queue per port.",
    },
    PolicyInfo { name: "pifo", label: "PIFO", doc: "Packets leave each port by rank." },
];

/// Every switch.
pub static POLICIES: LazyLock<Vec<PolicyInfo>> = LazyLock::new(|| {
    [OWN, schedulers::POLICIES, &single_point::params::POLICIES, &on_chip::params::POLICIES]
        .concat()
});

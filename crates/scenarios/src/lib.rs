//! Every scenario of the laboratory: what the papers' experiments simulate, and [`registry`], which
//! a program passes to the laboratory or first extends with scenarios of its own.
//!
//! A scenario is one file (or folder) here that implements [`Scenario`](forebay_lab::Scenario), and
//! one line in [`registry`].
//!
//! ```
//! let experiment = forebay_lab::parse(
//!     br#"
//!     title = "Shortest job first"
//!     scenario = "single-server"
//!     policies = ["fcfs", "sjf"]
//!     seeds = [1, 2, 3]
//!     [server]
//!     mean_job = { value = "2 us", assumed = "it only scales time" }
//!     [sweep]
//!     load = [0.5, 0.9]
//!     "#,
//!     &forebay_scenarios::registry(&forebay_scenarios::Policies::default())?,
//! )?;
//! assert_eq!(experiment.run_count(), 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod delayed_hits;
pub mod departures;
mod engine_policies;
mod error;
mod flow_sizes;
pub mod hbm_pattern;
pub mod hierarchy;
pub mod link;
mod links;
pub mod network;
pub mod on_chip;
mod own_room;
mod policies;
pub mod prototype;
pub mod schedulers;
pub mod single_point;
mod single_server;
pub mod sonic;
pub mod surge;
mod surge_buffers;
mod switches;
pub mod testbed;
#[cfg(test)]
mod testing;
mod traced;

use forebay_lab::{RegistryError, ScenarioRegistry};

pub(crate) use engine_policies::engine_policies;
pub use error::SimulationError;
pub use policies::Policies;
pub use single_server::SingleServer;
pub use surge_buffers::SurgeBuffers;
pub use traced::traced;

/// Every scenario of this crate, with all that `policies` has among its own.
///
/// # Errors
/// What a caller has added declares a parameter that does not go with the others, such as one that
/// is there already with another default.
pub fn registry(policies: &Policies) -> Result<ScenarioRegistry, RegistryError> {
    let switches = &policies.switches;
    ScenarioRegistry::new()
        .with(single_point::SinglePoint::new(switches))?
        .with(departures::Departures::new(switches))?
        .with(on_chip::OnChip::new(switches))?
        .with(sonic::Sonic::new(switches))?
        .with(delayed_hits::DelayedHits::new(&policies.caches))?
        .with(prototype::Prototype::new(&policies.caches))?
        .with(hbm_pattern::HbmPattern)?
        .with(network::DataCenter::new(policies))?
        .with(testbed::Testbed::new(policies))?
        .with(link::Link::new(switches))?
        .with(hierarchy::Hierarchy::new(switches))?
        .with(surge::Surge::new(&policies.jobs))?
        .with(SurgeBuffers)?
        .with(SingleServer)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_scenario_declares_itself_soundly() {
        let all = super::registry(&super::Policies::default()).unwrap();
        let names: Vec<&str> = all.iter().map(|scenario| scenario.name()).collect();
        for name in ["single-point", "on-chip", "delayed-hits", "network", "surge", "single-server"]
        {
            assert!(names.contains(&name), "{names:?}");
        }
    }

    #[test]
    fn a_name_that_is_taken_is_refused_and_both_are_named() {
        let error = super::registry(&super::Policies::default())
            .unwrap()
            .with(super::SingleServer)
            .unwrap_err()
            .to_string();
        let twice = "forebay_scenarios::single_server::SingleServer";
        assert!(error.contains("`single-server`") && error.matches(twice).count() == 2, "{error}");
    }
}

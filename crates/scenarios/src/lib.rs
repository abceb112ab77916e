//! Every scenario of the laboratory: what the papers' experiments simulate, and [`registry`], which a program
//! passes to the laboratory or first extends with scenarios of its own.
//!
//! A scenario is one file (or folder) here that implements [`Scenario`](forebay_lab::Scenario), and one line
//! in [`registry`].
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
//!     &forebay_scenarios::registry(),
//! )?;
//! assert_eq!(experiment.run_count(), 12);
//! # Ok::<(), forebay_lab::ConfigErrors>(())
//! ```
#![forbid(unsafe_code)]

pub mod delayed_hits;
mod error;
pub mod hbm_pattern;
pub mod hierarchy;
pub mod link;
pub mod network;
pub mod on_chip;
pub mod schedulers;
pub mod single_point;
mod single_server;
pub mod surge;
mod surge_buffers;
#[cfg(test)]
mod testing;
mod traced;

use forebay_lab::{PolicyInfo, Registry, RegistryError};
use forebay_parameters::{Choice, Choices, Entry, Family};

pub use error::SimulationError;
pub use single_server::SingleServer;
pub use surge_buffers::SurgeBuffers;
pub use traced::traced;

/// Every scenario of this crate.
#[must_use]
pub fn registry() -> Registry {
    // They have names of their own and sound declarations, as a test says.
    all().unwrap_or_default()
}

fn all() -> Result<Registry, RegistryError> {
    Registry::new()
        .with(single_point::SinglePoint)?
        .with(on_chip::OnChip)?
        .with(delayed_hits::DelayedHits)?
        .with(hbm_pattern::HbmPattern)?
        .with(network::DataCenter)?
        .with(link::Link)?
        .with(hierarchy::Hierarchy)?
        .with(surge::Surge)?
        .with(SurgeBuffers)?
        .with(SingleServer)
}

/// The choices of the engine, as policies of a scenario. What it reads stays for as long as the process.
fn engine_policies<F: Family>(choices: Choices<F>) -> Vec<PolicyInfo> {
    let choices: &'static Choices<F> = Box::leak(Box::new(choices));
    let line = |one: &'static Choice<F>| PolicyInfo {
        name: one.name(),
        label: one.label(),
        doc: one.about(),
    };
    choices.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_scenario_declares_itself_soundly() {
        assert_eq!(super::all().unwrap().iter().count(), 10);
    }

    #[test]
    fn a_name_that_is_taken_is_refused_and_both_are_named() {
        let error = super::registry().with(super::SingleServer).unwrap_err().to_string();
        let twice = "forebay_scenarios::single_server::SingleServer";
        assert!(error.contains("`single-server`") && error.matches(twice).count() == 2, "{error}");
    }
}

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
//!     &forebay_scenarios::registry(&forebay_switch::Catalogue::default())?,
//! )?;
//! assert_eq!(experiment.run_count(), 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod delayed_hits;
mod engine_policies;
mod error;
mod flow_sizes;
pub mod hbm_pattern;
pub mod hierarchy;
pub mod link;
mod links;
pub mod network;
pub mod on_chip;
pub mod schedulers;
pub mod single_point;
mod single_server;
pub mod surge;
mod surge_buffers;
mod switches;
#[cfg(test)]
mod testing;
mod traced;

use forebay_lab::{Registry, RegistryError};
use forebay_switch::Catalogue;

pub(crate) use engine_policies::engine_policies;
pub use error::SimulationError;
pub use single_server::SingleServer;
pub use surge_buffers::SurgeBuffers;
pub use traced::traced;

/// Every scenario of this crate, with all that is in the catalogue among its policies. What a catalogue is called
/// stays in memory, so make it once.
///
/// # Errors
/// What a caller has added to the catalogue declares a parameter that does not go with the others, such as one that is
/// there already with another default.
pub fn registry(catalogue: &Catalogue) -> Result<Registry, RegistryError> {
    Registry::new()
        .with(single_point::SinglePoint::new(catalogue))?
        .with(on_chip::OnChip::new(catalogue))?
        .with(delayed_hits::DelayedHits::default())?
        .with(hbm_pattern::HbmPattern)?
        .with(network::DataCenter::new(catalogue))?
        .with(link::Link::new(catalogue))?
        .with(hierarchy::Hierarchy::new(catalogue))?
        .with(surge::Surge::default())?
        .with(SurgeBuffers)?
        .with(SingleServer)
}

#[cfg(test)]
mod tests {
    use forebay_parameters::{Choice, Configure, ParameterError};

    /// A stranger's parameter, called as one of ours with another default.
    #[derive(Clone, Configure)]
    struct Own {
        /// Bytes of a turn.
        #[parameter(assumed = "not ours", range = 1.., default = 7)]
        quantum: u32,
    }

    #[test]
    fn a_declaration_that_does_not_go_with_the_others_is_an_error() {
        let own = Choice::new("own", "a stranger's", Own::default(), |_: &Own, _| {
            Err(ParameterError::value("quantum", "never built"))
        });
        let catalogue = super::Catalogue::default().with_scheduler(own).unwrap();
        let error = super::registry(&catalogue).unwrap_err().to_string();
        assert!(error.contains("quantum"), "{error}");
    }

    #[test]
    fn every_scenario_declares_itself_soundly() {
        let all = super::registry(&super::Catalogue::default()).unwrap();
        let names: Vec<&str> = all.iter().map(|scenario| scenario.name()).collect();
        for name in ["single-point", "on-chip", "delayed-hits", "network", "surge", "single-server"]
        {
            assert!(names.contains(&name), "{names:?}");
        }
    }

    #[test]
    fn a_name_that_is_taken_is_refused_and_both_are_named() {
        let error = super::registry(&super::Catalogue::default())
            .unwrap()
            .with(super::SingleServer)
            .unwrap_err()
            .to_string();
        let twice = "forebay_scenarios::single_server::SingleServer";
        assert!(error.contains("`single-server`") && error.matches(twice).count() == 2, "{error}");
    }
}

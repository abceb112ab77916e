//! The registry of scenarios: one file and one line each.

use crate::scenario::Registry;

pub mod delayed_hits;
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
pub(crate) mod testing;

/// Every scenario that experiment files can name.
pub const ALL: Registry = &[
    &single_point::SinglePoint,
    &on_chip::OnChip,
    &delayed_hits::DelayedHits,
    &hbm_pattern::HbmPattern,
    &network::DataCenter,
    &link::Link,
    &hierarchy::Hierarchy,
    &surge::Surge,
    &surge_buffers::SurgeBuffers,
    &single_server::SingleServer,
];

#[cfg(test)]
mod tests {
    use crate::scenario::schema_problems;

    #[test]
    fn every_scenario_declares_itself_soundly() {
        for scenario in super::ALL.iter().chain(super::testing::REGISTRY) {
            assert_eq!(schema_problems(*scenario), Vec::<String>::new(), "{}", scenario.name());
        }
    }
}

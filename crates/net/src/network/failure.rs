//! Links that fail, and are repaired.
//!
//! At the instant of a failure everything in flight on the link is lost; what its ends send
//! afterwards is lost as well, until the link is repaired. After the detection delay routes are
//! recomputed over the links that are then up. A switch without a path for a packet drops it. The
//! transports are not notified: a flow without a path stops the run by the rule for flows without
//! progress. A host's link can fail like any other.
//!
//! Changes happen before every other event of their instant, between windows of partitions. O(links
//! · switches with hosts) per change of routes.

use forebay_units::Time;

use super::fabric::Fabric;
use super::partition::Partition;
use super::{Network, NetworkError};
use crate::fabrics::held_mut;
use crate::route::{ChannelId, Routes};
use forebay_switch::SwitchModel;

/// A change of the network at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A link fails or is repaired.
    Link { link: usize, up: bool },
    /// The switches learn which links are up.
    Routes,
}

impl<S: SwitchModel> Network<S> {
    /// Lets `link` (as numbered in the graph) fail at `at`; at once, if that has passed.
    ///
    /// # Errors
    /// [`NetworkError::UnknownLink`] if there is no such link.
    pub fn fail_link(&mut self, at: Time, link: usize) -> Result<(), NetworkError> {
        self.change_link(at, link, false)
    }

    /// Lets `link` carry packets again from `at` on; at once, if that has passed.
    ///
    /// # Errors
    /// [`NetworkError::UnknownLink`] if there is no such link.
    pub fn repair_link(&mut self, at: Time, link: usize) -> Result<(), NetworkError> {
        self.change_link(at, link, true)
    }

    fn change_link(&mut self, at: Time, link: usize, up: bool) -> Result<(), NetworkError> {
        let links = self.fabric.graph.links.len();
        if link >= links {
            return Err(NetworkError::UnknownLink { link, links });
        }
        let at = at.max(self.ran_until);
        self.stop_planning();
        self.add_change(at, Change::Link { link, up });
        self.add_change(at + self.fabric.config.detection, Change::Routes);
        Ok(())
    }

    /// Changes of one instant happen in the order in which they were requested.
    fn add_change(&mut self, at: Time, change: Change) {
        let index = self.changes.partition_point(|(other, _)| *other > at);
        self.changes.insert(index, (at, change));
    }

    pub(super) fn apply(&mut self, at: Time, change: Change) {
        match change {
            Change::Link { link, up } => {
                self.fabric.up[link] = up;
                for part in &mut self.parts {
                    part.set_link(&self.fabric, at, link, up);
                }
            }
            Change::Routes => {
                self.fabric.learn_routes();
                let balancers =
                    self.parts.iter_mut().filter_map(|part| held_mut(&mut part.balancer));
                balancers.for_each(|balancer| balancer.forget());
            }
        }
    }
}

impl Fabric {
    fn learn_routes(&mut self) {
        let routes = Routes::new(&self.graph, self.config.ecmp_seed, |link| self.up[link]);
        let before = core::mem::replace(&mut self.routes, routes);
        self.whole.get_or_insert(before);
    }
}

impl<S: SwitchModel> Partition<S> {
    fn set_link(&mut self, fabric: &Fabric, at: Time, link: usize, up: bool) {
        for channel in [2 * link as u32, 2 * link as u32 + 1] {
            self.channels[channel as usize].up = up;
            if !up {
                self.lose_in_flight(fabric, channel);
            }
        }
        if self.pauses.is_some() {
            for channel in [2 * link as u32, 2 * link as u32 + 1] {
                self.set_pauses(fabric, at, channel, up);
            }
        }
    }

    fn lose_in_flight(&mut self, fabric: &Fabric, channel: ChannelId) {
        self.events.cancel(2 * channel);
        while let Some((packet, _)) = self.channels[channel as usize].receive(&mut self.flights) {
            self.lose_on_link(fabric, channel, packet);
        }
    }
}

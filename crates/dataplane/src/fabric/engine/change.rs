//! Another policy for a device while frames are on their way.

use std::collections::HashSet;

use forebay_switch::{AnySwitch, Gauge, Handle, SwitchBuildError, SwitchConfig, SwitchShape};
use forebay_units::Rate;

use super::Fabric;
use crate::link::{Frame, LinkLoss, NewPolicy, Rules};

/// The ports of each device of a fabric, and the largest frames that pass.
#[derive(Clone, Debug)]
pub struct Shapes {
    pub(super) rates: Vec<Vec<Rate>>,
    pub(super) mtu: u32,
}

impl Shapes {
    /// Another policy for a device; `None` if there is no such device.
    ///
    /// # Errors
    /// A parameter of the switch does not fit.
    pub fn policy(
        &self,
        device: u32,
        switch: &SwitchConfig,
        rules: Rules,
    ) -> Result<Option<NewPolicy>, SwitchBuildError> {
        let Some(ports) = self.rates.get(device as usize) else { return Ok(None) };
        let shape = SwitchShape { index: device, ports };
        NewPolicy::build(switch, rules, &shape, self.mtu).map(Some)
    }
}

impl Fabric<'_> {
    /// Another policy decides in a device from the present on. What waits moves to it: port by
    /// port in the order in which the old switch would have served it, as if it arrived anew, and
    /// with the classes and ranks of the new rules. What the new switch has no room for is lost, as
    /// what the old one gives up on its way out. Gives back the old switch, to be freed elsewhere.
    ///
    /// O(frames that wait).
    pub fn change(&mut self, device: u32, policy: NewPolicy) -> Option<AnySwitch> {
        let now = self.now;
        self.devices.get_mut(device as usize)?.node.advance(now);
        self.outcomes(device);
        let mut moved = Vec::new();
        let changed = &mut self.devices[device as usize];
        let old = changed.node.exchange(policy.switch, &mut moved);
        changed.rules = policy.rules;
        self.outcomes(device);
        self.lose_all_but(&moved, device);
        let changed = &mut self.devices[device as usize];
        for (port, packet) in moved {
            let (number, size) = (packet.packet().get(), packet.size());
            let Some(read) = self.store.get(number).map(Frame::read) else { continue };
            let frame = changed.arrivals;
            let (class, rank) = changed.rules.apply(now, frame, size, packet.flow(), &read);
            changed.node.arrive(now, port, packet.with_class(class), rank);
        }
        changed.node.advance(now);
        self.outcomes(device);
        self.schedule(device);
        Some(old)
    }

    /// Loses what waited in a device and is not among those that moved.
    fn lose_all_but(&mut self, moved: &[(u16, Handle)], device: u32) {
        let moved: HashSet<u32> = moved.iter().map(|(_, packet)| packet.packet().get()).collect();
        let stayed =
            |number: &u32| !moved.contains(number) && self.place(*number).waits_in == Some(device);
        let stayed: Vec<u32> = self.store.numbers().filter(stayed).collect();
        for number in stayed {
            let size = self.store.take(number).map_or(0, |frame| frame.size());
            self.lose(device, self.place(number), LinkLoss::NotMoved, size, self.now);
        }
    }

    /// Shows what can be read off a device's switch, as it was when something last happened in it:
    /// looking changes nothing.
    pub fn gauges(&self, device: usize, show: &mut dyn FnMut(Gauge)) {
        if let Some(device) = self.devices.get(device) {
            device.node.switch().gauges(show);
        }
    }
}

//! What must hold of the accounts of credit at any time, for tests.

use forebay_switch::SwitchModel;
use forebay_units::Time;

use super::{CLASSES, reverse};
use crate::network::Network;
use crate::topology::Node;

impl<S: SwitchModel> Network<S> {
    /// That nobody has sent more than was granted, or granted more than there is; that what was
    /// sent has been received once no packet is left, and all room is granted once nothing is left
    /// to happen.
    pub(in super::super::super) fn audit_credits(&self) {
        let is_empty = self.live_packets() == 0;
        let is_idle = self.parts.iter().all(|part| part.next() == Time::MAX);
        for (channel, link) in (0..).zip(&self.parts[0].channels) {
            let ledger = |node| self.part(node).pauses.as_ref().unwrap().ledger.as_ref().unwrap();
            let sender = &ledger(link.from).accounts[channel as usize];
            let receiver = &ledger(link.to).accounts[reverse(channel) as usize];
            for lane in 0..CLASSES {
                let flying = sender.sent[lane].wrapping_sub(receiver.received[lane]);
                let place = (channel, lane, sender, receiver);
                if sender.down {
                    continue;
                }
                assert!(flying + receiver.held[lane] <= receiver.room, "{place:?}");
                assert!(sender.left(lane) <= receiver.room, "{place:?}");
                let grants = receiver.grants(lane);
                assert!(grants.wrapping_sub(sender.granted[lane]) <= receiver.room, "{place:?}");
                assert!(!is_empty || (flying, receiver.held[lane]) == (0, 0), "{place:?}");
                assert!(!is_idle || sender.left(lane) == receiver.room, "{place:?}");
            }
        }
    }

    /// Cells that a switch holds.
    pub(in super::super::super) fn held_by(&self, switch: u32) -> u32 {
        let pauses = self.part(Node::Switch(switch)).pauses.as_ref().unwrap();
        let accounts = &pauses.ledger.as_ref().unwrap().accounts;
        let ports = pauses.ports[switch as usize].iter();
        ports.flat_map(|channel| accounts[*channel as usize].held).sum()
    }
}

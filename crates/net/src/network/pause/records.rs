//! What can be read of pauses during and after a run.

use forebay_switch::{PauseCounts, SwitchModel};
use forebay_units::Duration;

use super::{CLASSES, bit};
use crate::network::Network;
use crate::topology::Node;

/// How one direction of a link was paused, or waited for credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRecord {
    /// The node that was paused.
    pub from: Node,
    /// The node that asked for it, or had not granted credit.
    pub to: Node,
    /// The class that was paused, as switches number their queues.
    pub class: u8,
    /// How often a pause began.
    pub pauses: u64,
    /// How long it was paused, until now.
    pub paused: Duration,
}

impl<S: SwitchModel> Network<S> {
    /// How links were paused so far, both directions of the first link first; only those that were.
    pub fn pauses(&self) -> impl Iterator<Item = PauseRecord> + '_ {
        let channels = 0..self.parts[0].channels.len();
        channels.flat_map(move |index| {
            let from = self.parts[0].channels[index].from;
            (0..CLASSES as u8).filter_map(move |class| self.paused(index, from, class))
        })
    }

    fn paused(&self, index: usize, from: Node, class: u8) -> Option<PauseRecord> {
        let part = self.part(from);
        let ends = &part.pauses.as_ref()?.ends[index];
        let halted = &ends.halted[usize::from(class)];
        let running = match ends.paused & bit(class) {
            0 => Duration::ZERO,
            _ => self.ran_until.since(halted.since),
        };
        (halted.pauses > 0).then(|| PauseRecord {
            from,
            to: part.channels[index].to,
            class,
            pauses: halted.pauses,
            paused: halted.total + running,
        })
    }

    /// Frames that have granted credit so far; `None` if no sender needs any.
    #[must_use]
    pub fn credit_frames(&self) -> Option<u64> {
        let ledgers = self.parts.iter().filter_map(|part| part.pauses.as_ref()?.ledger.as_ref());
        ledgers.map(|ledger| ledger.frames).reduce(|sum, one| sum + one)
    }

    /// What flow control did in all switches so far; `None` if none has lossless classes.
    #[must_use]
    pub fn pause_counts(&self) -> Option<PauseCounts> {
        let each = self.switches().filter_map(|switch| switch.pause_counts(self.ran_until));
        each.reduce(|mut sum, one| {
            sum += one;
            sum
        })
    }
}

//! What went through a device.

use forebay_switch::Tally;

use crate::link::FrameCounts;

/// What went through a device, and what did not.
///
/// Frames that arrived, and copies of them, are each sent, lost for a cause, or still held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounts {
    /// Over all ports. What arrived here came in through a port; what left has left the switch and
    /// was not lost on the wire.
    pub all: FrameCounts,
    /// Copies that were made of frames which go to several ports, beyond the first.
    pub copies: Tally,
    /// By port: what came in through it.
    pub received: Vec<Tally>,
    /// By port: what was sent through it.
    pub sent: Vec<Tally>,
}

impl DeviceCounts {
    pub(super) fn of(ports: usize) -> Self {
        DeviceCounts {
            received: vec![Tally::default(); ports],
            sent: vec![Tally::default(); ports],
            ..DeviceCounts::default()
        }
    }
}

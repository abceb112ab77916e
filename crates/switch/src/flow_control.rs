//! Priority flow control as a switch and what is around it speak of it: pauses, and what came of
//! them.
//!
//! A switch says what its neighbours are to be told ([`SwitchModel::pauses`]), and is told what
//! they want of it ([`SwitchModel::pause`]). How a pause travels is its driver's business.
//!
//! [`SwitchModel::pauses`]: crate::SwitchModel::pauses
//! [`SwitchModel::pause`]: crate::SwitchModel::pause

use forebay_units::{Bytes, Duration};

/// Something is to stop sending packets of a class, or may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The port of the switch: of a pause that it asks for, the one through which packets come in;
    /// of one that it is asked for, the one through which they leave.
    pub port: u16,
    /// Which class, 0 to 7: the queue of a port that its packets wait in.
    pub class: u8,
    /// Whether it begins; otherwise it ends.
    pub on: bool,
}

/// How switches with lossless classes are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowControl {
    /// How long every device takes to obey a pause once it has arrived.
    pub response: Duration,
    /// Queues of a port; packets of classes beyond wait in the last.
    pub queues: u16,
}

impl FlowControl {
    /// The size of a pause frame: the smallest Ethernet frame.
    pub const FRAME: u32 = 64;

    /// The queue of a port in which packets of a class wait.
    #[must_use]
    #[inline]
    pub fn queue(&self, class: u8) -> u8 {
        u16::from(class).min(self.queues.saturating_sub(1)) as u8
    }
}

/// What flow control did in a switch so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseCounts {
    /// Pauses that it asked its neighbours for.
    pub asked: u64,
    /// The most headroom that was in use at once, in whichever of its memories it was most.
    pub headroom_most: Bytes,
    /// How long packets waited at the head of a paused queue, summed over its queues.
    pub blocked: Duration,
    /// Times that the watchdog emptied a queue.
    pub watchdog: u64,
}

impl core::ops::AddAssign for PauseCounts {
    /// That of several switches: the most headroom is that of the one with the most.
    fn add_assign(&mut self, other: PauseCounts) {
        self.asked += other.asked;
        self.headroom_most = self.headroom_most.max(other.headroom_most);
        self.blocked += other.blocked;
        self.watchdog += other.watchdog;
    }
}

//! Quasi-pushout (Lin and Shung 1997, as told in occamy §7): pushout from a queue that is nearly
//! the longest, "which is easy to be maintained".
//!
//! Open in our sources: how it is maintained. Here one register names a queue; whenever a packet
//! arrives at a queue or leaves it, and that queue is longer than the register's, the register
//! takes it. It may thus name a queue that has drained, until a longer one has an event. If it
//! names an empty one, or one shorter than the arriving packet's own queue, the arriving packet
//! pays.
//!
//! O(1) per packet. Memory: one queue number.

use forebay_parameters::{Choice, Configure};

use super::longest::End;
use super::pushout::PushoutConfig;
use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, Removal, Victim};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Parameters of [`QuasiPushout`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Configure)]
pub struct QuasiPushoutConfig {
    /// From which end of the queue packets are pushed out.
    #[parameter(declared = PushoutConfig::FROM)]
    pub from: End,
}

/// A full buffer drops from the nearly longest queue.
#[derive(Clone, Debug, Default)]
pub struct QuasiPushout {
    from: End,
    longest: Option<u32>,
}

impl QuasiPushout {
    /// With an empty register.
    #[must_use]
    pub fn new(config: &QuasiPushoutConfig) -> Self {
        QuasiPushout { from: config.from, longest: None }
    }

    #[inline]
    fn compare(&mut self, pool: PoolView<'_>, queue: u32) {
        let longest = self.longest.map_or(0, |queue| pool.length(queue));
        if pool.length(queue) > longest {
            self.longest = Some(queue);
        }
    }
}

/// The choice `quasi-pushout`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "quasi-pushout",
        "QPO",
        "pushout from a nearly longest queue that one register names",
        |config: &QuasiPushoutConfig, _| QuasiPushout::new(config),
    )
}

impl OnChipPolicy for QuasiPushout {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        if cells <= pool.free() {
            return Admission::Accept;
        }
        self.compare(pool, arriving.queue);
        let with_packet = pool.length(arriving.queue).saturating_add(cells);
        match self.longest {
            Some(longest) if pool.length(longest) > with_packet => {
                Admission::PushOut(self.from.of(longest))
            }
            _ => self.from.of_own(pool, arriving.queue),
        }
    }

    fn victim(&self, pool: PoolView<'_>) -> Option<Victim> {
        self.longest.filter(|queue| pool.length(*queue) > 0).map(|queue| self.from.of(queue))
    }

    fn enqueued(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor) {
        self.compare(pool, packet.queue);
    }

    fn removed(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor, _how: Removal) {
        self.compare(pool, packet.queue);
    }
}

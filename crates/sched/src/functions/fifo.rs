//! First in, first out. O(1), no state.

use alloc::boxed::Box;

use forebay_parameters::Choice;
use forebay_units::Time;

use super::RankFunction;
use crate::{Packet, Rank};

/// Every packet has the same rank, and equal ranks leave in arrival order.
///
/// ```
/// use forebay_sched::{Fifo, Packet, RankFunction};
/// use forebay_units::Time;
///
/// assert_eq!(Fifo.rank(Time::ZERO, &Packet::default()).get(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Fifo {
    /// The choice `fifo`.
    #[must_use]
    pub fn choice() -> Choice<dyn RankFunction> {
        Choice::new("fifo", "arrival order", (), |(), _| Ok(Box::new(Fifo) as _)).labelled("FIFO")
    }
}

impl RankFunction for Fifo {
    fn rank(&mut self, _now: Time, _packet: &Packet) -> Rank {
        Rank::new(0)
    }
}

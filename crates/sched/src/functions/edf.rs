//! Earliest deadline first: rank = arrival + the time within which a packet of its class should be
//! sent, in picoseconds.
//!
//! Source: clubheap §2.1 (ranks that are timestamps, EDF among them). Where deadlines come from is
//! open; here from a budget per class.
//!
//! Complexity: O(1). Memory: 8 bytes a class.

use alloc::vec::Vec;

use forebay_parameters::Choice;
use forebay_units::{Duration, Time};

use super::choice::Reads;
use super::{RankConfig, RankFunction};
use crate::{Packet, Rank};

/// Rank = deadline.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{EarliestDeadlineFirst, RankConfig}};
/// use forebay_units::{Duration, Time};
///
/// let budgets = vec![Duration::from_us(10), Duration::from_ms(1)];
/// let mut edf = EarliestDeadlineFirst::new(&RankConfig { budgets, ..RankConfig::default() });
/// let packet = Packet { class: 0, ..Packet::default() };
/// assert_eq!(edf.rank(Time::from_ps(5), &packet).get(), 10_000_005);
/// ```
#[derive(Clone, Debug)]
pub struct EarliestDeadlineFirst {
    budgets: Vec<Duration>,
}

impl EarliestDeadlineFirst {
    /// With `budgets` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        EarliestDeadlineFirst { budgets: config.budgets.clone() }
    }
}

impl RankFunction for EarliestDeadlineFirst {
    fn reads_class(&self) -> bool {
        RankConfig::differ(&self.budgets)
    }

    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        Rank::new((now + RankConfig::of_class(&self.budgets, packet.class)).as_ps())
    }
}

/// The choice `edf`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "earliest deadline first: arrival + the budget of the packet's class";
    config.choice("edf", "EDF", about, &[Reads::Budgets], EarliestDeadlineFirst::new)
}

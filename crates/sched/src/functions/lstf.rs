//! Least slack time first: rank = the last instant at which sending the packet may begin, in
//! picoseconds.
//!
//! Source: clubheap §1 (LSTF). Slack is the time left before the deadline less the time that
//! sending takes. The slack of all waiting packets falls alike, so its order is that of arrival +
//! slack, known on arrival. The slack comes from the budget of the packet's class, less the time of
//! the packet at the port's rate, or from the packet, by a function that the caller gives
//! ([`LeastSlackTimeFirst::reading`]).
//!
//! Complexity: O(1). Memory: 8 bytes a class.

use alloc::vec::Vec;

use forebay_parameters::Choice;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::choice::Reads;
use super::{RankConfig, RankFunction};
use crate::{Packet, Rank};

/// Where the slack of a packet comes from.
#[derive(Clone, Debug)]
enum Slack {
    PerClass { budgets: Vec<Duration>, rate: Rate },
    Read(fn(&Packet) -> Duration),
}

/// Rank = arrival + slack.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{LeastSlackTimeFirst, RankConfig}};
/// use forebay_units::{Duration, Time};
///
/// let packet = Packet { size: 1250, tag: 7, ..Packet::default() };
/// let mut by_class = LeastSlackTimeFirst::new(&RankConfig::default()); // 1 ms at 100 Gb/s
/// assert_eq!(by_class.rank(Time::ZERO, &packet).get(), 1_000_000_000 - 100_000);
///
/// let mut by_field = LeastSlackTimeFirst::reading(|packet| Duration::from_ns(packet.tag.into()));
/// assert_eq!(by_field.rank(Time::from_ps(1), &packet).get(), 7_001);
/// ```
#[derive(Clone, Debug)]
pub struct LeastSlackTimeFirst {
    slack: Slack,
}

impl LeastSlackTimeFirst {
    /// With `budgets` and `rate` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        let slack = Slack::PerClass { budgets: config.budgets.clone(), rate: config.rate };
        LeastSlackTimeFirst { slack }
    }

    /// With the slack that `read` finds in the packet.
    #[must_use]
    pub fn reading(read: fn(&Packet) -> Duration) -> Self {
        LeastSlackTimeFirst { slack: Slack::Read(read) }
    }
}

impl RankFunction for LeastSlackTimeFirst {
    fn reads_class(&self) -> bool {
        match &self.slack {
            Slack::PerClass { budgets, .. } => RankConfig::differ(budgets),
            Slack::Read(_) => true,
        }
    }

    fn reads_rate(&self) -> bool {
        matches!(self.slack, Slack::PerClass { .. })
    }

    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        let slack = match &self.slack {
            Slack::PerClass { budgets, rate } => {
                let sending = rate.time_for(Bytes::new(u64::from(packet.size)));
                RankConfig::of_class(budgets, packet.class) - sending
            }
            Slack::Read(read) => read(packet),
        };
        Rank::new((now + slack).as_ps())
    }
}

/// The choice `lstf`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "least slack: arrival + the budget of the packet's class - the time to send it";
    config.choice("lstf", "LSTF", about, &[Reads::Budgets], LeastSlackTimeFirst::new)
}

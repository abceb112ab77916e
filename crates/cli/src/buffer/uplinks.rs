//! What the other ports of a switch can bring at once: the bound on the traffic that `compare`
//! sends.
//!
//! Every packet to a port came in at another one, so the burst and the congested ports' traffic
//! together are at most the sum of the other ports' speeds. Senders may share a port. Which port
//! brings what is not modelled.

use std::collections::BTreeSet;

use forebay_sonic::Config;
use forebay_sonic::config::{Kind, Member, Port};
use forebay_units::Rate;

use crate::Failure;

/// A congested port receives this many times what it sends.
pub(super) const BUSY_FACTOR: u64 = 2;
/// The slowest sender for which the clock is long enough.
pub(super) const SLOWEST: Rate = Rate::from_bps(1_000_000);

/// The speed of a port for which the file has none.
pub(super) const SPEED: Rate = Rate::from_gbps(100);

/// The other ports, and how much of their capacity is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uplinks {
    /// What all ports except the burst's can bring.
    pub(super) others: Rate,
    /// The speed of the burst's port, and of a congested one.
    pub(super) port: Rate,
    /// How many ports are congested.
    pub(super) busy: u32,
    /// How many ports other than the burst's have a queue in the pool.
    pub(super) in_pool: usize,
}

/// The ports of the kind of a member's port: a chassis has its ports once more, by card.
pub(super) fn alike<'a>(config: &'a Config, member: &Member) -> impl Iterator<Item = &'a Port> {
    let of_chassis = config.ports[member.port].of_chassis();
    config.ports.iter().filter(move |port| port.of_chassis() == of_chassis)
}

impl Uplinks {
    /// The other ports of a member's port.
    pub(super) fn of(config: &Config, member: &Member, busy: u32) -> Uplinks {
        let speed = |port: &Port| port.speed.unwrap_or(SPEED);
        let speeds = alike(config, member).map(|port| speed(port).as_bps());
        let all = speeds.fold(0, u64::saturating_add);
        let port = speed(&config.ports[member.port]);
        let pool = config.profile_of(member).pool;
        let queues = config.members.iter().filter(|other| {
            other.kind == Kind::Queue
                && other.port != member.port
                && config.profile_of(other).pool == pool
        });
        let in_pool = queues.map(|other| other.port).collect::<BTreeSet<_>>().len();
        let others = Rate::from_bps(all.saturating_sub(port.as_bps()));
        Uplinks { others, port, busy, in_pool }
    }

    /// What the congested ports take.
    pub(super) fn background(&self) -> Rate {
        Rate::from_bps(self.port.as_bps().saturating_mul(BUSY_FACTOR * u64::from(self.busy)))
    }

    /// The rate of each of `incast` senders: the requested one, or the most that fits, up to the
    /// port's speed.
    pub(super) fn sender_rate(&self, incast: u32, asked: Option<Rate>) -> Result<Rate, Failure> {
        let (busy, in_pool, others) = (self.busy, self.in_pool, self.others);
        if busy as usize > in_pool {
            return Err(Failure::input(format!(
                "error: --busy: {busy} is more than the {in_pool} other ports with a queue in the \
                 pool; give {in_pool} or less"
            )));
        }
        let background = self.background();
        let left = others.as_bps().saturating_sub(background.as_bps());
        if asked.is_none() && left <= self.port.as_bps() {
            return Err(Failure::input(format!(
                "error: --busy: the other ports bring {others}, of which {busy} busy ports take \
                 {background}; the rest does not fill a port of {}: lower --busy, or give \
                 --sender-rate",
                self.port
            )));
        }
        // Whole Mb/s, so that the rate is short in the experiment's file.
        let most = left / u64::from(incast.max(1)) / SLOWEST.as_bps() * SLOWEST.as_bps();
        let rate = asked.unwrap_or(Rate::from_bps(most.min(self.port.as_bps())));
        if rate.as_bps().saturating_mul(u64::from(incast)) > left || rate < SLOWEST {
            return Err(Failure::input(format!(
                "error: --sender-rate: {incast} senders at {rate} are more than the {} that the \
                 other ports bring in addition to {background} for {busy} busy ports; give {} or \
                 less, or lower --incast or --busy",
                Rate::from_bps(left),
                Rate::from_bps(most)
            )));
        }
        Ok(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn uplinks(busy: u32) -> Uplinks {
        Uplinks { others: Rate::from_gbps(700), port: Rate::from_gbps(100), busy, in_pool: 7 }
    }

    fn message(result: Result<Rate, Failure>) -> String {
        result.map_or_else(|failure| failure.message, |rate| rate.to_string())
    }

    #[test]
    fn senders_share_what_is_left() {
        assert_eq!(message(uplinks(1).sender_rate(16, None)), "31.25 Gb/s"); // (700 - 200) / 16
        assert_eq!(message(uplinks(0).sender_rate(3, None)), "100 Gb/s"); // a port's speed at most
        let asked = |gbps| message(uplinks(1).sender_rate(16, Some(Rate::from_gbps(gbps))));
        assert_eq!(asked(31), "31 Gb/s");
        assert!(
            asked(32).starts_with(
                "error: --sender-rate: 16 senders at 32 Gb/s are more than the 500 Gb/s"
            )
        );
    }

    #[test]
    fn busy_ports_are_other_ports_and_leave_some() {
        assert!(message(uplinks(8).sender_rate(1, None)).contains("more than the 7 other ports"));
        assert!(
            message(uplinks(3).sender_rate(1, None)).contains("does not fill a port of 100 Gb/s")
        );
        assert!(
            message(uplinks(4).sender_rate(1, Some(SLOWEST))).starts_with("error: --sender-rate")
        );
    }
}

//! Adversarial traffic: packets of chosen sizes and job sizes, limited in bits per second.
//!
//! Source: the threat model of thesis §3.3.2. The adversary may choose everything about their
//! packets, also when these come, as long as at every instant they have sent no more bits than
//! their rate allows: a burst is sent when it has been paid for, and arrives at the link's rate.
//! O(1) per packet.

use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::traffic::{Class, Offer};
use crate::error::SurgeError;
use crate::job::FlowKey;

/// A kind of attack packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The size of a packet, which is what sending it costs.
    pub size: Bytes,
    /// Its true job size.
    pub work: Duration,
    /// The job size that the scheduler is told.
    pub estimate: Duration,
}

impl Shot {
    /// A packet whose estimate is true.
    #[must_use]
    pub fn new(size: Bytes, work: Duration) -> Self {
        Shot { size, work, estimate: work }
    }
}

/// The flows of attack packets; none is an innocent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackFlows {
    /// Each packet has its own (§3.4.2).
    Fresh,
    /// The packets take turns among so many, at least 1.
    Few(u32),
}

/// What an attacker sends: at which rate, as which flows, of which jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Attack {
    /// r_A, the rate of the attack.
    pub rate: Rate,
    /// What is sent, each kind with its share of the packets.
    pub shots: Vec<(Shot, f64)>,
    /// In which flows.
    pub flows: AttackFlows,
    /// Packets sent back to back, at least 1.
    pub burst: u32,
    /// The rate of the ingress link, at which they come.
    pub link: Rate,
    /// Draws the order of the kinds.
    pub seed: u64,
}

impl Attack {
    /// One kind of packet, each in its own flow, evenly spaced, on a link of 100 Gb/s.
    #[must_use]
    pub fn steady(rate: Rate, shot: Shot) -> Self {
        let (flows, link) = (AttackFlows::Fresh, Rate::from_gbps(100));
        Attack { rate, shots: vec![(shot, 1.0)], flows, burst: 1, link, seed: 0 }
    }

    /// Its packets, without end.
    ///
    /// # Errors
    /// If there are none, or a parameter is zero or no number.
    pub fn packets(&self) -> Result<AttackTraffic<'_>, SurgeError> {
        let zeros = [
            ("attack rate", self.rate.as_bps() == 0),
            ("link rate", self.link.as_bps() == 0),
            ("burst", self.burst == 0),
            ("attack flows", self.flows == AttackFlows::Few(0)),
            ("attack packet size", self.shots.iter().any(|(shot, _)| shot.size == Bytes::ZERO)),
        ];
        if let Some((name, _)) = zeros.iter().find(|(_, zero)| *zero) {
            return Err(SurgeError::Zero(name));
        }
        let total: f64 = self.shots.iter().map(|(_, share)| share).sum();
        let bad = self.shots.iter().find(|(_, share)| !(share.is_finite() && *share >= 0.0));
        if let Some((_, value)) = bad {
            let range = "[0, ∞)";
            return Err(SurgeError::OutOfRange { name: "share", value: *value, range });
        }
        if total <= 0.0 {
            return Err(SurgeError::Empty("the list of shots"));
        }
        let rng = stream(self.seed, "attack", 0);
        let (burst, paid, sent) = (Vec::new(), Bytes::ZERO, 0);
        Ok(AttackTraffic { attack: self, total, burst, next_at: Time::ZERO, paid, sent, rng })
    }
}

/// The packets of an [`Attack`].
#[derive(Clone, Debug)]
pub struct AttackTraffic<'a> {
    attack: &'a Attack,
    /// The sum of the shares.
    total: f64,
    /// What is left of the burst, last first.
    burst: Vec<Shot>,
    next_at: Time,
    /// Bytes sent, with those of the burst.
    paid: Bytes,
    sent: u64,
    rng: ChaCha8Rng,
}

impl AttackTraffic<'_> {
    fn draw(&mut self) -> Shot {
        let mut at = uniform(&mut self.rng) * self.total;
        let mut chosen = self.attack.shots[0].0;
        for (shot, share) in &self.attack.shots {
            if *share > 0.0 {
                chosen = *shot;
            }
            at -= share;
            if at < 0.0 {
                break;
            }
        }
        chosen
    }

    /// Draws a burst, and waits until it is paid for.
    fn load_burst(&mut self) {
        for _ in 0..self.attack.burst {
            let shot = self.draw();
            self.paid += shot.size;
            self.burst.push(shot);
        }
        let paid_at = Time::ZERO + self.attack.rate.time_for(self.paid);
        self.next_at = self.next_at.max(paid_at);
    }
}

impl Iterator for AttackTraffic<'_> {
    type Item = Offer;

    fn next(&mut self) -> Option<Offer> {
        if self.burst.is_empty() {
            self.load_burst();
        }
        let Shot { size, work, estimate } = self.burst.pop()?;
        let number = match self.attack.flows {
            AttackFlows::Fresh => self.sent,
            AttackFlows::Few(flows) => self.sent % u64::from(flows),
        };
        let at = self.next_at;
        self.sent += 1;
        self.next_at = at + self.attack.link.time_for(size);
        let flow = FlowKey((1 << 63) | number);
        Some(Offer { at, class: Class::Attack, flow, size, work, estimate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_attack_never_exceeds_its_rate(mbps in 1u64..50_000, burst in 1u32..50, small in 64u64..1500) {
            let shot = |size| Shot::new(Bytes::new(size), Duration::from_us(1));
            let rate = Rate::from_bps(mbps * 1_000_000);
            let shots = vec![(shot(small), 1.0), (shot(1500), 0.3)];
            let attack = Attack { shots, burst, ..Attack::steady(rate, shot(64)) };
            let (mut sent, mut last) = (Bytes::ZERO, Time::ZERO);
            for offer in attack.packets().unwrap().take(300) {
                sent += offer.size;
                prop_assert!(offer.at >= last && offer.at >= Time::ZERO + rate.time_for(sent));
                last = offer.at;
            }
            // Nor does it fall behind by more than a burst, its time on the link apart.
            let slack = Bytes::new(1500) * u64::from(burst);
            prop_assert!(last <= Time::ZERO + rate.time_for(sent + slack) + attack.link.time_for(sent));
        }
    }

    #[test]
    fn impossible_attacks_are_named() {
        let good = Attack::steady(Rate::from_gbps(1), Shot::new(Bytes::new(64), Duration::ZERO));
        assert!(good.packets().is_ok());
        let error = |attack: Attack| attack.packets().err().map(|error| error.to_string()).unwrap();
        assert!(error(Attack { burst: 0, ..good.clone() }).starts_with("burst is 0"));
        assert!(error(Attack { shots: Vec::new(), ..good.clone() }).contains("shots is empty"));
        let shots = vec![(good.shots[0].0, f64::NAN)];
        assert!(error(Attack { shots, ..good }).starts_with("share is NaN"));
    }
}

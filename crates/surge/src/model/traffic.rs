//! Innocent traffic: packets of a joint distribution at a rate.
//!
//! Source: thesis §3.3.1: a constant time between arrivals, E\[P\] / r_I. Poisson arrivals are
//! ours, to see how much of a result hangs on that. The paper does not say how packets belong to
//! flows; each belongs to one of `flows`, drawn evenly. O(log atoms) per packet.

use forebay_parameters::Word;
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::random::{ChaCha8Rng, exponential, stream, uniform};

use super::joint::Joint;
use crate::error::SurgeError;
use crate::job::FlowKey;

/// Whose traffic it is; no scheduler can see it (§3.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Of the users: class I.
    Innocent,
    /// Of the adversary: class A.
    Attack,
}

/// One packet on the ingress link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// When it has arrived.
    pub at: Time,
    /// Whether a user sent it or the adversary.
    pub class: Class,
    /// The flow that the sender claims.
    pub flow: FlowKey,
    /// The packet's size, which is what sending it costs.
    pub size: Bytes,
    /// Its true job size.
    pub work: Duration,
    /// The job size that the scheduler is told.
    pub estimate: Duration,
}

/// When innocent packets arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Arrivals {
    /// Evenly, as the paper assumes.
    #[default]
    Constant,
    /// As a Poisson process.
    Poisson,
}

/// The innocent traffic of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Packet and job sizes.
    pub joint: Joint,
    /// r_I, the rate of innocent traffic.
    pub rate: Rate,
    /// When packets arrive.
    pub arrivals: Arrivals,
    /// How many flows there are, at least 1.
    pub flows: u32,
    /// The seed; the same one draws the same packets whatever the adversary does.
    pub seed: u64,
}

impl Traffic {
    /// Its packets, without end.
    ///
    /// # Errors
    /// If the rate or the number of flows is zero.
    pub fn packets(&self) -> Result<InnocentTraffic<'_>, SurgeError> {
        if self.rate.as_bps() == 0 {
            return Err(SurgeError::Zero("innocent rate"));
        }
        if self.flows == 0 {
            return Err(SurgeError::Zero("flows"));
        }
        let gap_ps = self.joint.mean_size() * 8e12 / self.rate.as_bps() as f64;
        let rng = stream(self.seed, "innocent", 0);
        Ok(InnocentTraffic { traffic: self, gap_ps, sent: 0.0, rng })
    }

    /// ρ: the load on `servers` due to innocent traffic, at most 1 (Theorems 2 and 3).
    #[must_use]
    pub fn load(&self, servers: u32) -> f64 {
        let most = self.joint.max_rate() * f64::from(servers.max(1));
        (self.rate.as_bps() as f64 / most).min(1.0)
    }
}

/// The packets of [`Traffic`].
#[derive(Clone, Debug)]
pub struct InnocentTraffic<'a> {
    traffic: &'a Traffic,
    gap_ps: f64,
    /// Gaps that have passed.
    sent: f64,
    rng: ChaCha8Rng,
}

impl Iterator for InnocentTraffic<'_> {
    type Item = Offer;

    fn next(&mut self) -> Option<Offer> {
        self.sent += match self.traffic.arrivals {
            Arrivals::Constant => 1.0,
            Arrivals::Poisson => exponential(&mut self.rng),
        };
        let atom = self.traffic.joint.sample(&mut self.rng);
        let flow = uniform(&mut self.rng) * f64::from(self.traffic.flows);
        Some(Offer {
            at: Time::from_ps((self.sent * self.gap_ps) as u64),
            class: Class::Innocent,
            flow: FlowKey(flow as u64),
            size: atom.size,
            work: atom.work,
            estimate: atom.estimate,
        })
    }
}

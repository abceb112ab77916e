//! The adversary's best attack under each policy.
//!
//! Source: FCFS and FQ: the smallest packet with the largest job, each in its own flow (thesis
//! §3.4.1, §3.4.2). SJF: the smallest packet with the job size that solves Eq. 3.8. WSJF: the ratio
//! that solves Eq. 3.9. WSJF that is told estimates: the best of all pairs of true and estimated
//! job size in the innocent traffic (§3.6.2, footnote 7).
//!
//! With atoms instead of densities the left sides of Eq. 3.8 and 3.9 jump where an innocent key
//! lies, and may jump past 1. The solution is then that key: below it there is slack, above it
//! others are served first. The attack is set one picosecond below the solution, so that it
//! precedes its equals. Where the solution is more than the longest job, that is taken (as the
//! lemmas say). For WSJF-HoQ the paper names small packets with large jobs (§3.5.3); a buffer that
//! drops the largest never serves those, so we take WSJF's for all of its family.
//!
//! Complexity: O(atoms) each, O(atoms log atoms) under estimates.

use forebay_units::{Bytes, Duration, Rate};

use super::attack::{Attack, Shot};
use super::fluid::Fluid;
use super::joint::Joint;
use super::traffic::Traffic;
use crate::policies::ServiceOrder;

/// What the adversary can craft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Means {
    /// P_min.
    pub smallest: Bytes,
    /// P_max.
    pub largest: Bytes,
    /// J_max.
    pub longest: Duration,
}

impl Means {
    /// J_max / P_min: the smallest packet with the longest job.
    #[must_use]
    pub fn heaviest(&self) -> Shot {
        Shot::new(self.smallest, self.longest)
    }
}

/// The optimal steady attack at `rate` on a policy of this order, in front of so many servers.
#[must_use]
pub fn optimal_attack(
    order: Option<ServiceOrder>,
    traffic: &Traffic,
    servers: u32,
    means: &Means,
    rate: Rate,
) -> Attack {
    let Some(order) = order else { return Attack::steady(rate, means.heaviest()) };
    Attack::steady(rate, optimal_shot(&Fluid::new(traffic, servers, order), means, rate))
}

/// The attack packet that solves Eq. 3.8 or 3.9, by the fluid's order.
#[must_use]
pub fn optimal_shot(fluid: &Fluid, means: &Means, rate: Rate) -> Shot {
    let smallest = means.smallest.max(Bytes::new(1));
    let bits = smallest.get() as f64 * 8.0;
    // Load of the adversary per unit of key: packets per second, or bits per second.
    let per_key = match fluid.order {
        ServiceOrder::ByWork => rate.as_bps() as f64 / bits,
        ServiceOrder::ByRatio => rate.as_bps() as f64,
    };
    let key = solve(fluid, per_key);
    let seconds = match fluid.order {
        ServiceOrder::ByWork => key,
        ServiceOrder::ByRatio => key * bits,
    };
    let work = Duration::from_ps(((seconds * 1e12) as u64).saturating_sub(1).max(1));
    Shot::new(smallest, work.min(means.longest))
}

/// The key x at which the innocent load below x, plus `per_key` times x, reaches the servers'
/// capacity.
fn solve(fluid: &Fluid, per_key: f64) -> f64 {
    let mut below = 0.0;
    for rung in &fluid.rungs {
        let solution = (fluid.servers - rung.load_before) / per_key;
        if solution <= rung.key {
            return solution.max(below);
        }
        below = rung.key;
    }
    let all = fluid.load_before(fluid.rungs.len());
    ((fluid.servers - all) / per_key).max(below)
}

/// The pair of true and estimated job size in the innocent traffic with which attack packets at
/// `rate` displace most; `None` only if the distribution has no atoms.
#[must_use]
pub fn worst_shot_of(joint: &Joint, fluid: &Fluid, rate: Rate) -> Option<Shot> {
    let rate = rate.as_bps() as f64;
    let shots = joint.atoms().iter().map(|atom| {
        let (size, work, estimate) = (atom.size, atom.work, atom.estimate);
        let ahead = estimate - Duration::from_ps(1); // of its equals
        Shot { size, work, estimate: ahead }
    });
    shots.min_by(|a, b| fluid.under(a, rate).total_cmp(&fluid.under(b, rate)))
}

#[cfg(test)]
mod tests {
    use super::super::traffic::Arrivals;
    use super::*;
    use proptest::prelude::*;

    fn traffic(works: &[(u64, f64)], sizes: &[(u64, f64)], load: f64) -> Traffic {
        let works: Vec<_> = works.iter().map(|(ns, p)| (Duration::from_ns(*ns), *p)).collect();
        let sizes: Vec<_> = sizes.iter().map(|(bytes, p)| (Bytes::new(*bytes), *p)).collect();
        let joint = Joint::product(&sizes, &works).unwrap();
        let rate = Rate::from_bps((joint.max_rate() * load) as u64);
        Traffic { joint, rate, arrivals: Arrivals::Constant, flows: 1, seed: 0 }
    }

    const MEANS: Means = Means {
        smallest: Bytes::new(64),
        largest: Bytes::new(1500),
        longest: Duration::from_us(50),
    };

    fn distribution(values: core::ops::Range<u64>) -> impl Strategy<Value = Vec<(u64, f64)>> {
        prop::collection::vec((values, 0.01f64..1.0), 1..8)
    }

    proptest! {
        /// No job size, tried on a fine grid, displaces more than the solution, up to what it is
        /// rounded by.
        #[test]
        fn nothing_beats_the_solution(
            works in distribution(1..5000), sizes in distribution(64..1500),
            load in 0.05f64..1.5, gbps in 0.01f64..5.0, by_ratio in any::<bool>(),
        ) {
            let traffic = traffic(&works, &sizes, load);
            let order = if by_ratio { ServiceOrder::ByRatio } else { ServiceOrder::ByWork };
            let fluid = Fluid::new(&traffic, 1, order);
            let rate = Rate::from_bps((gbps * 1e9) as u64);
            let best = fluid.under(&optimal_shot(&fluid, &MEANS, rate), gbps * 1e9);
            // Two picoseconds of every attack packet, given to the innocent who use them best.
            let density = |atom: &super::super::Atom| {
                atom.size.get() as f64 * 8.0 / atom.work.as_secs_f64()
            };
            let densest = traffic.joint.atoms().iter().map(density).fold(0.0, f64::max);
            let packets = gbps * 1e9 / (MEANS.smallest.get() as f64 * 8.0);
            let tolerance = 2e-12 * packets * densest + 1e-9 * fluid.alone();
            for step in 1..2000u64 {
                let work = Duration::from_ps(MEANS.longest.as_ps() / 2000 * step);
                let other = fluid.under(&Shot::new(MEANS.smallest, work), gbps * 1e9);
                prop_assert!(best <= other + tolerance, "{best} {other} at {work}");
            }
        }
    }

    #[test]
    fn fcfs_takes_the_heaviest_and_estimates_are_exploited() {
        let traffic = traffic(&[(1000, 1.0)], &[(1250, 1.0)], 0.9);
        let attack = optimal_attack(None, &traffic, 1, &MEANS, Rate::from_gbps(1));
        assert_eq!(attack.shots[0].0, MEANS.heaviest());
        let mut atoms = traffic.joint.atoms().to_vec();
        let lie = Duration::from_ns(10);
        atoms.push(super::super::Atom { work: Duration::from_us(9), estimate: lie, ..atoms[0] });
        let joint = Joint::new(atoms).unwrap();
        let traffic = Traffic { joint, ..traffic };
        let fluid = Fluid::new(&traffic, 1, ServiceOrder::ByRatio);
        let shot = worst_shot_of(&traffic.joint, &fluid, Rate::from_gbps(1)).unwrap();
        assert_eq!((shot.work, shot.estimate), (Duration::from_us(9), lie - Duration::from_ps(1)));
    }
}

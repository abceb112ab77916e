//! The attacks that are tried: those of the paper, and what a point of the search stands for.
//!
//! Source: thesis §3.4 and footnote 7 of §3.6.2; lies and points are ours. O(atoms) each.

use forebay_units::{Bytes, Duration, Rate};

use super::super::attack::{Attack, AttackFlows, Shot};
use super::super::displacement::Experiment;
use super::super::fluid::Fluid;
use super::super::optimal::{Means, optimal_attack, optimal_shot, worst_shot_of};
use super::SearchConfig;
use crate::error::SurgeError;

/// What can be chosen, each a number from 0 to 1.
const DIMENSIONS: usize = 11;

/// How many of them: the last two are what is claimed of the packets, where there is a choice.
pub(super) fn dimensions(config: &SearchConfig) -> usize {
    if config.estimates.0 < config.estimates.1 { DIMENSIONS } else { DIMENSIONS - 2 }
}

pub(super) type Point = [f64; DIMENSIONS];

impl SearchConfig {
    /// A packet of this size and work, told as `part` of what it is, or as near to that as can be.
    pub(super) fn told(&self, size: Bytes, work: Duration, part: f64) -> Shot {
        let (least, most) = self.estimates;
        let ps = work.as_ps() as f64 * part.clamp(least, most);
        Shot { size, work, estimate: Duration::from_ps(ps as u64) }
    }
}

/// The paper's optimal attack at rates from the smallest to the largest, announced truly if
/// possible; where estimates are not true, also the worst pair of true and estimated job size of
/// the innocent (footnote 7), and what Eq. 3.8 and 3.9 come to for an adversary whose packets are
/// announced as short as possible.
pub(super) fn of_paper(
    experiment: &Experiment,
    config: &SearchConfig,
) -> Result<Vec<Attack>, SurgeError> {
    let (traffic, simulation) = (experiment.traffic(), experiment.config());
    let (order, servers) = (simulation.scheduler.built()?.order(), simulation.servers);
    let fluid = order
        .filter(|_| config.estimates != (1.0, 1.0))
        .map(|order| Fluid::new(traffic, servers, order));
    let mut attacks = Vec::new();
    for step in 0..=STEPS {
        let rate = rate_of(step, config);
        let ideal = optimal_attack(order, traffic, servers, &config.means, rate);
        let told = |(shot, share): &(Shot, f64)| (config.told(shot.size, shot.work, 1.0), *share);
        attacks.push(Attack { shots: ideal.shots.iter().map(told).collect(), ..ideal });
        if let Some(fluid) = &fluid {
            let forced = worst_shot_of(&traffic.joint, fluid, rate);
            let shots = forced.into_iter().chain([lie(fluid, config, rate)]);
            attacks.extend(shots.map(|shot| Attack::steady(rate, shot)));
        }
    }
    Ok(attacks)
}

/// The optimal packet of an adversary whose packets are announced as short as possible: each bit
/// that is announced is so many times the work.
fn lie(fluid: &Fluid, config: &SearchConfig, rate: Rate) -> Shot {
    let least = config.estimates.0;
    let told = |work: Duration| Duration::from_ps((work.as_ps() as f64 * least) as u64);
    let means = Means { longest: told(config.means.longest), ..config.means };
    let Shot { size, work: estimate, .. } = optimal_shot(fluid, &means, rate.scaled(1.0 / least));
    let work = Duration::from_ps((estimate.as_ps() as f64 / least) as u64);
    Shot { size, work: work.min(config.means.longest), estimate }
}

/// Steps from the smallest rate to the largest.
pub(super) const STEPS: u32 = 8;

pub(super) fn rate_of(step: u32, config: &SearchConfig) -> Rate {
    rate_at(f64::from(step) / f64::from(STEPS), config)
}

fn rate_at(at: f64, config: &SearchConfig) -> Rate {
    let (least, most) = config.rates;
    Rate::from_bps(scale(at, least.as_bps() as f64, most.as_bps() as f64) as u64)
}

/// The attack of a point.
pub(super) fn attack_of(point: &Point, config: &SearchConfig) -> Attack {
    let Means { smallest, largest, longest } = config.means;
    let shot = |size: f64, work: f64, part: f64| {
        let bytes = scale(size, smallest.get() as f64, largest.get() as f64);
        let ps = scale(work, 1e3, longest.as_ps() as f64);
        let size = Bytes::new(bytes as u64).max(Bytes::new(1));
        let part = scale(part, config.estimates.0, config.estimates.1);
        config.told(size, Duration::from_ps(ps as u64), part)
    };
    let [size, work, other_size, other_work, share, burst, few, flows, rate, part, other_part] =
        *point;
    // Half of the range is one kind only, and half is even spacing, so that both are found.
    let share = (2.0 * share - 1.0).max(0.0);
    let burst = scale((2.0 * burst - 1.0).max(0.0), 1.0, f64::from(config.longest_burst));
    let flows = if few < 0.5 {
        AttackFlows::Fresh
    } else {
        AttackFlows::Few(scale(flows, 1.0, 1024.0) as u32)
    };
    let rate = rate_at(rate, config);
    let shots = vec![
        (shot(size, work, part), 1.0 - share),
        (shot(other_size, other_work, other_part), share),
    ];
    let steady = Attack::steady(rate, shots[0].0);
    Attack { shots, flows, burst: (burst as u32).max(1), seed: config.seed, ..steady }
}

/// From `least` to `most`, about evenly in the logarithm: between their bit patterns.
fn scale(at: f64, least: f64, most: f64) -> f64 {
    let (low, high) = (least.to_bits(), most.max(least).to_bits());
    f64::from_bits(low + ((high - low) as f64 * at.clamp(0.0, 1.0)) as u64).min(most.max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_where_they_should() {
        assert_eq!((scale(0.0, 64.0, 1500.0), scale(1.0, 64.0, 1500.0)), (64.0, 1500.0));
        let middle = scale(0.5, 1.0, 1024.0);
        assert!((20.0..50.0).contains(&middle));
    }
}

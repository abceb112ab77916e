//! An adversary who searches: he tries attacks on the running scheduler and keeps what displaces most.
//!
//! Source: none; the paper's optimal attacks assume a steady stream of one kind of packet, unlimited buffers
//! and a long run (Theorem 3). This search assumes none of it: two kinds of packets in any mix, bursts,
//! flows, and the rate, which Eq. 3.1 takes the supremum over, are its to choose. So it finds where a real
//! buffer falls short of the theorem.
//!
//! Method: the paper's optimal attacks at several rates, and the heaviest packets at the same; random ones; then cross-entropy: a population
//! is drawn around the best so far, dimension by dimension, and what the best of it have in common is drawn
//! around next. What counts is the factor without its margin, or the search would find the attacks whose
//! measurement is worst. Deterministic for a seed, on every machine: no logarithm or exponential is used, scales are
//! interpolated between the bit patterns of numbers. Complexity: one simulation per attack tried.

use forebay_units::{Bytes, Duration, Rate};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::attack::{Attack, AttackFlows, Shot};
use super::displacement::{Displacement, Experiment};
use super::optimal::{Means, optimal_attack};
use crate::error::SurgeError;

/// The parameters of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchConfig {
    /// What the adversary can craft.
    pub means: Means,
    /// The smallest and the largest rate he may use.
    pub rates: (Rate, Rate),
    /// The longest burst, in packets.
    pub longest_burst: u32,
    /// Attacks drawn at random to begin with, at least 1.
    pub random: u32,
    /// Rounds of cross-entropy.
    pub rounds: u32,
    /// Attacks per round.
    pub population: u32,
    /// How many of a round, the best, decide where the next is drawn; at least 1.
    pub elite: u32,
    /// Of the search.
    pub seed: u64,
}

impl SearchConfig {
    /// 60 random attacks, then 8 rounds of 24 with 6 elite, at 1 Mb/s to 10 Gb/s, bursts up to 4096.
    #[must_use]
    pub fn new(means: Means) -> Self {
        let rates = (Rate::from_bps(1_000_000), Rate::from_gbps(10));
        let (random, rounds, population, elite) = (60, 8, 24, 6);
        SearchConfig {
            means,
            rates,
            longest_burst: 4096,
            random,
            rounds,
            population,
            elite,
            seed: 1,
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The attack that displaced most for its rate.
    pub attack: Attack,
    /// What it achieved.
    pub displacement: Displacement,
    /// The best of the paper's optimal attacks, without its margin, for comparison.
    pub best_of_paper: f64,
    /// Attacks tried.
    pub tried: u32,
    /// The best after the first round, the second, and so on, without margins.
    pub history: Vec<f64>,
}

/// What can be chosen, each a number from 0 to 1.
const DIMENSIONS: usize = 9;

type Point = [f64; DIMENSIONS];

/// Looks for the attack with the largest displacement factor.
///
/// # Errors
/// A parameter out of range.
pub fn search(experiment: &Experiment, config: &SearchConfig) -> Result<Found, SurgeError> {
    for (name, value) in [("random", config.random), ("elite", config.elite)] {
        if value == 0 {
            return Err(SurgeError::Zero(name));
        }
    }
    let mut best: Option<(Attack, Displacement)> = None;
    let mut tried = 0;
    let mut attempt = |attack: Attack| -> Result<f64, SurgeError> {
        tried += 1;
        let result = experiment.under(&attack)?;
        if best.as_ref().is_none_or(|(_, other)| result.certain() > other.certain()) {
            best = Some((attack, result));
        }
        Ok(result.certain())
    };
    let mut best_of_paper = f64::NEG_INFINITY;
    for attack in of_paper(experiment, config) {
        best_of_paper = best_of_paper.max(attempt(attack)?);
    }
    for step in 0..=STEPS {
        attempt(Attack::steady(rate_of(step, config), config.means.heaviest()))?;
    }
    let mut rng = stream(config.seed, "search", 0);
    let mut scored = Vec::new();
    for _ in 0..config.random {
        let point: Point = core::array::from_fn(|_| uniform(&mut rng));
        scored.push((attempt(attack_of(&point, config))?, point));
    }
    let mut history = Vec::new();
    for _ in 0..config.rounds {
        let (mean, deviation) = elite(&mut scored, config.elite);
        // The best stay, so that a round of bad luck loses nothing.
        scored.truncate(config.elite as usize);
        for _ in 0..config.population {
            let point = draw(&mut rng, &mean, &deviation);
            scored.push((attempt(attack_of(&point, config))?, point));
        }
        history.push(scored.iter().map(|(factor, _)| *factor).fold(best_of_paper, f64::max));
    }
    let (attack, displacement) = best.ok_or(SurgeError::Empty("the search"))?;
    Ok(Found { attack, displacement, best_of_paper, tried, history })
}

/// The paper's optimal attack at rates from the smallest to the largest.
fn of_paper(experiment: &Experiment, config: &SearchConfig) -> Vec<Attack> {
    let simulation = experiment.config();
    let rates = (0..=STEPS).map(|step| rate_of(step, config));
    rates
        .map(|rate| {
            let (traffic, servers) = (experiment.traffic(), simulation.servers);
            optimal_attack(simulation.policy, traffic, servers, &config.means, rate)
        })
        .collect()
}

/// Steps from the smallest rate to the largest.
const STEPS: u32 = 8;

fn rate_of(step: u32, config: &SearchConfig) -> Rate {
    rate_at(f64::from(step) / f64::from(STEPS), config)
}

fn rate_at(at: f64, config: &SearchConfig) -> Rate {
    let (least, most) = config.rates;
    Rate::from_bps(scale(at, least.as_bps() as f64, most.as_bps() as f64) as u64)
}

/// The attack of a point.
fn attack_of(point: &Point, config: &SearchConfig) -> Attack {
    let Means { smallest, largest, longest } = config.means;
    let shot = |size: f64, work: f64| {
        let bytes = scale(size, smallest.get() as f64, largest.get() as f64);
        let ps = scale(work, 1e3, longest.as_ps() as f64);
        Shot::new(Bytes::new(bytes as u64).max(Bytes::new(1)), Duration::from_ps(ps as u64))
    };
    let [size, work, other_size, other_work, share, burst, few, flows, rate] = *point;
    // Half of the range is one kind only, and half is even spacing, so that both are found.
    let share = (2.0 * share - 1.0).max(0.0);
    let burst = scale((2.0 * burst - 1.0).max(0.0), 1.0, f64::from(config.longest_burst));
    let flows = if few < 0.5 {
        AttackFlows::Fresh
    } else {
        AttackFlows::Few(scale(flows, 1.0, 1024.0) as u32)
    };
    let rate = rate_at(rate, config);
    let shots = vec![(shot(size, work), 1.0 - share), (shot(other_size, other_work), share)];
    let steady = Attack::steady(rate, shots[0].0);
    Attack { shots, flows, burst: (burst as u32).max(1), seed: config.seed, ..steady }
}

/// From `least` to `most`, about evenly in the logarithm: between their bit patterns.
fn scale(at: f64, least: f64, most: f64) -> f64 {
    let (low, high) = (least.to_bits(), most.max(least).to_bits());
    f64::from_bits(low + ((high - low) as f64 * at.clamp(0.0, 1.0)) as u64).min(most.max(least))
}

/// Sorts by factor, best first; mean and standard deviation of the first `count`.
fn elite(scored: &mut [(f64, Point)], count: u32) -> (Point, Point) {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = &scored[..scored.len().min(count as usize)];
    let n = best.len() as f64;
    let mean: Point =
        core::array::from_fn(|d| best.iter().map(|(_, point)| point[d]).sum::<f64>() / n);
    let deviation = core::array::from_fn(|d| {
        let squares = best.iter().map(|(_, point)| (point[d] - mean[d]) * (point[d] - mean[d]));
        // Never certain: a tenth of what there is of doubt at the beginning stays.
        (squares.sum::<f64>() / n).sqrt().max(0.03)
    });
    (mean, deviation)
}

/// A point around `mean`; the sum of twelve uniform numbers is near enough to normal.
fn draw(rng: &mut ChaCha8Rng, mean: &Point, deviation: &Point) -> Point {
    core::array::from_fn(|d| {
        let normal: f64 = (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0;
        (mean[d] + deviation[d] * normal).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Arrivals, Joint, SimulationConfig, Traffic};
    use super::*;
    use crate::SchedulerConfig;

    fn found(policy: &'static str) -> Found {
        let joint =
            Joint::product(&[(Bytes::new(1500), 1.0)], &[(Duration::from_us(1), 1.0)]).unwrap();
        let (rate, arrivals) = (Rate::from_gbps(6), Arrivals::Constant);
        let traffic = Traffic { joint, rate, arrivals, flows: 10, seed: 1 };
        let (warmup, measured) = (Duration::from_ms(1), Duration::from_ms(10));
        let scheduler = SchedulerConfig { capacity: 16, ..SchedulerConfig::default() };
        let simulation =
            SimulationConfig { scheduler, warmup, measured, ..SimulationConfig::new(policy) };
        let experiment = Experiment::new(traffic, simulation).unwrap();
        let longest = Duration::from_us(100);
        let means = Means { smallest: Bytes::new(64), largest: Bytes::new(1500), longest };
        let (random, rounds, population) = (20, 2, 8);
        let config = SearchConfig { random, rounds, population, ..SearchConfig::new(means) };
        search(&experiment, &config).unwrap()
    }

    #[test]
    fn it_breaks_the_bound_where_the_buffer_is_shallow_and_repeats_itself() {
        let wsjf = found("wsjf");
        assert!(wsjf.displacement.certain() >= wsjf.best_of_paper.max(10.0), "{wsjf:?}");
        assert_eq!(wsjf, found("wsjf"));
        assert_eq!(wsjf.tried, 9 + 9 + 20 + 2 * 8);
        let preemptive = found("wsjf-preemptive");
        assert!(preemptive.displacement.certain() < 0.7, "{preemptive:?}");
    }

    #[test]
    fn scales_end_where_they_should() {
        assert_eq!((scale(0.0, 64.0, 1500.0), scale(1.0, 64.0, 1500.0)), (64.0, 1500.0));
        let middle = scale(0.5, 1.0, 1024.0);
        assert!((20.0..50.0).contains(&middle));
    }
}

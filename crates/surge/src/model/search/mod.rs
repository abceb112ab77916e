//! An adversary who searches: they try attacks on the running scheduler and keep what displaces
//! most.
//!
//! Source: none; the paper's optimal attacks assume a steady stream of one kind of packet,
//! unlimited buffers and a long run (Theorem 3). This search assumes none of it: two kinds of
//! packets in any mix, bursts, flows, and the rate, which Eq. 3.1 takes the supremum over, are its
//! to choose; and what the scheduler is told of a packet's job size, as far as the estimator can be
//! deceived ([`SearchConfig::estimates`]). So it finds where a real buffer, or an estimator, falls
//! short of the theorem.
//!
//! Method: the paper's optimal attacks at several rates, with lies if there can be any, and the
//! heaviest packets at the same; random ones; then cross-entropy: a population is drawn around the
//! best so far, dimension by dimension, and what the best of it have in common is drawn around
//! next. What counts is the factor without its margin, or the search would find the attacks whose
//! measurement is worst. Deterministic for a seed, on every machine: no logarithm or exponential is
//! used, scales are interpolated between the bit patterns of numbers. Complexity: one simulation
//! per attack tried.

mod attacks;

use forebay_units::Rate;
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::attack::Attack;
use super::displacement::{Displacement, Experiment};
use super::optimal::Means;
use crate::error::SurgeError;
use attacks::{Point, STEPS, attack_of, dimensions, of_paper, rate_of};

/// The parameters of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchConfig {
    /// What the adversary can craft.
    pub means: Means,
    /// The smallest and the largest estimate that they can have for a packet, each over its true
    /// job size. (1, 1) if the scheduler knows; [`Joint::estimates`](super::Joint::estimates) if
    /// they can do what innocent packets do; less than 1 lets them lie.
    pub estimates: (f64, f64),
    /// The smallest and the largest rate they may use.
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
    /// 60 random attacks, then 8 rounds of 24 with 6 elite, at 1 Mb/s to 10 Gb/s, bursts up to
    /// 4096, estimates that are true.
    #[must_use]
    pub fn new(means: Means) -> Self {
        let rates = (Rate::from_bps(1_000_000), Rate::from_gbps(10));
        let (random, rounds, population, elite) = (60, 8, 24, 6);
        SearchConfig {
            means,
            estimates: (1.0, 1.0),
            rates,
            longest_burst: 4096,
            random,
            rounds,
            population,
            elite,
            seed: 1,
        }
    }

    /// Finds a parameter out of range, as [`search`] does before it begins.
    ///
    /// # Errors
    /// Names it.
    pub fn check(&self) -> Result<(), SurgeError> {
        for (name, value) in [("random", self.random), ("elite", self.elite)] {
            if value == 0 {
                return Err(SurgeError::Zero(name));
            }
        }
        let (least, most) = self.estimates;
        let range = "[1e-9, 1e9]";
        for (name, value) in [("least_estimate", least), ("most_estimate", most)] {
            if !(1e-9..=1e9).contains(&value) {
                return Err(SurgeError::OutOfRange { name, value, range });
            }
        }
        if least > most {
            let range = "[1e-9, most_estimate]";
            return Err(SurgeError::OutOfRange { name: "least_estimate", value: least, range });
        }
        Ok(())
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

/// Looks for the attack with the largest displacement factor.
///
/// # Errors
/// A parameter out of range.
pub fn search(experiment: &Experiment, config: &SearchConfig) -> Result<Found, SurgeError> {
    config.check()?;
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
    for attack in of_paper(experiment, config)? {
        best_of_paper = best_of_paper.max(attempt(attack)?);
    }
    let heaviest = config.told(config.means.smallest, config.means.longest, 1.0);
    for step in 0..=STEPS {
        attempt(Attack::steady(rate_of(step, config), heaviest))?;
    }
    let mut rng = stream(config.seed, "search", 0);
    let mut scored = Vec::new();
    for _ in 0..config.random {
        let point = drawn(dimensions(config), |_| uniform(&mut rng));
        scored.push((attempt(attack_of(&point, config))?, point));
    }
    let mut history = Vec::new();
    for _ in 0..config.rounds {
        let (mean, deviation) = elite(&mut scored, config.elite);
        // The best stay, so that a round of bad luck loses nothing.
        scored.truncate(config.elite as usize);
        for _ in 0..config.population {
            let point = drawn(dimensions(config), |d| near(&mut rng, mean[d], deviation[d]));
            scored.push((attempt(attack_of(&point, config))?, point));
        }
        history.push(scored.iter().map(|(factor, _)| *factor).fold(best_of_paper, f64::max));
    }
    let (attack, displacement) = best.ok_or(SurgeError::Empty("the search"))?;
    Ok(Found { attack, displacement, best_of_paper, tried, history })
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

/// A point of so many dimensions; nothing is drawn for the others, so that they change nothing.
fn drawn(dimensions: usize, mut draw: impl FnMut(usize) -> f64) -> Point {
    core::array::from_fn(|d| if d < dimensions { draw(d) } else { 0.0 })
}

/// A number around `mean`; the sum of twelve uniform numbers is near enough to normal.
fn near(rng: &mut ChaCha8Rng, mean: f64, deviation: f64) -> f64 {
    let normal: f64 = (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0;
    (mean + deviation * normal).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::{Arrivals, Joint, SimulationConfig, Traffic};
    use super::*;
    use crate::SchedulerConfig;
    use forebay_units::{Bytes, Duration};

    fn found(policy: &str, capacity: usize, estimates: (f64, f64)) -> Found {
        let joint =
            Joint::product(&[(Bytes::new(1500), 1.0)], &[(Duration::from_us(1), 1.0)]).unwrap();
        let (rate, arrivals) = (Rate::from_gbps(6), Arrivals::Constant);
        let traffic = Traffic { joint, rate, arrivals, flows: 10, seed: 1 };
        let (warmup, measured) = (Duration::from_ms(1), Duration::from_ms(10));
        let scheduler = SchedulerConfig { capacity, ..SchedulerConfig::under(policy).unwrap() };
        let simulation = SimulationConfig { warmup, measured, ..SimulationConfig::new(scheduler) };
        let experiment = Experiment::new(traffic, simulation).unwrap();
        let longest = Duration::from_us(100);
        let means = Means { smallest: Bytes::new(64), largest: Bytes::new(1500), longest };
        let (random, rounds, population) = (20, 2, 8);
        let config =
            SearchConfig { estimates, random, rounds, population, ..SearchConfig::new(means) };
        search(&experiment, &config).unwrap()
    }

    const TRUE: (f64, f64) = (1.0, 1.0);

    #[test]
    fn an_estimator_that_can_be_deceived_is() {
        let told = |found: &Found| {
            let (shot, _) = found.attack.shots[0];
            shot.estimate.as_secs_f64() / shot.work.as_secs_f64()
        };
        let [truth, lied] = [TRUE, (0.02, 1.0)].map(|range| found("wsjf", 1024, range));
        assert!(truth.displacement.certain() < 0.6 && told(&truth) == 1.0, "{truth:?}");
        assert!(lied.displacement.certain() > 3.0 && told(&lied) < 0.2, "{lied:?}");
        // A job is served for no more than its bits are worth, whatever is said of it.
        let revised = found("wsjf-preemptive", 1024, (0.02, 1.0));
        assert!(revised.displacement.certain() < 0.6, "{revised:?}");
        // Told longer than it is, they harm themselves.
        let boasted = found("wsjf", 1024, (1.0, 50.0));
        assert!(boasted.displacement.certain() < 0.6, "{boasted:?}");
    }

    #[test]
    fn ranges_that_cannot_be_are_named() {
        let means = Means {
            smallest: Bytes::new(64),
            largest: Bytes::new(1500),
            longest: Duration::from_us(1),
        };
        for estimates in [(0.0, 1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (2.0, 1.0)] {
            let config = SearchConfig { estimates, ..SearchConfig::new(means) };
            let error = config.check().unwrap_err().to_string();
            assert!(error.contains("estimate is"), "{error}");
        }
    }

    #[test]
    fn it_breaks_the_bound_where_the_buffer_is_shallow_and_repeats_itself() {
        let wsjf = found("wsjf", 16, TRUE);
        assert!(wsjf.displacement.certain() >= wsjf.best_of_paper.max(10.0), "{wsjf:?}");
        assert_eq!(wsjf, found("wsjf", 16, TRUE));
        assert_eq!(wsjf.tried, 9 + 9 + 20 + 2 * 8);
        let preemptive = found("wsjf-preemptive", 16, TRUE);
        assert!(preemptive.displacement.certain() < 0.7, "{preemptive:?}");
    }
}

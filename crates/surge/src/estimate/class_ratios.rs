//! Candidate rules with learned ratios.
//!
//! Source: thesis §3.5.2, full matching: for the list K of candidate rules of a packet of size p,
//! `J = Σ z_k p` over K, where `z_k` is the largest ratio of job size to packet size seen for rule
//! k. The paper does not say what `z_k` is before rule k has run, nor how the time of a packet with
//! several candidates is divided among them. A rule begins with a given ratio. A processor that
//! times each rule says so with [`ClassRatios::observe`]; otherwise the time of a packet is divided
//! in proportion to the ratios, so that one that took as long as expected teaches nothing.
//!
//! *Decay* (ours). The paper's largest ratio seen is kept for ever, so that an attacker teaches it
//! once: a first few slow packets, and every later packet of the rule is estimated as one of them,
//! dropped before all others, and never run, so that nothing corrects it. Here a learned ratio
//! loses half in a [half-life](ClassRatios::with_half_life), down to the given one, unless it is
//! seen again. It is counted in jobs that ran, of whatever class, since a class that is dropped
//! runs no jobs. In exchange an attacker of ratio z among innocents of ratio y is underestimated
//! once in about log2(z / y) half-lives, by at most the jobs that wait then.
//!
//! Complexity: O(candidates). Memory: 16 bytes per rule; the rules are fixed.

use forebay_units::{Bytes, Duration};

use super::Estimator;

/// The half-life of a learned ratio unless another is given, in jobs that ran: long against what
/// waits (1024), so that an attack is hardly ever underestimated, and a second of a processor whose
/// jobs take a hundred microseconds.
pub const DEFAULT_HALF_LIFE: u64 = 10_000;

/// The largest ratio seen of a class.
#[derive(Clone, Copy, Debug)]
struct Learned {
    /// Seconds per byte.
    ratio: f64,
    /// How many jobs had run when it was seen.
    at: u64,
}

/// Job sizes as sums over an item's classes (candidate rules) of learned ratios.
///
/// ```
/// use forebay_surge::estimate::{ClassRatios, Estimator};
/// use forebay_units::{Bytes, Duration};
///
/// struct Packet { candidates: Vec<u32> }
/// let rules = |packet: &Packet| packet.candidates.clone();
/// let mut estimator = ClassRatios::new(1000, 1e-9, rules).with_half_life(100);
/// estimator.observe(7, Bytes::new(100), Duration::from_us(1)); // 10 ns per byte
/// let features = estimator.features(&Packet { candidates: vec![7, 8] });
/// assert!((estimator.estimate(&features, Bytes::new(1000)) - 11e-6).abs() < 1e-12);
/// for _ in 0..200 {
///     estimator.job_ran();
/// }
/// assert!((estimator.ratio(7) - 2.5e-9).abs() < 1e-15); // two half-lives
/// ```
#[derive(Clone, Debug)]
pub struct ClassRatios<F> {
    learned: Vec<Learned>,
    /// That of a class of which nothing is known, and the least of any.
    first: f64,
    /// In jobs; 0 for no decay.
    half_life: u64,
    /// Jobs that ran.
    jobs: u64,
    classes: F,
}

impl<F> ClassRatios<F> {
    /// Classes `0 .. count`, each beginning with `first` seconds per byte; `classes` lists an
    /// item's. What is learned has a half-life of [`DEFAULT_HALF_LIFE`] jobs.
    pub fn new(count: usize, first: f64, classes: F) -> Self {
        let learned = vec![Learned { ratio: first, at: 0 }; count];
        ClassRatios { learned, first, half_life: DEFAULT_HALF_LIFE, jobs: 0, classes }
    }

    /// The same with another half-life, in jobs that ran; 0 for none, as in the paper.
    #[must_use]
    pub fn with_half_life(self, jobs: u64) -> Self {
        ClassRatios { half_life: jobs, ..self }
    }

    /// The ratio of a class now, in seconds per byte.
    #[must_use]
    pub fn ratio(&self, class: u32) -> f64 {
        let learned = self.learned.get(class as usize);
        learned.map_or(self.first, |learned| self.first.max(learned.ratio * self.kept(learned.at)))
    }

    /// What is left of a ratio that was learned after so many jobs: halved in every half-life, in a
    /// straight line between.
    fn kept(&self, at: u64) -> f64 {
        let age = self.jobs - at;
        let Some(halvings) = age.checked_div(self.half_life) else { return 1.0 };
        let part = (age % self.half_life) as f64 / self.half_life as f64;
        0.5f64.powi(halvings.min(1100) as i32) * (1.0 - part / 2.0)
    }

    /// One class alone took `actual` for an item of this size.
    pub fn observe(&mut self, class: u32, size: Bytes, actual: Duration) {
        self.raise(class, actual.as_secs_f64() / size.get().max(1) as f64);
    }

    /// A job ran, of whatever classes: what was learned before is older.
    /// [`learn`](Estimator::learn) tells it itself; for those who tell the times of classes
    /// instead.
    pub fn job_ran(&mut self) {
        self.jobs += 1;
    }

    fn raise(&mut self, class: u32, ratio: f64) {
        if ratio > self.ratio(class)
            && let Some(learned) = self.learned.get_mut(class as usize)
        {
            *learned = Learned { ratio, at: self.jobs };
        }
    }
}

impl<T, F: FnMut(&T) -> Vec<u32>> Estimator<T> for ClassRatios<F> {
    type Features = Vec<u32>;

    fn features(&mut self, item: &T) -> Vec<u32> {
        (self.classes)(item)
    }

    fn estimate(&self, classes: &Vec<u32>, size: Bytes) -> f64 {
        let sum: f64 = classes.iter().map(|class| self.ratio(*class)).sum();
        sum * size.get().max(1) as f64
    }

    fn learn(&mut self, classes: &Vec<u32>, size: Bytes, actual: Duration) {
        self.job_ran();
        let expected = Estimator::<T>::estimate(self, classes, size);
        let factor = actual.as_secs_f64() / expected;
        if factor.is_finite() {
            for class in classes {
                self.raise(*class, self.ratio(*class) * factor);
            }
        } else if let [class] = classes[..] {
            self.observe(class, size, actual);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use forebay_units::Time;

    use super::*;
    use crate::{FlowKey, Protect, ProtectConfig, SchedulerConfig};

    #[test]
    fn only_a_surprise_raises_a_ratio() {
        let own: fn(&Vec<u32>) -> Vec<u32> = Clone::clone;
        let mut estimator = ClassRatios::new(3, 1e-9, own).with_half_life(0);
        let size = Bytes::new(100);
        let learn = |estimator: &mut ClassRatios<_>, classes: &[u32], ns| {
            Estimator::<Vec<u32>>::learn(estimator, &classes.to_vec(), size, Duration::from_ns(ns));
        };
        learn(&mut estimator, &[0, 1], 100);
        assert!((estimator.ratio(0) - 1e-9).abs() < 1e-18);
        learn(&mut estimator, &[0, 1], 400);
        let near = |ratio: f64| (ratio - 2e-9).abs() < 1e-18;
        assert!(near(estimator.ratio(0)) && near(estimator.ratio(1)));
        learn(&mut estimator, &[99], 400); // a class that does not exist
        learn(&mut estimator, &[], 400);
        assert!((estimator.ratio(2) - 1e-9).abs() < 1e-18);
        let mut from_nothing = ClassRatios::new(1, 0.0, own);
        learn(&mut from_nothing, &[0], 100);
        assert!((from_nothing.ratio(0) - 1e-9).abs() < 1e-18);
    }

    #[test]
    fn a_ratio_halves_in_its_half_life_and_never_falls_below_the_first() {
        let mut estimator = ClassRatios::new(1, 1e-9, |_: &()| vec![0]);
        let kilobyte = Bytes::new(1000);
        let observe = |estimator: &mut ClassRatios<_>, us| {
            estimator.observe(0, kilobyte, Duration::from_us(us));
        };
        observe(&mut estimator, 800);
        let mut ratios = vec![estimator.ratio(0)];
        for job in 1..=20 * DEFAULT_HALF_LIFE {
            estimator.job_ran();
            ratios.push(estimator.ratio(0));
            if job == DEFAULT_HALF_LIFE / 2 {
                observe(&mut estimator, 1); // nothing new
            }
        }
        let at = |half_lives: f64| ratios[(half_lives * DEFAULT_HALF_LIFE as f64) as usize] * 1e9;
        for (half_lives, expected) in [(0.5, 600.0), (1.0, 400.0), (1.5, 300.0), (3.0, 100.0)] {
            assert!((at(half_lives) - expected).abs() < 1e-6, "{half_lives}");
        }
        assert!((at(20.0) - 1.0).abs() < 1e-9);
        assert!(ratios.is_sorted_by(|a, b| a >= b));
        observe(&mut estimator, 800);
        assert!((estimator.ratio(0) * 1e9 - 800.0).abs() < 1e-6, "seen again");
        estimator.jobs = u64::MAX; // for ever
        assert!((estimator.ratio(0) * 1e9 - 1.0).abs() < 1e-9);
    }

    /// How many of 3000 jobs that are served are of class 0, whose first was an attacker's and took
    /// a millisecond. Twice as much comes as can be served, half of it of class 0, which is the
    /// faster in truth.
    fn served_of_a_poisoned_class(half_life: u64) -> usize {
        let scheduler = SchedulerConfig { capacity: 10, ..SchedulerConfig::under("wsjf").unwrap() };
        let config = ProtectConfig { scheduler, ..ProtectConfig::default() };
        let clock = Cell::new(Time::ZERO);
        // A class, and what its job takes.
        let describe = |_: &(u32, Duration)| (FlowKey(0), Bytes::new(100));
        let classes = |job: &(u32, Duration)| vec![job.0];
        let estimator = ClassRatios::new(2, 1e-9, classes).with_half_life(half_life);
        let run = |(class, took): (u32, Duration)| {
            clock.set(clock.get() + took);
            class
        };
        let mut protect = Protect::new(&config, describe, estimator, run).unwrap();
        let _ = protect.offer(clock.get(), (0, Duration::from_us(1000)));
        protect.poll(|| clock.get());
        let mut serve = |_| {
            for (class, us) in [(0, 1), (1, 2)] {
                let _ = protect.offer(clock.get(), (class, Duration::from_us(us)));
            }
            protect.poll(|| clock.get()).is_some_and(|done| done.result == 0)
        };
        (0..3000).map(&mut serve).filter(|of_class_0| *of_class_0).count()
    }

    #[test]
    fn a_poisoned_class_recovers_although_none_of_it_is_served() {
        assert_eq!(served_of_a_poisoned_class(0), 0, "the paper's rule never forgets");
        let served = served_of_a_poisoned_class(100);
        assert!(served > 1000, "{served}");
    }
}

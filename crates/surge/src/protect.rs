//! A processor behind a scheduler that an attacker cannot exploit: what a user embeds in front of a
//! parser, a decompressor, a regex engine, a handler of requests.
//!
//! Source: thesis §3.5, SurgeProtector as a drop-in in front of a variable-time subsystem. The
//! caller gives the time. A job that runs is never interrupted, so `wsjf-preemptive` is WSJF here;
//! a processor that can stop and go on uses [`Scheduler`] itself.
//!
//! Complexity: the policy's, the estimator's, the processor's. Memory: at most `capacity` + 1
//! items.

use forebay_parameters::UnknownName;
use forebay_units::{Bytes, Duration, Time};

use crate::error::SurgeError;
use crate::estimate::{Calibrated, Calibration, Clamped, EstimateLimits, Estimator};
use crate::job::{FlowKey, Job};
use crate::scheduler::{JobCounts, Offered, Scheduler, SchedulerConfig};

/// The parameters of a [`Protect`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProtectConfig {
    /// Policy, buffer size, drop rule.
    pub scheduler: SchedulerConfig,
    /// Between what estimates are clamped; by default 1 ns and 1 s.
    pub limits: EstimateLimits,
}

impl ProtectConfig {
    /// The defaults, under a built-in policy.
    ///
    /// # Errors
    /// No policy has this name.
    pub fn under(name: &str) -> Result<Self, UnknownName> {
        Ok(ProtectConfig { scheduler: SchedulerConfig::under(name)?, ..ProtectConfig::default() })
    }
}

/// What a [`Protect`] has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Jobs.
    pub counts: JobCounts,
    /// Bytes of the jobs that arrived.
    pub offered: Bytes,
    /// Bytes of the jobs that were dropped.
    pub dropped: Bytes,
    /// Bytes of the jobs that ran.
    pub served: Bytes,
    /// The time that they ran.
    pub busy: Duration,
    /// The time that they waited, together.
    pub waited: Duration,
    /// The longest wait among them.
    pub longest_wait: Duration,
    /// The estimator's error.
    pub calibration: Calibration,
    /// The estimator's unusable answers.
    pub clamped: Clamped,
}

/// An item in the buffer.
struct Held<T, F> {
    item: T,
    features: F,
    arrived: Time,
}

/// A job that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<R> {
    /// What the processor gave back.
    pub result: R,
    /// The job, with its estimated size.
    pub job: Job,
    /// How long it waited.
    pub waited: Duration,
    /// How long it ran.
    pub took: Duration,
}

/// Wraps a processor `P` of items `T`: `D` tells flow and size, `E` guesses the work.
///
/// ```
/// use forebay_surge::estimate::Linear;
/// use forebay_surge::{FlowKey, Protect, ProtectConfig};
/// use forebay_units::{Bytes, Duration, Time};
///
/// struct Request { user: u64, body: String }
///
/// let describe = |request: &Request| (FlowKey(request.user), Bytes::new(request.body.len() as u64));
/// let parse = |request: Request| request.body.parse::<i64>().is_ok();
/// let estimator = Linear::new(1e-6, 1000.0)?;
/// let mut parser = Protect::new(&ProtectConfig::default(), describe, estimator, parse)?;
///
/// let mut now = Time::ZERO; // of any clock; here, one that ticks when it is read
/// let mut clock = || { now = now + Duration::from_us(1); now };
/// for (user, body) in [(1, "42"), (2, "x")] {
///     let lost = parser.offer(clock(), Request { user, body: body.to_owned() });
///     assert!(lost.dropped().is_none());
/// }
/// let mut valid = 0;
/// while let Some(done) = parser.poll(&mut clock) {
///     valid += u32::from(done.result);
/// }
/// assert_eq!((valid, parser.statistics().counts.served), (1, 2));
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
pub struct Protect<T, D, E: Estimator<T>, P> {
    scheduler: Scheduler<Held<T, E::Features>>,
    describe: D,
    estimator: Calibrated<E>,
    processor: P,
    statistics: Statistics,
}

impl<T, R, D, E, P> Protect<T, D, E, P>
where
    D: FnMut(&T) -> (FlowKey, Bytes),
    E: Estimator<T>,
    P: FnMut(T) -> R,
{
    /// Puts a scheduler in front of `processor`.
    ///
    /// # Errors
    /// An unknown policy, or a parameter out of range.
    pub fn new(
        config: &ProtectConfig,
        describe: D,
        estimator: E,
        processor: P,
    ) -> Result<Self, SurgeError> {
        Ok(Protect {
            scheduler: Scheduler::new(&config.scheduler)?,
            describe,
            estimator: Calibrated::new(estimator, config.limits)?,
            processor,
            statistics: Statistics::default(),
        })
    }

    /// An item arrives; tells which item was dropped, if one was.
    pub fn offer(&mut self, now: Time, item: T) -> Offered<T> {
        let (flow, size) = (self.describe)(&item);
        let (features, work) = self.estimator.estimate(&item, size);
        self.statistics.offered += size;
        let held = Held { item, features, arrived: now };
        let offered = self.scheduler.offer(now, Job::new(flow, size, work), held);
        offered.map(|out| {
            self.statistics.dropped += out.job.size;
            out.item.item
        })
    }

    /// Runs the next job, if one waits. The clock is read before and after.
    pub fn poll(&mut self, mut clock: impl FnMut() -> Time) -> Option<Done<R>> {
        let next = self.scheduler.poll()?;
        let Held { item, features, arrived } = next.item;
        let start = clock();
        let result = (self.processor)(item);
        let took = clock().since(start);
        let waited = start.since(arrived);
        self.estimator.learn(&features, next.job.size, next.job.work, took);
        self.statistics.served += next.job.size;
        self.statistics.busy += took;
        self.statistics.waited += waited;
        self.statistics.longest_wait = self.statistics.longest_wait.max(waited);
        Some(Done { result, job: next.job, waited, took })
    }

    /// The number of items that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scheduler.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scheduler.is_empty()
    }

    /// The estimator, to tell it more than the time of whole jobs.
    pub fn estimator_mut(&mut self) -> &mut E {
        self.estimator.inner_mut()
    }

    /// What it has done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics {
            counts: self.scheduler.counts(),
            calibration: self.estimator.calibration(),
            clamped: self.estimator.clamped(),
            ..self.statistics
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Given;

    #[test]
    fn an_attack_is_dropped_and_the_accounts_agree() {
        let config = ProtectConfig {
            scheduler: SchedulerConfig { capacity: 10, ..SchedulerConfig::default() },
            ..ProtectConfig::default()
        };
        let describe = |item: &(u64, u64, f64)| (FlowKey(item.0), Bytes::new(item.1));
        let given = Given::new(|item: &(u64, u64, f64)| item.2);
        let mut protect = Protect::new(&config, describe, given, |item| item.0).unwrap();
        let mut lost = Vec::new();
        for n in 0..30 {
            // Every third is innocent; the others are small and long, or of no known length.
            let work = if n % 3 == 0 {
                1e-6
            } else if n % 3 == 1 {
                1e-3
            } else {
                f64::NAN
            };
            let size = if n % 3 == 0 { 1500 } else { 64 };
            lost.extend(protect.offer(Time::ZERO, (n, size, work)).dropped());
        }
        assert_eq!(lost.len(), 20);
        assert!(lost.iter().all(|item| item.0 % 3 != 0));
        let mut ticks = 0;
        let clock = || {
            ticks += 1;
            Time::from_ps(ticks * 1_000_000)
        };
        let mut clock = clock;
        while let Some(done) = protect.poll(&mut clock) {
            assert_eq!(done.result % 3, 0);
            assert_eq!(done.took, Duration::from_us(1));
        }
        let statistics = protect.statistics();
        assert_eq!(statistics.offered, statistics.served + statistics.dropped);
        assert_eq!(statistics.busy, Duration::from_us(10));
        assert_eq!(statistics.longest_wait, Duration::from_us(19));
        assert_eq!(statistics.clamped.nan, 10);
        assert!(statistics.calibration.error() < 1e-6);
        assert!(protect.is_empty());
    }
}

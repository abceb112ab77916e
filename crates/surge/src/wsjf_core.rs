//! WSJF as hardware has it: the golden model of `rtl/surge`; its page is `docs/rtl-surge.md`.
//!
//! Source: thesis §3.4.4, §3.5.4. It is the [`Scheduler`] itself, drop-largest over buckets, under
//! a rank that hardware can make: [`RatioQuantizer::bucket_by_digits`], with as many buckets an
//! octave and fractional bits as the core has. With 9 and 16 it is the policy `wsjf`, job for job.
//!
//! Sizes have no units: what the core is given as job sizes (cycles, nanoseconds) and as packet
//! sizes. Complexity: O(1) an operation. Memory: the scheduler's.

use forebay_parameters::{Choice, ParameterError};
use forebay_pifo::{BucketQueue, DoubleEnded, RankedQueue};
use forebay_units::{Bytes, Duration, Time};

use crate::error::SurgeError;
use crate::job::{FlowKey, Job, JobTable};
use crate::policies::{JobPolicy, PolicyShape, ServiceOrder};
use crate::ratio::RatioQuantizer;
use crate::scheduler::{DropRule, Offered, Scheduler, SchedulerConfig, Waiting};

/// Parameters of a [`WsjfCore`], those of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WsjfCoreConfig {
    /// The most jobs that may wait, 1 to [`SchedulerConfig::MOST`].
    pub capacity: usize,
    /// 2^`bits` ranks an octave, 1 to [`RatioQuantizer::MOST_BITS`].
    pub bits: u32,
    /// Binary places of a job size per packet size, at most [`RatioQuantizer::MOST_FRACTION`].
    pub fraction: u32,
}

impl Default for WsjfCoreConfig {
    /// The core's defaults: 1024 jobs, 16 ranks an octave, 14 binary places.
    fn default() -> Self {
        WsjfCoreConfig { capacity: 1024, bits: 4, fraction: 14 }
    }
}

impl WsjfCoreConfig {
    fn check(&self) -> Result<(), SurgeError> {
        let most = [
            ("bits", self.bits, RatioQuantizer::MOST_BITS),
            ("fraction", self.fraction, RatioQuantizer::MOST_FRACTION),
        ];
        for (name, value, most) in most {
            if value > most {
                let (value, most) = (u64::from(value), u64::from(most));
                return Err(SurgeError::TooLarge { name, value, most });
            }
        }
        if self.bits == 0 { Err(SurgeError::Zero("bits")) } else { Ok(()) }
    }
}

/// The hardware's WSJF, operation by operation: the smallest job size per packet size is served,
/// the largest dropped when too many wait.
///
/// ```
/// use forebay_surge::{Offered, WsjfCore, WsjfCoreConfig};
///
/// let mut core = WsjfCore::new(&WsjfCoreConfig { capacity: 1, ..Default::default() })?;
/// assert_eq!(core.offer(30_000, 64, "attack"), Offered::Taken);
/// let Offered::Displaced((_, out)) = core.offer(2_000, 1500, "page") else { panic!() };
/// assert_eq!((out, core.poll().map(|(_, next)| next)), ("attack", Some("page")));
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
pub struct WsjfCore<T> {
    scheduler: Scheduler<T>,
    quantizer: RatioQuantizer,
}

forebay_pifo::debug_in_one_line!(
    [T] WsjfCore<T>,
    |core| { len: core.len(), quantizer: core.quantizer }
);

impl<T> WsjfCore<T> {
    /// An empty one.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &WsjfCoreConfig) -> Result<Self, SurgeError> {
        config.check()?;
        let quantizer = RatioQuantizer::new(config.bits, config.fraction);
        let policy = Choice::<dyn JobPolicy>::new(
            "wsjf-core",
            "the smallest job size per packet size first, ranked as hardware does",
            (),
            move |(), _: &PolicyShape| Ok(Box::new(ByDigits::new(quantizer)?) as _),
        );
        let scheduler = Scheduler::new(&SchedulerConfig {
            capacity: config.capacity,
            drop: DropRule::Largest,
            ..SchedulerConfig::new(policy)
        })?;
        Ok(WsjfCore { scheduler, quantizer })
    }

    /// A job arrives; what was dropped, with its rank.
    pub fn offer(&mut self, work: u64, size: u64, item: T) -> Offered<(u64, T)> {
        let job = Job::new(FlowKey::default(), Bytes::new(size), Duration::from_ps(work));
        let quantizer = self.quantizer;
        self.scheduler.offer(Time::ZERO, job, item).map(|out| ranked(quantizer, out))
    }

    /// Takes the job to serve next, with its rank.
    pub fn poll(&mut self) -> Option<(u64, T)> {
        Some(ranked(self.quantizer, self.scheduler.poll()?))
    }

    /// The rank of a job.
    #[must_use]
    pub fn rank(&self, work: u64, size: u64) -> u64 {
        self.quantizer.bucket_by_digits(work, size)
    }

    /// The number of jobs that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scheduler.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scheduler.is_empty()
    }
}

fn rank(quantizer: RatioQuantizer, job: &Job) -> u64 {
    quantizer.bucket_by_digits(job.work.as_ps(), job.size.get())
}

fn ranked<T>(quantizer: RatioQuantizer, out: Waiting<T>) -> (u64, T) {
    (rank(quantizer, &out.job), out.item)
}

/// The order of the core: its ranks, in a queue of as many buckets.
struct ByDigits {
    quantizer: RatioQuantizer,
    queue: BucketQueue<u32>,
}

impl ByDigits {
    fn new(quantizer: RatioQuantizer) -> Result<Self, ParameterError> {
        let queue = BucketQueue::new(quantizer.buckets() as usize, SchedulerConfig::MOST + 1);
        let too_many = |_| ParameterError::value("bits", "there are too many ranks; give fewer");
        Ok(ByDigits { quantizer, queue: queue.map_err(too_many)? })
    }
}

impl JobPolicy for ByDigits {
    fn push(&mut self, _: Time, id: u32, jobs: &JobTable) -> bool {
        self.queue.push(rank(self.quantizer, &jobs.get(id)), id).is_ok()
    }

    fn pop(&mut self, _: &JobTable) -> Option<u32> {
        self.queue.pop_min().map(|(_, id)| id)
    }

    fn drop_largest(&mut self, _: &JobTable) -> Option<u32> {
        self.queue.pop_max().map(|(_, id)| id)
    }

    fn reads_flows(&self) -> bool {
        false
    }

    fn order(&self) -> Option<ServiceOrder> {
        Some(ServiceOrder::ByRatio)
    }

    fn is_bounded(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What an operation does: a job of these sizes arrives, or one is served.
    fn operations() -> impl Strategy<Value = Vec<Option<(u64, u64)>>> {
        let works = prop_oneof![0u64..5, 0u64..2_000_000, any::<u64>()];
        let sizes = prop_oneof![Just(0u64), Just(64), 64u64..1500];
        prop::collection::vec(prop::option::weighted(0.6, (works, sizes)), 1..200)
    }

    proptest! {
        /// With the software's ranks the core is the policy `wsjf`, job for job.
        #[test]
        fn the_core_is_the_policy_wsjf(operations in operations(), capacity in 1usize..20) {
            let config = SchedulerConfig { capacity, ..SchedulerConfig::under("wsjf").unwrap() };
            let mut software = Scheduler::new(&config).unwrap();
            let config = WsjfCoreConfig { capacity, bits: 9, fraction: 16 };
            let mut core = WsjfCore::new(&config).unwrap();
            for (number, operation) in operations.into_iter().enumerate() {
                if let Some((work, size)) = operation {
                    let (bytes, time) = (Bytes::new(size), Duration::from_ps(work));
                    let job = Job::new(FlowKey(0), bytes, time);
                    let expected = software.offer(Time::ZERO, job, number).map(|out| out.item);
                    prop_assert_eq!(core.offer(work, size, number).map(|out| out.1), expected);
                } else {
                    let expected = software.poll().map(|next| next.item);
                    prop_assert_eq!(core.poll().map(|next| next.1), expected);
                }
                prop_assert_eq!(core.len(), software.len());
            }
        }
    }

    #[test]
    fn impossible_parameters_are_named() {
        let error = |capacity, bits, fraction| {
            let config = WsjfCoreConfig { capacity, bits, fraction };
            WsjfCore::<()>::new(&config).err().map(|error| error.to_string())
        };
        assert_eq!(error(0, 4, 14).unwrap(), "capacity is 0; give it at least 1");
        assert_eq!(error(1, 0, 14).unwrap(), "bits is 0; give it at least 1");
        assert_eq!(error(1, 15, 14).unwrap(), "bits is 15; give it at most 14");
        assert_eq!(error(1, 4, 33).unwrap(), "fraction is 33; give it at most 32");
        assert_eq!(error(1, 14, 32), None);
    }
}

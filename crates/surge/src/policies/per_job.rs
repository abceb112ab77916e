//! An order of jobs: each has a rank from its arrival on.
//!
//! Source: thesis §3.4, Extract-Min and Extract-Max of §3.5.4. Complexity and memory: those of the
//! queue underneath, plus what the rank function keeps.

use core::marker::PhantomData;

use forebay_parameters::ParameterError;
use forebay_pifo::{Beyond, BucketQueue, CircularWindow, DoubleEnded, ExactQueue, WindowPolicy};
use forebay_units::Time;

use super::policy::Built;
use super::{JobPolicy, PolicyShape, Ranks, ServiceOrder};
use crate::job::{Job, JobTable};
use crate::rank::{BUCKETS, FromKey, Key};

/// Gives every arriving job its key, and hears when it leaves.
pub(super) trait JobRank: Send {
    /// Whether keys depend on which flow a job is of.
    const READS_FLOWS: bool = false;
    /// By what its keys are in the long run, if that is what jobs cost.
    const ORDER: Option<ServiceOrder>;
    /// Whether the theorem on that order holds.
    const IS_BOUNDED: bool = false;
    /// Whether it hashes the names of flows.
    const READS_SECRET: bool = false;

    /// The key of a job that arrives now.
    fn arrive(&mut self, now: Time, id: u32, job: &Job) -> Key;

    /// The job is served now.
    fn served(&mut self, id: u32, job: &Job) {
        let _ = (id, job);
    }

    /// The job is dropped.
    fn dropped(&mut self, id: u32, job: &Job) {
        let _ = (id, job);
    }
}

/// Jobs ordered by the keys of `K` in the queue `Q` of ranks `R`.
pub(super) struct JobOrder<K, Q, R> {
    keys: K,
    queue: Q,
    rank: PhantomData<R>,
}

impl<K: JobRank, R: FromKey, Q: DoubleEnded<Rank = R, Item = u32> + Send> JobOrder<K, Q, R> {
    pub(super) fn new(keys: K, queue: Q) -> Self {
        JobOrder { keys, queue, rank: PhantomData }
    }

    /// The rank of the job that is next.
    pub(super) fn first(&self) -> Option<R> {
        self.queue.peek_min().map(|(rank, _)| rank)
    }
}

impl<K: JobRank, R: FromKey, Q: DoubleEnded<Rank = R, Item = u32> + Send> JobPolicy
    for JobOrder<K, Q, R>
{
    fn reads_flows(&self) -> bool {
        K::READS_FLOWS
    }

    #[inline]
    fn push(&mut self, now: Time, id: u32, jobs: &JobTable) -> bool {
        let job = jobs.get(id);
        let rank = R::from_key(self.keys.arrive(now, id, &job));
        let taken = self.queue.push(rank, id).is_ok();
        if !taken {
            self.keys.dropped(id, &job);
        }
        taken
    }

    #[inline]
    fn pop(&mut self, jobs: &JobTable) -> Option<u32> {
        let (_, id) = self.queue.pop_min()?;
        self.keys.served(id, &jobs.get(id));
        Some(id)
    }

    #[inline]
    fn drop_largest(&mut self, jobs: &JobTable) -> Option<u32> {
        let (_, id) = self.queue.pop_max()?;
        self.keys.dropped(id, &jobs.get(id));
        Some(id)
    }

    fn order(&self) -> Option<ServiceOrder> {
        K::ORDER
    }

    fn is_bounded(&self) -> bool {
        K::IS_BOUNDED
    }

    fn reads_secret(&self) -> bool {
        K::READS_SECRET
    }
}

/// The largest number of elements in a queue; the scheduler bounds them far below.
const UNBOUNDED: usize = 1 << 31;

/// A queue of jobs under exact ranks.
pub(super) fn exact() -> ExactQueue<u128, u32> {
    ExactQueue::new(UNBOUNDED)
}

/// A queue of jobs under ranks from a fixed range.
pub(super) fn buckets() -> Result<BucketQueue<u32>, ParameterError> {
    BucketQueue::new(BUCKETS, UNBOUNDED).map_err(|_| too_many_buckets())
}

/// The policy that orders jobs by keys from a fixed range.
pub(super) fn by_rank(keys: impl JobRank + 'static, shape: &PolicyShape) -> Built {
    Ok(match shape.ranks {
        Ranks::Exact => Box::new(JobOrder::new(keys, exact())),
        Ranks::Buckets => Box::new(JobOrder::new(keys, buckets()?)),
    })
}

/// The policy that orders jobs by tags that grow for ever. A tag beyond 2^15 of the smallest that
/// waits joins the last bucket.
pub(super) fn by_tag(keys: impl JobRank + 'static, shape: &PolicyShape) -> Built {
    Ok(match shape.ranks {
        Ranks::Exact => Box::new(JobOrder::new(keys, exact())),
        Ranks::Buckets => {
            let policy = WindowPolicy { beyond: Beyond::LastBucket, ..WindowPolicy::default() };
            let window: CircularWindow<u32> =
                CircularWindow::new(BUCKETS, UNBOUNDED, policy).map_err(|_| too_many_buckets())?;
            Box::new(JobOrder::new(keys, window))
        }
    })
}

/// Cannot happen with [`BUCKETS`]; an error rather than a panic if that ever changes.
pub(super) fn too_many_buckets() -> ParameterError {
    ParameterError::value("ranks", "there are too many buckets; give exact ranks")
}

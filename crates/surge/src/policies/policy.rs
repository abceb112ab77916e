//! What a scheduler asks of a policy, and what a policy is built for.

use forebay_parameters::{Family, ParameterError, Word};
use forebay_units::{Duration, Time};

use crate::job::{Job, JobTable};

/// Orders the jobs that wait, by the numbers that the scheduler gave them.
///
/// Every number that [`push`](Self::push) took comes back from exactly one of the other two.
pub trait JobPolicy: Send {
    /// A job of `jobs` begins to wait now; `false` if the order cannot hold it. Time never runs
    /// backwards.
    fn push(&mut self, now: Time, id: u32, jobs: &JobTable) -> bool;

    /// Takes the job to serve next.
    fn pop(&mut self, jobs: &JobTable) -> Option<u32>;

    /// Takes the job that hurts least to lose, the other end of the order.
    fn drop_largest(&mut self, jobs: &JobTable) -> Option<u32>;

    /// Whether it reads which flow a job is of, whatever its parameters.
    fn reads_flows(&self) -> bool {
        true
    }

    /// Whether the job that is next should take the place of `running` now.
    fn preempts(&self, running: &Job) -> bool {
        let _ = running;
        false
    }

    /// How long `running` may go on before the policy wants to revise its job size; `None` for
    /// ever.
    fn slice(&self, running: &Job) -> Option<Duration> {
        let _ = running;
        None
    }

    /// The job size to assume of a job that has used its slice up.
    fn revise(&self, running: &Job) -> Duration {
        running.work
    }

    /// By what it serves in the long run, if that is what jobs cost: the best attack on it follows
    /// from that.
    fn order(&self) -> Option<ServiceOrder> {
        None
    }

    /// Whether the theorem on its [order](JobPolicy::order) bounds the factor of every attack, as
    /// long as it does not drop from the tail (docs/surgeprotector.md).
    fn is_bounded(&self) -> bool {
        false
    }

    /// Whether it hashes the names of flows, so that [`PolicyShape::secret`] matters.
    fn reads_secret(&self) -> bool {
        false
    }
}

/// By what jobs are served in the long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOrder {
    /// Job size: SJF.
    ByWork,
    /// Job size per packet size: WSJF.
    ByRatio,
}

/// How ranks are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranks {
    /// As they are, in interval heaps: O(log n).
    Exact,
    /// In 2^15 buckets: constant, to 1/512 of the rank.
    #[default]
    Buckets,
}

impl Word for Ranks {
    const WORDS: &'static [(&'static str, Self)] =
        &[("exact", Ranks::Exact), ("buckets", Ranks::Buckets)];
}

/// What a policy is built for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyShape {
    /// How ranks are kept.
    pub ranks: Ranks,
    /// Keys the hash of flow names, so that nobody outside can make them collide.
    pub secret: u64,
}

pub(super) type Built = Result<Box<dyn JobPolicy>, ParameterError>;

/// The family of job policies.
impl Family for dyn JobPolicy {
    const WHAT: &'static str = "job policy";
    type Shape = PolicyShape;
    type Built = Box<dyn JobPolicy>;
}

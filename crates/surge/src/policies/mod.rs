//! Scheduling policies: which waiting job is next, and which is dropped. One file each, one registry line.
//!
//! Source: thesis §3.4 and §3.5.3; preemption and fairness are open questions of §3.7.
//!
//! A policy is either an order of jobs (`per_job`: each job has a rank from its arrival on) or an order
//! of flows (`per_flow`: a flow's rank changes, its jobs leave in order). Both are over the queues of
//! `forebay-pifo`, exact (logarithmic) or over buckets (constant).

mod fcfs;
mod flow_table;
mod flow_tags;
mod fq;
mod fq_self_clocked;
mod per_flow;
mod per_job;
mod sjf;
mod step;
mod wsjf;
mod wsjf_fair;
mod wsjf_hoq;
mod wsjf_inorder;
mod wsjf_preemptive;

use forebay_parameters::{Choice, Choices, Family, ParameterError, Registry, Word};
use forebay_units::{Duration, Time};

use crate::job::{Job, JobTable};
pub(crate) use step::OF_BUCKETS;

/// Orders the jobs that wait, by the numbers that the scheduler gave them.
///
/// Every number that [`push`](Self::push) took comes back from exactly one of the other two.
pub trait JobPolicy: Send {
    /// A job of `jobs` begins to wait now; `false` if the order cannot hold it. Time never runs backwards.
    fn push(&mut self, now: Time, id: u32, jobs: &JobTable) -> bool;

    /// Takes the job to serve next.
    fn pop(&mut self, jobs: &JobTable) -> Option<u32>;

    /// Takes the job that hurts least to lose, the other end of the order.
    fn drop_largest(&mut self, jobs: &JobTable) -> Option<u32>;

    /// Whether the job that is next should take the place of `running` now.
    fn preempts(&self, running: &Job) -> bool {
        let _ = running;
        false
    }

    /// How long `running` may go on before the policy wants to revise its job size; `None` for ever.
    fn slice(&self, running: &Job) -> Option<Duration> {
        let _ = running;
        None
    }

    /// The job size to assume of a job that has used its slice up.
    fn revise(&self, running: &Job) -> Duration {
        running.work
    }
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

type Built = Result<Box<dyn JobPolicy>, ParameterError>;

/// The family of job policies.
impl Family for dyn JobPolicy {
    const WHAT: &'static str = "job policy";
    type Shape = PolicyShape;
    type Built = Box<dyn JobPolicy>;
}

/// The built-in policies.
///
/// ```
/// use forebay_parameters::{Choice, set};
/// use forebay_surge::policies::{JobPolicy, PolicyShape, policies};
///
/// let mut patient = policies().named("wsjf-preemptive")?.clone();
/// set(&mut patient, &[("overrun", "2")])?;
/// let error = policies().named("wsfj").unwrap_err().to_string();
/// assert!(error.starts_with("there is no job policy `wsfj`"));
///
/// // One of a caller's own joins them: here, another policy under its own name.
/// let own = Choice::<dyn JobPolicy>::new("patient", "a patient wsjf-preemptive", (),
///     move |(), shape: &PolicyShape| patient.build(shape));
/// assert!(policies().with(own)?.named("patient")?.build(&PolicyShape::default()).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn policies() -> Choices<dyn JobPolicy> {
    Registry::of([
        fcfs::choice(),
        fq::choice(),
        fq_self_clocked::by_packets(),
        fq_self_clocked::by_bytes(),
        fq_self_clocked::by_time(),
        sjf::choice(),
        wsjf::choice(),
        wsjf_hoq::choice(),
        wsjf_inorder::choice(),
        wsjf_preemptive::choice(),
        wsjf_fair::choice(),
    ])
}

/// The policy to take where nothing speaks for another: `wsjf-inorder`.
pub(crate) fn usual() -> Choice<dyn JobPolicy> {
    wsjf_inorder::choice()
}

#[cfg(test)]
mod tests;

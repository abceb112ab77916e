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
mod wsjf;
mod wsjf_fair;
mod wsjf_hoq;
mod wsjf_inorder;
mod wsjf_preemptive;

use forebay_parameters::{Kind, Parameter, Source, Walk, Word};
use forebay_units::{Bytes, Duration, Time};

use crate::error::SurgeError;
use crate::job::{Job, JobTable};

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

/// What policies may be given. The defaults suit packets of hundreds of bytes and jobs of microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyConfig {
    /// How ranks are kept.
    pub ranks: Ranks,
    /// Bytes that `fq-bytes` serves a flow per bucket; quantized ranks only. 2^15 of them are its horizon.
    pub fq_bytes_step: Bytes,
    /// Work that `fq` and `fq-time` serve a flow per bucket; quantized ranks only.
    pub fq_time_step: Duration,
    /// `wsjf-preemptive`: a job may run for this many times its estimate before it is revised; at least 1.
    pub overrun: u32,
    /// `wsjf-fair`: at most this many waiting jobs are served fairly; more, by ratio.
    pub fair_below: usize,
    /// Keys the hash of flow names, so that nobody outside can make them collide. The default is known to
    /// all: give a random number where attackers are.
    pub secret: u64,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        PolicyConfig {
            ranks: Ranks::default(),
            fq_bytes_step: Bytes::new(64),
            fq_time_step: Duration::from_ns(100),
            overrun: 1,
            fair_below: 32,
            secret: 0,
        }
    }
}

const FQ_BYTES_STEP: Parameter = Parameter::new(
    "fq_bytes_step",
    Kind::Bytes,
    Source::assumed("suits packets of hundreds of bytes"),
    "Bytes that fq-bytes serves a flow per bucket; 2^15 of them are its horizon.",
);
const FQ_TIME_STEP: Parameter = Parameter::new(
    "fq_time_step",
    Kind::Duration,
    Source::assumed("suits jobs of microseconds"),
    "Work that fq and fq-time serve a flow per bucket; 2^15 of them are their horizon.",
);
const OVERRUN: Parameter = Parameter::new(
    "overrun",
    Kind::Int { min: 1, max: 1 << 20 },
    Source::assumed("a lie is revised as soon as it shows"),
    "How many times its estimate a job may run before that is revised.",
);
const FAIR_BELOW: Parameter = Parameter::new(
    "fair_below",
    Kind::Int { min: 0, max: 1 << 24 },
    Source::assumed("few against k"),
    "Up to how many waiting jobs are served fairly.",
);

impl PolicyConfig {
    /// Shows what the policy called `policy` reads beside the ranks and the secret.
    pub fn walk(&mut self, policy: &str, walk: &mut dyn Walk) {
        let in_buckets = self.ranks == Ranks::Buckets || walk.wants_all();
        match policy {
            "fq-bytes" if in_buckets => walk.field(&FQ_BYTES_STEP, &mut self.fq_bytes_step),
            "fq" | "fq-time" if in_buckets => walk.field(&FQ_TIME_STEP, &mut self.fq_time_step),
            "wsjf-preemptive" => walk.field(&OVERRUN, &mut self.overrun),
            "wsjf-fair" => walk.field(&FAIR_BELOW, &mut self.fair_below),
            _ => {}
        }
    }

    /// Picoseconds of service that a rank of fair queueing by time stands for.
    fn fq_time_ps(&self) -> u64 {
        match self.ranks {
            Ranks::Exact => 1,
            Ranks::Buckets => self.fq_time_step.as_ps().max(1),
        }
    }
}

type Built = Result<Box<dyn JobPolicy>, SurgeError>;

/// One line of the registry.
pub struct JobPolicyInfo {
    /// The name in configurations.
    pub name: &'static str,
    /// What it orders by, in one sentence.
    pub about: &'static str,
    build: fn(&PolicyConfig) -> Built,
}

/// Every policy by name.
pub const POLICIES: &[JobPolicyInfo] = &[
    fcfs::INFO,
    fq::INFO,
    fq_self_clocked::PACKETS,
    fq_self_clocked::BYTES,
    fq_self_clocked::TIME,
    sjf::INFO,
    wsjf::INFO,
    wsjf_hoq::INFO,
    wsjf_inorder::INFO,
    wsjf_preemptive::INFO,
    wsjf_fair::INFO,
];

/// The registry's line of the policy called `name`.
///
/// # Errors
/// [`SurgeError::UnknownPolicy`].
pub fn policy_info(name: &str) -> Result<&'static JobPolicyInfo, SurgeError> {
    POLICIES.iter().find(|info| info.name == name).ok_or_else(|| SurgeError::UnknownPolicy {
        name: name.to_owned(),
        known: POLICIES.iter().map(|info| info.name).collect(),
    })
}

/// The policy called `name`, empty.
///
/// ```
/// use forebay_surge::policies::{PolicyConfig, policy};
///
/// assert!(policy("wsjf-inorder", &PolicyConfig::default()).is_ok());
/// let error = policy("wsfj", &PolicyConfig::default()).err().map(|error| error.to_string());
/// assert!(error.unwrap_or_default().starts_with("there is no policy \"wsfj\"; use one of fcfs, "));
/// ```
///
/// # Errors
/// [`SurgeError::UnknownPolicy`], or the parameter that cannot be.
pub fn policy(name: &str, config: &PolicyConfig) -> Result<Box<dyn JobPolicy>, SurgeError> {
    let info = policy_info(name)?;
    if config.overrun == 0 {
        return Err(SurgeError::Zero("overrun"));
    }
    (info.build)(config)
}

#[cfg(test)]
mod tests;

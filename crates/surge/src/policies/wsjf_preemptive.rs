//! WSJF that interrupts: a job of a smaller ratio takes the processor at once, and one that outruns its
//! estimate is revised.
//!
//! Source: an open question of thesis §3.7, which suggests that preemption may tolerate errors of the
//! estimate. Our choices: the rank stays that of the whole job, not of what is left of it, so that an
//! interrupted job keeps its place and the argument of Theorem 3 holds unchanged; work done is kept
//! (preempt-resume); a job that has run for [`overrun`](super::PolicyConfig::overrun) times its estimate is
//! taken to be twice as long as it has run, and competes again as that. A job therefore never enjoys a
//! rank more than twice too good for longer than it was entitled to by its first estimate.
//!
//! Complexity: that of WSJF; a job is revised at most once for each doubling of its size.

use forebay_pifo::DoubleEnded;
use forebay_units::Duration;

use super::per_job::{JobOrder, buckets, exact};
use super::wsjf::Wsjf;
use super::{Policy, PolicyInfo, Ranks};
use crate::job::{Job, JobTable};
use crate::rank::FromKey;

pub(super) const INFO: PolicyInfo = PolicyInfo {
    name: "wsjf-preemptive",
    about: "wsjf that interrupts a job for a better one, and revises one that outruns its estimate",
    build: |config| {
        let overrun = u64::from(config.overrun);
        Ok(match config.ranks {
            Ranks::Exact => {
                Box::new(WsjfPreemptive { order: JobOrder::new(Wsjf, exact()), overrun })
            }
            Ranks::Buckets => {
                Box::new(WsjfPreemptive { order: JobOrder::new(Wsjf, buckets()?), overrun })
            }
        })
    },
};

struct WsjfPreemptive<Q, R> {
    order: JobOrder<Wsjf, Q, R>,
    overrun: u64,
}

impl<R: FromKey, Q: DoubleEnded<Rank = R, Item = u32> + Send> Policy for WsjfPreemptive<Q, R> {
    fn push(&mut self, id: u32, jobs: &JobTable) -> bool {
        self.order.push(id, jobs)
    }

    fn pop(&mut self, jobs: &JobTable) -> Option<u32> {
        self.order.pop(jobs)
    }

    fn drop_largest(&mut self, jobs: &JobTable) -> Option<u32> {
        self.order.drop_largest(jobs)
    }

    fn preempts(&self, running: &Job) -> bool {
        self.order.first().is_some_and(|first| first < R::from_key(Wsjf::key(running)))
    }

    fn slice(&self, running: &Job) -> Option<Duration> {
        let slice = running.work * self.overrun - running.attained;
        Some(slice.max(Duration::from_ps(1)))
    }

    fn revise(&self, running: &Job) -> Duration {
        running.work.max(running.attained * 2)
    }
}

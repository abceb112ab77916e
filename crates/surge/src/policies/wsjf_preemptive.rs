//! WSJF that interrupts: a job of a smaller ratio takes the processor at once, and one that outruns
//! its estimate is revised.
//!
//! Source: an open question of thesis §3.7, which suggests that preemption may tolerate errors of
//! the estimate. Our choices:
//!
//! - Work done is kept (preempt-resume), but the rank stays that of the whole job, not of what is
//!   left.
//! - A job that has begun counts as 1/256 shorter, so that it precedes its equals. Otherwise it
//!   would be the last of them, be dropped first, and what was done of it be lost.
//! - A job that has run for `overrun` times its estimate is taken to be twice as long as it has
//!   run, and competes again as that. So an attacker who lies about their job sizes gains little:
//!   where innocent jobs of ratio z and above are displaced, a job of P bits is served for at most
//!   z P (and 1/256 more), if `overrun` is 1, however long it is.
//!
//! Complexity: that of WSJF; a job is revised at most once for each doubling of its size.

use forebay_parameters::{Choice, Configure, Kind, Parameter, Source, Walk};
use forebay_pifo::DoubleEnded;
use forebay_units::{Duration, Time};

use super::per_job::{JobOrder, JobRank, buckets, exact};
use super::policy::Built;
use super::wsjf::Wsjf;
use super::{JobPolicy, PolicyShape, Ranks, ServiceOrder};
use crate::job::{Job, JobTable};
use crate::rank::{FromKey, Key};

/// The choice `wsjf-preemptive`.
pub(super) fn choice() -> Choice<dyn JobPolicy> {
    let about = "wsjf that interrupts a job for a better one, and revises one that outruns its \
                 estimate (thesis §3.7, ours)";
    Choice::new("wsjf-preemptive", about, Patience { overrun: 1 }, Patience::build)
        .labelled("WSJF, preemptive")
}

const OVERRUN: Parameter = Parameter::new(
    "overrun",
    Kind::Int { min: 1, max: 1 << 20 },
    Source::assumed("a lie is revised as soon as it shows"),
    "How many times its estimate a job may run before that is revised.",
);

/// A job may run for this many times its estimate before that is revised.
#[derive(Clone, Copy)]
struct Patience {
    overrun: u32,
}

impl Configure for Patience {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&OVERRUN, &mut self.overrun);
    }
}

impl Patience {
    fn build(&self, shape: &PolicyShape) -> Built {
        let overrun = self.overrun.into();
        Ok(match shape.ranks {
            Ranks::Exact => {
                Box::new(WsjfPreemptive { order: JobOrder::new(Begun, exact()), overrun })
            }
            Ranks::Buckets => {
                Box::new(WsjfPreemptive { order: JobOrder::new(Begun, buckets()?), overrun })
            }
        })
    }
}

struct WsjfPreemptive<Q, R> {
    order: JobOrder<Begun, Q, R>,
    overrun: u64,
}

/// WSJF's key, of a job that may have begun.
struct Begun;

impl Begun {
    fn key(job: &Job) -> Key {
        let credit = if job.attained > Duration::ZERO { job.work / 256 } else { Duration::ZERO };
        Key::Ratio(job.work - credit, job.size)
    }
}

impl JobRank for Begun {
    const ORDER: Option<ServiceOrder> = Wsjf::ORDER;
    const IS_BOUNDED: bool = Wsjf::IS_BOUNDED;

    fn arrive(&mut self, _: Time, _: u32, job: &Job) -> Key {
        Begun::key(job)
    }
}

impl<R: FromKey, Q: DoubleEnded<Rank = R, Item = u32> + Send> JobPolicy for WsjfPreemptive<Q, R> {
    fn reads_flows(&self) -> bool {
        false
    }

    fn push(&mut self, now: Time, id: u32, jobs: &JobTable) -> bool {
        self.order.push(now, id, jobs)
    }

    fn pop(&mut self, jobs: &JobTable) -> Option<u32> {
        self.order.pop(jobs)
    }

    fn drop_largest(&mut self, jobs: &JobTable) -> Option<u32> {
        self.order.drop_largest(jobs)
    }

    fn preempts(&self, running: &Job) -> bool {
        self.order.first().is_some_and(|first| first < R::from_key(Begun::key(running)))
    }

    fn slice(&self, running: &Job) -> Option<Duration> {
        let slice = running.work * self.overrun - running.attained;
        Some(slice.max(Duration::from_ps(1)))
    }

    fn revise(&self, running: &Job) -> Duration {
        running.work.max(running.attained * 2)
    }

    fn order(&self) -> Option<ServiceOrder> {
        self.order.order()
    }

    fn is_bounded(&self) -> bool {
        self.order.is_bounded()
    }
}

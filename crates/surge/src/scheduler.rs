//! A bounded buffer of jobs under a policy.
//!
//! Source: thesis §3.5.4: Extract-Min decides what is processed next, Extract-Max what is dropped
//! when the buffer is full. The paper's k is not said to include the job in service; here it does
//! not. With [`DropRule::Largest`] a newcomer joins first and the largest of all goes, which may be
//! the newcomer.
//!
//! Complexity: that of the policy. Memory: per waiting job 32 bytes, the item and the policy's
//! share; at most `capacity` + 1 of them.

use forebay_parameters::{
    Choice, Configure, Entry, Kind, Parameter, ParameterError, Renamed, Source, UnknownName, Walk,
};
use forebay_pifo::MAX_ID;
use forebay_units::{Duration, Time};

use crate::error::SurgeError;
use crate::job::{Job, JobTable};
use crate::policies::{self, JobPolicy, OF_BUCKETS, PolicyShape, Ranks, policies};

/// What goes when the buffer is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DropRule {
    /// The newcomer. An attacker fills such a buffer with jobs that nobody wants to serve.
    Tail,
    /// The largest of all by the policy's own order.
    #[default]
    Largest,
}

/// The parameters of a [`Scheduler`].
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerConfig {
    /// The policy, with its parameters.
    pub policy: Choice<dyn JobPolicy>,
    /// The most jobs that may wait, 1 to 2^26 - 2.
    pub capacity: usize,
    /// What goes when they do.
    pub drop: DropRule,
    /// How ranks are kept.
    pub ranks: Ranks,
    /// Keys the hash of flow names, so that nobody outside can make them collide. The default is
    /// known to all: give a random number where attackers are.
    pub secret: u64,
}

impl Default for SchedulerConfig {
    /// WSJF-Inorder.
    fn default() -> Self {
        SchedulerConfig::new(policies::usual())
    }
}

impl SchedulerConfig {
    /// Under this policy: 1024 jobs, drop-largest, quantized ranks.
    #[must_use]
    pub fn new(policy: Choice<dyn JobPolicy>) -> Self {
        let (drop, ranks) = (DropRule::default(), Ranks::default());
        SchedulerConfig { policy, capacity: 1024, drop, ranks, secret: 0 }
    }

    /// The most jobs that may wait.
    pub const MOST: usize = MAX_ID as usize - 1;

    /// The same under a built-in policy.
    ///
    /// # Errors
    /// No policy has this name.
    pub fn under(name: &str) -> Result<Self, UnknownName> {
        policies().named(name).cloned().map(SchedulerConfig::new)
    }
}

const CAPACITY: Parameter = Parameter::new(
    "capacity",
    Kind::Int { min: 1, max: SchedulerConfig::MOST as i64 },
    Source::shown("the thesis states no k", "surge/sensitivity-buffer"),
    "k, jobs that may wait.",
);
const RANKS: Parameter = Parameter::new(
    "ranks",
    Kind::of::<Ranks>(),
    Source::shown("the simulator's are not quantized", "surge/sensitivity-ranks"),
    "Exact ranks, or 2^15 buckets (§3.5.4).",
);

impl Configure for SchedulerConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&CAPACITY, &mut self.capacity);
        // In order of arrival, all ranks are equal.
        if self.policy.name() != "fcfs" {
            walk.field(&RANKS, &mut self.ranks);
        }
        self.walk_policy(walk);
    }
}

impl SchedulerConfig {
    /// The policy, for a scheduler of this configuration.
    ///
    /// # Errors
    /// A parameter of the policy that does not fit.
    pub fn built(&self) -> Result<Box<dyn JobPolicy>, ParameterError> {
        self.policy.build(&PolicyShape { ranks: self.ranks, secret: self.secret })
    }

    /// Shows what the policy reads beside the ranks and the secret.
    pub fn walk_policy(&mut self, walk: &mut dyn Walk) {
        let in_buckets = self.ranks == Ranks::Buckets || walk.wants_all();
        let has_effect = |one: &Parameter| in_buckets || !OF_BUCKETS.contains(one);
        let shown = |one: &Parameter| has_effect(one).then(|| one.clone());
        self.policy.walk(&mut Renamed::new(walk, shown));
    }
}

/// What became of an offered job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it may hold a job that was dropped"]
pub enum Offered<W> {
    /// It waits.
    Taken,
    /// It waits, and this one was dropped for it.
    Displaced(W),
    /// It was dropped itself.
    Refused(W),
}

impl<W> Offered<W> {
    /// The same about something else that stands for the dropped job.
    pub fn map<V>(self, view: impl FnOnce(W) -> V) -> Offered<V> {
        match self {
            Offered::Taken => Offered::Taken,
            Offered::Displaced(out) => Offered::Displaced(view(out)),
            Offered::Refused(out) => Offered::Refused(view(out)),
        }
    }

    /// The job that was dropped, if one was.
    pub fn dropped(self) -> Option<W> {
        match self {
            Offered::Taken => None,
            Offered::Displaced(out) | Offered::Refused(out) => Some(out),
        }
    }
}

/// A job with what the caller attached to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting<T> {
    /// What policies know of it.
    pub job: Job,
    /// The caller's own.
    pub item: T,
}

/// What a scheduler has done so far. Offered = taken + refused, taken = served + displaced +
/// waiting; a job that was put back counts as offered again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Jobs that arrived.
    pub offered: u64,
    /// Jobs that found the buffer full and left at once.
    pub refused: u64,
    /// Jobs that waited and were dropped for a better one.
    pub displaced: u64,
    /// Jobs that went to the processor.
    pub served: u64,
}

/// A bounded buffer of jobs with items of type `T`, in front of one processor or several.
///
/// ```
/// use forebay_surge::{FlowKey, Job, Offered, Scheduler, SchedulerConfig};
/// use forebay_units::{Bytes, Duration, Time};
///
/// let config = SchedulerConfig { capacity: 2, ..SchedulerConfig::under("wsjf")? };
/// let mut scheduler = Scheduler::new(&config)?;
/// let job = |bytes, us| Job::new(FlowKey(0), Bytes::new(bytes), Duration::from_us(us));
/// assert_eq!(scheduler.offer(Time::ZERO, job(64, 30), "attack"), Offered::Taken);
/// assert_eq!(scheduler.offer(Time::ZERO, job(1500, 2), "page"), Offered::Taken);
/// // Full: the job that costs most per byte goes.
/// let Offered::Displaced(out) = scheduler.offer(Time::ZERO, job(1500, 3), "image") else { panic!() };
/// assert_eq!(out.item, "attack");
/// assert_eq!(scheduler.poll().map(|next| next.item), Some("page"));
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
pub struct Scheduler<T> {
    policy: Box<dyn JobPolicy>,
    jobs: JobTable,
    items: Vec<Option<T>>,
    len: usize,
    capacity: usize,
    drop: DropRule,
    counts: JobCounts,
}

forebay_pifo::debug_in_one_line!(
    [T] Scheduler<T>,
    |scheduler| { len: scheduler.len, capacity: scheduler.capacity, counts: scheduler.counts }
);

impl<T> Scheduler<T> {
    /// An empty scheduler.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(config: &SchedulerConfig) -> Result<Self, SurgeError> {
        if config.capacity == 0 {
            return Err(SurgeError::Zero("capacity"));
        }
        if config.capacity > SchedulerConfig::MOST {
            let (value, most) = (config.capacity as u64, SchedulerConfig::MOST as u64);
            return Err(SurgeError::TooLarge { name: "capacity", value, most });
        }
        Ok(Scheduler {
            policy: config.built()?,
            jobs: JobTable::default(),
            items: Vec::new(),
            len: 0,
            capacity: config.capacity,
            drop: config.drop,
            counts: JobCounts::default(),
        })
    }

    /// A job arrives now, or comes back from a processor that was told to give it up. Time never
    /// runs backwards; only `fq` reads it.
    #[inline]
    pub fn offer(&mut self, now: Time, job: Job, item: T) -> Offered<Waiting<T>> {
        self.counts.offered += 1;
        let full = self.len >= self.capacity;
        if full && self.drop == DropRule::Tail {
            self.counts.refused += 1;
            return Offered::Refused(Waiting { job, item });
        }
        let id = self.jobs.insert(job);
        if !self.policy.push(now, id, &self.jobs) {
            self.jobs.remove(id);
            self.counts.refused += 1;
            return Offered::Refused(Waiting { job, item });
        }
        self.keep(id, item);
        if !full {
            return Offered::Taken;
        }
        self.drop_largest(id)
    }

    fn keep(&mut self, id: u32, item: T) {
        match self.items.get_mut(id as usize) {
            Some(place) => *place = Some(item),
            None => self.items.push(Some(item)), // numbers are dense
        }
        self.len += 1;
    }

    /// One job too many waits, `newcomer` among them.
    fn drop_largest(&mut self, newcomer: u32) -> Offered<Waiting<T>> {
        let Some(id) = self.policy.drop_largest(&self.jobs) else { return Offered::Taken };
        let Some(out) = self.take(id) else { return Offered::Taken };
        if id == newcomer {
            self.counts.refused += 1;
            Offered::Refused(out)
        } else {
            self.counts.displaced += 1;
            Offered::Displaced(out)
        }
    }

    fn take(&mut self, id: u32) -> Option<Waiting<T>> {
        let item = self.items.get_mut(id as usize)?.take()?;
        self.len -= 1;
        Some(Waiting { job: self.jobs.remove(id), item })
    }

    /// Takes the job to serve next.
    #[inline]
    pub fn poll(&mut self) -> Option<Waiting<T>> {
        let id = self.policy.pop(&self.jobs)?;
        let next = self.take(id)?;
        self.counts.served += 1;
        Some(next)
    }

    /// Whether the job that is next should take the place of `running`: then poll first and offer
    /// the other after, so that there is room. Only a preemptive policy ever says so.
    #[must_use]
    pub fn preempts(&self, running: &Job) -> bool {
        self.policy.preempts(running)
    }

    /// How long `running` may go on before [`revise`](Self::revise) is due; `None` for ever.
    #[must_use]
    pub fn slice(&self, running: &Job) -> Option<Duration> {
        self.policy.slice(running)
    }

    /// The job size to assume of a job that has used its slice up.
    #[must_use]
    pub fn revise(&self, running: &Job) -> Duration {
        self.policy.revise(running)
    }

    /// The number of jobs that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What it has done so far.
    #[must_use]
    pub fn counts(&self) -> JobCounts {
        self.counts
    }
}

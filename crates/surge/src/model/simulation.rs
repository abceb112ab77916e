//! The event-driven simulation: packets arrive, wait under a policy, and are processed by one
//! server or several: G/G/n/k.
//!
//! Source: thesis §3.3.1, §3.6.2 (one server). The paper does not order events of one instant; here
//! completions come first, then innocent packets, then the adversary's. Several servers take jobs
//! from one buffer; a preemptive policy interrupts the one whose job ranks last. Time is in whole
//! picoseconds.
//!
//! Complexity: the policy's per packet, and O(servers) per event. Memory: the buffer.

use forebay_parameters::Configure;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::latency::{Latencies, Latency};
use super::traffic::{Class, Offer};
use crate::error::SurgeError;
use crate::job::FlowKey;
use crate::rank::{FromKey, Key};
use crate::scheduler::{Scheduler, SchedulerConfig, Waiting};

/// The most servers.
const MAX_SERVERS: u32 = 1024;

/// The parameters of a run.
#[derive(Clone, Debug, PartialEq, Configure)]
pub struct SimulationConfig {
    /// Policy and buffer: k, drop rule, ranks.
    #[parameter(part)]
    pub scheduler: SchedulerConfig,
    /// Processors that share the buffer; r_max is of each.
    #[parameter(paper = "thesis §3.3.1", range = 1..=MAX_SERVERS)]
    pub servers: u32,
    /// Simulated time before measuring begins.
    #[parameter(name = "warm_up")]
    #[parameter(assumed = "a thousand times the longest job and more than the buffer holds")]
    pub warmup: Duration,
    /// Simulated time that is measured.
    #[parameter(assumed = "50 thousand innocent packets at 10 Gb/s", name = "span")]
    pub measured: Duration,
}

impl SimulationConfig {
    /// One server, 10 ms of warm-up, 50 ms counted.
    #[must_use]
    pub fn new(scheduler: SchedulerConfig) -> Self {
        let (warmup, measured) = (Duration::from_ms(10), Duration::from_ms(50));
        SimulationConfig { scheduler, servers: 1, warmup, measured }
    }
}

/// What became of one class while it was counted. `arrived + waiting_before = completed + dropped +
/// waiting_after`, where what is in service waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassBytes {
    /// Arrived.
    pub arrived: Bytes,
    /// Completed.
    pub completed: Bytes,
    /// Dropped.
    pub dropped: Bytes,
    /// In the system when counting began.
    pub waiting_before: Bytes,
    /// In the system when it ended.
    pub waiting_after: Bytes,
}

impl ClassBytes {
    /// What could complete or be dropped while it was counted: no part of it is above 1.
    #[must_use]
    pub fn offered(&self) -> Bytes {
        self.arrived + self.waiting_before
    }
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurgeOutcome {
    /// Class I.
    pub innocent: ClassBytes,
    /// Class A.
    pub attack: ClassBytes,
    /// How long innocent packets were in the system that completed while it was counted.
    pub latency: Latency,
    /// The span over which all this was counted.
    pub measured: Duration,
}

impl SurgeOutcome {
    /// o_I: innocent traffic on the egress link.
    #[must_use]
    pub fn goodput(&self) -> Rate {
        Rate::mean(self.innocent.completed, self.measured)
    }
}

/// What the simulation knows of a job and the scheduler does not.
#[derive(Clone, Copy, Debug)]
struct Truth {
    class: Class,
    arrived: Time,
    work: Duration,
}

/// A job in service, until it completes or its slice ends.
#[derive(Clone, Copy, Debug)]
struct Running {
    job: Waiting<Truth>,
    since: Time,
    until: Time,
}

/// Job sizes that depend on what was served before: of a segment that walks a list, on the segments
/// in it.
pub trait JobSizes {
    /// The job size that the scheduler is told of a packet that arrives.
    fn told(&mut self, offer: &Offer) -> Duration {
        offer.estimate
    }

    /// The true job size of a packet that goes to the processor, offered as one of `work`.
    fn begun(&mut self, class: Class, flow: FlowKey, work: Duration) -> Duration {
        let _ = (class, flow);
        work
    }
}

/// Job sizes that are what was offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsOffered;

impl JobSizes for AsOffered {}

struct Simulation<S> {
    sizes: S,
    scheduler: Scheduler<Truth>,
    servers: Vec<Option<Running>>,
    outcome: SurgeOutcome,
    /// Of innocent packets that completed while counting.
    latencies: Latencies,
    /// In the system now: innocent, attack.
    inside: [Bytes; 2],
    counting: bool,
}

/// Runs a scheduler under innocent and attack traffic, each in order of time.
///
/// ```
/// use forebay_surge::SchedulerConfig;
/// use forebay_surge::model::{SimulationConfig, Traffic, Arrivals, Joint, simulate};
/// use forebay_units::{Bytes, Duration, Rate};
///
/// let joint = Joint::product(&[(Bytes::new(1250), 1.0)], &[(Duration::from_us(1), 1.0)])?;
/// let rate = Rate::from_gbps(8);
/// let traffic = Traffic { joint, rate, arrivals: Arrivals::Constant, flows: 10, seed: 1 };
/// let config = SimulationConfig::new(SchedulerConfig::under("wsjf")?);
/// let outcome = simulate(&config, traffic.packets()?, core::iter::empty())?;
/// assert_eq!(outcome.goodput(), rate);
/// # Ok::<(), forebay_surge::SurgeError>(())
/// ```
///
/// # Errors
/// A parameter out of range.
pub fn simulate(
    config: &SimulationConfig,
    innocent: impl Iterator<Item = Offer>,
    attack: impl Iterator<Item = Offer>,
) -> Result<SurgeOutcome, SurgeError> {
    simulate_sized(config, innocent, attack, AsOffered)
}

/// The same with job sizes that depend on what was served before.
///
/// # Errors
/// A parameter out of range.
pub fn simulate_sized(
    config: &SimulationConfig,
    innocent: impl Iterator<Item = Offer>,
    attack: impl Iterator<Item = Offer>,
    sizes: impl JobSizes,
) -> Result<SurgeOutcome, SurgeError> {
    if config.servers == 0 {
        return Err(SurgeError::Zero("servers"));
    }
    if config.servers > MAX_SERVERS {
        let (value, most) = (u64::from(config.servers), u64::from(MAX_SERVERS));
        return Err(SurgeError::TooLarge { name: "servers", value, most });
    }
    let mut simulation = Simulation {
        sizes,
        scheduler: Scheduler::new(&config.scheduler)?,
        servers: vec![None; config.servers as usize],
        outcome: SurgeOutcome { measured: config.measured, ..SurgeOutcome::default() },
        latencies: Latencies::default(),
        inside: [Bytes::ZERO; 2],
        counting: false,
    };
    let begin = Time::ZERO + config.warmup;
    simulation.run(innocent, attack, begin, begin + config.measured);
    Ok(simulation.outcome)
}

impl<S: JobSizes> Simulation<S> {
    fn run(
        &mut self,
        innocent: impl Iterator<Item = Offer>,
        attack: impl Iterator<Item = Offer>,
        begin: Time,
        end: Time,
    ) {
        let (mut innocent, mut attack) = (innocent.peekable(), attack.peekable());
        loop {
            let times =
                [innocent.peek(), attack.peek()].map(|next| next.map_or(Time::MAX, |o| o.at));
            let (server, done) = self.next_completion();
            let now = done.min(times[0]).min(times[1]);
            if !self.counting && now >= begin {
                self.counting = true;
                self.outcome.innocent.waiting_before = self.inside[0];
                self.outcome.attack.waiting_before = self.inside[1];
            }
            if now >= end {
                break;
            }
            if done == now {
                self.leave_server(server, now);
            } else if let Some(offer) =
                if times[0] == now { innocent.next() } else { attack.next() }
            {
                self.arrive(offer);
            }
        }
        self.outcome.innocent.waiting_after = self.inside[0];
        self.outcome.attack.waiting_after = self.inside[1];
        self.outcome.latency = self.latencies.summary();
    }

    /// The server whose job or slice ends first, and when.
    #[inline]
    fn next_completion(&self) -> (usize, Time) {
        let ends = self.servers.iter().map(|server| server.map_or(Time::MAX, |job| job.until));
        let first =
            |best: (usize, Time), next: (usize, Time)| if next.1 < best.1 { next } else { best };
        ends.enumerate().fold((0, Time::MAX), first)
    }

    fn arrive(&mut self, offer: Offer) {
        let estimate = self.sizes.told(&offer);
        let Offer { at, class, flow, size, work, .. } = offer;
        self.inside[class as usize] += size;
        self.count(class, |share| share.arrived += size);
        let job = crate::Job::new(flow, size, estimate);
        let offered = self.scheduler.offer(at, job, Truth { class, arrived: at, work });
        if let Some(out) = offered.dropped() {
            self.drop_job(out);
        }
        match self.servers.iter().position(Option::is_none) {
            Some(idle) => self.start(idle, at),
            None => self.preempt(at),
        }
    }

    fn drop_job(&mut self, out: Waiting<Truth>) {
        self.inside[out.item.class as usize] -= out.job.size;
        self.count(out.item.class, |share| share.dropped += out.job.size);
    }

    /// A job completes, or has used its slice up.
    fn leave_server(&mut self, server: usize, now: Time) {
        let Some(running) = self.servers[server].take() else { return };
        let mut waiting = stopped(running, now);
        let Waiting { job, item } = &mut waiting;
        if job.attained >= item.work {
            self.inside[item.class as usize] -= job.size;
            self.count(item.class, |share| share.completed += job.size);
            if self.counting && item.class == Class::Innocent {
                self.latencies.record(now.since(item.arrived));
            }
            return self.start(server, now);
        }
        job.work = self.scheduler.revise(job);
        if self.scheduler.preempts(job) {
            self.start(server, now);
            self.put_back(waiting, now);
        } else {
            self.serve(server, waiting, now);
        }
    }

    /// Gives the server of the job that ranks last to the job that waits first, if the policy says
    /// so.
    fn preempt(&mut self, now: Time) {
        let rank = |running: &Running| {
            u128::from_key(Key::Ratio(running.job.job.work, running.job.job.size))
        };
        let candidates = self.servers.iter().enumerate().filter_map(|(server, running)| {
            running
                .filter(|running| self.scheduler.preempts(&running.job.job))
                .map(|r| (rank(&r), server))
        });
        let Some((_, server)) = candidates.max() else { return };
        if let Some(running) = self.servers[server].take() {
            self.start(server, now);
            self.put_back(stopped(running, now), now);
        }
    }

    /// A job that was interrupted waits again. There is room, since another has just begun.
    fn put_back(&mut self, waiting: Waiting<Truth>, now: Time) {
        if let Some(out) = self.scheduler.offer(now, waiting.job, waiting.item).dropped() {
            self.drop_job(out);
        }
    }

    /// An idle server takes the next job, if one waits.
    fn start(&mut self, server: usize, now: Time) {
        if let Some(next) = self.scheduler.poll() {
            self.serve(server, next, now);
        }
    }

    fn serve(&mut self, server: usize, mut job: Waiting<Truth>, now: Time) {
        if job.job.attained == Duration::ZERO {
            job.item.work = self.sizes.begun(job.item.class, job.job.flow, job.item.work);
        }
        let left = job.item.work - job.job.attained;
        let slice = self.scheduler.slice(&job.job).unwrap_or(Duration::MAX);
        self.servers[server] = Some(Running { job, since: now, until: now + left.min(slice) });
    }

    #[inline]
    fn count(&mut self, class: Class, change: impl FnOnce(&mut ClassBytes)) {
        if self.counting {
            change(match class {
                Class::Innocent => &mut self.outcome.innocent,
                Class::Attack => &mut self.outcome.attack,
            });
        }
    }
}

/// The job of a server that stops now.
fn stopped(running: Running, now: Time) -> Waiting<Truth> {
    let mut waiting = running.job;
    waiting.job.attained += now.since(running.since);
    waiting
}

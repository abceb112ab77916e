//! A protected processor under innocent and attack traffic: arrivals are virtual, service times are
//! measured.
//!
//! Source: thesis §3.6.1. The paper sends real packets to real hardware; here a single core serves
//! jobs one after another, each job is timed as it runs, and the virtual clock advances by the time
//! it took. So the load is exact, and whatever else the machine does between jobs does not count.
//! The caller provides the clock; the cost of reading it is subtracted ([`Clock`]). Unless the
//! clock measures CPU time, an interrupted job appears too long.
//!
//! [`Station`] is a processor behind `Protect`; [`ReassemblyStation`] and [`MatchingStation`] build
//! the paper's two. [`run`] drives one. Complexity: O(packets). Memory: the buffer.

mod arrivals;
mod matching;
mod matching_trial;
mod reassembly;
mod saturation;
mod trial;

pub use arrivals::{ItemArrival, Paced, Repeated, merged};
pub use matching::{MatchingStation, RuleRatios, Suspect, suspects};
pub use matching_trial::MatchingTrial;
pub use reassembly::{Flood, MeasureError, ReassemblyCosts, ReassemblyStation};
pub use saturation::{SATURATIONS, Saturation};
pub use trial::{Offered, Ran, ReassemblyTrial, Trial};

use std::rc::Rc;

use forebay_surge::estimate::Estimator;
use forebay_surge::model::{Class, ClassBytes, Latencies, SurgeOutcome};
use forebay_surge::{Done, FlowKey, Protect, Statistics};
use forebay_units::{Bytes, Duration, Time};

/// The caller's clock, and the cost of reading it.
#[derive(Clone)]
pub struct Clock {
    read: Rc<dyn Fn() -> Time>,
    cost: Duration,
}

impl Clock {
    /// Measures the cost of a reading: the least of a thousand.
    pub fn new(read: impl Fn() -> Time + 'static) -> Self {
        let once = |_| {
            let before = read();
            read().since(before)
        };
        let cost = (0..1000).map(once).min().unwrap_or(Duration::ZERO);
        Clock { read: Rc::new(read), cost }
    }

    /// What the clock shows; its readings are what [`net`](Self::net) takes off.
    #[must_use]
    pub fn now(&self) -> Time {
        (self.read)()
    }

    /// What is left of a measured span with this many readings inside; at least 1 ns.
    #[must_use]
    pub fn net(&self, span: Duration, readings: u64) -> Duration {
        let cost = self.cost * readings;
        Duration::from_ps(span.as_ps().saturating_sub(cost.as_ps()).max(1000))
    }
}

/// An item with its class, which no scheduler looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tagged<T> {
    /// Whose traffic it is; results are counted by it.
    pub class: Class,
    /// The item to process.
    pub item: T,
}

/// A job that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Whose traffic it was.
    pub class: Class,
    /// The size of its packet on the wire.
    pub size: Bytes,
    /// How long it waited.
    pub waited: Duration,
    /// Its job size, as measured.
    pub took: Duration,
    /// The rule that it matched, where that is what the processor looks for.
    pub matched: Option<u32>,
}

/// A processor's counters, by name.
pub type NamedCounts = Vec<(&'static str, u64)>;

/// A processor behind a scheduler.
pub trait Station<T> {
    /// An item arrives; returns what was dropped.
    fn offer(&mut self, now: Time, item: Tagged<T>) -> Option<(Class, Bytes)>;

    /// Serves the next job, if one waits.
    fn serve(&mut self, now: Time) -> Option<Served>;

    /// What it has done so far, with the estimator's error.
    fn statistics(&self) -> Statistics;

    /// The processor's counters.
    fn counts(&self) -> NamedCounts;
}

/// The result of a job.
struct Noted {
    /// How often the clock was read while it ran.
    readings: u64,
    /// The rule that it matched.
    matched: Option<u32>,
}

/// A [`Protect`] as a station: its processor returns the class and its findings, from which the
/// estimator may learn.
struct Guarded<T, D, E, P, F>
where
    E: Estimator<Tagged<T>>,
{
    protect: Protect<Tagged<T>, D, E, P>,
    clock: Clock,
    size: fn(&T) -> Bytes,
    /// Gives the findings to the estimator.
    learn: fn(&mut E, &F, Bytes) -> Noted,
    /// The processor's counters.
    counts: Box<dyn Fn() -> NamedCounts>,
}

impl<T, D, E, P, F> Station<T> for Guarded<T, D, E, P, F>
where
    D: FnMut(&Tagged<T>) -> (FlowKey, Bytes),
    E: Estimator<Tagged<T>>,
    P: FnMut(Tagged<T>) -> (Class, F),
{
    fn offer(&mut self, now: Time, item: Tagged<T>) -> Option<(Class, Bytes)> {
        let out = self.protect.offer(now, item).dropped()?;
        Some((out.class, (self.size)(&out.item)))
    }

    fn serve(&mut self, now: Time) -> Option<Served> {
        let begun = self.clock.now();
        let mut readings = 0;
        let clock = &self.clock;
        let Done { result, job, waited, took } = self.protect.poll(|| {
            readings += 1;
            // The second reading comes one reading's cost too late.
            now + clock.net(clock.now().since(begun), readings)
        })?;
        let (class, findings) = result;
        let noted = (self.learn)(self.protect.estimator_mut(), &findings, job.size);
        let took = self.clock.net(took, noted.readings);
        Some(Served { class, size: job.size, waited, took, matched: noted.matched })
    }

    fn statistics(&self) -> Statistics {
        self.protect.statistics()
    }

    fn counts(&self) -> NamedCounts {
        (self.counts)()
    }
}

/// Which part of a run counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The time before counting starts.
    pub warmup: Duration,
    /// The time that is counted.
    pub measured: Duration,
}

/// What is in the system, and what became of the rest while it was counted.
#[derive(Default)]
struct Ledger {
    outcome: SurgeOutcome,
    latencies: Latencies,
    inside: [Bytes; 2],
    counting: bool,
}

impl Ledger {
    fn share(&mut self, class: Class) -> &mut ClassBytes {
        match class {
            Class::Innocent => &mut self.outcome.innocent,
            Class::Attack => &mut self.outcome.attack,
        }
    }

    fn begin(&mut self) {
        self.counting = true;
        self.outcome.innocent.waiting_before = self.inside[0];
        self.outcome.attack.waiting_before = self.inside[1];
    }

    fn end(mut self) -> SurgeOutcome {
        self.outcome.innocent.waiting_after = self.inside[0];
        self.outcome.attack.waiting_after = self.inside[1];
        self.outcome.latency = self.latencies.summary();
        self.outcome
    }

    fn arrived(&mut self, class: Class, size: Bytes) {
        self.inside[class as usize] += size;
        if self.counting {
            self.share(class).arrived += size;
        }
    }

    fn left(&mut self, class: Class, size: Bytes, count: fn(&mut ClassBytes) -> &mut Bytes) {
        self.inside[class as usize] -= size;
        if self.counting {
            *count(self.share(class)) += size;
        }
    }
}

/// Runs a station under time-ordered arrivals.
pub fn run<T>(
    station: &mut dyn Station<T>,
    arrivals: impl Iterator<Item = ItemArrival<T>>,
    span: Span,
) -> SurgeOutcome {
    let (begin, end) = (Time::ZERO + span.warmup, Time::ZERO + span.warmup + span.measured);
    let mut ledger = Ledger::default();
    ledger.outcome.measured = span.measured;
    let (mut arrivals, mut now) = (arrivals.peekable(), Time::ZERO);
    loop {
        if !ledger.counting && now >= begin {
            ledger.begin();
        }
        while let Some(ItemArrival { at, size, item }) = arrivals.next_if(|next| next.at <= now) {
            ledger.arrived(item.class, size);
            if let Some((class, size)) = station.offer(at, item) {
                ledger.left(class, size, |share| &mut share.dropped);
            }
        }
        if now >= end {
            return ledger.end();
        }
        if let Some(served) = station.serve(now) {
            now += served.took;
            if ledger.counting && served.class == Class::Innocent {
                ledger.latencies.record(served.waited + served.took);
            }
            ledger.left(served.class, served.size, |share| &mut share.completed);
        } else if let Some(next) = arrivals.peek() {
            now = next.at.min(end);
        } else {
            now = end;
        }
    }
}

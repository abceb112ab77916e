//! The event loop: packets arrive, the output link sends, the traffic manager's own events come due.

use forebay_lab::{RunContext, RunError, RunOutput, Timeline};
use forebay_pifo::TieredQueue;
use forebay_switch::SwitchObserver;
use forebay_switch::watermarks;
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::PacketSource;

use super::metrics::{Measured, Snapshot};
use super::setup::{Manager, Setup};
use super::watched::Watched;

/// Runs over the packets of `seed`, and tells `observer` what becomes of them.
///
/// # Errors
/// [`RunError::Stopped`] soon after `context` is stopped; [`RunError::Failed`] if nothing can be built.
pub fn run(
    setup: &Setup,
    seed: u64,
    observer: impl SwitchObserver,
    context: &mut RunContext<'_>,
) -> Result<RunOutput, RunError> {
    let source = setup.source(seed).map_err(|error| RunError::Failed(error.to_string()))?;
    match setup.manager().map_err(|error| RunError::Failed(error.to_string()))? {
        Manager::Buckets(tm) => {
            let marks = watermarks(&tm);
            let watched = Watched::new(*tm, marks, observer);
            Simulation::new(watched, source, setup).run(setup, context)
        }
        Manager::Exact(tm) => {
            let marks = watermarks(&tm);
            let watched = Watched::new(*tm, marks, observer);
            Simulation::new(watched, source, setup).run(setup, context)
        }
    }
}

/// The output link of the switch.
struct Link {
    rate: Rate,
    /// It sends until then.
    busy_until: Time,
    /// Since when it is idle although packets wait.
    stalled_since: Option<Time>,
    stalled: Duration,
    sending: Duration,
}

impl Link {
    fn new(rate: Rate) -> Self {
        Link {
            rate,
            busy_until: Time::ZERO,
            stalled_since: None,
            stalled: Duration::ZERO,
            sending: Duration::ZERO,
        }
    }

    fn send(&mut self, now: Time, size: u32) {
        if let Some(since) = self.stalled_since.take() {
            self.stalled += now - since;
        }
        let time = self.rate.time_for(Bytes::new(u64::from(size)));
        self.sending += time;
        self.busy_until = now + time;
    }

    /// Nothing could be sent at `now`; `waiting` packets are not at hand yet.
    fn idle(&mut self, now: Time, waiting: bool) {
        match (waiting, self.stalled_since) {
            (true, None) => self.stalled_since = Some(now),
            (false, Some(since)) => {
                self.stalled += now - since;
                self.stalled_since = None;
            }
            _ => {}
        }
    }

    /// Time stalled and time sending until `now`.
    fn totals(&self, now: Time) -> (Duration, Duration) {
        let running = self.stalled_since.map_or(Duration::ZERO, |since| now - since);
        (self.stalled + running, self.sending - (self.busy_until - now))
    }
}

struct Simulation<Q, O> {
    tm: Watched<Q, O>,
    source: Box<dyn PacketSource>,
    link: Link,
    now: Time,
}

impl<Q: TieredQueue, O: SwitchObserver> Simulation<Q, O> {
    fn new(tm: Watched<Q, O>, source: Box<dyn PacketSource>, setup: &Setup) -> Self {
        Simulation { tm, source, link: Link::new(setup.egress_rate), now: Time::ZERO }
    }

    fn run(mut self, setup: &Setup, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let begin = Time::ZERO + setup.warm_up;
        let end = begin + setup.span;
        let steps = setup.samples.max(20);
        let mut sram = Vec::with_capacity(steps as usize);
        let mut hbm = Vec::with_capacity(steps as usize);
        self.until(begin, context)?;
        let from = self.snapshot();
        for step in 1..=steps {
            self.until(begin + setup.span / steps * step, context)?;
            let at = self.now.as_ps() as f64 / 1e6;
            let buffer = self.tm.manager().buffer();
            let share = f64::from(buffer.near_used()) / f64::from(buffer.near_capacity());
            sram.push((at, share));
            hbm.push((at, buffer.far().bytes() as f64 / 1e6));
            context
                .progress((self.now - Time::ZERO).as_secs_f64() / (end - Time::ZERO).as_secs_f64());
        }
        self.until(end, context)?;
        let measured = Measured {
            from,
            to: self.snapshot(),
            span: setup.span,
            egress_rate: setup.egress_rate,
            ingress_rate: setup.ingress_rate(),
            sram_occupancy: sram.iter().map(|(_, share)| share).sum::<f64>() / sram.len() as f64,
        };
        let timelines = if setup.samples == 0 {
            Vec::new()
        } else {
            vec![
                Timeline { name: "sram_occupancy", unit: "fraction", points: sram },
                Timeline { name: "hbm_occupancy", unit: "MB", points: hbm },
            ]
        };
        Ok(RunOutput { values: measured.values(), timelines })
    }

    /// Lets everything happen that is due up to and including `end`; looks whether it should stop now and then.
    fn until(&mut self, end: Time, context: &RunContext<'_>) -> Result<(), RunError> {
        for event in 0u64.. {
            if event % 65_536 == 0 && context.stopped() {
                return Err(RunError::Stopped);
            }
            let arrival = self.source.next_time().unwrap_or(Time::MAX);
            let inside = self.tm.manager().next_event().unwrap_or(Time::MAX);
            let link =
                if self.link.busy_until > self.now { self.link.busy_until } else { Time::MAX };
            let next = arrival.min(inside).min(link);
            if next > end {
                break;
            }
            self.now = next;
            if inside == next {
                self.tm.advance(next);
            }
            if arrival == next
                && let Some(arrival) = self.source.next_packet()
            {
                self.tm.enqueue(next, &arrival);
            }
            self.send();
        }
        self.now = end;
        Ok(())
    }

    fn send(&mut self) {
        if self.link.busy_until > self.now {
            return;
        }
        match self.tm.dequeue(self.now) {
            Some(departure) => self.link.send(self.now, departure.packet.size),
            None => self.link.idle(self.now, self.tm.manager().backlog(0) > 0),
        }
    }

    fn snapshot(&self) -> Snapshot {
        let (stalled, sending) = self.link.totals(self.now);
        let hbm = self.tm.manager().hbm();
        let mut stats = hbm.stats();
        stats.busy = hbm.channel_stats().busy;
        Snapshot { switch: *self.tm.manager().counters(), hbm: stats, stalled, sending }
    }
}

//! What a run measures on the way: packets arrive, and the output link sends or stalls. The event
//! loop is that of [`Links`].

use forebay_lab::{RunContext, RunError, RunOutput, Timeline};
use forebay_pifo::TieredQueue;
use forebay_sched::Packet;
use forebay_switch::manager::TrafficManager;
use forebay_switch::{InstantOrder, Links, Lost, Observed, SwitchObserver, Traffic};
use forebay_units::{Duration, Time};
use forebay_workload::PacketSource;

use super::metrics::{Measured, Snapshot};
use super::params::SinglePointSetup;
use super::setup::Manager;
use crate::links::until;

/// Runs over the packets of `seed`, and tells `observer` what becomes of them.
///
/// # Errors
/// [`RunError::Stopped`] soon after `context` is stopped; [`RunError::Failed`] if nothing can be
/// built.
pub fn run(
    setup: &SinglePointSetup,
    seed: u64,
    observer: impl SwitchObserver,
    context: &mut RunContext<'_>,
) -> Result<RunOutput, RunError> {
    match setup.manager().map_err(|error| RunError::Failed(error.to_string()))? {
        Manager::Buckets(manager) => over(*manager, setup, seed, observer, context),
        Manager::Exact(manager) => over(*manager, setup, seed, observer, context),
    }
}

fn over<Q: TieredQueue>(
    manager: TrafficManager<Q>,
    setup: &SinglePointSetup,
    seed: u64,
    observer: impl SwitchObserver,
    context: &mut RunContext<'_>,
) -> Result<RunOutput, RunError> {
    let source = setup.source(seed).map_err(|error| RunError::Failed(error.to_string()))?;
    let mut switch = Observed::new(manager, observer);
    let rates = [setup.egress_rate];
    let mut links =
        Links::new(&mut switch, &rates, Fed { source, number: 0, link: Link::default() });
    let begin = Time::ZERO + setup.warm_up;
    let end = begin + setup.span;
    let steps = setup.samples.max(20);
    let mut sram = Vec::with_capacity(steps as usize);
    let mut hbm = Vec::with_capacity(steps as usize);
    until(&mut links, begin, context)?;
    let from = snapshot(&links);
    for step in 1..=steps {
        until(&mut links, begin + setup.span / steps * step, context)?;
        let at = links.now().as_ps() as f64 / 1e6;
        let buffer = links.switch().switch().buffer();
        let share = f64::from(buffer.sram_used()) / f64::from(buffer.sram_capacity());
        sram.push((at, share));
        hbm.push((at, buffer.hbm().bytes() as f64 / 1e6));
        let gone = (links.now() - Time::ZERO).as_secs_f64();
        context.progress(gone / (end - Time::ZERO).as_secs_f64());
    }
    until(&mut links, end, context)?;
    let measured = Measured {
        from,
        to: snapshot(&links),
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

fn snapshot<Q: TieredQueue, O: SwitchObserver>(
    links: &Links<'_, Observed<TrafficManager<Q>, O>, Fed, Packet>,
) -> Snapshot {
    let (stalled, sending) = links.traffic.link.totals(links.now());
    let manager = links.switch().switch();
    let mut stats = manager.hbm().stats();
    stats.busy = manager.hbm().channel_stats().busy;
    Snapshot { switch: *manager.counters(), hbm: stats, stalled, sending }
}

/// The packets of a source, all for the one port.
struct Fed {
    source: Box<dyn PacketSource>,
    /// The number of the latest packet, by which an observer knows it.
    number: u32,
    link: Link,
}

impl<S> Traffic<S, Packet> for Fed {
    const ORDER: InstantOrder = InstantOrder::OneArrival;

    #[inline]
    fn next_at(&self) -> Option<Time> {
        self.source.next_time()
    }

    #[inline]
    fn arrive(&mut self, _: Time, _: &mut S) -> Option<(u16, Packet)> {
        let arrival = self.source.next_packet()?;
        self.number = self.number.wrapping_add(1) & (u32::MAX >> 1);
        let packet = Packet {
            size: arrival.size,
            flow: arrival.flow,
            input: arrival.input,
            class: arrival.class,
            flow_size: arrival.flow_size,
            tag: self.number,
            ..Packet::default()
        };
        Some((0, packet))
    }

    #[inline]
    fn sent(&mut self, _: &Packet, begin: Time, end: Time) {
        self.link.stalls(begin, false);
        self.link.sending += end - begin;
        self.link.busy_until = end;
    }

    #[inline]
    fn unsent(&mut self, _: u16, at: Time, stalls: bool) {
        self.link.stalls(at, stalls);
    }

    #[inline]
    fn lost(&mut self, _: &Lost<Packet>, _: Time, _: &S) {}
}

/// What the output link has done.
#[derive(Default)]
struct Link {
    /// It sends until then.
    busy_until: Time,
    /// Since when it is idle although packets wait.
    stalled_since: Option<Time>,
    stalled: Duration,
    sending: Duration,
}

impl Link {
    /// From `now` on it stalls, or does not.
    fn stalls(&mut self, now: Time, stalls: bool) {
        match (stalls, self.stalled_since) {
            (true, None) => self.stalled_since = Some(now),
            (false, Some(since)) => {
                self.stalled += now - since;
                self.stalled_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Time stalled and time sending until `now`.
    fn totals(&self, now: Time) -> (Duration, Duration) {
        let running = self.stalled_since.map_or(Duration::ZERO, |since| now - since);
        (self.stalled + running, self.sending - (self.busy_until - now))
    }
}

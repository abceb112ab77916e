//! One run: packets arrive by a schedule, the link sends what the scheduler gives it.

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_sched::Packet;
use forebay_sched::scheduler::{PacketScheduler, scheduler};
use forebay_units::{Bytes, Duration, Rate, Time};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::scenario::{Point, RunError};
use crate::scenarios::schedulers;

/// A packet's story.
#[derive(Clone, Copy)]
pub(super) struct Story {
    pub(super) flow: u32,
    pub(super) arrived: Time,
    /// The ideal departure time F.
    pub(super) ideal: Time,
    /// When its last bit had left; `None` if it was refused or dropped.
    pub(super) left: Option<Time>,
}

/// What a run left behind.
pub(super) struct Outcome {
    pub(super) stories: Vec<Story>,
    pub(super) weights: Vec<u32>,
    /// How long the link takes for a unit.
    pub(super) unit: Duration,
}

/// A run before it begins.
pub(super) struct Run {
    scheduler: Box<dyn PacketScheduler>,
    stories: Vec<Story>,
    weights: Vec<u32>,
    packet: u32,
    rate: Rate,
    unit: Duration,
}

impl Run {
    pub(super) fn new(point: &Point<'_>) -> Result<Self, RunError> {
        let params = point.params;
        let mut config = schedulers::config(params)?;
        let (rate, packet) = (params.rate("link.rate")?, params.bytes("link.packet")?);
        config.link_rate = rate;
        let failed = |error: &dyn std::error::Error| RunError::Failed(error.to_string());
        let weights = schedulers::weights(params)?;
        let senders = Senders {
            weights: &weights,
            interval: rate.time_for(packet),
            load: params.float("workload.load")?,
            jitter: params.float("workload.jitter")?,
            span: params.duration("run.span")?,
        };
        Ok(Run {
            scheduler: scheduler(point.policy, &config).map_err(|error| failed(&error))?,
            stories: senders.packets(point.seed),
            packet: packet.get() as u32,
            unit: rate.time_for(config.unit.bytes),
            weights,
            rate,
        })
    }

    /// Until everything has left.
    pub(super) fn drive(
        mut self,
        progress: &mut dyn FnMut(f64),
        stop: &AtomicBool,
    ) -> Result<Outcome, RunError> {
        let mut free = Time::ZERO;
        for next in 0..self.stories.len() {
            if next % 1024 == 0 {
                progress(next as f64 / self.stories.len() as f64);
                if stop.load(Ordering::Relaxed) {
                    return Err(RunError::Stopped);
                }
            }
            let Story { flow, arrived, .. } = self.stories[next];
            free = self.send_until(free, arrived);
            let packet = Packet { flow, size: self.packet, tag: next as u32, ..Packet::default() };
            // A refused packet never leaves, which is all that is measured of it.
            let _ = self.scheduler.enqueue(arrived, packet);
            free = free.max(arrived);
        }
        self.send_until(free, Time::MAX);
        Ok(Outcome { stories: self.stories, weights: self.weights, unit: self.unit })
    }

    /// Sends what begins before `until`; when the link is free then.
    fn send_until(&mut self, mut free: Time, until: Time) -> Time {
        let sending = self.rate.time_for(Bytes::new(self.packet.into()));
        while free < until {
            if let Some(packet) = self.scheduler.dequeue(free) {
                free += sending;
                self.stories[packet.tag as usize].left = Some(free);
            } else if let Some(ready) = self.scheduler.ready_at(free) {
                free = ready.max(free + Duration::from_ps(1));
            } else {
                break;
            }
        }
        free
    }
}

/// Flows that keep to their rates.
struct Senders<'a> {
    weights: &'a [u32],
    /// A packet's time on the link.
    interval: Duration,
    load: f64,
    jitter: f64,
    span: Duration,
}

impl Senders<'_> {
    /// All packets in order of arrival, with their ideal departure times.
    fn packets(&self, seed: u64) -> Vec<Story> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let total: f64 = self.weights.iter().map(|weight| f64::from(*weight)).sum();
        let mut stories = Vec::new();
        for (flow, weight) in (0..).zip(self.weights) {
            let expected = self.interval.as_ps() as f64 * total / f64::from(*weight);
            let gap = expected / self.load;
            let (mut slot, mut ideal, mut last) = (unit() * gap, Time::ZERO, Time::ZERO);
            while slot < self.span.as_ps() as f64 {
                let arrived = Time::from_ps((slot + unit() * self.jitter * gap) as u64).max(last);
                ideal = arrived.max(ideal) + Duration::from_ps(expected as u64);
                stories.push(Story { flow, arrived, ideal, left: None });
                (slot, last) = (slot + gap, arrived);
            }
        }
        stories.sort_by_key(|story| (story.arrived, story.flow));
        stories
    }
}

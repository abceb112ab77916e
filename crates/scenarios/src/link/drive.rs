//! One run: packets arrive by a schedule, the link sends what the scheduler gives it.

use forebay_lab::{RunContext, RunError};
use forebay_parameters::ParameterError;
use forebay_sched::Packet;
use forebay_sched::scheduler::PacketScheduler;
use forebay_units::{Bytes, Duration, Rate, Time};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Config;

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
pub(super) struct Stories {
    pub(super) stories: Vec<Story>,
    pub(super) weights: Vec<u32>,
    /// How long the link takes for a unit.
    pub(super) unit: Duration,
}

/// A run before it begins.
pub(super) struct Run {
    scheduler: Box<dyn PacketScheduler>,
    senders: Senders,
    seed: u64,
    packet: u32,
    rate: Rate,
    unit: Duration,
}

impl Run {
    pub(super) fn new(config: &Config, seed: u64) -> Result<Self, ParameterError> {
        let senders = Senders {
            weights: config.scheduling.weights.clone(),
            interval: config.rate.time_for(config.packet).max(Duration::from_ps(1)),
            burst: config.burst,
            load: config.load,
            jitter: config.jitter,
            span: config.span,
        };
        Ok(Run {
            scheduler: config.scheduling.build(config.rate)?,
            senders,
            seed,
            packet: config.packet.get() as u32,
            unit: config.rate.time_for(config.scheduling.unit),
            rate: config.rate,
        })
    }

    /// Until everything has left.
    pub(super) fn drive(mut self, context: &mut RunContext<'_>) -> Result<Stories, RunError> {
        let mut stories = self.senders.packets(self.seed, context)?;
        let mut free = Time::ZERO;
        for next in 0..stories.len() {
            if next % 1024 == 0 {
                context.progress(next as f64 / stories.len() as f64);
                if context.stopped() {
                    return Err(RunError::Stopped);
                }
            }
            let Story { flow, arrived, .. } = stories[next];
            free = self.send_until(&mut stories, free, arrived);
            let packet = Packet { flow, size: self.packet, tag: next as u32, ..Packet::default() };
            // A refused packet never leaves, which is all that is measured of it.
            let _ = self.scheduler.enqueue(arrived, packet);
            free = free.max(arrived);
        }
        self.send_until(&mut stories, free, Time::MAX);
        Ok(Stories { stories, weights: self.senders.weights, unit: self.unit })
    }

    /// Sends what begins before `until`; when the link is free then.
    fn send_until(&mut self, stories: &mut [Story], mut free: Time, until: Time) -> Time {
        let sending = self.rate.time_for(Bytes::new(self.packet.into()));
        while free < until {
            if let Some(packet) = self.scheduler.dequeue(free) {
                free += sending;
                stories[packet.tag as usize].left = Some(free);
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
struct Senders {
    weights: Vec<u32>,
    /// A packet's time on the link.
    interval: Duration,
    /// Packets that a flow of the largest weight sends at once.
    burst: u64,
    load: f64,
    jitter: f64,
    span: Duration,
}

impl Senders {
    /// All packets in order of arrival, with their ideal departure times.
    fn packets(&self, seed: u64, context: &RunContext<'_>) -> Result<Vec<Story>, RunError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let heaviest = self.weights.iter().max().copied();
        let total: f64 = self.weights.iter().map(|weight| f64::from(*weight)).sum();
        let mut stories = Vec::new();
        for (flow, weight) in (0..).zip(&self.weights) {
            if context.stopped() {
                return Err(RunError::Stopped);
            }
            let burst = if Some(*weight) == heaviest { self.burst } else { 1 };
            let expected = self.interval.as_ps() as f64 * total / f64::from(*weight);
            let gap = expected / self.load * burst as f64;
            let (mut slot, mut ideal, mut last) = (unit() * gap, Time::ZERO, Time::ZERO);
            while slot < self.span.as_ps() as f64 {
                let arrived = Time::from_ps((slot + unit() * self.jitter * gap) as u64).max(last);
                for _ in 0..burst {
                    ideal = arrived.max(ideal) + Duration::from_ps(expected as u64);
                    stories.push(Story { flow, arrived, ideal, left: None });
                }
                (slot, last) = (slot + gap, arrived);
            }
        }
        stories.sort_by_key(|story| (story.arrived, story.flow));
        Ok(stories)
    }
}

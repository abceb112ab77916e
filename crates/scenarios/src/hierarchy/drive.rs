//! One run: flows offer packets at their rates, the link sends what the scheduler gives it.
//!
//! The loop is not that of `Links`, which drives a switch: here is a scheduler alone, without ports
//! or a buffer, and the loop is closed. A flow with a full window offers its next packet at the
//! instant at which one of its own leaves or is dropped, so that what has left decides what
//! arrives.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_lab::{RunContext, RunError};
use forebay_parameters::ParameterError;
use forebay_sched::Packet;
use forebay_sched::scheduler::PacketScheduler;
use forebay_units::{Bytes, Duration, Time};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Config;
use super::metrics::{LeafShares, Watch};

/// A flow at work.
#[derive(Clone, Copy)]
struct Sender {
    /// Between two packets; `None` for a flow that sends nothing.
    gap: Option<Duration>,
    waiting: u64,
    /// Whether its next packet waits for one of its own to leave.
    is_held: bool,
}

/// A run before it begins.
pub(super) struct Run {
    scheduler: Box<dyn PacketScheduler>,
    config: Config,
    senders: Vec<Sender>,
    /// When which flow offers its next packet.
    next: BinaryHeap<Reverse<(Time, u32)>>,
    end: Time,
    watch: Watch,
    /// Packets offered, and refused.
    offered: [u64; 2],
}

impl Run {
    pub(super) fn new(config: Config, seed: u64) -> Result<Self, ParameterError> {
        let begin = Time::ZERO + config.warm_up;
        let end = begin + config.span;
        let watch = Watch::new(&config.scheduling.tree()?, &config, begin..end)
            .map_err(|error| ParameterError::value("scheduler.tree", error))?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (mut senders, mut next) = (Vec::new(), BinaryHeap::new());
        for (flow, demand) in (0..).zip(&config.demands) {
            let gap = (demand.as_bps() > 0).then(|| demand.time_for(config.packet));
            senders.push(Sender { gap, waiting: 0, is_held: false });
            if let Some(gap) = gap {
                let phase = random.next_u64() % gap.as_ps().max(1);
                next.push(Reverse((Time::from_ps(phase), flow)));
            }
        }
        Ok(Run {
            scheduler: config.scheduling.build(config.rate)?,
            offered: [0; 2],
            config,
            senders,
            next,
            end,
            watch,
        })
    }

    /// Until the end of the span.
    pub(super) fn drive(mut self, context: &mut RunContext<'_>) -> Result<LeafShares, RunError> {
        let mut now = Time::ZERO;
        for step in 0u64.. {
            if step.is_multiple_of(1024) {
                context.progress(now.as_ps() as f64 / self.end.as_ps().max(1) as f64);
                if context.stopped() {
                    return Err(RunError::Stopped);
                }
            }
            self.offer_until(now);
            now = match self.scheduler.dequeue(now) {
                Some(packet) => {
                    self.left(now, &packet);
                    now + self.config.rate.time_for(Bytes::new(packet.size.into()))
                }
                None => match self.next_instant(now) {
                    Some(next) => next,
                    None => break,
                },
            };
            while let Some((packet, _)) = self.scheduler.take_dropped() {
                self.offered[1] += 1;
                self.gone(now, &packet);
            }
            if now >= self.end {
                break;
            }
        }
        Ok(self.watch.outcome(self.offered))
    }

    /// When something may happen after `now`, at which nothing may leave.
    fn next_instant(&self, now: Time) -> Option<Time> {
        let offer = self.next.peek().map(|Reverse((at, _))| *at);
        let ready = self.scheduler.ready_at(now);
        let next = offer.into_iter().chain(ready).min()?;
        Some(next.max(now + Duration::from_ps(1)))
    }

    /// All packets that are offered by `now`.
    fn offer_until(&mut self, now: Time) {
        while let Some(Reverse((at, flow))) =
            self.next.peek().copied().filter(|next| next.0.0 <= now)
        {
            self.next.pop();
            let sender = &mut self.senders[flow as usize];
            let Some(gap) = sender.gap else { continue };
            if sender.waiting >= self.config.window {
                sender.is_held = true;
                continue;
            }
            self.offered[0] += 1;
            match self.scheduler.enqueue(at, self.config.packet_of(flow)) {
                Ok(()) => sender.waiting += 1,
                Err(_) => self.offered[1] += 1,
            }
            self.next.push(Reverse((at + gap.max(Duration::from_ps(1)), flow)));
        }
    }

    fn left(&mut self, now: Time, packet: &Packet) {
        self.watch.sent(now, packet);
        self.gone(now, packet);
    }

    /// One packet less of its flow, which may offer the one it held back.
    fn gone(&mut self, now: Time, packet: &Packet) {
        let sender = &mut self.senders[packet.flow as usize];
        sender.waiting = sender.waiting.saturating_sub(1);
        if std::mem::take(&mut sender.is_held) {
            self.next.push(Reverse((now, packet.flow)));
        }
    }
}

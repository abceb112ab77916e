//! One tin of CAKE: the flows of a class, each with a queue of its own.

use alloc::vec;
use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate, Time};

use super::CakeConfig;
use super::cobalt::{Aim, Cobalt};
use super::places::Places;
use crate::Packet;
use crate::fair::active_list::ActiveList;
use crate::fair::codel::{CodelConfig, Timed};
use crate::fair::fifos::Fifos;
use crate::fair::rounds::Rounds;

/// The flows of one class.
#[derive(Clone, Debug)]
pub(super) struct Tin {
    aim: Aim,
    threshold: Rate,
    /// Whether that is the whole link.
    is_whole: bool,
    /// Until when it has used its threshold up.
    due: Time,
    held: usize,
    places: Places,
    fifos: Fifos<Timed>,
    cobalts: Vec<Cobalt>,
    rounds: Rounds,
    /// Queues that hold nothing, but whose COBALT remembers; and whether each is in the list. One
    /// may have got packets since.
    decaying: ActiveList,
    is_decaying: Vec<bool>,
}

impl Tin {
    /// Nothing in it; it has priority up to `threshold`, at least 1 bit/s.
    pub(super) fn new(config: &CakeConfig, threshold: Rate, is_whole: bool) -> Self {
        let queues = config.queues.clamp(1, 1 << 20) as usize;
        Tin {
            aim: aim(&config.codel, threshold),
            threshold,
            is_whole,
            due: Time::ZERO,
            held: 0,
            places: Places::new(queues, config.ways as usize, config.seed),
            fifos: Fifos::new(queues),
            cobalts: vec![Cobalt::default(); queues],
            rounds: Rounds::new(queues, quantum(threshold)),
            decaying: ActiveList::default(),
            is_decaying: vec![false; queues],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// Until when it has used its threshold up.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Whether it has priority up to the whole link.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether nobody is remembered.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        self.cobalts.iter().all(Cobalt::rests)
    }

    pub(super) fn enqueue(&mut self, now: Time, packet: Packet) {
        if self.held == 0 {
            self.due = self.due.max(now);
        }
        let (rounds, is_decaying) = (&self.rounds, &self.is_decaying);
        let is_free = |queue| !rounds.is_listed(queue) && !is_decaying[queue];
        let queue = self.places.enter(packet.flow, is_free);
        self.fifos.push(queue, Timed { packet, since: now });
        self.rounds.join(queue);
        self.held += 1;
    }

    /// The next packet; those that COBALT drops go to `drop`. `draw` gives random numbers.
    pub(super) fn dequeue(
        &mut self,
        now: Time,
        mut draw: impl FnMut() -> u32,
        mut drop: impl FnMut(Packet),
    ) -> Option<Packet> {
        self.decay_one(now);
        while let Some(queue) = self.rounds.turn() {
            while let Some(mut head) = self.take(queue) {
                let rejected = self.cobalts[queue].rejects(&self.aim, now, &mut head, draw());
                // What is last cannot be too much.
                if rejected && !self.fifos.is_empty(queue) {
                    drop(head.packet);
                    continue;
                }
                self.rounds.sent(queue, head.packet.size);
                self.use_up(now, head.packet.size);
                return Some(head.packet);
            }
            if self.rounds.emptied(queue) {
                self.rest(queue, now);
            }
        }
        None
    }

    /// The queue with the most bytes, and how many.
    pub(super) fn longest(&self) -> (usize, u64) {
        let bytes = (0..self.fifos.queues()).map(|queue| (queue, self.fifos.bytes(queue)));
        bytes.max_by_key(|(_, bytes)| *bytes).unwrap_or((0, 0))
    }

    /// Gives up the head of `queue`, since the buffer is too small for it.
    pub(super) fn shed(&mut self, queue: usize, now: Time) -> Option<Packet> {
        let head = self.take(queue)?;
        self.cobalts[queue].overflowed(&self.aim, now);
        Some(head.packet)
    }

    fn take(&mut self, queue: usize) -> Option<Timed> {
        let head = self.fifos.pop(queue)?;
        self.held -= 1;
        self.places.leave(head.packet.flow, queue);
        Some(head)
    }

    /// A packet leaves. What was sent beyond the threshold, since nobody else wanted to, is owed
    /// for no longer than this packet takes.
    fn use_up(&mut self, now: Time, bytes: u32) {
        let takes = self.threshold.time_for(Bytes::new(bytes.into()));
        self.due = if self.due <= now { self.due + takes } else { self.due.max(now + takes) };
    }

    /// `queue` holds nothing any more.
    fn rest(&mut self, queue: usize, now: Time) {
        self.cobalts[queue].emptied(&self.aim, now);
        if !self.cobalts[queue].rests() && !self.is_decaying[queue] {
            self.is_decaying[queue] = true;
            self.decaying.append(queue);
        }
    }

    /// Looks at one queue that holds nothing.
    fn decay_one(&mut self, now: Time) {
        let Some(queue) = self.decaying.remove_first() else { return };
        self.is_decaying[queue] = false;
        if !self.rounds.is_listed(queue) {
            self.rest(queue, now);
        }
    }
}

/// CoDel's target and interval, no shorter than a slow tin allows: a target of one and a half
/// largest packets, an interval of two targets.
fn aim(codel: &CodelConfig, threshold: Rate) -> Aim {
    let largest = threshold.time_for(codel.mtu);
    let target = codel.target.max(Duration::from_ps(largest.as_ps().saturating_mul(3) / 2));
    let later = target.as_ps() - codel.target.as_ps();
    let interval = codel.interval.as_ps().saturating_add(later);
    let interval = Duration::from_ps(interval.max(target.as_ps().saturating_mul(2)));
    Aim { target, interval, largest, ecn: codel.ecn }
}

/// Bytes of a turn: an Ethernet frame, less on slow links, so that small packets do not wait for
/// large ones of others.
fn quantum(threshold: Rate) -> u32 {
    let bytes = threshold.as_bps() / (8 << 12);
    u32::try_from(bytes).unwrap_or(u32::MAX).clamp(300, 1514)
}

//! CoDel: drops from the head of a queue whose packets have waited too long for too long.
//!
//! Source: RFC 8289 (§5, the algorithm). While every packet of the last `interval` has waited
//! longer than `target`, packets are dropped, ever sooner: the n-th at `interval / sqrt(n)` after
//! the one before. A queue that holds no more than a largest packet is left alone. Returning to
//! dropping soon after it stopped, within 16 intervals, goes on at the rate it had reached.
//!
//! Where the flow understands marks, the packet that would be dropped is marked and sent
//! (RFC 8290 §5.2.6).
//!
//! Open, and chosen here: the square root is of integers, to 2^-16.
//!
//! Complexity: O(1) per packet that leaves or is dropped. Memory: 40 bytes a queue.

use forebay_parameters::{Configure, Source};
use forebay_units::{Bytes, Duration, Time};

use super::fifos::{Fifos, Sized32};
use crate::{Ecn, Packet};

/// Parameters of CoDel.
///
/// ```
/// use forebay_sched::fair::CodelConfig;
/// use forebay_units::Duration;
///
/// assert_eq!(CodelConfig::default().target, Duration::from_ms(5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct CodelConfig {
    /// The wait that CoDel accepts permanently.
    ///
    /// RFC 8289 §4.4.
    #[parameter(source = RFC, name = "codel_target", default = Duration::from_ms(5))]
    pub target: Duration,
    /// How long waits may stay above the target before packets are dropped.
    ///
    /// About a round trip at worst (RFC 8289 §4.3).
    #[parameter(source = RFC, name = "codel_interval", default = Duration::from_ms(100))]
    pub interval: Duration,
    /// A queue that holds no more than this is not dropped from.
    ///
    /// The largest packet.
    #[parameter(source = RFC, name = "codel_mtu", default = Bytes::new(1514))]
    pub mtu: Bytes,
    /// Whether packets of flows that understand marks (ECN) are marked instead of dropped.
    #[parameter(paper = "RFC 8290 §5.2.6", name = "codel_ecn", default = true)]
    pub ecn: bool,
}

const RFC: Source = Source::paper("RFC 8289");

/// A packet and when it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub(super) packet: Packet,
    pub(super) since: Time,
}

impl Timed {
    /// Marks it, if `ecn` and its flow let it be marked. Whether it is.
    pub(super) fn mark(&mut self, ecn: bool) -> bool {
        if ecn {
            self.packet.ecn = self.packet.ecn.marked();
        }
        ecn && self.packet.ecn == Ecn::Experienced
    }
}

impl Sized32 for Timed {
    #[inline]
    fn size(&self) -> u32 {
        self.packet.size
    }
}

/// CoDel's state for one queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Codel {
    /// When waits will have been too long for an interval; `None` while they are not.
    above_until: Option<Time>,
    drop_next: Time,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl Codel {
    /// The next packet of `queue` that is not dropped, marked or not; those that are go to `drop`.
    pub(super) fn dequeue(
        &mut self,
        config: &CodelConfig,
        now: Time,
        (queues, queue): (&mut Fifos<Timed>, usize),
        mut drop: impl FnMut(Packet),
    ) -> Option<Timed> {
        let (mut head, mut may_drop) = self.take(config, now, queues, queue);
        if self.dropping {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if head.as_mut().is_some_and(|head| head.mark(config.ecn)) {
                    self.drop_next = after(self.drop_next, config.interval, self.count);
                    return head;
                }
                drop(head?.packet);
                (head, may_drop) = self.take(config, now, queues, queue);
                self.dropping = may_drop;
                if may_drop {
                    self.drop_next = after(self.drop_next, config.interval, self.count);
                }
            }
        } else if may_drop {
            if !head.as_mut().is_some_and(|head| head.mark(config.ecn)) {
                drop(head?.packet);
                (head, _) = self.take(config, now, queues, queue);
            }
            self.dropping = true;
            let (dropped, since) = (self.count - self.last_count, now.since(self.drop_next));
            let again = dropped > 1 && since < config.interval * 16;
            self.count = if again { dropped } else { 1 };
            self.drop_next = after(now, config.interval, self.count);
            self.last_count = self.count;
        }
        head
    }

    /// Takes the head, and says whether it may be dropped.
    fn take(
        &mut self,
        config: &CodelConfig,
        now: Time,
        queues: &mut Fifos<Timed>,
        queue: usize,
    ) -> (Option<Timed>, bool) {
        let Some(head) = queues.pop(queue) else {
            self.above_until = None;
            return (None, false);
        };
        let short = now.since(head.since) < config.target;
        if short || queues.bytes(queue) <= config.mtu.get() {
            self.above_until = None;
            return (Some(head), false);
        }
        let until = *self.above_until.get_or_insert(now + config.interval);
        (Some(head), now >= until)
    }
}

/// `interval / sqrt(count)` after `from`.
pub(super) fn after(from: Time, interval: Duration, count: u32) -> Time {
    let root = (u64::from(count.max(1)) << 32).isqrt();
    let ps = (u128::from(interval.as_ps()) << 16) / u128::from(root);
    from + Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// When packets are dropped from a queue in which every packet has waited 20 ms, 1 a ms, and
    /// when they are marked.
    fn told(config: CodelConfig, ecn: Ecn, milliseconds: u64) -> (Vec<u64>, Vec<u64>) {
        let (mut codel, mut queues) = (Codel::default(), Fifos::new(1));
        let (mut drops, mut marks) = (Vec::new(), Vec::new());
        for ms in 20..milliseconds {
            let since = Time::ZERO + Duration::from_ms(ms - 20);
            for _ in 0..4 {
                let packet = Packet { size: 1500, ecn, ..Packet::default() };
                queues.push(0, Timed { packet, since });
            }
            let now = Time::ZERO + Duration::from_ms(ms);
            let left = codel.dequeue(&config, now, (&mut queues, 0), |_| drops.push(ms));
            marks.extend(left.filter(|left| left.packet.ecn == Ecn::Experienced).map(|_| ms));
        }
        (drops, marks)
    }

    #[test]
    fn drops_come_ever_sooner_by_the_square_root() {
        // After 100 ms above target, then 100/1, 100/sqrt 2, 100/sqrt 3, 100/2 ms later.
        let at = [120, 220, 291, 349, 399, 444, 484];
        let config = CodelConfig::default();
        assert_eq!(told(config, Ecn::NotCapable, 500), (at.into(), [].into()));
        assert_eq!(told(config, Ecn::Capable, 500), ([].into(), at.into()), "marked as often");
        let config = CodelConfig { ecn: false, ..config };
        assert_eq!(told(config, Ecn::Capable, 500), (at.into(), [].into()));
    }

    #[test]
    fn short_waits_are_left_alone() {
        let config = CodelConfig { target: Duration::from_ms(25), ..CodelConfig::default() };
        let (mut codel, mut queues) = (Codel::default(), Fifos::new(1));
        let packet = Packet { size: 9000, ..Packet::default() };
        queues.push(0, Timed { packet, since: Time::ZERO });
        for ms in 20..1000 {
            let since = Time::ZERO + Duration::from_ms(ms - 20);
            queues.push(0, Timed { packet, since });
            let now = Time::ZERO + Duration::from_ms(ms);
            let mut dropped = 0;
            assert!(codel.dequeue(&config, now, (&mut queues, 0), |_| dropped += 1).is_some());
            assert_eq!(dropped, 0);
        }
    }
}

//! COBALT: CoDel whose drop rate decays instead of ending at once, and BLUE for flows that do not
//! listen.
//!
//! Source: Palmei et al., "Design and Evaluation of COBALT Queue Discipline", LANMAN 2019; CoDel's
//! control law is that of RFC 8289 §5.3. While packets wait longer than the target, the n-th drop
//! (or mark) comes `interval / sqrt(n)` after the one before; while they do not, n falls in the
//! same steps. Each time the buffer is too small for the flow, at most once a target, BLUE's
//! probability of a drop rises by 1/256; each time the flow is found without packets, at most once
//! a target, it falls by 1/4096.
//!
//! A packet has waited too long, too, only if it waited longer than four largest packets take: a
//! slow link cannot be faster.
//!
//! Complexity: O(1) amortised. Memory: 32 bytes a queue.

use forebay_units::{Duration, Time};

use crate::fair::codel::{Timed, after};

/// BLUE's probabilities are in parts of this.
pub(super) const CERTAIN: u32 = 1 << 24;
const RISES: u32 = CERTAIN >> 8;
const FALLS: u32 = CERTAIN >> 12;

/// What is aimed at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    pub(super) target: Duration,
    pub(super) interval: Duration,
    /// How long a largest packet takes.
    pub(super) largest: Duration,
    pub(super) ecn: bool,
}

/// COBALT's state for one queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cobalt {
    count: u32,
    drop_next: Time,
    drops: u32,
    blue_since: Time,
    dropping: bool,
}

impl Cobalt {
    /// Whether the head of the queue should be dropped at `now`; it may be marked instead. `draw`
    /// is at random below [`CERTAIN`].
    pub(super) fn rejects(&mut self, aim: &Aim, now: Time, head: &mut Timed, draw: u32) -> bool {
        let waited = now.since(head.since);
        let too_long = waited > aim.target && waited > aim.largest * 4;
        if too_long && !self.dropping {
            self.count = self.count.max(1);
            self.drop_next = after(now, aim.interval, self.count);
        }
        self.dropping = too_long;
        let mut rejected = false;
        if self.dropping {
            if now >= self.drop_next {
                rejected = !head.mark(aim.ecn);
                self.count = self.count.saturating_add(1);
                self.drop_next = after(self.drop_next, aim.interval, self.count);
            }
        } else {
            self.decay(aim, now);
        }
        rejected || draw < self.drops
    }

    /// The buffer was too small for the queue.
    pub(super) fn overflowed(&mut self, aim: &Aim, now: Time) {
        if now.since(self.blue_since) > aim.target {
            self.drops = (self.drops + RISES).min(CERTAIN);
            self.blue_since = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The queue was looked at and held nothing.
    pub(super) fn emptied(&mut self, aim: &Aim, now: Time) {
        if self.drops > 0 && now.since(self.blue_since) > aim.target {
            self.drops = self.drops.saturating_sub(FALLS);
            self.blue_since = now;
        }
        self.dropping = false;
        self.decay(aim, now);
    }

    /// Whether it is as it was in the beginning.
    pub(super) fn rests(&self) -> bool {
        self.count == 0 && self.drops == 0
    }

    fn decay(&mut self, aim: &Aim, now: Time) {
        while self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = after(self.drop_next, aim.interval, self.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{Ecn, Packet};

    const AIM: Aim = Aim {
        target: Duration::from_ms(5),
        interval: Duration::from_ms(100),
        largest: Duration::from_us(121),
        ecn: true,
    };

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn waited(cobalt: &mut Cobalt, at: u64, wait: u64, ecn: Ecn) -> (bool, Ecn) {
        let packet = Packet { size: 1500, ecn, ..Packet::default() };
        let mut head = Timed { packet, since: ms(at - wait) };
        (cobalt.rejects(&AIM, ms(at), &mut head, CERTAIN - 1), head.packet.ecn)
    }

    #[test]
    fn drops_come_ever_sooner_and_decay_as_they_came() {
        let mut cobalt = Cobalt::default();
        let drops: Vec<u64> =
            (20..400).filter(|at| waited(&mut cobalt, *at, 20, Ecn::NotCapable).0).collect();
        // 100 ms above the target, then 100/sqrt 2, 100/sqrt 3, 100/2, 100/sqrt 5 ms later.
        assert_eq!(drops, [120, 191, 249, 299, 344, 384]);
        assert_eq!(cobalt.count, 7);
        // The seventh step ends at 384 + 38 ms, the next six take 41, 45, 50, 58, 71 and 100 ms.
        let steps: Vec<u64> = (400..1000)
            .filter(|at| {
                let before = cobalt.count;
                waited(&mut cobalt, *at, 1, Ecn::NotCapable);
                cobalt.count < before
            })
            .collect();
        assert_eq!(steps, [422, 463, 508, 558, 616, 686, 786]);
        assert!(cobalt.rests());
    }

    #[test]
    fn what_understands_marks_is_marked() {
        let mut cobalt = Cobalt::default();
        let marks: Vec<u64> = (20..200)
            .filter(|at| waited(&mut cobalt, *at, 20, Ecn::Capable) == (false, Ecn::Experienced))
            .collect();
        assert_eq!(marks, [120, 191]);
    }

    #[test]
    fn a_slow_link_is_not_asked_for_more_than_it_can() {
        let slow = Aim { largest: Duration::from_ms(12), ..AIM };
        let mut cobalt = Cobalt::default();
        for at in 48..1000 {
            let packet = Packet { size: 1500, ..Packet::default() };
            let mut head = Timed { packet, since: ms(at - 48) };
            assert!(!cobalt.rejects(&slow, ms(at), &mut head, CERTAIN - 1));
        }
    }

    #[test]
    fn blue_rises_with_a_full_buffer_and_falls_with_an_empty_queue() {
        let mut cobalt = Cobalt::default();
        for at in 1..=60 {
            cobalt.overflowed(&AIM, ms(at));
        }
        // Once in more than 5 ms: at 6, 12, … 60.
        assert_eq!(cobalt.drops, 10 * RISES);
        let packet = Packet { size: 1500, ..Packet::default() };
        let mut head = Timed { packet, since: ms(61) };
        assert!(cobalt.rejects(&AIM, ms(61), &mut head, 10 * RISES - 1));
        assert!(!cobalt.rejects(&AIM, ms(61), &mut head, 10 * RISES));
        let mut looks = 0;
        while cobalt.drops > 0 {
            looks += 1;
            cobalt.emptied(&AIM, ms(61 + 6 * looks));
        }
        assert_eq!(looks, u64::from(10 * RISES / FALLS));
    }
}

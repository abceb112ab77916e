//! What happens behind the port: loss, delay, jitter, reordering.
//!
//! Every frame takes one draw of each stream that is used, whatever the other parameters, so that a
//! change of one leaves the others' draws as they are. O(1) a frame, O(log frames held back) for
//! one that is held back.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use forebay_units::{Duration, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::config::EmulationConfig;

#[derive(Debug)]
pub(crate) struct Wire {
    delay: Duration,
    jitter: Duration,
    loss: f64,
    reorder: f64,
    reorder_by: Duration,
    losses: ChaCha8Rng,
    jitters: ChaCha8Rng,
    reorders: ChaCha8Rng,
    /// When the last frame arrives that none may overtake.
    last: Time,
    /// What is on its way, in order: when it arrives, in which order it was sent, its number.
    in_order: VecDeque<(Time, u64, u32)>,
    /// What is so and held back.
    held_back: BinaryHeap<Reverse<(Time, u64, u32)>>,
    sent: u64,
}

impl Wire {
    /// The wire of the direction called `name`.
    pub(crate) fn new(config: &EmulationConfig, name: &str) -> Self {
        let draws = |what: &str| stream(config.seed, &format!("link {name} {what}"), 0);
        Wire {
            delay: config.delay,
            jitter: config.jitter.min(config.delay),
            loss: config.loss,
            reorder: config.reorder,
            reorder_by: config.reorder_by,
            losses: draws("loss"),
            jitters: draws("jitter"),
            reorders: draws("reorder"),
            last: Time::ZERO,
            in_order: VecDeque::new(),
            held_back: BinaryHeap::new(),
            sent: 0,
        }
    }

    /// A frame's last bit enters at `at`: when it arrives, or `None` if it is lost.
    pub(crate) fn send(&mut self, at: Time, frame: u32) -> Option<Time> {
        let lost = self.loss > 0.0 && uniform(&mut self.losses) < self.loss;
        let held_back = self.reorder > 0.0 && uniform(&mut self.reorders) < self.reorder;
        let mut due = at + self.least();
        if self.jitter > Duration::ZERO {
            let share = uniform(&mut self.jitters);
            due += Duration::from_ps((self.jitter.as_ps() as f64 * 2.0 * share) as u64);
        }
        if lost {
            return None;
        }
        if held_back {
            due += self.reorder_by;
            self.held_back.push(Reverse((due, self.sent, frame)));
        } else {
            due = due.max(self.last);
            self.last = due;
            self.in_order.push_back((due, self.sent, frame));
        }
        self.sent += 1;
        Some(due)
    }

    /// The least time that a frame takes.
    pub(crate) fn least(&self) -> Duration {
        self.delay - self.jitter
    }

    /// When the next frame arrives.
    pub(crate) fn due(&self) -> Option<Time> {
        self.next().map(|(due, ..)| due)
    }

    fn next(&self) -> Option<(Time, u64, u32)> {
        let held_back = self.held_back.peek().map(|Reverse(next)| *next);
        match (self.in_order.front().copied(), held_back) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// The next frame that has arrived at `now`.
    pub(crate) fn arrived(&mut self, now: Time) -> Option<(Time, u32)> {
        let next @ (due, _, frame) = self.next().filter(|(due, ..)| *due <= now)?;
        if self.in_order.front() == Some(&next) {
            self.in_order.pop_front();
        } else {
            self.held_back.pop();
        }
        Some((due, frame))
    }

    /// How many frames are on their way.
    pub(crate) fn len(&self) -> usize {
        self.in_order.len() + self.held_back.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When each of 10,000 frames arrives that enter a microsecond apart; `None` if it is lost.
    fn arrivals(config: &EmulationConfig) -> Vec<Option<u64>> {
        let mut wire = Wire::new(config, "up");
        let mut arrivals = vec![None; 10_000];
        for frame in 0..10_000 {
            wire.send(Time::ZERO + Duration::from_us(u64::from(frame)), frame);
        }
        while let Some((at, frame)) = wire.arrived(Time::MAX) {
            arrivals[frame as usize] = Some(at.as_ps() / 1_000_000);
        }
        arrivals
    }

    fn config() -> EmulationConfig {
        EmulationConfig { delay: Duration::from_ms(25), ..EmulationConfig::default() }
    }

    #[test]
    fn a_plain_wire_only_delays() {
        let expected: Vec<_> = (0..10_000).map(|us| Some(25_000 + us)).collect();
        assert_eq!(arrivals(&config()), expected);
    }

    #[test]
    fn the_share_that_is_lost_is_the_probability() {
        let lost = |loss| {
            arrivals(&EmulationConfig { loss, ..config() }).iter().filter(|at| at.is_none()).count()
        };
        assert_eq!((lost(0.0), lost(1.0)), (0, 10_000));
        // Five standard deviations of a binomial distribution.
        assert!((1_000 - 150..=1_000 + 150).contains(&lost(0.1)), "{}", lost(0.1));
    }

    #[test]
    fn jitter_spreads_and_keeps_the_order() {
        let jitter = Duration::from_ms(5);
        let all: Vec<_> =
            arrivals(&EmulationConfig { jitter, ..config() }).into_iter().flatten().collect();
        assert!(all.is_sorted() && all.len() == 10_000);
        let delays = all.iter().zip(0..).map(|(at, sent)| at - sent);
        assert!(delays.clone().all(|us| (20_000..40_000).contains(&us)));
        assert!(delays.min().is_some_and(|least| least < 30_000));
    }

    #[test]
    fn reordered_frames_are_late_by_what_was_said() {
        let config = EmulationConfig { reorder: 0.1, ..config() };
        let late =
            arrivals(&config).iter().zip(0..).filter(|(at, us)| **at == Some(26_000 + us)).count();
        let kept =
            arrivals(&config).iter().zip(0..).filter(|(at, us)| **at == Some(25_000 + us)).count();
        assert_eq!(late + kept, 10_000);
        assert!((850..=1_150).contains(&late), "{late}");
    }

    #[test]
    fn a_seed_repeats_itself_and_one_effect_leaves_the_others_alone() {
        let loss = EmulationConfig { loss: 0.1, ..config() };
        let both = EmulationConfig { jitter: Duration::from_ms(1), ..loss.clone() };
        let lost = |config: &EmulationConfig| {
            arrivals(config).iter().map(Option::is_none).collect::<Vec<_>>()
        };
        assert_eq!(arrivals(&both), arrivals(&both));
        assert_eq!(lost(&loss), lost(&both));
        assert_ne!(lost(&loss), lost(&EmulationConfig { seed: 2, ..loss.clone() }));
    }
}

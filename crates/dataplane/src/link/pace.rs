//! How fast a port sends: at a rate, by a rate that changes, or in opportunities.

use std::fmt;

use forebay_units::{Bytes, Duration, Rate, Time};

/// How fast a port sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// So many bits a second.
    Constant(Rate),
    /// Rates for spans of time.
    Steps(Steps),
    /// Instants at which some bytes may pass.
    Opportunities(Opportunities),
}

impl Pace {
    /// The pace of a link that always has this rate.
    #[must_use]
    pub const fn of(rate: Rate) -> Self {
        Pace::Constant(rate)
    }

    /// The mean rate, for switches that want to know that of their link.
    #[must_use]
    pub fn mean(&self) -> Rate {
        match self {
            Pace::Constant(rate) => *rate,
            Pace::Steps(steps) => steps.mean(),
            Pace::Opportunities(opportunities) => opportunities.mean(),
        }
    }

    /// When the last of `size` bytes has passed if they begin at `begin`; calls come in the order
    /// of time.
    pub(super) fn end(&mut self, begin: Time, size: Bytes) -> Time {
        match self {
            Pace::Constant(rate) => begin + rate.time_for(size),
            Pace::Steps(steps) => steps.end(begin, size),
            Pace::Opportunities(opportunities) => opportunities.end(begin, size),
        }
    }
}

/// The least mean rate of a trace: at lower ones a frame would take minutes.
pub const LEAST: Rate = Rate::from_bps(1_000);

/// The longest that a trace may last before it repeats.
pub const LONGEST: Duration = Duration::from_ms(30 * 24 * 3_600_000);

/// Why a trace gives no pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaceError {
    /// It takes no time, so that it cannot repeat.
    NoTime,
    /// It takes longer than [`LONGEST`].
    TooLong,
    /// Nothing passes in it, or less than [`LEAST`] on average.
    Nothing,
}

impl fmt::Display for PaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PaceError::NoTime => "it lasts no time at all: its last instant must be later than 0",
            PaceError::TooLong => "it lasts longer than 30 days: give a shorter one, it repeats",
            PaceError::Nothing => {
                "nothing passes in it, or less than 1 kb/s on average: give higher rates"
            }
        })
    }
}

impl std::error::Error for PaceError {}

/// What a bit takes of a rate's bits a second times picoseconds.
const BIT: u128 = 1_000_000_000_000;

/// Rates for spans of time, again and again. O(steps) a frame, O(1) while one step lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    steps: Vec<(Rate, Duration)>,
    /// How long all of them last, and what passes in them, in [`BIT`]s.
    period: Duration,
    passes: u128,
    /// The step of the last frame's end, and when that began.
    current: usize,
    since: Time,
}

impl Steps {
    /// Each rate for its span.
    ///
    /// # Errors
    /// If all of it takes no time, or hardly anything passes.
    pub fn new(steps: Vec<(Rate, Duration)>) -> Result<Self, PaceError> {
        let steps: Vec<_> = steps.into_iter().filter(|(_, span)| *span > Duration::ZERO).collect();
        let period: Duration = steps.iter().map(|(_, span)| *span).sum();
        let passes: u128 = steps.iter().map(|step| passes(step.0, step.1)).sum();
        if period == Duration::ZERO {
            return Err(PaceError::NoTime);
        }
        if period > LONGEST {
            return Err(PaceError::TooLong);
        }
        let steps = Steps { steps, period, passes, current: 0, since: Time::ZERO };
        if steps.mean() < LEAST { Err(PaceError::Nothing) } else { Ok(steps) }
    }

    fn mean(&self) -> Rate {
        Rate::from_bps((self.passes / u128::from(self.period.as_ps())) as u64)
    }

    fn end(&mut self, begin: Time, size: Bytes) -> Time {
        self.go_to(begin);
        let mut left = size.bits() * BIT;
        // Whole rounds at once, wherever they begin.
        let rounds = u64::try_from(left / self.passes).unwrap_or(u64::MAX);
        left -= u128::from(rounds) * self.passes;
        self.since += self.period * rounds;
        let mut now = begin + self.period * rounds;
        loop {
            let (rate, span) = self.steps[self.current];
            let until = self.since + span;
            let pass = passes(rate, until.since(now));
            if left <= pass {
                let takes = left.checked_div(u128::from(rate.as_bps())).unwrap_or(0);
                // Rounded up to a picosecond, as a constant rate does.
                let exact = takes * u128::from(rate.as_bps()) == left;
                return now + Duration::from_ps(takes as u64 + u64::from(!exact));
            }
            left -= pass;
            now = until;
            self.next();
        }
    }

    /// Lets the step be current in which `at` lies.
    fn go_to(&mut self, at: Time) {
        let rounds = at.since(self.since).as_ps() / self.period.as_ps();
        self.since += self.period * rounds;
        while self.since + self.steps[self.current].1 <= at {
            self.next();
        }
    }

    fn next(&mut self) {
        self.since += self.steps[self.current].1;
        self.current = (self.current + 1) % self.steps.len();
    }
}

fn passes(rate: Rate, span: Duration) -> u128 {
    u128::from(rate.as_bps()) * u128::from(span.as_ps())
}

/// Instants at which 1500 bytes may pass, again and again. What is not used at its instant is lost.
/// O(bytes / 1500) a frame, and what opportunities pass unused since the last, but no more than
/// there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Opportunities {
    /// From the beginning of a round, in order; the last ends it.
    at: Vec<Duration>,
    /// The opportunity that the last frame ended with, when its round began, and what is left of
    /// it.
    current: usize,
    round: Time,
    left: u64,
}

impl Opportunities {
    /// What passes at each instant.
    pub const BYTES: u64 = 1500;

    /// At these instants, in any order; the last of them ends a round.
    ///
    /// # Errors
    /// If there is none but at the very beginning, or if there are too few.
    pub fn new(mut at: Vec<Duration>) -> Result<Self, PaceError> {
        at.sort_unstable();
        match at.last() {
            None => Err(PaceError::Nothing),
            Some(&Duration::ZERO) => Err(PaceError::NoTime),
            Some(last) if *last > LONGEST => Err(PaceError::TooLong),
            Some(_) => {
                let all = Opportunities { at, current: 0, round: Time::ZERO, left: Self::BYTES };
                if all.mean() < LEAST { Err(PaceError::Nothing) } else { Ok(all) }
            }
        }
    }

    fn period(&self) -> Duration {
        self.at.last().copied().unwrap_or(Duration::MAX)
    }

    fn mean(&self) -> Rate {
        Rate::mean(Bytes::new(self.at.len() as u64 * Self::BYTES), self.period())
    }

    fn now(&self) -> Time {
        self.round + self.at[self.current]
    }

    fn end(&mut self, begin: Time, size: Bytes) -> Time {
        let rounds = begin.since(self.now()).as_ps() / self.period().as_ps();
        if rounds > 0 {
            self.round += self.period() * rounds;
            self.left = Self::BYTES;
        }
        while self.now() < begin {
            self.next();
        }
        let mut size = size.get();
        while size > self.left {
            size -= self.left;
            self.next();
        }
        self.left -= size;
        self.now()
    }

    fn next(&mut self) {
        self.left = Self::BYTES;
        self.current += 1;
        if self.current == self.at.len() {
            self.round += self.period();
            self.current = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_ms(ms)
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    const FULL: Bytes = Bytes::new(1500);

    #[test]
    fn steps_are_integrated() {
        // 1500 bytes are 12,000 bits: 1 ms at 12 Mb/s, 2 ms at 6 Mb/s.
        let rate = |mbps: u64| Rate::from_bps(mbps * 1_000_000);
        let mut steps =
            Steps::new(vec![(rate(12), ms(2)), (rate(0), ms(3)), (rate(6), ms(5))]).unwrap();
        assert_eq!(steps.mean(), Rate::from_bps(5_400_000));
        assert_eq!(steps.end(at(0), FULL), at(1));
        assert_eq!(
            steps.end(at(1), Bytes::new(3000)),
            at(7),
            "half before the pause, half behind it"
        );
        assert_eq!(
            steps.end(at(9), Bytes::new(3000)),
            at(11) + Duration::from_us(500),
            "around the end"
        );
        // A round passes 6750 bytes.
        assert_eq!(steps.end(at(40), Bytes::new(6750 * 3 + 1500)), at(71));
        assert_eq!(steps.end(at(1_000_000_002), FULL), at(1_000_000_007));
    }

    #[test]
    fn opportunities_are_shared_awaited_and_lost() {
        let mut every = Opportunities::new(vec![ms(1)]).unwrap();
        assert_eq!(every.mean(), Rate::from_bps(12_000_000));
        assert_eq!(every.end(at(0), FULL), at(1), "none at 0");
        assert_eq!(every.end(at(1), Bytes::new(700)), at(2), "that of 1 ms is used up");
        assert_eq!(every.end(at(2), Bytes::new(800)), at(2), "two small ones share");
        assert_eq!(every.end(at(2), Bytes::new(1514)), at(4), "a large one takes two");
        assert_eq!(every.end(at(4), Bytes::new(1486)), at(4), "the rest of its second");
        assert_eq!(every.end(at(900), FULL), at(900), "what nobody used is lost");
        assert_eq!(every.end(at(900), FULL), at(901));
    }

    #[test]
    fn what_cannot_repeat_is_refused() {
        assert_eq!(Opportunities::new(vec![]), Err(PaceError::Nothing));
        assert_eq!(Opportunities::new(vec![ms(0); 3]), Err(PaceError::NoTime));
        assert_eq!(Steps::new(vec![(Rate::from_gbps(1), ms(0))]), Err(PaceError::NoTime));
        assert_eq!(Steps::new(vec![(Rate::from_bps(0), ms(5))]), Err(PaceError::Nothing));
        assert_eq!(Opportunities::new(vec![ms(12_001)]), Err(PaceError::Nothing));
        assert!(Opportunities::new(vec![ms(12_000)]).is_ok());
        let month = LONGEST + ms(1);
        assert_eq!(Opportunities::new(vec![month]), Err(PaceError::TooLong));
        assert_eq!(Steps::new(vec![(Rate::from_gbps(1), month)]), Err(PaceError::TooLong));
    }

    proptest! {
        /// A trace of one rate is that rate, however it is cut into steps.
        #[test]
        fn equal_steps_are_a_constant_rate(
            spans in prop::collection::vec(1u64..5_000, 1..6),
            frames in prop::collection::vec((0u64..10_000, 1u64..9000), 1..60),
        ) {
            let rate = Rate::from_bps(20_000_000);
            let steps = spans.iter().map(|us| (rate, Duration::from_us(*us))).collect();
            let (mut steps, mut now) = (Steps::new(steps).unwrap(), Time::ZERO);
            for (pause, size) in frames {
                let begin = now + Duration::from_us(pause);
                let size = Bytes::new(size);
                now = steps.end(begin, size);
                prop_assert_eq!(now, begin + rate.time_for(size));
            }
        }

        /// Nothing passes faster than the opportunities allow, and no frame ends before it begins.
        #[test]
        fn opportunities_bound_what_passes(
            at in prop::collection::vec(0u64..50, 1..20),
            frames in prop::collection::vec((0u64..3, 1u64..9000), 1..60),
        ) {
            prop_assume!(at.iter().any(|ms| *ms > 0));
            let instants: Vec<_> = at.iter().map(|at| ms(*at)).collect();
            let mut pace = Opportunities::new(instants).unwrap();
            let (mut now, mut sent) = (Time::ZERO, 0);
            for (pause, size) in frames {
                let begin = now + ms(pause);
                let end = pace.end(begin, Bytes::new(size));
                prop_assert!(end >= begin);
                (now, sent) = (end, sent + size);
                let period = at.iter().max().unwrap();
                let rounds = now.as_ps() / ms(*period).as_ps() + 1;
                prop_assert!(sent <= rounds * at.len() as u64 * Opportunities::BYTES);
            }
        }
    }
}

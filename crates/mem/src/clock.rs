//! Whole clocks, from a time and to a time.

use forebay_units::{Duration, Time};

use crate::timers::Tick;

/// The clock of a channel. A time becomes clocks by a multiplication: a division would be the most
/// expensive instruction of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    period: u64,
    /// 2^64 / `period`, rounded down; of 2^64 - 1.
    reciprocal: u64,
}

impl Clock {
    /// A clock of this period, or of 1 ps for none.
    pub(crate) fn new(period: Duration) -> Self {
        let period = period.as_ps().max(1);
        Clock { period, reciprocal: u64::MAX / period }
    }

    /// When a clock begins.
    #[inline]
    pub(crate) fn time(&self, tick: Tick) -> Time {
        Time::from_ps(tick.saturating_mul(self.period))
    }

    /// Clocks that have begun before `at`: the first that begins then or later.
    #[inline]
    pub(crate) fn ticks(&self, at: Time) -> Tick {
        // The reciprocal is too small by less than 2, so the quotient by at most 2.
        let product = u128::from(at.as_ps()) * u128::from(self.reciprocal);
        let mut ticks = (product >> 64) as u64;
        let mut rest = at.as_ps() - ticks * self.period;
        while rest >= self.period {
            ticks += 1;
            rest -= self.period;
        }
        ticks + u64::from(rest > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ticks_are_those_of_a_division(
            at in prop_oneof![any::<u64>(), 0u64..10_000],
            period in prop_oneof![1u64..3000, any::<u64>()],
        ) {
            let clock = Clock::new(Duration::from_ps(period));
            for at in [at, at / period.max(1) * period.max(1), u64::MAX, 0] {
                prop_assert_eq!(clock.ticks(Time::from_ps(at)), at.div_ceil(period.max(1)));
            }
        }
    }
}

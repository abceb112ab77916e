//! Division by a number that is known in advance and most often a power of two.
//!
//! Source: gearbox §3.2 (footnote 5) and §4.2, where granularities are powers of two so that
//! division is a shift. Ours are any; those that are powers of two are shifted too. O(1).

/// A divisor, at least 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    by: u64,
    /// Its logarithm, if it is a power of two.
    shift: Option<u32>,
}

impl Divisor {
    /// Zero counts as one.
    pub(super) fn new(by: u64) -> Self {
        let by = by.max(1);
        Divisor { by, shift: by.is_power_of_two().then(|| by.trailing_zeros()) }
    }

    pub(super) fn get(self) -> u64 {
        self.by
    }

    #[inline]
    pub(super) fn quotient(self, number: u64) -> u64 {
        match self.shift {
            Some(shift) => number >> shift,
            None => number / self.by,
        }
    }

    #[inline]
    pub(super) fn remainder(self, number: u64) -> u64 {
        match self.shift {
            Some(_) => number & (self.by - 1),
            None => number % self.by,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Divisor;

    #[test]
    fn is_division() {
        for by in [1, 2, 3, 10, 64, 1 << 32, u64::MAX] {
            for number in [0, 1, 9, 63, 64, 1000, 1 << 40, u64::MAX] {
                let divisor = Divisor::new(by);
                assert_eq!(divisor.quotient(number), number / by);
                assert_eq!(divisor.remainder(number), number % by);
            }
        }
        assert_eq!(Divisor::new(0).quotient(7), 7);
    }
}

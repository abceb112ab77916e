//! What amounts of one unit have in common: they add up, and stop at the ends of their type.

/// Sums, differences and multiples of amounts.
macro_rules! amount {
    ($amount:ident) => {
        impl core::ops::Add for $amount {
            type Output = $amount;
            fn add(self, other: $amount) -> $amount {
                $amount(self.0.saturating_add(other.0))
            }
        }

        impl core::ops::AddAssign for $amount {
            fn add_assign(&mut self, other: $amount) {
                *self = *self + other;
            }
        }

        impl core::ops::Sub for $amount {
            type Output = $amount;
            fn sub(self, other: $amount) -> $amount {
                $amount(self.0.saturating_sub(other.0))
            }
        }

        impl core::ops::SubAssign for $amount {
            fn sub_assign(&mut self, other: $amount) {
                *self = *self - other;
            }
        }

        impl core::ops::Mul<u64> for $amount {
            type Output = $amount;
            fn mul(self, times: u64) -> $amount {
                $amount(self.0.saturating_mul(times))
            }
        }

        impl core::iter::Sum for $amount {
            fn sum<I: Iterator<Item = $amount>>(amounts: I) -> $amount {
                amounts.fold($amount(0), core::ops::Add::add)
            }
        }
    };
}

pub(crate) use amount;

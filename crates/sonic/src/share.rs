//! How much of a pool is shared, and how much of that a member may hold: the arithmetic behind
//! every number in the explanation.
//!
//! Source: occamy §2.2, Eq. (1), T = α · free; §4.4, Eq. (2), the free memory when every member is
//! at its threshold, with a separate factor for each member: F = S / (1 + Σα). The *shared* part S
//! of a pool is its size minus what is reserved and minus the shared headroom, which is how SAI
//! defines a pool's shared size; a switch that configures `size` as the shared part alone has more.
//! Constant time per question.

use forebay_units::Bytes;

use crate::config::{Config, Headroom, Profile, Threshold};

/// How a pool is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoolShare {
    /// Members: priority groups, queues.
    pub members: u64,
    /// The bytes they have reserved, in total.
    pub reserved: Bytes,
    /// Headroom that lossless members may fill, in total, if each filled its own.
    pub headroom: Bytes,
    /// The sum of alpha over members with a dynamic threshold.
    pub alphas: f64,
    /// The shared part; none if the pool's size is not known.
    pub shared: Option<Bytes>,
    /// By how much reservations and shared headroom exceed the pool; above zero if it is
    /// oversubscribed.
    pub lacking: Bytes,
}

/// How each pool is divided, by index.
#[must_use]
pub fn shares(config: &Config) -> Vec<PoolShare> {
    let mut shares = vec![PoolShare::default(); config.pools.len()];
    for member in &config.members {
        let profile = config.profile_of(member);
        let share = &mut shares[profile.pool];
        share.members += 1;
        share.reserved += profile.reserved;
        if let Headroom::Fixed { xoff, .. } = profile.headroom {
            share.headroom += xoff;
        }
        if let Threshold::Dynamic(alpha) = profile.threshold {
            share.alphas += alpha.factor();
        }
    }
    for limit in &config.port_limits {
        let profile = &config.profiles[limit.profile];
        shares[profile.pool].reserved += profile.reserved;
    }
    for (share, pool) in shares.iter_mut().zip(&config.pools) {
        let Some(size) = pool.size else { continue };
        let taken = share.reserved.get().saturating_add(pool.shared_headroom.get());
        share.shared = Some(Bytes::new(size.get().saturating_sub(taken)));
        share.lacking = Bytes::new(taken.saturating_sub(size.get()));
    }
    shares
}

impl PoolShare {
    /// What a member of this profile may take of the shared part when `used` bytes of it are in
    /// use.
    #[must_use]
    pub fn threshold(&self, profile: &Profile, used: Bytes) -> Option<Bytes> {
        let shared = self.shared?;
        let free = Bytes::new(shared.get().saturating_sub(used.get()));
        Some(match profile.threshold {
            Threshold::Dynamic(alpha) => alpha.of(free).min(shared),
            Threshold::Static(bytes) => bytes.min(shared),
        })
    }

    /// What a member takes when it is the only congested one: α S / (1 + α).
    #[must_use]
    pub fn alone(&self, profile: &Profile) -> Option<Bytes> {
        self.steady(
            profile,
            match profile.threshold {
                Threshold::Dynamic(alpha) => alpha.factor(),
                Threshold::Static(_) => 0.0,
            },
        )
    }

    /// What a member takes when every member of the pool is congested: α S / (1 + Σα).
    #[must_use]
    pub fn all_congested(&self, profile: &Profile) -> Option<Bytes> {
        self.steady(profile, self.alphas)
    }

    /// The free memory when every member is at its threshold, Eq. (2).
    #[must_use]
    pub fn free_when_all_congested(&self) -> Option<Bytes> {
        self.shared.map(|shared| scaled(shared, 1.0 / (1.0 + self.alphas)))
    }

    fn steady(&self, profile: &Profile, alphas: f64) -> Option<Bytes> {
        let shared = self.shared?;
        Some(match profile.threshold {
            Threshold::Dynamic(alpha) => scaled(shared, alpha.factor() / (1.0 + alphas)),
            Threshold::Static(bytes) => bytes.min(shared),
        })
    }
}

/// A fraction between 0 and 1 of a size, rounded to the nearest byte.
fn scaled(size: Bytes, share: f64) -> Bytes {
    Bytes::new((size.get() as f64 * share).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AlphaExponent;
    use proptest::prelude::*;

    fn profile(exponent: i8) -> Profile {
        Profile {
            name: "p".into(),
            pool: 0,
            reserved: Bytes::ZERO,
            threshold: Threshold::Dynamic(AlphaExponent::new(exponent).unwrap()),
            headroom: Headroom::None,
        }
    }

    proptest! {
        /// At the steady state that the formula gives, every member is exactly at its threshold:
        /// the fixed point of Eq. (1), found here without Eq. (2).
        #[test]
        fn the_steady_state_is_a_fixed_point(
            shared in 1_000_000u64..1 << 40,
            exponents in proptest::collection::vec(-8i8..=7, 1..40),
        ) {
            let alphas = exponents.iter().map(|e| f64::powi(2.0, i32::from(*e))).sum();
            let share = PoolShare { alphas, shared: Some(Bytes::new(shared)), ..PoolShare::default() };
            let used: u64 = exponents
                .iter()
                .map(|e| share.all_congested(&profile(*e)).unwrap().get())
                .sum();
            let free = share.free_when_all_congested().unwrap().get();
            prop_assert!((used + free).abs_diff(shared) <= 1 + exponents.len() as u64 / 2 + shared / (1 << 38));
            for exponent in exponents {
                let held = share.all_congested(&profile(exponent)).unwrap().get();
                let threshold = share.threshold(&profile(exponent), Bytes::new(shared - free)).unwrap().get();
                // α ≤ 128 times a rounded free
                prop_assert!(held.abs_diff(threshold) <= 130, "{held} {threshold}");
            }
        }

        #[test]
        fn thresholds_fall_as_the_pool_fills(shared in 0u64..1 << 40, exponent in -8i8..=7, cut in 0u64..=100) {
            let share = PoolShare { shared: Some(Bytes::new(shared)), ..PoolShare::default() };
            let at = |used: u64| share.threshold(&profile(exponent), Bytes::new(used)).unwrap();
            prop_assert!(at(shared / 100 * cut) >= at(shared));
            prop_assert_eq!(at(shared), Bytes::ZERO);
            prop_assert!(at(0) <= Bytes::new(shared));
        }
    }

    #[test]
    fn one_queue_with_alpha_8_takes_eight_ninths() {
        let share =
            PoolShare { shared: Some(Bytes::new(900)), alphas: 8.0, ..PoolShare::default() };
        assert_eq!(share.alone(&profile(3)), Some(Bytes::new(800))); // occamy §4.2: 88.9 %
        assert_eq!(share.free_when_all_congested(), Some(Bytes::new(100)));
    }
}

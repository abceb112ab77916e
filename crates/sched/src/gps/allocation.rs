//! The weighted max-min allocation: what a fluid server gives to constant demands.
//!
//! Source: weighted max-min fairness (gearbox §4.1.2) as water filling: sessions are satisfied in
//! order of demand over weight for as long as the level of the water allows, and the others share
//! what is left by weight.
//!
//! Complexity: O(n log n). Memory: an index per session.

use alloc::vec;
use alloc::vec::Vec;

/// What each session gets of `capacity`, in the same unit; shares of unsatisfied sessions are
/// rounded down. Sessions without a weight have weight 1. Capacity and demands below 2^64 keep all
/// products exact.
///
/// ```
/// use forebay_sched::gps::max_min;
///
/// // 10 Gb/s: one session wants little, the others share the rest 1 : 2.
/// assert_eq!(max_min(10, &[1, 100, 100], &[5, 1, 2]), [1, 3, 6]);
/// assert_eq!(max_min(10, &[1, 2], &[1, 1]), [1, 2]);
/// ```
#[must_use]
pub fn max_min(capacity: u64, demands: &[u64], weights: &[u32]) -> Vec<u64> {
    let weight = |session: usize| u128::from(weights.get(session).copied().unwrap_or(1).max(1));
    let mut order: Vec<usize> = (0..demands.len()).collect();
    // a/v < b/w as a·w < b·v: exact.
    order.sort_by(|&a, &b| {
        let (left, right) =
            (u128::from(demands[a]) * weight(b), u128::from(demands[b]) * weight(a));
        left.cmp(&right)
    });
    let mut allocation = vec![0; demands.len()];
    let mut left = u128::from(capacity);
    let mut weight_left: u128 = (0..demands.len()).map(weight).sum();
    for (position, &session) in order.iter().enumerate() {
        if u128::from(demands[session]) * weight_left > left * weight(session) {
            for &session in &order[position..] {
                // At most `left`.
                allocation[session] = (left * weight(session) / weight_left) as u64;
            }
            return allocation;
        }
        allocation[session] = demands[session];
        left -= u128::from(demands[session]);
        weight_left -= weight(session);
    }
    allocation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_could_have_more_without_taking_from_the_poorer() {
        let mut state = 1u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let n = next(8) as usize + 1;
            let demands: Vec<u64> = (0..n).map(|_| next(1_000_000)).collect();
            let weights: Vec<u32> = (0..n).map(|_| next(10) as u32 + 1).collect();
            let capacity = next(3_000_000);
            let got = max_min(capacity, &demands, &weights);
            let total: u64 = got.iter().sum();
            assert!(total <= capacity && got.iter().zip(&demands).all(|(got, want)| got <= want));
            let wanted: u64 = demands.iter().sum();
            assert!(total + n as u64 >= capacity.min(wanted), "work is left over");
            // Whoever wants more stands at the highest level of all, up to rounding.
            let level = |i: usize| (got[i] + 1) as f64 / f64::from(weights[i]);
            for i in (0..n).filter(|&i| got[i] < demands[i]) {
                assert!((0..n).all(|j| got[j] as f64 / f64::from(weights[j]) <= level(i)));
            }
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let got = max_min(u64::MAX, &[u64::MAX; 3], &[u32::MAX, u32::MAX, 0]);
        assert!(got[0] == got[1] && got[2] < got[1]);
        assert!(max_min(5, &[], &[]).is_empty());
        assert_eq!(max_min(0, &[5, 0], &[]), [0, 0]);
    }
}

//! The nearest sequence that never falls (isotonic regression), by pooling adjacent violators.
//!
//! A textbook method (Ayer et al., 1955). O(n) for n values; 24 bytes a pool.

/// A run of values that are one.
#[derive(Clone, Copy, Debug)]
struct Pool {
    value: f64,
    weight: f64,
    length: usize,
}

/// Projects sequences; keeps its memory from one to the next.
#[derive(Debug, Default)]
pub(super) struct Isotonic {
    pools: Vec<Pool>,
}

impl Isotonic {
    /// Replaces `values` by the nearest sequence, in squares weighted by `weights`, that starts at
    /// 0 and never falls.
    pub(super) fn project(&mut self, values: &mut [f64], weights: &[f64]) {
        let Some((first, values)) = values.split_first_mut() else { return };
        *first = 0.0;
        self.pools.clear();
        for (&value, &weight) in values.iter().zip(&weights[1..]) {
            let mut pool = Pool { value, weight, length: 1 };
            while let Some(last) = self.pools.pop_if(|last| last.value >= pool.value) {
                let weight = last.weight + pool.weight;
                let value = (last.value * last.weight + pool.value * pool.weight) / weight;
                pool = Pool { value, weight, length: last.length + pool.length };
            }
            self.pools.push(pool);
        }
        let mut rest = values;
        for pool in &self.pools {
            let (run, later) = rest.split_at_mut(pool.length);
            run.fill(pool.value.max(0.0));
            rest = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The largest over all starts of the smallest over all ends of the mean between: the known
    /// formula.
    fn naive(values: &[f64], weights: &[f64], at: usize) -> f64 {
        let mean = |from: usize, to: usize| {
            let sum: f64 = (from..=to).map(|i| values[i] * weights[i]).sum();
            sum / weights[from..=to].iter().sum::<f64>()
        };
        let least = |from| (at..values.len()).map(|to| mean(from, to)).fold(f64::MAX, f64::min);
        (1..=at).map(least).fold(f64::MIN, f64::max).max(0.0)
    }

    proptest! {
        #[test]
        fn is_the_max_of_mins_of_means(
            pairs in prop::collection::vec((-9_i8..9, 1_u8..5), 1..20),
        ) {
            let mut values: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.0)).collect();
            let weights: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.1)).collect();
            let expected: Vec<f64> = (1..values.len()).map(|at| naive(&values, &weights, at)).collect();
            Isotonic::default().project(&mut values, &weights);
            prop_assert_eq!(values[0], 0.0);
            for (value, expected) in values[1..].iter().zip(expected) {
                prop_assert!((value - expected).abs() < 1e-9);
            }
        }
    }
}

//! Means and their 95 % confidence intervals over seeds (Student's t).
//!
//! Source: the t distribution's 97.5 % quantiles, from the standard table; between its last entries
//! the quantile is interpolated in 1/df, which is exact to the printed digits.

/// 97.5 % quantiles for 1 to 30 degrees of freedom.
const QUANTILES: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Quantiles beyond: degrees of freedom and value.
const FAR: [(f64, f64); 4] = [(30.0, 2.042), (60.0, 2.000), (120.0, 1.980), (f64::INFINITY, 1.960)];

/// A mean and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The arithmetic mean of the samples.
    pub mean: f64,
    /// Half the width of its 95 % interval; 0 if there is one sample.
    pub half_width: f64,
    /// How many samples it is over.
    pub samples: usize,
}

/// The 97.5 % quantile of Student's t with `df` degrees of freedom; infinite for none.
#[must_use]
pub fn t_quantile(df: usize) -> f64 {
    if df == 0 {
        return f64::INFINITY;
    }
    if let Some(quantile) = QUANTILES.get(df - 1) {
        return *quantile;
    }
    let inverse = 1.0 / df as f64;
    for pair in FAR.windows(2) {
        let ((low, high), (from, to)) =
            ((pair[0].1, pair[1].1), (1.0 / pair[0].0, 1.0 / pair[1].0));
        if inverse >= to {
            return high + (low - high) * (inverse - to) / (from - to);
        }
    }
    FAR[3].1
}

/// The mean of samples with its 95 % interval; none without samples.
#[must_use]
pub fn estimate(samples: &[f64]) -> Option<Estimate> {
    let count = samples.len();
    if count == 0 {
        return None;
    }
    let mean = samples.iter().sum::<f64>() / count as f64;
    if count == 1 {
        return Some(Estimate { mean, half_width: 0.0, samples: 1 });
    }
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let error = (squares / (count - 1) as f64 / count as f64).sqrt();
    Some(Estimate { mean, half_width: t_quantile(count - 1) * error, samples: count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_follow_the_table_and_fall() {
        assert_eq!(t_quantile(1), 12.706);
        assert_eq!(t_quantile(30), 2.042);
        assert!((t_quantile(40) - 2.021).abs() < 0.001, "{}", t_quantile(40));
        assert!((t_quantile(100) - 1.984).abs() < 0.001, "{}", t_quantile(100));
        assert!((t_quantile(1_000_000) - 1.960).abs() < 0.001);
        assert!((1..500).all(|df| t_quantile(df) >= t_quantile(df + 1)));
    }

    #[test]
    fn an_interval_by_hand() {
        // 1, 2, 3: s = 1, s/√3 = 0.577, t(2) = 4.303.
        let e = estimate(&[1.0, 2.0, 3.0]).unwrap();
        assert!((e.mean - 2.0).abs() < 1e-12 && (e.half_width - 2.4843).abs() < 1e-3, "{e:?}");
        assert_eq!(estimate(&[5.0]).unwrap().half_width, 0.0);
        assert_eq!(estimate(&[]), None);
    }
}

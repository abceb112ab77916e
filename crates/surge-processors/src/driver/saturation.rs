//! r_max, and the spread of its measurements.
//!
//! Source: thesis §3.6.1 finds the largest serviceable rate empirically and does not say how often.
//! All other rates are fractions of it, so they share its spread.

use forebay_units::Rate;

use super::MeasureError;

/// How often r_max is measured; odd, so that one of them is the median.
pub const SATURATIONS: usize = 5;

/// r_max, measured several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saturation {
    /// The smallest rate that was measured.
    pub least: Rate,
    /// The median, which counts.
    pub median: Rate,
    /// The largest rate that was measured.
    pub most: Rate,
}

impl Saturation {
    pub(super) fn of(mut served: [Rate; SATURATIONS]) -> Result<Self, MeasureError> {
        served.sort_unstable_by_key(|rate| rate.as_bps());
        let [least, _, median, _, most] = served;
        if least.as_bps() == 0 {
            return Err(MeasureError::NothingServed);
        }
        Ok(Saturation { least, median, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_of_r_max_is_reported_and_a_span_in_which_nothing_is_served_is_refused() {
        let of = |mbps: [u64; 5]| Saturation::of(mbps.map(|mbps| Rate::from_bps(mbps * 1_000_000)));
        let found = of([30, 10, 50, 20, 40]).unwrap();
        let mbps = [found.least, found.median, found.most].map(|rate| rate.as_bps() / 1_000_000);
        assert_eq!(mbps, [10, 30, 50]);
        assert_eq!(of([30, 10, 0, 20, 40]), Err(MeasureError::NothingServed));
    }
}

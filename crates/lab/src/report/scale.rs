//! Axes of charts: which range to show, where the ticks stand, and how they read.
//!
//! Ticks are multiples of 1, 2, 2.5 or 5 times a power of ten; a logarithmic axis ticks at powers of ten or
//! at its own values. Complexity: constant per axis.

use crate::results::number;

/// An axis with chosen ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// Where ticks stand and what they say.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Scale {
    /// An axis from around the smallest to around the largest value, with round ends.
    ///
    /// It starts at zero unless the values lie in the upper part of their range.
    pub(super) fn round(values: impl Iterator<Item = f64>, zero: bool) -> Self {
        let (mut low, mut high) = bounds(values);
        if low >= 0.0 && (zero || low < 0.6 * high) {
            low = 0.0;
        }
        if high <= 0.0 && zero {
            high = 0.0;
        }
        if high <= low {
            high = low + if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
        }
        let step = step((high - low) / 4.5);
        let first = (low / step + 1e-9).floor();
        let last = (high / step - 1e-9).ceil();
        let decimals = decimals(step);
        let ticks = (0..=(last - first) as usize)
            .map(|index| (first + index as f64) * step)
            .map(|value| (value, tick_text(value, decimals)))
            .collect();
        let mut scale = Scale { low: first * step, high: last * step, log: false, ticks };
        if scale.high - high > 0.45 * step && scale.ticks.len() > 3 {
            // A last step that is mostly empty is not worth its height.
            scale.high = high + 0.05 * (high - low);
            scale.ticks.retain(|(value, _)| *value <= scale.high);
        }
        scale
    }

    /// An axis whose ticks are exactly these values, with a little room at both ends.
    pub(super) fn at(values: &[(f64, String)], log: bool) -> Self {
        let log = log && values.iter().all(|(value, _)| *value > 0.0);
        let place = |value: f64| if log { value.log10() } else { value };
        let (low, high) = bounds(values.iter().map(|(value, _)| place(*value)));
        let room = if high > low { (high - low) * 0.03 } else { 0.5 };
        let unplace = |value: f64| if log { 10f64.powf(value) } else { value };
        let mut scale =
            Scale { low: unplace(low - room), high: unplace(high + room), log, ticks: Vec::new() };
        // Drop labels that would touch their left neighbour: 7 units a character on 460 units.
        let mut end = f64::NEG_INFINITY;
        for (value, text) in values {
            let middle = scale.share(*value) * 460.0;
            let half = text.chars().count() as f64 * 4.5 + 5.0;
            if middle - half >= end {
                end = middle + half;
                scale.ticks.push((*value, text.clone()));
            }
        }
        scale
    }

    /// An axis of groups around 0, 1, 2, …, half a unit wide at both ends.
    pub(super) fn groups(values: &[(f64, String)]) -> Self {
        let mut scale = Scale::at(values, false);
        (scale.low, scale.high) = (-0.5, values.len() as f64 - 0.5);
        scale
    }

    /// The whole range of these values, with round ticks inside and no room at the ends.
    pub(super) fn span(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = bounds(values);
        let high = if high > low { high } else { low + 1.0 };
        let mut scale = Scale::round([low, high].into_iter(), false);
        scale.ticks.retain(|(value, _)| (low..=high).contains(value));
        Scale { low, high, ..scale }
    }

    /// Where a value stands between the ends, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        let (low, high, value) = match self.log {
            true => (self.low.log10(), self.high.log10(), value.max(1e-300).log10()),
            false => (self.low, self.high, value),
        };
        if high > low { (value - low) / (high - low) } else { 0.5 }
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `rough`.
fn step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let found = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|m| m * power >= rough * 0.999_999);
    found.unwrap_or(10.0) * power
}

fn decimals(step: f64) -> usize {
    (0..9).find(|d| (step * 10f64.powi(*d)).fract().abs() < 1e-6).unwrap_or(9) as usize
}

fn tick_text(value: f64, decimals: usize) -> String {
    match value.abs() {
        large if large >= 1e7 => format!("{value:.1e}"),
        _ => number::fixed(value, decimals),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round() {
        let scale = Scale::round([410.0, 790.0].into_iter(), false);
        assert_eq!(texts(&scale), ["0", "200", "400", "600", "800"]);
        let scale = Scale::round([0.91, 0.99].into_iter(), false);
        assert_eq!(texts(&scale), ["0.90", "0.92", "0.94", "0.96", "0.98"]);
        let scale = Scale::round([0.0, 0.0].into_iter(), true);
        assert_eq!((scale.low, scale.high), (0.0, 1.0));
        let scale = Scale::at(&[(1.0, "1".into()), (1000.0, "1000".into())], true);
        assert!((scale.share(31.6) - 0.5).abs() < 0.01);
    }

    #[test]
    fn crowded_labels_are_thinned() {
        let values: Vec<(f64, String)> = (0..100).map(|v| (f64::from(v), v.to_string())).collect();
        let scale = Scale::at(&values, false);
        assert!((10..30).contains(&scale.ticks.len()), "{}", scale.ticks.len());
    }

    proptest! {
        #[test]
        fn every_value_is_inside(values in proptest::collection::vec(-1e12f64..1e12, 0..9), zero: bool) {
            let scale = Scale::round(values.iter().copied(), zero);
            prop_assert!((2..=9).contains(&scale.ticks.len()), "{:?}", scale);
            for value in &values {
                let share = scale.share(*value);
                prop_assert!((-1e-6..=1.0 + 1e-6).contains(&share), "{} in {:?}", value, scale);
            }
        }
    }
}

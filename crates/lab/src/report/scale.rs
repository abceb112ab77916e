//! Axes of charts: which range to show, where the ticks stand, and how they read.
//!
//! Ticks are multiples of 1, 2, 2.5 or 5 times a power of ten; a logarithmic axis ticks at powers
//! of ten, at 1, 2 and 5 times them, or at its own values. Complexity: constant per axis.

use super::pen;
use crate::results::number::{self, Shown};

/// An axis with chosen ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// Where ticks stand and what they say.
    pub(super) ticks: Vec<(f64, String)>,
    /// Where there is a line without a label.
    pub(super) fine: Vec<f64>,
    /// Whose labels are not left out for those of others.
    first: Vec<f64>,
    /// Whether the ticks are groups, each of which has to be named.
    pub(super) groups: bool,
}

/// How many times the smallest value that a logarithmic axis shows the largest may be, where some
/// values have no place on it, so that noise around zero does not stretch it.
const DECADES: f64 = 1e4;

/// Whether decades matter among these values, so that a linear axis would press many of them to its
/// foot: the largest is at least 100 times the smallest above zero, and a third of those at least
/// are below a tenth of the largest. Where some are zero or, by little, below it, which only a
/// linear axis shows, it takes 1,000 times, and a third below a hundredth.
pub(super) fn decades_matter(values: impl Iterator<Item = f64>) -> bool {
    let (above, others): (Vec<f64>, Vec<f64>) =
        values.filter(|value| value.is_finite()).partition(|value| *value > 0.0);
    let (low, high) = bounds(above.iter().copied());
    let (times, share) = if others.is_empty() { (100.0, 0.1) } else { (1000.0, 0.01) };
    let small = above.iter().filter(|value| **value < share * high).count();
    let little = others.iter().all(|value| -value <= share * high);
    !above.is_empty() && high >= times * low && 3 * small >= above.len() && little
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
        let (least, low, full) = (low, first * step, last * step);
        let mut scale = Scale {
            low,
            high: full,
            log: false,
            ticks,
            fine: Vec::new(),
            first: Vec::new(),
            groups: false,
        };
        if scale.high - high > 0.45 * step && scale.ticks.len() > 3 {
            // A last step that is mostly empty is not worth its height.
            scale.high = high + 0.05 * (high - least);
            scale.ticks.retain(|(value, _)| *value <= scale.high);
        }
        if least < 0.0 && least - scale.low > 0.45 * step && scale.ticks.len() > 3 {
            // Nor is a first one, as where noise reaches below zero.
            scale.low = least - 0.05 * (high - least);
            scale.ticks.retain(|(value, _)| *value >= scale.low);
        }
        scale
    }

    /// A logarithmic axis over the values above zero, from 1, 2 or 5 times a power of ten to
    /// another; over four decades at most if some have no place on it.
    pub(super) fn decades(values: impl Iterator<Item = f64>) -> Self {
        let (above, others): (Vec<f64>, Vec<f64>) =
            values.filter(|value| value.is_finite()).partition(|value| *value > 0.0);
        let (low, high) = match bounds(above.into_iter()) {
            (low, high) if low > 0.0 && others.is_empty() => (low, high),
            (low, high) if low > 0.0 => (low.max(high / DECADES), high),
            (_, high) => (0.1 * high, high), // there is no value
        };
        let (bottom, top) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let of = |power: i32, digit: f64| digit * 10f64.powi(power);
        let all = || (bottom..=top).flat_map(|power| (1..=9).map(move |digit| (power, digit)));
        let round = || all().filter(|(_, digit)| matches!(digit, 1 | 2 | 5));
        let value = |(power, digit): (i32, i32)| of(power, f64::from(digit));
        let fits = |value: f64, end: f64| (value / end - 1.0).abs() < 1e-9;
        let below = round().map(value).rfind(|v| *v <= low || fits(*v, low));
        let above = round().map(value).find(|v| *v >= high || fits(*v, high));
        let start = below.unwrap_or(low);
        let end = above.unwrap_or(high).max(start * 10.0);
        let inside = |v: &f64| *v >= start * (1.0 - 1e-9) && *v <= end * (1.0 + 1e-9);
        let spanned = (end / start).log10();
        let labelled = |(power, digit): &(i32, i32)| match spanned {
            few if few <= 2.5 => matches!(digit, 1 | 2 | 5),
            some if some <= 7.0 => *digit == 1,
            many => *digit == 1 && (power - bottom).rem_euclid((many / 5.0).ceil() as i32) == 0,
        };
        let ticks = all().filter(labelled).map(value).filter(inside);
        let fine = all().filter(|one| !labelled(one) && spanned <= 4.2).map(value).filter(inside);
        Scale {
            low: start,
            high: end,
            log: true,
            ticks: ticks.map(|value| (value, power_text(value))).collect(),
            fine: fine.collect(),
            first: Vec::new(),
            groups: false,
        }
    }

    /// An axis whose ticks are exactly these values, with a little room at both ends.
    pub(super) fn at(values: &[(f64, String)], log: bool) -> Self {
        let log = log && values.iter().all(|(value, _)| *value > 0.0);
        let place = |value: f64| if log { value.log10() } else { value };
        let (low, high) = bounds(values.iter().map(|(value, _)| place(*value)));
        let room = if high > low { (high - low) * 0.03 } else { 0.5 };
        let unplace = |value: f64| if log { 10f64.powf(value) } else { value };
        let (low, high) = (unplace(low - room), unplace(high + room));
        let (ticks, fine, first) = (values.to_vec(), Vec::new(), Vec::new());
        Scale { low, high, log, ticks, fine, first, groups: false }
    }

    /// Without the labels that would touch their neighbours on an axis of this width.
    pub(super) fn thinned(mut self, width: f64) -> Self {
        let all = std::mem::take(&mut self.ticks);
        let first = |(value, _): &&(f64, String)| self.first.contains(value);
        let mut kept: Vec<(f64, f64)> = Vec::new();
        let (mut ticks, mut fine) = (Vec::new(), Vec::new());
        for tick in all.iter().filter(first).chain(all.iter().filter(|tick| !first(tick))) {
            let middle = self.share(tick.0) * width;
            let half = pen::text_width(&tick.1) / 2.0 + 4.0;
            let (start, end) = (middle - half, middle + half);
            if kept.iter().all(|(from, to)| start >= *to || end <= *from) {
                kept.push((start, end));
                ticks.push(tick.clone());
            } else {
                fine.push(tick.0);
            }
        }
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.ticks = ticks;
        self.fine.extend(fine);
        self
    }

    /// With the labels of these values rather than those of their neighbours.
    pub(super) fn with_first(mut self, values: Vec<f64>) -> Self {
        self.first = values;
        self
    }

    /// An axis of groups of these names around 0, 1, 2, …, half a unit wide at both ends.
    pub(super) fn groups(names: Vec<String>) -> Self {
        let (low, high) = (-0.5, names.len() as f64 - 0.5);
        let named = names.into_iter().enumerate().filter(|(_, name)| !name.is_empty());
        let ticks = named.map(|(index, name)| (index as f64, name));
        Scale {
            low,
            high,
            log: false,
            ticks: ticks.collect(),
            fine: Vec::new(),
            first: Vec::new(),
            groups: true,
        }
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

    /// Where bars and lines begin: zero, or the end of the axis that is nearest to it.
    pub(super) fn foot(&self) -> f64 {
        0f64.clamp(self.low, self.high)
    }

    /// Whether zero is within the axis and not at its foot.
    pub(super) fn crosses_zero(&self) -> bool {
        !self.log && self.low < 0.0 && self.high >= 0.0
    }

    /// Whether distances are ratios.
    pub(super) fn is_log(&self) -> bool {
        self.log
    }

    /// What to note of values that have no place on this axis, if it is logarithmic.
    pub(super) fn below(&self, values: impl Iterator<Item = f64>, unit: &str) -> Option<String> {
        let edge = self.low * (1.0 - 1e-9);
        let (mut zero, mut under) = (false, false);
        for value in values.filter(|value| self.log && *value < edge) {
            (zero, under) = (zero || value == 0.0, under || value != 0.0);
        }
        let foot = Shown { factor: 1.0, unit }.value(self.low);
        match (zero, under) {
            (_, true) => Some(format!("What is below {foot}, zero too, stands at the foot.")),
            (true, false) => Some("Zero stands at the foot of the axis.".to_owned()),
            (false, false) => None,
        }
    }
}

/// An axis at these values of a unit, and the unit that its title names: of a linear axis one for
/// all ticks, of a logarithmic one over three decades at least each tick's own.
pub(super) fn at_values(values: &[f64], unit: &str, log: bool) -> (Scale, String) {
    let (low, high) = bounds(values.iter().copied());
    let one = Shown::of(unit, high.abs().max(low.abs()));
    let many = log && low > 0.0 && high >= 1000.0 * low;
    let plain = number::shown(unit).1.is_empty();
    let text = |value: f64| match (many, plain) {
        (true, true) => power_text(value),
        (true, false) => Shown::alone(unit, value).value(value),
        (false, _) => number::short(value * one.factor),
    };
    let ticks: Vec<(f64, String)> = values.iter().map(|value| (*value, text(*value))).collect();
    let named = if many { String::new() } else { one.unit.to_owned() };
    (Scale::at(&ticks, log), named)
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

/// A tick of a logarithmic axis: in full from 0.001 to 100,000, otherwise as a power of ten.
fn power_text(value: f64) -> String {
    let power = value.log10().floor() + if value.log10().fract() > 0.999_999 { 1.0 } else { 0.0 };
    if (-3.0..=5.0).contains(&power) {
        return number::short(value);
    }
    let digit = value / 10f64.powf(power);
    if (digit / digit.round() - 1.0).abs() > 1e-6 {
        return number::short(value);
    }
    let digits = (power as i32).to_string();
    let raised: String = digits
        .chars()
        .map(|digit| match digit {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            other => {
                char::from_u32(u32::from(other) - u32::from('0') + u32::from('⁰')).unwrap_or(other)
            }
        })
        .collect();
    let digit = digit.round();
    if digit == 1.0 { format!("10{raised}") } else { format!("{digit}·10{raised}") }
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
        let scale = Scale::round([-0.01, 3.6].into_iter(), false);
        assert_eq!(texts(&scale), ["0", "1", "2", "3", "4"], "no step for a little noise");
        let scale = Scale::at(&[(1.0, "1".into()), (1000.0, "1000".into())], true);
        assert!((scale.share(31.6) - 0.5).abs() < 0.01);
    }

    #[test]
    fn decades_have_round_ticks() {
        let ticks = |values: &[f64]| {
            let scale = Scale::decades(values.iter().copied());
            texts(&scale).join(" ")
        };
        assert_eq!(ticks(&[3.0, 420.0]), "2 5 10 20 50 100 200 500");
        assert_eq!(ticks(&[0.02, 900.0]), "0.1 1 10 100 1,000");
        assert_eq!(ticks(&[1e-6, 3e8]), "10⁻⁶ 0.001 1 1,000 10⁶");
        assert_eq!(ticks(&[5.0, 5.0]), "5 10 20 50");
        assert_eq!(ticks(&[]), "0.1 0.2 0.5 1");
    }

    #[test]
    fn decades_matter_where_a_linear_axis_would_hide_them() {
        let matter = |values: &[f64]| decades_matter(values.iter().copied());
        assert!(matter(&[0.1, 1.0, 90.0, 200.0]));
        assert!(!matter(&[0.0, 1.0, 90.0, 200.0]), "only a linear axis shows zero");
        assert!(matter(&[-0.1, 0.0, 0.4, 11.0, 687.0]), "or claims of 0.4 and 11 are not seen");
        assert!(!matter(&[-90.0, 0.4, 0.5, 687.0]), "what is below zero is large, too");
        assert!(!matter(&[0.1, 150.0, 190.0, 200.0]), "one small value among large ones");
        assert!(!matter(&[3.0, 4.0, 5.0, 200.0]), "less than two decades");
        assert!(!matter(&[]) && matter(&[1.0, f64::NAN, 100.0]));
    }

    #[test]
    fn an_axis_has_one_unit_or_each_tick_its_own() {
        let (scale, unit) = at_values(&[0.0, 1e6, 2e6], "B", false);
        assert_eq!((texts(&scale), unit.as_str()), (vec!["0", "1", "2"], "MB"));
        let (scale, unit) = at_values(&[64.0, 1e4, 1e6], "B", true);
        assert_eq!((texts(&scale), unit.as_str()), (vec!["64 B", "10 KB", "1 MB"], ""));
        let (scale, _) = at_values(&[0.001, 0.02, 0.1, 1.0], "Gb/s", true);
        assert_eq!(texts(&scale), ["1 Mb/s", "20 Mb/s", "100 Mb/s", "1 Gb/s"]);
        let (scale, unit) = at_values(&[0.2, 0.9], "", false);
        assert_eq!((texts(&scale), unit.as_str()), (vec!["0.2", "0.9"], ""));
        let (scale, _) = at_values(&[10.0, 1e5, 1e7], "", true);
        assert_eq!(texts(&scale), ["10", "100,000", "10⁷"]);
    }

    #[test]
    fn crowded_labels_are_thinned() {
        let values: Vec<(f64, String)> = (0..100).map(|v| (f64::from(v), v.to_string())).collect();
        let scale = Scale::at(&values, false).thinned(460.0);
        assert!((10..30).contains(&scale.ticks.len()), "{}", scale.ticks.len());
        assert_eq!(scale.ticks.len() + scale.fine.len(), 100, "each has a tick all the same");
    }

    #[test]
    fn the_label_that_a_claim_is_about_stays() {
        let values = [64.0, 1024.0, 1280.0, 1500.0, 9000.0];
        let ticks: Vec<(f64, String)> = values.map(|v| (v, number::short(v))).to_vec();
        let of = |first: &[f64]| Scale::at(&ticks, true).with_first(first.to_vec()).thinned(460.0);
        assert_eq!(texts(&of(&[])), ["64", "1,024", "9,000"]);
        assert_eq!(texts(&of(&[1500.0])), ["64", "1,500", "9,000"]);
    }

    #[test]
    fn what_has_no_place_on_a_logarithmic_axis_does_not_stretch_it() {
        let values = [-0.1, 0.0, 1e-9, 0.4, 11.0, 687.0];
        let scale = Scale::decades(values.into_iter());
        assert_eq!(scale.ticks.first().map(|(value, _)| *value), Some(0.1));
        let below = |values: &[f64]| scale.below(values.iter().copied(), "Gb/s");
        let small = below(&values).unwrap();
        assert_eq!(small, "What is below 0.05 Gb/s, zero too, stands at the foot.");
        assert_eq!(below(&[0.0, 4.0]).unwrap(), "Zero stands at the foot of the axis.");
        assert_eq!(below(&[4.0]), None);
        assert_eq!(scale.share(-0.1).clamp(0.0, 1.0), 0.0);
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

        #[test]
        fn every_decade_is_inside(powers in proptest::collection::vec(-30f64..30.0, 1..9)) {
            let values: Vec<f64> = powers.iter().map(|power| 10f64.powf(*power)).collect();
            let scale = Scale::decades(values.iter().copied());
            prop_assert!((1..=9).contains(&scale.ticks.len()), "{:?}", scale);
            for value in &values {
                let share = scale.share(*value);
                prop_assert!((-1e-6..=1.0 + 1e-6).contains(&share), "{} in {:?}", value, scale);
            }
        }
    }
}

//! Numbers for people: sensible digits, units, and a mean with its interval at matching precision.

use std::fmt::Display;

use forebay_parameters::grouped;
use forebay_units::{Duration, Rate};

use super::stats::Estimate;

/// How values of a unit are shown: the factor, and the unit's text ("" for a plain count).
#[must_use]
pub fn shown(unit: &str) -> (f64, &str) {
    match unit {
        "fraction" => (100.0, "%"),
        "us" => (1.0, "µs"),
        other => (1.0, other),
    }
}

/// Units that differ by a factor alone: each with its size, the smallest first.
type Family = &'static [(f64, &'static str)];

const FAMILIES: [Family; 4] = [
    &[(1e-6, "ps"), (1e-3, "ns"), (1.0, "µs"), (1e3, "ms"), (1e6, "s")],
    &[(1.0, "B"), (1e3, "KB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")],
    &[(1.0, "b/s"), (1e3, "kb/s"), (1e6, "Mb/s"), (1e9, "Gb/s"), (1e12, "Tb/s")],
    &[(1.0, ""), (1e6, "millions"), (1e9, "billions"), (1e12, "trillions")],
];

/// A unit of a column or an axis: by what values of the metric's own unit are multiplied, and what
/// it is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown<'a> {
    /// Multiplies values of the metric's own unit.
    pub factor: f64,
    /// The unit's text, "" for a plain count.
    pub unit: &'a str,
}

impl<'a> Shown<'a> {
    /// In which unit to show values of `unit` beside each other, of which `largest` is the largest.
    ///
    /// Their own unit stays if the largest has one to four digits before the point, or begins after
    /// it (0.1 to 9,999; plain counts up to 999,999); otherwise it is the largest unit of the same
    /// kind that it reaches. Shares are in per cent.
    ///
    /// ```
    /// use forebay_lab::results::number::Shown;
    ///
    /// let unit = |unit, largest| Shown::of(unit, largest).unit;
    /// assert_eq!((unit("B", 1_500.0), unit("B", 48_000.0)), ("B", "KB"));
    /// assert_eq!((unit("Gb/s", 1_391.0), unit("us", 0.02)), ("Gb/s", "ns"));
    /// assert_eq!((unit("fraction", 0.5), unit("", 2e7)), ("%", "millions"));
    /// ```
    #[must_use]
    pub fn of(unit: &'a str, largest: f64) -> Self {
        let (factor, unit) = shown(unit);
        let (least, most) = if unit.is_empty() { (0.0, 999_999.5) } else { (0.0995, 9_999.5) };
        if (least..most).contains(&largest.abs()) {
            return Shown { factor, unit };
        }
        Shown::reached(unit, largest * factor, factor)
    }

    /// In which unit to show a value of `unit` that stands alone: the largest of the same kind that
    /// it reaches.
    #[must_use]
    pub fn alone(unit: &'a str, value: f64) -> Self {
        let (factor, unit) = shown(unit);
        Shown::reached(unit, value * factor, factor)
    }

    fn reached(unit: &'a str, largest: f64, factor: f64) -> Self {
        let own = Shown { factor, unit };
        let member = |family: &Family| family.iter().find(|(_, name)| *name == unit).copied();
        let found = FAMILIES.iter().find_map(|family| Some((family, member(family)?.0)));
        let Some((family, size)) = found else { return own };
        let largest = largest.abs();
        if !largest.is_finite() || largest == 0.0 {
            return own;
        }
        // As it is printed: 999.96 are 1 of the next unit.
        let reached = family.iter().rev().find(|(other, _)| largest * size >= 0.9995 * other);
        let (other, name) = reached.or(family.first()).copied().unwrap_or((size, unit));
        Shown { factor: factor * size / other, unit: name }
    }

    /// "Packet loss (%)".
    #[must_use]
    pub fn title(&self, label: &str) -> String {
        if self.unit.is_empty() { label.to_owned() } else { format!("{label} ({})", self.unit) }
    }

    /// "12.3 %".
    #[must_use]
    pub fn value(&self, value: f64) -> String {
        let number = short(value * self.factor);
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }

    /// "12.34 ± 0.56" in this unit, without it.
    #[must_use]
    pub fn estimate(&self, of: &Estimate) -> String {
        let scaled = Estimate {
            mean: of.mean * self.factor,
            half_width: of.half_width * self.factor,
            samples: of.samples,
        };
        estimate(&scaled, "")
    }
}

/// A number with three significant digits: "790", "12.3", "0.0123", "1,230,000", "1.2e-7".
#[must_use]
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { "–".to_owned() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-5..=8).contains(&magnitude) {
        return format!("{value:.1e}");
    }
    let text = fixed(value, usize::try_from(2 - magnitude).unwrap_or(0));
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

/// A count with what is counted: "1 policy", "3,000 policies".
#[must_use]
pub fn plural<N: Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let noun = if count == N::from(1) { one } else { many };
    format!("{} {noun}", apart(&count.to_string()))
}

/// A count with its thousands apart: "1,797".
#[must_use]
pub fn count(number: u64) -> String {
    grouped(number)
}

/// Whole digits with their thousands apart; other text as it is.
pub(crate) fn apart(digits: &str) -> String {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.to_owned();
    }
    let comma = |place: usize| place > 0 && (digits.len() - place).is_multiple_of(3);
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        text.extend(comma(place).then_some(','));
        text.push(digit);
    }
    text
}

/// A formatted number with the thousands before its point apart.
fn parted(number: &str) -> String {
    let (sign, number) = number.split_at(number.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    format!("{sign}{}{rest}", apart(whole))
}

/// A number with this many decimals and thousands separated.
#[must_use]
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let grouped = apart(whole);
    let negative = value < 0.0 && text.chars().any(|c| c.is_ascii_digit() && c != '0');
    let sign = if negative { "−" } else { "" };
    if fraction.is_empty() {
        format!("{sign}{grouped}")
    } else {
        format!("{sign}{grouped}.{fraction}")
    }
}

/// A number with this many decimals and thousands separated, or a dash if it is none.
#[must_use]
pub fn decimal(value: f64, decimals: usize) -> String {
    if value.is_finite() { parted(&format!("{value:.decimals$}")) } else { "–".to_owned() }
}

/// A share with this many decimals: "12.3 %", or a dash if it is none.
#[must_use]
pub fn percent(share: f64, decimals: usize) -> String {
    match decimal(share * 100.0, decimals) {
        percent if share.is_finite() => percent + " %",
        none => none,
    }
}

/// A change with its sign: "+12.3 %", or a dash if it is none.
#[must_use]
pub fn change(share: f64, decimals: usize) -> String {
    if !share.is_finite() {
        return "–".to_owned();
    }
    parted(&format!("{:+.decimals$}", share * 100.0)) + " %"
}

/// A span of time with four digits, in the unit that suits it, up to days: "1.117 s", "290.2 µs".
#[must_use]
pub fn time(span: Duration) -> String {
    const HOUR: f64 = 3600e12;
    let below = [(1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1.0, "ps")];
    let units: Vec<_> = [(24.0 * HOUR, "d"), (HOUR, "h")].into_iter().chain(below).collect();
    scaled(span.as_ps() as f64, &units)
}

/// A rate with four digits, in the unit that suits it: "11.43 Gb/s".
#[must_use]
pub fn rate(rate: Rate) -> String {
    const UNITS: [(f64, &str); 5] =
        [(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")];
    scaled(rate.as_bps() as f64, &UNITS)
}

/// A value above zero with four digits, in the largest unit that it reaches.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    // As it is printed: 999.96 are 1.000 of the next unit.
    let digits = |value: f64| usize::try_from(3 - exponent(value)).unwrap_or(0).min(3);
    let reached = |(size, _): &&(f64, &str)| value >= 0.99995 * size;
    let (size, unit) = units.iter().find(reached).or(units.last()).copied().unwrap_or((1.0, ""));
    let value = value / size;
    if value == 0.0 {
        format!("0 {unit}")
    } else {
        format!("{} {unit}", fixed(value, digits(value)))
    }
}

/// A value of a unit, as "12.3 %".
#[must_use]
pub fn with_unit(value: f64, unit: &str) -> String {
    let (factor, unit) = shown(unit);
    let number = short(value * factor);
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// "12.34 ± 0.56" without the unit: the mean to the interval's second digit (at most six decimals).
#[must_use]
pub fn estimate(estimate: &Estimate, unit: &str) -> String {
    let (factor, _) = shown(unit);
    let (mean, half) = (estimate.mean * factor, estimate.half_width * factor);
    let readable = mean.is_finite() && (mean == 0.0 || (-5..=8).contains(&exponent(mean)));
    if half <= mean.abs() * 1e-9 || !half.is_finite() || !readable {
        return short(mean);
    }
    let decimals =
        usize::try_from((1 - exponent(half)).max(2 - exponent(mean).max(-3))).unwrap_or(0);
    let decimals = decimals.min(usize::try_from(3 - exponent(mean)).unwrap_or(0)).min(6);
    format!("{} ± {}", fixed(mean, decimals), fixed(half, decimals))
}

fn exponent(value: f64) -> i32 {
    if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 }
}

/// "egress_rate" as "Egress rate".
#[must_use]
pub fn words(name: &str) -> String {
    let text = name.rsplit('.').next().unwrap_or(name).replace(['_', '-'], " ");
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// "Packet loss" as "packet loss", but "HBM throughput" as it is.
#[must_use]
pub fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_rates_have_four_digits_in_a_unit_that_suits() {
        for (ps, text) in [
            (0, "0 ps"),
            (7, "7.000 ps"),
            (290_211_333, "290.2 µs"),
            (999_960_000, "1.000 ms"),
            (1_116_542_193_000, "1.117 s"),
            (9_876_543_210_000_000, "2.743 h"),
            (987_654_321_000_000_000, "11.43 d"),
        ] {
            assert_eq!(time(Duration::from_ps(ps)), text);
        }
        assert_eq!(rate(Rate::from_bps(11_426_000_000)), "11.43 Gb/s");
        assert_eq!(rate(Rate::from_bps(95_200_000)), "95.20 Mb/s");
    }

    #[test]
    fn what_is_no_number_is_a_dash() {
        let none = f64::NAN;
        assert_eq!([decimal(none, 2), percent(none, 1), change(none, 1)], ["–"; 3]);
        assert_eq!([decimal(1.5, 2), percent(0.5, 1), change(0.5, 0)], ["1.50", "50.0 %", "+50 %"]);
    }

    #[test]
    fn thousands_are_apart_however_large_the_number() {
        assert_eq!(decimal(-1_234_567.891, 2), "-1,234,567.89");
        assert_eq!(percent(12_345_678.9, 1), "1,234,567,890.0 %");
        assert_eq!(change(12_345.67, 0), "+1,234,567 %");
        assert_eq!(decimal(1e20, 0), "100,000,000,000,000,000,000");
        assert_eq!(fixed(1e20, 1), "100,000,000,000,000,000,000.0");
        assert_eq!([decimal(999.5, 1), fixed(-1000.0, 0)], ["999.5", "−1,000"]);
    }

    #[test]
    fn digits_are_sensible() {
        for (value, text) in [
            (0.0, "0"),
            (790.4, "790"),
            (12.345, "12.3"),
            (0.01234, "0.0123"),
            (2.0, "2"),
            (-2.5, "−2.5"),
            (1_234_567.0, "1,234,567"),
            (1.23e-7, "1.2e-7"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(short(value), text);
        }
        assert_eq!(with_unit(0.1234, "fraction"), "12.3 %");
        assert_eq!(with_unit(3.0, ""), "3");
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(lower_first("Packet loss") + &lower_first("HBM"), "packet lossHBM");
        assert_eq!(words("switch.egress_rate"), "Egress rate");
    }

    #[test]
    fn the_interval_decides_the_precision() {
        let show = |mean, half_width| estimate(&Estimate { mean, half_width, samples: 3 }, "");
        assert_eq!(show(12.3456, 0.56), "12.35 ± 0.56");
        assert_eq!(show(790.0, 12.0), "790 ± 12");
        assert_eq!(show(0.9, 0.0), "0.9");
        assert_eq!(show(10.0021, 0.0163), "10.00 ± 0.02");
        assert_eq!(show(9.0, 3.0), "9.00 ± 3.00");
        assert_eq!(show(0.0, 0.01), "0.000 ± 0.010");
    }
}

//! Numbers in tables, in the unit that suits them.

/// So many significant digits.
const DIGITS: i32 = 3;

/// A number with three significant digits, and no zeros behind them.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { "–".to_owned() };
    }
    let decimals = (DIGITS - 1 - value.abs().log10().floor() as i32).clamp(0, 9);
    let text = format!("{value:.*}", decimals as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A number, or a dash where there is none.
#[cfg(feature = "switches")]
pub(crate) fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), number)
}

/// Microseconds in a unit of time.
#[cfg(feature = "switches")]
pub(crate) fn time(us: f64) -> String {
    let (value, unit) = match us.abs() {
        us_ if us_ >= 1e6 => (us / 1e6, "s"),
        us_ if us_ >= 1e3 => (us / 1e3, "ms"),
        us_ if us_ >= 1.0 || us_ == 0.0 => (us, "µs"),
        _ => (us * 1e3, "ns"),
    };
    format!("{} {unit}", number(value))
}

/// The same, or a dash where there is none.
#[cfg(feature = "switches")]
pub(crate) fn optional_time(us: Option<f64>) -> String {
    us.map_or_else(|| "–".to_owned(), time)
}

/// Bytes in a decimal unit.
#[cfg(feature = "switches")]
pub(crate) fn bytes(bytes: u64) -> String {
    let value = bytes as f64;
    match bytes {
        1_000_000_000.. => format!("{} GB", number(value / 1e9)),
        1_000_000.. => format!("{} MB", number(value / 1e6)),
        1_000.. => format!("{} KB", number(value / 1e3)),
        _ => format!("{bytes} B"),
    }
}

#[cfg(all(test, feature = "switches"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit_that_suits() {
        let numbers = [0.0, 0.0123456, 1.0, 12.345, 99_999.4, -2.5, f64::NAN];
        let texts = ["0", "0.0123", "1", "12.3", "99999", "-2.5", "–"];
        assert_eq!(numbers.map(number), texts);
        assert_eq!([0.5, 12.0, 1234.5, 2e6].map(time), ["500 ns", "12 µs", "1.23 ms", "2 s"]);
        assert_eq!([999, 1_500, 2_000_000].map(bytes), ["999 B", "1.5 KB", "2 MB"]);
    }
}

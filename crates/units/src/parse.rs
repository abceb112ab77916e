use alloc::string::{String, ToString};
use core::fmt;

use crate::printable;

/// Why a text is not a quantity, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseUnitError {
    text: String,
    expected: &'static str,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    NoNumber,
    UnknownUnit(String),
    NotWhole,
    TooLarge,
}

impl fmt::Display for ParseUnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseUnitError { text, expected, problem } = self;
        write!(f, "\"{}\" is not {expected}: ", printable(text))?;
        match problem {
            Problem::NoNumber => write!(f, "it does not begin with a non-negative decimal number"),
            Problem::UnknownUnit(unit) if unit.is_empty() => write!(f, "it has no unit"),
            Problem::UnknownUnit(unit) => {
                write!(f, "\"{}\" is not one of its units", printable(unit))
            }
            Problem::NotWhole => write!(f, "it is finer than the smallest unit"),
            Problem::TooLarge => write!(f, "it does not fit in 64 bits"),
        }
    }
}

impl core::error::Error for ParseUnitError {}

/// Reads `"<decimal> <unit>"` exactly (no floating point), as a whole number of the smallest unit.
pub(crate) fn parse_scaled(
    text: &str,
    units: &[(&str, u128)],
    expected: &'static str,
) -> Result<u64, ParseUnitError> {
    let fail = |problem| ParseUnitError { text: text.to_string(), expected, problem };
    let trimmed = text.trim();
    let split = trimmed
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
        .unwrap_or(trimmed.len());
    let (number, unit) = (&trimmed[..split], trimmed[split..].trim());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains('.') {
        return Err(fail(Problem::NoNumber));
    }
    let scale = units
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, scale)| *scale)
        .ok_or_else(|| fail(Problem::UnknownUnit(unit.to_string())))?;

    let mut digits: u128 = 0;
    let mut denominator: u128 = 1;
    for (digit, fractional) in
        whole.chars().map(|c| (c, false)).chain(fraction.chars().map(|c| (c, true)))
    {
        let Some(value) = digit.to_digit(10) else { continue }; // an underscore
        digits = digits
            .checked_mul(10)
            .and_then(|d| d.checked_add(u128::from(value)))
            .ok_or_else(|| fail(Problem::TooLarge))?;
        if fractional {
            denominator = denominator.checked_mul(10).ok_or_else(|| fail(Problem::NotWhole))?;
        }
    }
    let scaled = digits.checked_mul(scale).ok_or_else(|| fail(Problem::TooLarge))?;
    if scaled % denominator != 0 {
        return Err(fail(Problem::NotWhole));
    }
    u64::try_from(scaled / denominator).map_err(|_| fail(Problem::TooLarge))
}

/// Prints in the largest unit that needs at most three decimals, exactly; of two units about as
/// large (KiB, KB) in the one that needs fewer: 400 KB, not 390.625 KiB.
pub(crate) fn display_scaled(
    f: &mut fmt::Formatter<'_>,
    value: u128,
    units: &[(&str, u128)],
) -> fmt::Result {
    let exact = |scale: u128| value >= scale && (value * 1000).is_multiple_of(scale);
    // The position of the last decimal that is not 0.
    let decimals = |scale: u128| {
        let thousandths = value * 1000 / scale;
        [1000, 100, 10, 1].iter().position(|unit| thousandths.is_multiple_of(*unit))
    };
    let first = units.iter().position(|(_, scale)| exact(*scale));
    let (name, scale) = match first.map(|first| &units[first..]) {
        Some([(_, scale), other @ (_, alike), ..])
            if *scale < 2 * alike && exact(*alike) && decimals(*alike) < decimals(*scale) =>
        {
            *other
        }
        Some([found, ..]) => *found,
        Some([]) | None => units.last().copied().unwrap_or(("", 1)),
    };
    let thousandths = value * 1000 / scale;
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    if rest == 0 {
        return write!(f, "{whole} {name}");
    }
    let digits = alloc::format!("{rest:03}");
    write!(f, "{whole}.{} {name}", digits.trim_end_matches('0'))
}

//! How options read their values, and what is said of one that cannot be read: the option, what was
//! given, what would do.

use std::error::Error;
use std::fmt::Display;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::ops::RangeInclusive;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use forebay_parameters::grouped;
use forebay_units::{Bytes, Duration, Rate, printable};

/// Reads a whole number of a range.
pub(crate) fn whole<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<u64> + Into<u64> + Copy + Send + Sync + 'static,
{
    let (least, most): (u64, u64) = ((*range.start()).into(), (*range.end()).into());
    move |text| {
        let number = text.trim().parse::<u64>().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            format!("{text:?} is not a whole number from {} to {}", grouped(least), grouped(most))
        })
    }
}

/// Reads a whole number whose range is checked with others', and is told where it is none.
pub(crate) fn whole_of<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<u64> + Into<u64> + Copy + Send + Sync + 'static,
{
    let refused = whole(range);
    move |text| {
        let number = text.trim().parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
        number.map_or_else(|| refused(text), Ok)
    }
}

/// Reads a number, as 0.9.
pub(crate) fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{text:?} is not a number such as 0.9"))
}

/// Reads bytes of a range: a number of them, or a text with its unit.
pub(crate) fn bytes<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<u64> + Into<u64> + Copy + Send + Sync + 'static,
{
    let (least, most): (u64, u64) = ((*range.start()).into(), (*range.end()).into());
    move |text| {
        let size = in_unit(text, "B", Bytes::new(1).get(), Bytes::get)?;
        let size = Some(size).filter(|size| (least..=most).contains(size));
        size.and_then(|size| T::try_from(size).ok()).ok_or_else(|| {
            let [least, most] = [least, most].map(Bytes::new);
            format!("{text:?} is not a size from {least} to {most}")
        })
    }
}

/// Reads a rate in whole Mb/s, at least one: a number of them, or a text with its unit.
pub(crate) fn megabits(text: &str) -> Result<u64, String> {
    let bits = in_unit(text, "Mb/s", 1_000_000, Rate::as_bps)?;
    match (bits / 1_000_000, bits % 1_000_000) {
        (megabits @ 1..=1_000_000, 0) => Ok(megabits),
        _ => Err(format!("{text:?} is not a whole number of Mb/s from 1 Mb/s to 1 Tb/s")),
    }
}

/// Reads a span of time: a number of seconds, or a text with its unit.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    const SECOND: u64 = 1_000_000_000_000;
    in_unit(text, "s", SECOND, Duration::as_ps).map(Duration::from_ps)
}

/// A quantity, in the smallest unit of its type: a whole number alone counts `unit`s of `size`.
fn in_unit<Q>(text: &str, unit: &str, size: u64, smallest: fn(Q) -> u64) -> Result<u64, String>
where
    Q: std::str::FromStr<Err: Display>,
{
    match text.trim().parse::<u64>() {
        Ok(number) => number
            .checked_mul(size)
            .ok_or_else(|| format!("{text:?} is more than can be counted in {unit}")),
        Err(_) => text.parse().map(smallest).map_err(|error| error.to_string()),
    }
}

/// What is wrong with the value of an option, in the words of all other errors; none if the error
/// is about something else.
pub(crate) fn refused(error: &clap::Error) -> Option<String> {
    if !matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue) {
        return None;
    }
    let context = |kind| error.get(kind).map(ToString::to_string);
    let argument = context(ContextKind::InvalidArg)?;
    let value = context(ContextKind::InvalidValue)?;
    let name = argument.split_once(' ').map_or(&*argument, |(name, _)| name);
    if let Some(ContextValue::Strings(words)) = error.get(ContextKind::ValidValue) {
        if value.is_empty() {
            return Some(format!("error: {name} has no value: give {argument}"));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        return Some(format!("error: {name}: {value:?} is not one of {}", words.join(", ")));
    }
    let problem = error.source()?;
    let said = if let Some(error) = problem.downcast_ref::<ParseIntError>() {
        match error.kind() {
            IntErrorKind::Zero => format!("{value:?} is too little; give at least 1"),
            IntErrorKind::PosOverflow => format!("{value:?} is too much; give less"),
            _ => format!("{value:?} is not a whole number"),
        }
    } else if problem.is::<ParseFloatError>() {
        format!("{value:?} is not a number such as 0.9")
    } else {
        problem.to_string()
    };
    let shown = printable(&value).to_string();
    let is_said = [&value, &shown, &format!("{value:?}")].iter().any(|text| said.contains(*text));
    Some(match is_said {
        true => format!("error: {name}: {said}"),
        false => format!("error: {name} {shown}: {said}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_within_their_range_and_refused_with_it() {
        assert_eq!(whole(1_u16..=64)("64"), Ok(64));
        let refused = |text: &str| whole(1_u32..=4096)(text).unwrap_err();
        assert_eq!(refused("0"), "\"0\" is not a whole number from 1 to 4,096");
        for wrong in ["", "x", "-1", "1.5", "4097", "99999999999999999999"] {
            assert!(refused(wrong).ends_with("is not a whole number from 1 to 4,096"), "{wrong}");
        }
        let most = whole(0..=u64::MAX)("x").unwrap_err();
        assert!(most.ends_with("from 0 to 18,446,744,073,709,551,615"), "{most}");
        assert_eq!(number("0.5"), Ok(0.5));
        for wrong in ["", "x", "nan", "inf", "1,5"] {
            assert!(number(wrong).unwrap_err().contains("is not a number"), "{wrong}");
        }
    }

    #[test]
    fn a_quantity_is_a_number_in_its_unit_or_a_text_with_one() {
        assert_eq!(bytes(64_u32..=9216)("1500"), Ok(1500));
        assert_eq!(bytes(64_u32..=9216)("1.5 KB"), Ok(1500));
        for wrong in ["3", "1 MB", "x", "-1", "1500 b"] {
            assert!(bytes(64_u32..=9216)(wrong).unwrap_err().contains(wrong), "{wrong}");
        }
        for text in ["2000", "2G", "2 Gb/s", "2000 Mb/s"] {
            assert_eq!(megabits(text), Ok(2000), "{text}");
        }
        for wrong in ["0", "1500 b/s", "x", "2 Tb/s", "99999999999999999999"] {
            assert!(megabits(wrong).is_err(), "{wrong}");
        }
        assert_eq!(seconds("2"), Ok(Duration::from_ms(2000)));
        assert_eq!(seconds("500 ms"), Ok(Duration::from_ms(500)));
        assert!(seconds("99999999999").is_err());
    }
}

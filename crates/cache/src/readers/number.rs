//! What a field of a number says, and what it is if it is none.

use forebay_parameters::grouped;

use super::Problem;
use super::clock::Stamp;
use super::error::{Field, Mistake};

/// A time stamp: a decimal number.
pub(super) fn stamp(text: &str) -> Result<Stamp, Problem> {
    Stamp::parse(text).ok_or_else(|| refused(Field::Time, text, u64::MAX))
}

/// A whole number of at most `most`.
pub(super) fn whole(field: Field, text: &str, most: u64) -> Result<u64, Problem> {
    let number = text.parse().ok().filter(|number| *number <= most);
    number.ok_or_else(|| refused(field, text, most))
}

fn refused(field: Field, text: &str, most: u64) -> Problem {
    Problem::NotANumber { field, text: text.to_owned(), mistake: mistake(field, text, most) }
}

/// What a text is that is not the number that `field` asks for.
fn mistake(field: Field, text: &str, most: u64) -> Mistake {
    let (is_negative, number) = match text.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_decimal = !whole.is_empty() && digits(whole) && digits(fraction);
    match field {
        _ if !is_decimal && number.parse::<f64>().is_ok_and(f64::is_finite) => Mistake::Notation,
        _ if !is_decimal => Mistake::NotOne(field.wants()),
        _ if is_negative => Mistake::Negative,
        Field::Size | Field::Origin | Field::Object if number.contains('.') => Mistake::Fraction,
        Field::Size | Field::Origin | Field::Object | Field::Time => {
            Mistake::TooLarge(grouped(most))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_called_what_it_is() {
        for (text, words) in [
            ("-5", "negative: give 0 or more"),
            ("-0.5", "negative: "),
            ("5.5", "a fraction: give a whole number"),
            ("5.0", "a fraction: "),
            ("18446744073709551616", "too large: give at most 18,446,744,073,709,551,615"),
            ("1e3", "not in plain digits: write 1000 for 1e3"),
            (".5", "not in plain digits"),
            ("5 KB", "no number: give a whole number of bytes, without a unit"),
            ("NaN", "no number: give a whole number of bytes"),
            ("inf", "no number: give a whole number of bytes"),
            ("0x1f", "no number: give a whole number of bytes"),
        ] {
            let error = whole(Field::Size, text, u64::MAX).unwrap_err().to_string();
            assert!(error.starts_with(&format!("size is \"{text}\", which is {words}")), "{error}");
        }
        let error = whole(Field::Origin, "4294967296", u32::MAX.into()).unwrap_err().to_string();
        assert!(error.ends_with("too large: give at most 4,294,967,295"), "{error}");
        let error = stamp("123456789012345678901.5").unwrap_err().to_string();
        assert!(error.ends_with("give at most 18,446,744,073,709,551,615"), "{error}");
        let error = stamp("2026-01-01").unwrap_err().to_string();
        assert!(error.ends_with("give a number, of seconds or of the trace's unit"), "{error}");
        assert_eq!(whole(Field::Size, "18446744073709551615", u64::MAX), Ok(u64::MAX));
    }
}

//! An amount in a file: a text with its unit.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{Deserializer, Error, Visitor};

/// What to do about an amount without a unit.
const ASK: &str = "give it in quotes, with its unit, as \"100 KB\" or \"10 ms\"";

/// Reads an amount, as "100 KB", in the place of `Deserialize::deserialize`.
///
/// # Errors
/// It is no text, or not such an amount.
pub fn read_quantity<'de, T: FromStr<Err: fmt::Display>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(Amount(PhantomData))
}

struct Amount<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Amount<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text in quotes, with its unit")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<T, E> {
        Err(E::custom(ASK))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<T, E> {
        Err(E::custom(ASK))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<T, E> {
        Err(E::custom(ASK))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<T, E> {
        Err(E::custom(ASK))
    }
}

//! What texts are quantities, as JSON Schema (feature `schema`): a number and a unit.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{Bytes, Duration, Rate, rate, size, time};

/// A regular expression of the texts that [`parse_scaled`](crate::parse::parse_scaled) reads, but
/// for what is too large or too fine.
fn pattern(units: &[(&str, u128)]) -> String {
    let names: alloc::vec::Vec<&str> = units.iter().map(|(name, _)| *name).collect();
    format!(r"^\s*[0-9_]+(\.[0-9_]*)?\s*({})\s*$", names.join("|"))
}

macro_rules! quantities {
    ($($quantity:ident, $module:ident, $title:literal, $example:literal;)*) => {$(
        impl JsonSchema for $quantity {
            fn schema_name() -> Cow<'static, str> {
                stringify!($module).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string",
                    "title": $title,
                    "pattern": pattern($module::UNITS),
                    "examples": [$example],
                })
            }
        }
    )*};
}

quantities! {
    Rate, rate, "a rate such as \"50 Gb/s\"", "50 Gb/s";
    Bytes, size, "a size such as \"16 KiB\" or \"5 MB\"", "16 KiB";
    Duration, time, "a span of time such as \"10 ms\"", "10 ms";
}

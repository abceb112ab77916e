//! Fields whose values are lists of short texts, each with parts of its own: `8@1:8@8`, `100:20+1`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use forebay_parameters::Value;
use forebay_units::printable;

/// What `read` makes of each text of a list; `form` says how one looks.
pub(crate) fn list_of<T>(
    value: &Value,
    read: impl Fn(&str) -> Option<T>,
    form: &str,
) -> Result<Vec<T>, String> {
    let Value::List(items) = value else { return Err(format!("{value} is not a list")) };
    let one = |item: &Value| {
        let text = item.to_string();
        read(&text).ok_or_else(|| format!("\"{}\" is not {form}", printable(&text)))
    };
    items.iter().map(one).collect()
}

/// The list of texts that [`list_of`] reads.
pub(crate) fn texts<T>(items: &[T], text: impl Fn(&T) -> String) -> Value {
    Value::List(items.iter().map(|item| Value::Text(text(item))).collect())
}

//! A misspelt name, and what may have been meant.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// More names than this are not listed in a message: all switches are.
const LISTED: usize = 64;

/// `did you mean …?` for a misspelt name, or the list of what exists. O(names · length²).
///
/// ```
/// let hint = forebay_parameters::suggest("lod", ["load", "rate"]);
/// assert!(hint.contains("`load`") || hint == "known: load, rate");
/// ```
#[must_use]
pub fn suggest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(wrong, &known) {
        Some(best) => format!("did you mean `{best}`?"),
        None if known.is_empty() => "none is known here: leave it out".into(),
        None if known.len() <= LISTED => format!("known: {}", known.join(", ")),
        None => format!("known: {} and {} more", known[..LISTED].join(", "), known.len() - LISTED),
    }
}

#[cfg(feature = "suggestions")]
pub(crate) fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    // Input may be arbitrarily long.
    let wrong: String = wrong.chars().take(64).collect();
    if let Some(same) = known.iter().find(|name| name.eq_ignore_ascii_case(&wrong)) {
        return Some(same);
    }
    let near = |name: &&&str| strsim::damerau_levenshtein(&wrong, name);
    let best = known.iter().min_by_key(near)?;
    (near(&best) <= 1 + best.len() / 3).then_some(*best)
}

#[cfg(not(feature = "suggestions"))]
pub(crate) fn nearest<'a>(_wrong: &str, _known: &[&'a str]) -> Option<&'a str> {
    None
}

#[cfg(all(test, feature = "suggestions"))]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near_or_a_list() {
        assert_eq!(suggest("lod", ["load", "rate"]), "did you mean `load`?");
        assert_eq!(suggest("zzzzzz", ["load", "rate"]), "known: load, rate");
        assert_eq!(suggest("SRPT", ["sff", "srpt"]), "did you mean `srpt`?");
        assert_eq!(suggest("x", []), "none is known here: leave it out");
    }
}

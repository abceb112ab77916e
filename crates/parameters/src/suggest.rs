//! A misspelt name, and what may have been meant.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use forebay_units::printable;

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
    // Of `hbm.rows` and others of a group.
    let is_of_it = |name: &&str| name.strip_prefix(wrong).is_some_and(|rest| rest.starts_with('.'));
    let group: Vec<&str> = known.iter().copied().filter(is_of_it).collect();
    match nearest(wrong, &known) {
        _ if !group.is_empty() => format!("it is a group: write one of {}", listed(&group)),
        Some(best) => format!("did you mean `{}`?", printable(best)),
        None if known.is_empty() => "none is known here: leave it out".into(),
        None => format!("known: {}", listed(&known)),
    }
}

/// Names in a sentence, or the first of many.
fn listed(names: &[&str]) -> String {
    match names.len().checked_sub(LISTED) {
        None | Some(0) => joined(names),
        Some(more) => format!("{} and {more} more", joined(&names[..LISTED])),
    }
}

fn joined(names: &[&str]) -> String {
    // They may be names of a file's.
    printable(&names.join(", ")).to_string()
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
        let group = ["span", "sram.cell", "sram.staging"];
        assert_eq!(suggest("sram", group), "it is a group: write one of sram.cell, sram.staging");
    }
}

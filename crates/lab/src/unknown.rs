//! Names that nothing has: the one error for them, and the guess at what was meant.
//!
//! Complexity: a guess is linear in the names that are known, quadratic in their lengths.

/// A name that nothing has, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}; {hint}", self.message())]
pub struct UnknownName {
    what: &'static str,
    name: String,
    hint: String,
}

impl UnknownName {
    /// `name` is no `what` (as "policy"); `known` are.
    #[must_use]
    pub fn new<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        UnknownName { what, name: name.to_owned(), hint: suggest(name, known) }
    }

    /// "there is no policy `x`".
    #[must_use]
    pub fn message(&self) -> String {
        format!("there is no {} `{}`", self.what, self.name)
    }

    /// "did you mean `y`?", or the names that there are.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

/// `did you mean …` for a misspelt name, or the list of what exists.
#[must_use]
pub fn suggest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let near = |name: &&&str| strsim::damerau_levenshtein(wrong, name);
    match known.iter().min_by_key(near) {
        Some(best) if near(&best) <= 1 + best.len() / 3 => format!("did you mean `{best}`?"),
        Some(_) if known.len() <= 20 => format!("known: {}", known.join(", ")),
        Some(_) => "`forebay show` lists what there is".to_owned(),
        None => "none is known here: remove it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near_or_a_list() {
        assert_eq!(suggest("lod", ["load", "rate"]), "did you mean `load`?");
        assert_eq!(suggest("zzzzzz", ["load", "rate"]), "known: load, rate");
        assert_eq!(suggest("x", []), "none is known here: remove it");
    }
}

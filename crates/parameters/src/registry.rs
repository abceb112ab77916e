//! What can be chosen by name: one shape of registry, open to callers, and one error for unknown
//! names.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use forebay_units::printable;

use crate::suggest;

/// Something that can be chosen by name.
pub trait Entry {
    /// What such things are called in a sentence: `"buffer policy"`.
    const WHAT: &'static str;

    /// The name in files, on command lines and in results, as `"dt-hybrid"`.
    fn name(&self) -> &str;

    /// The name in figures, as `"DT-Hybrid"`.
    fn label(&self) -> &str {
        self.name()
    }

    /// What it does, in one sentence.
    fn about(&self) -> &str;
}

/// Things by name, in the order of listings. The built-in ones come from the crate that makes them;
/// a caller adds its own with [`with`](Registry::with).
///
/// ```
/// use forebay_parameters::{Entry, Registry};
///
/// struct Scheme { name: &'static str, build: fn(u64) -> u64 }
/// impl Entry for Scheme {
///     const WHAT: &'static str = "scheme";
///     fn name(&self) -> &str { self.name }
///     fn about(&self) -> &str { "for this example" }
/// }
///
/// let built_in = Registry::of([Scheme { name: "all", build: |cells| cells }]);
/// let registry = built_in.with(Scheme { name: "half", build: |cells| cells / 2 })?;
/// assert_eq!((registry.named("half")?.build)(10), 5);
/// assert!(registry.named("hlaf").err().unwrap().to_string().starts_with("there is no scheme `hlaf`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry<E> {
    entries: Vec<E>,
}

impl<E: Entry> Registry<E> {
    /// With these entries; of several with one name the first is found.
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = E>) -> Self {
        Registry { entries: entries.into_iter().collect() }
    }

    /// With one more.
    ///
    /// # Errors
    /// There is one of that name already.
    pub fn with(mut self, entry: E) -> Result<Self, TakenName> {
        if self.get(entry.name()).is_some() {
            return Err(TakenName { what: E::WHAT, name: entry.name().to_owned() });
        }
        self.entries.push(entry);
        Ok(self)
    }

    /// The one of this name, if there is one. O(entries).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&E> {
        self.entries.iter().find(|entry| entry.name() == name)
    }

    /// The one of this name. O(entries).
    ///
    /// # Errors
    /// There is none.
    pub fn named(&self, name: &str) -> Result<&E, UnknownName> {
        self.get(name).ok_or_else(|| UnknownName::new(E::WHAT, name, self.names()))
    }

    /// All, in order.
    pub fn iter(&self) -> core::slice::Iter<'_, E> {
        self.entries.iter()
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(Entry::name)
    }
}

impl<'a, E> IntoIterator for &'a Registry<E> {
    type Item = &'a E;
    type IntoIter = core::slice::Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<E> IntoIterator for Registry<E> {
    type Item = E;
    type IntoIter = alloc::vec::IntoIter<E>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// Nothing of a kind has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: Vec<String>,
}

impl UnknownName {
    /// There is no `what` called `name`; `known` are the names there are.
    #[must_use]
    pub fn new<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known = known.into_iter().map(ToOwned::to_owned).collect();
        UnknownName { what, name: name.to_owned(), known }
    }

    /// What was looked for: `"buffer policy"`.
    #[must_use]
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// The name that nothing has.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// "there is no policy `x`".
    #[must_use]
    pub fn message(&self) -> String {
        format!("there is no {} `{}`", self.what, printable(&self.name))
    }

    /// "did you mean `y`?", or the names that there are.
    #[must_use]
    pub fn hint(&self) -> String {
        suggest(&self.name, self.known.iter().map(String::as_str))
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message(), self.hint())
    }
}

impl core::error::Error for UnknownName {}

/// Something of this kind has the name already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenName {
    what: &'static str,
    name: String,
}

impl fmt::Display for TakenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is a {} `{}` already; give yours another name", self.what, self.name)
    }
}

impl core::error::Error for TakenName {}

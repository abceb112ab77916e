//! Why a parameter has no effect: the other parameter that it depends on, and a value of that which
//! would give it one.
//!
//! O(values that are tried · parameters); asked only where there is an error to tell.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::{Configure, Given, Kind, Parameter, Value, listed};

/// What a parameter depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    /// The parameter that it depends on.
    pub name: String,
    /// The value in that one's field.
    pub now: Value,
    /// One with which the other would have an effect.
    pub instead: Value,
}

impl Dependency {
    /// "`reorder` is 0", as one reads it behind "while".
    #[must_use]
    pub fn now(&self) -> String {
        alloc::format!("`{}` is {}", self.name, shown(&self.now))
    }

    /// "set reorder to 1".
    #[must_use]
    pub fn instead(&self) -> String {
        alloc::format!("set {} to {}", self.name, shown(&self.instead))
    }
}

/// What the parameter called `name`, which the configuration that `made` gives does not show,
/// depends on; none if no single other value makes it show that.
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use forebay_parameters::{Configure, gate};
///
/// #[derive(Clone, Configure)]
/// struct Link {
///     /// The probability with which a frame is held back.
///     #[parameter(assumed = "none", range = 0.0..=1.0, default = 0.0)]
///     reorder: f64,
///     /// For how many others.
///     #[parameter(assumed = "a few", range = 1.., default = 3, when = self.reorder > 0.0)]
///     reorder_by: u32,
/// }
/// let gate = gate(Link::default, "reorder_by").unwrap();
/// assert_eq!((gate.now(), gate.instead()), ("`reorder` is 0".into(), "set reorder to 1".into()));
/// # }
/// ```
pub fn gate<C: Configure>(made: impl Fn() -> C, name: &str) -> Option<Dependency> {
    let others = listed(&mut made()).into_iter().filter(|other| other.parameter.name != name);
    others.into_iter().find_map(|other| {
        let shows = |value: &Value| {
            let mut config = made();
            let mut walk = Given::new(|one: &Parameter| {
                Ok((one.name == other.parameter.name).then(|| value.clone()))
            });
            config.walk(&mut walk);
            let is_shown = walk.shown().iter().any(|shown| shown == name);
            is_shown && walk.finish([]).is_ok()
        };
        let instead = probes(other.parameter.kind).into_iter().find(shows)?;
        Some(Dependency { name: other.parameter.name.to_string(), now: other.value, instead })
    })
}

/// Values of a kind on which others may depend: each word, none and some.
fn probes(kind: Kind) -> Vec<Value> {
    let texts: &[&str] = match kind {
        Kind::Choice(words) => words,
        Kind::Bool => &["true", "false"],
        Kind::Int { .. } | Kind::Float { .. } => &["0", "1", "2"],
        Kind::Bytes => &["0 B", "1 MB"],
        Kind::Duration => &["0 s", "1 us"],
        Kind::Rate => &["0 b/s", "1 Gb/s"],
        Kind::Path => &[""],
        Kind::Text | Kind::List(_) => &[],
    };
    texts.iter().filter_map(|text| kind.read_text(text).ok()).collect()
}

/// A value in a sentence.
fn shown(value: &Value) -> String {
    match value.to_string() {
        text if text.is_empty() => "\"\"".to_owned(),
        text => text,
    }
}

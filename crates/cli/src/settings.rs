//! `--set` of commands that fill configurations themselves.

use std::error::Error;
use std::fmt;

use forebay_parameters::{Configure, Given, Parameter, ParameterError, gate, listed_all};

use crate::Failure;
use crate::failure::wrong;

/// Splits the text of `--set` at its first equals sign.
pub(crate) fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as key=value, for example load=0.9".to_owned()),
    }
}

/// A parameter that `--set` may not set, since something else of the command does: its full name,
/// and what that is, in words that follow "it is".
pub(crate) type Decided<'a> = (&'a str, &'a str);

/// Sets parameters in each of some configurations; they are named in full, or by a last word that
/// only one has. What one of them shows, another need not; what is `decided` elsewhere, none may be
/// given.
///
/// # Errors
/// The first parameter that there is not, is set twice, cannot have its value, or has no effect in
/// any of them.
pub(crate) fn set(
    configs: &mut [impl Configure + Clone],
    given: &[(String, String)],
    decided: &[Decided<'_>],
) -> Result<(), ParameterError> {
    let all = configs.iter_mut().flat_map(|config| listed_all(config));
    let mut known: Vec<Parameter> = all.map(|one| one.parameter).collect();
    // What is chosen by name brings parameters of its own.
    let chosen = configs.iter().flat_map(|config| listed_all(&mut chosen(config.clone(), given)));
    known.extend(chosen.map(|one| one.parameter));
    known.sort_by(|a, b| a.name.cmp(&b.name));
    known.dedup_by(|a, b| a.name == b.name);
    let full = given.iter().map(|(name, text)| Ok((full(&known, name)?, text)));
    let full = full.collect::<Result<Vec<_>, ParameterError>>()?;
    for (place, (name, _)) in full.iter().enumerate() {
        if let Some((_, by)) = decided.iter().find(|(decided, _)| decided == name) {
            let problem = format!("it is {by}; leave it out");
            return Err(ParameterError::value(given[place].0.as_str(), problem));
        }
        if let Some(first) = full[..place].iter().position(|(other, _)| other == name) {
            let (first, again) = (&given[first].0, &given[place].0);
            let problem = match first == again {
                true => "it is set twice; give one value".to_owned(),
                false => format!("it is set already, as `{first}`; give one value"),
            };
            return Err(ParameterError::value(again.as_str(), problem));
        }
    }
    let mut shown: Vec<String> = Vec::new();
    for config in &mut *configs {
        let mut walk = Given::new(|parameter: &Parameter| {
            let own = full.iter().find(|(name, _)| *name == parameter.name);
            own.map(|(_, text)| parameter.kind.read_text(text)).transpose()
        });
        config.walk(&mut walk);
        shown.extend_from_slice(walk.shown());
        walk.finish([])?;
    }
    match full.iter().find(|(name, _)| shown.iter().all(|shown| shown != name)) {
        Some((name, _)) => Err(without_effect(configs, name)),
        None => Ok(()),
    }
}

/// A configuration with what can be set of it; what cannot is another's to tell.
fn chosen<C: Configure>(mut config: C, given: &[(String, String)]) -> C {
    config.walk(&mut Given::new(|parameter: &Parameter| {
        let is_meant = |name: &str| name == parameter.name || name == parameter.word();
        let own = given.iter().find(|(name, _)| is_meant(name));
        own.map(|(_, text)| parameter.kind.read_text(text)).transpose()
    }));
    config
}

/// The error of a parameter that none of the configurations reads, with what it depends on.
fn without_effect(configs: &[impl Configure + Clone], name: &str) -> ParameterError {
    let mut gates = configs.iter().filter_map(|config| gate(|| config.clone(), name));
    let problem = match gates.next() {
        Some(gate) => {
            format!("it has no effect while {}; leave it out, or {}", gate.now(), gate.instead())
        }
        None => "it has no effect here; leave it out".to_owned(),
    };
    ParameterError::value(name, problem)
}

/// An error of a parameter, said of the option that gave its value if there is one: `--set`, or one
/// of its kind.
#[derive(Debug)]
pub(crate) struct Blamed<'a> {
    pub(crate) option: &'static str,
    pub(crate) error: &'a ParameterError,
    pub(crate) given: &'a [(String, String)],
}

impl Blamed<'_> {
    /// The key and the value that the parameter was given, if it was: by its own name, or else by
    /// its last word.
    fn value(&self) -> Option<&(String, String)> {
        let name = self.error.name();
        let word = name.rsplit('.').next().unwrap_or(name);
        let called = |name: &str| self.given.iter().rfind(|(key, _)| key == name);
        called(name).or_else(|| called(word))
    }
}

impl fmt::Display for Blamed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some((key, value)) => {
                write!(f, "--{} {key}={value}: {}", self.option, self.error.sentence())
            }
            None => write!(f, "{}", self.error),
        }
    }
}

impl Error for Blamed<'_> {}

/// The failure of a parameter that `--set`, or an option of its kind, gave.
pub(crate) fn misset(
    option: &'static str,
    error: &ParameterError,
    given: &[(String, String)],
) -> Failure {
    Failure::input(format!("error: {}", Blamed { option, error, given }))
}

/// The failure of what was described by options and `--set`: blamed on the `--set` that gave the
/// parameter, or else on the option that stands for it.
pub(crate) fn refused(error: &ParameterError, given: &[(String, String)]) -> Failure {
    match error.cause() {
        Some(error) if (Blamed { option: "set", error, given }).value().is_some() => {
            misset("set", error, given)
        }
        Some(_) | None => wrong(error.name(), error.sentence()),
    }
}

/// The full name of the parameter of this name or last word.
fn full<'a>(known: &'a [Parameter], name: &str) -> Result<&'a str, ParameterError> {
    let words: Vec<&str> =
        known.iter().filter(|one| one.word() == name).map(|one| &*one.name).collect();
    match (known.iter().find(|one| one.name == name), words.as_slice()) {
        (Some(one), _) => Ok(&one.name),
        (None, [one]) => Ok(one),
        (None, []) => {
            // A last word stands for a parameter that shares it with no other.
            let is_alone = |word: &str| known.iter().filter(|one| one.word() == word).count() == 1;
            let is_group = known.iter().any(|one| one.name.starts_with(&format!("{name}.")));
            let names = known.iter().map(|one| match !is_group && is_alone(one.word()) {
                true => one.word(),
                false => &one.name,
            });
            Err(ParameterError::unknown(name, names))
        }
        (None, several) => {
            let problem = format_args!("it could be several; write one of {}", several.join(", "));
            Err(ParameterError::value(name, problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::key_value;
    use forebay_scenarios::delayed_hits::Contender;
    use forebay_scenarios::delayed_hits::config::Config;

    #[test]
    fn what_some_configuration_reads_is_set_and_all_else_refused() {
        let caches = forebay_cache::policies::policies();
        let named = |name| Config::new(Contender::named(name, &caches).unwrap());
        let mut configs = ["lru", "belatedly"].map(named);
        let mut set = |name: &str, text: &str| {
            super::set(&mut configs, &[(name.to_owned(), text.to_owned())], &[])
        };
        set("z", "7").unwrap();
        set("cache.eviction", "sampled").unwrap();
        for (name, words) in [
            ("objects", "write one of cache.objects, trace.objects"),
            (
                "store.latencies",
                "no effect while `store.kind` is constant; leave it out, or set store.kind to \
                 per-origin",
            ),
            ("requets", "did you mean `requests`"),
            ("store", "it is a group: write one of store.kind, store.latencies"),
            ("ways", "a whole number"),
        ] {
            let error = set(name, "x").unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let twice = [("z", "8"), ("store.z", "9")].map(|(name, text)| (name.into(), text.into()));
        let error = super::set(&mut configs, &twice, &[]).unwrap_err().to_string();
        assert_eq!(error, "store.z: it is set already, as `z`; give one value");
        let decided = [("store.z", "given as --z, too")];
        let error = super::set(&mut configs, &twice[..1], &decided).unwrap_err().to_string();
        assert_eq!(error, "z: it is given as --z, too; leave it out");
        assert_eq!(configs.map(|config| config.store.z), [7, 7]);
    }

    #[test]
    fn key_values_split_at_the_first_equals_sign() {
        assert_eq!(key_value("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert!(key_value("=b").is_err() && key_value("ab").is_err());
    }
}

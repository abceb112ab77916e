//! Why a parameter that was set has no effect, and what would give it one: another policy, or another value of the
//! parameter that it depends on.
//!
//! Complexity: a walk for each value of each parameter that is tried, and only where there is an error to tell.

use forebay_parameters::{Kind, Value, listed_all};

use super::Experiment;
use crate::error::ConfigError;
use crate::schema::PolicyInfo;

impl Experiment {
    /// The problem with the parameter of this index, which no run under these policies reads.
    pub(super) fn without_effect(&self, index: usize, policies: &[PolicyInfo]) -> ConfigError {
        let name = &*self.params.parameters[index].spec.name;
        let could = |policy: &str| {
            let all = listed_all(&mut *self.scenario.configure(policy));
            all.iter().any(|one| one.parameter.name == name)
        };
        let mut own = policies.iter().map(|policy| &*policy.name);
        let (message, fix) = match own.find(|policy| could(policy)) {
            None => {
                let names: Vec<&str> = policies.iter().map(|policy| &*policy.name).collect();
                let mut others = self.scenario.policies().iter().map(|policy| &*policy.name);
                let other = others.find(|policy| could(policy));
                let such = other.map_or(String::new(), |other| format!(", such as {other}"));
                let message = format!("`{name}` has no effect under {}", names.join(", "));
                (message, format!("remove it, or run a policy that reads it{such}"))
            }
            Some(policy) => match self.depends_on(index, policy) {
                Some((on, value)) => {
                    let on = &self.params.parameters[on];
                    let (gate, now) = (&on.spec.name, shown(&on.value));
                    let message = format!("`{name}` has no effect while `{gate}` is {now}");
                    (message, format!("remove it, or set {gate} to {}", shown(&value)))
                }
                None => {
                    let message = format!("`{name}` has no effect beside the other values");
                    (message, "remove it".to_owned())
                }
            },
        };
        self.params.blame(name, message).fix(fix)
    }

    /// Another parameter and its value with which the policy would read this one.
    fn depends_on(&self, index: usize, policy: &str) -> Option<(usize, Value)> {
        let params = self.at_point(0);
        let others = (0..params.parameters.len()).filter(|other| *other != index);
        let tried = others.flat_map(|other| {
            let kind = params.parameters[other].spec.kind;
            probes(kind).into_iter().map(move |value| (other, value))
        });
        let mut with = params.clone();
        tried.into_iter().find(|(other, value)| {
            with.parameters[*other].value = value.clone();
            let mut effective = vec![false; with.parameters.len()];
            with.mark(&mut *self.scenario.configure(policy), &mut effective);
            with.parameters[*other].value = params.parameters[*other].value.clone();
            effective[index]
        })
    }
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

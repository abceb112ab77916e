//! The buffer policies that `buffer compare` compares: any on chip, with what each reads.

use forebay_buffer::onchip::says;
use forebay_lab::ScenarioRegistry;
use forebay_parameters::{Entry, Kind, Listed, Parameter, ParameterError, listed_all};
use forebay_scenarios::Policies;

use super::arguments::CompareArguments;
use super::written::Line;
use crate::Failure;

/// The scenario that plays the incast into an egress pool alone.
pub(super) const SCENARIO: &str = "on-chip";
/// Occamy's own alpha, as the scenario calls it.
const OCCAMY_ALPHA: &str = "policy.occamy_alpha";
/// What the configuration or another option says.
const OURS: [&str; 3] = ["policy.alpha", "policy.burst_alpha", OCCAMY_ALPHA];
/// Alpha under Occamy, if none is given (occamy §4.4).
const ALPHA: f64 = 8.0;

/// A policy that is compared, as the scenario lists it.
struct One {
    name: String,
    label: String,
    reads_alpha: bool,
    /// What the scenario shows under it.
    shown: Vec<Listed>,
}

impl One {
    fn shows(&self, parameter: &str) -> bool {
        self.shown.iter().any(|one| one.parameter.name == parameter)
    }
}

/// A parameter of `--set`.
pub(super) struct Set {
    /// In full.
    name: String,
    /// As it was given.
    text: String,
    /// As TOML.
    value: String,
}

impl Set {
    /// Its name within `policy`.
    fn word(&self) -> &str {
        self.name.trim_start_matches("policy.")
    }
}

/// The policies, and what is set of them.
pub(super) struct Compared {
    policies: Vec<One>,
    /// Alpha under Occamy; 0 for the configuration's.
    pub(super) occamy_alpha: f64,
    set: Vec<Set>,
}

impl Compared {
    /// What the arguments name, for policies in a scenario.
    pub(super) fn read(
        arguments: &CompareArguments,
        policies: &Policies,
        registry: &ScenarioRegistry,
        scenario: &str,
    ) -> Result<Self, Failure> {
        let wrong = |error: &dyn std::fmt::Display| Failure::input(format!("error: {error}"));
        let scenario = registry.get(scenario).map_err(|error| wrong(&error))?;
        let one = |name: &String| {
            let choice = policies.switches.on_chip().named(name.trim());
            let choice = choice.map_err(|error| wrong(&format_args!("--policies: {error}")))?;
            Ok(One {
                name: choice.name().to_owned(),
                label: choice.label().to_owned(),
                reads_alpha: says(choice, |policy| policy.reads_alpha()),
                shown: listed_all(&mut *scenario.configure(choice.name())),
            })
        };
        let policies = arguments.policies.iter().map(one).collect::<Result<Vec<One>, Failure>>()?;
        let mut compared = Compared {
            policies,
            occamy_alpha: arguments.occamy_alpha.unwrap_or(ALPHA),
            set: vec![],
        };
        if arguments.occamy_alpha.is_some() && !compared.reads(OCCAMY_ALPHA) {
            let problem =
                "--occamy-alpha: no policy of --policies is an Occamy; name one, or leave it out";
            return Err(wrong(&problem));
        }
        for (name, text) in &arguments.set {
            let set = compared.setting(name, text);
            let set = set.map_err(|error| wrong(&format_args!("--set {name}={text}: {error}")))?;
            if compared.set.iter().any(|other| other.name == set.name) {
                return Err(wrong(&format_args!(
                    "--set {name}={text}: it is set twice; set it once"
                )));
            }
            compared.set.push(set);
        }
        Ok(compared)
    }

    /// A parameter that any of the policies has.
    fn setting(&self, name: &str, text: &str) -> Result<Set, ParameterError> {
        let all = || self.policies.iter().flat_map(|one| &one.shown).map(|one| &one.parameter);
        let own = || {
            let of_policies = all().filter(|one| one.name.starts_with("policy."));
            of_policies.filter(|one| !OURS.contains(&&*one.name))
        };
        let called = |one: &&Parameter| one.name == name || one.word() == name;
        let Some(found) = own().find(called) else {
            let ours = OURS.iter().any(|ours| *ours == name || ours.ends_with(&format!(".{name}")));
            if ours || all().any(|one| called(&one)) {
                let problem = "the configuration or another option says it; leave it out";
                return Err(ParameterError::value(name.to_owned(), problem));
            }
            return Err(ParameterError::unknown(name.to_owned(), own().map(|one| &*one.name)));
        };
        let value = found.kind.read_text(text);
        let value = value.map_err(|problem| ParameterError::value(found.name.clone(), problem))?;
        let value = match found.kind {
            Kind::Float { .. } | Kind::Int { .. } | Kind::Bool => value.to_string(),
            Kind::Rate
            | Kind::Bytes
            | Kind::Duration
            | Kind::Choice(_)
            | Kind::Text
            | Kind::Path
            | Kind::List(_) => super::written::quoted(text),
        };
        Ok(Set { name: found.name.to_string(), text: text.to_owned(), value })
    }

    /// Whether any of the policies has this parameter.
    pub(super) fn reads(&self, parameter: &str) -> bool {
        self.policies.iter().any(|one| one.shows(parameter))
    }

    /// The names as a TOML list.
    pub(super) fn names(&self) -> String {
        let names = self.policies.iter().map(|one| super::written::quoted(&one.name));
        format!("[{}]", names.collect::<Vec<_>>().join(", "))
    }

    /// What is set, as lines of an experiment.
    pub(super) fn set_lines(&self) -> impl Iterator<Item = Line> {
        self.set.iter().map(|one| Line::set(one.word(), &one.value))
    }

    /// Which take the configuration's alphas, and which one of their own, and what is set; one
    /// sentence each.
    pub(super) fn assumptions(&self) -> Vec<String> {
        let has_own = |one: &One| self.occamy_alpha > 0.0 && one.shows(OCCAMY_ALPHA);
        let (own, others): (Vec<&One>, Vec<&One>) =
            self.policies.iter().partition(|one| has_own(one));
        let readers: Vec<&One> = others.into_iter().filter(|one| one.reads_alpha).collect();
        let mut all = Vec::new();
        if !readers.is_empty() {
            all.push(format!("{} the alphas of the file", take(&readers)));
        }
        if !own.is_empty() {
            all.push(format!("{} alpha = {} (occamy §4.4)", take(&own), self.occamy_alpha));
        }
        all.extend(self.set.iter().map(|one| format!("{} is {} (--set)", one.name, one.text)));
        all
    }
}

/// "DT and ABM take".
fn take(policies: &[&One]) -> String {
    let labels: Vec<&str> = policies.iter().map(|one| one.label.as_str()).collect();
    match labels.as_slice() {
        [] => String::new(),
        [one] => format!("{one} takes"),
        [first @ .., last] => format!("{} and {last} take", first.join(", ")),
    }
}

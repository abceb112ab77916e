//! Every parameter that a scenario shows has an effect: under each policy that shows it, some other
//! legal value gives other digits.
//!
//! A parameter may need company to matter, as a class needs queues to choose among: each scenario
//! runs from a few [bases](bases), and one of those that show it must tell its values apart. What
//! cannot matter in so short a run is an [exception](exceptions), with the reason.

#![allow(clippy::unwrap_used, clippy::panic)] // a failed test is a panic

mod bases;
mod exceptions;
mod files;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use forebay_lab::{Point, Resolved, RunContext, RunError, Scenario};
use forebay_parameters::{Configure, Listed, Walk, listed};
use forebay_scenarios::Policies;

use bases::Base;
use files::Files;

/// The configuration of a policy.
struct Shown(Box<dyn Configure>);

impl Configure for Shown {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk(walk);
    }
}

/// A policy of a scenario.
struct Case<'a> {
    scenario: &'a dyn Scenario,
    policy: &'a str,
}

impl Case<'_> {
    /// The defaults but for `set`, of which the last counts.
    fn params(&self, set: &[(String, String)]) -> Result<Resolved, RunError> {
        let params = Resolved::with_settings(self.scenario, set)?;
        self.scenario.check(&params, self.policy)?;
        Ok(params)
    }

    /// All that a run yields, series included.
    fn digits(&self, set: &[(String, String)]) -> Result<String, RunError> {
        let point = Point { params: &self.params(set)?, policy: self.policy, seed: 1 };
        let output = self.scenario.run(&point, &mut RunContext::default())?;
        Ok(format!("{:?} {:?}", output.values, output.timelines))
    }

    /// What the policy shows at these values.
    fn shown(&self, set: &[(String, String)]) -> Vec<Listed> {
        let config = Shown(self.scenario.configure(self.policy));
        listed(&mut self.params(set).unwrap().fill(config).unwrap())
    }

    /// Whether another value of the parameter gives other digits.
    fn differs(&self, one: &Listed, base: &Base, digits: &str, files: &Files) -> bool {
        let name = one.parameter.name.to_string();
        values::others(one, files).into_iter().any(|value| {
            let set = [&base.set[..], &[(name.clone(), value)]].concat();
            // What cannot be is refused; it is no other legal value.
            self.digits(&set).is_ok_and(|other| other != digits)
        })
    }

    /// The parameters without an effect, each with the bases that show it.
    fn without_effect(
        &self,
        bases: &[Base],
        files: &Files,
        of_memory: &mut BTreeSet<String>,
    ) -> BTreeMap<String, Vec<&'static str>> {
        let mut open: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        let mut proven = of_memory.clone();
        for base in bases.iter().filter(|base| base.is_for(self.policy)) {
            let digits = self.digits(&base.set);
            let digits = digits.unwrap_or_else(|error| {
                panic!("{} of {} under {}: {error}", base.name, self.scenario.name(), self.policy)
            });
            for one in self.shown(&base.set) {
                let name = one.parameter.name.to_string();
                if proven.contains(&name) || !base.tries(&name) {
                    continue;
                }
                if self.differs(&one, base, &digits, files) {
                    open.remove(&name);
                    proven.insert(name);
                } else {
                    open.entry(name).or_default().push(base.name);
                }
            }
        }
        of_memory.extend(proven.into_iter().filter(|name| is_of_memory(name)));
        open
    }
}

/// Whether it is enough that one policy tells its values apart: the memory is the same for all, and
/// each meets only some of its limits.
fn is_of_memory(parameter: &str) -> bool {
    parameter.starts_with("hbm.")
}

/// Runs a scenario under every policy.
fn check(name: &str) {
    let registry = forebay_scenarios::registry(&Policies::default()).unwrap();
    let scenario = registry.get(name).unwrap();
    let files = Files::new();
    let bases = bases::of(name, &files);
    let mut problems: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut used: Vec<&exceptions::Exception> = Vec::new();
    let mut of_memory = BTreeSet::new();
    for policy in scenario.policies() {
        let case = Case { scenario: &*scenario, policy: &policy.name };
        for (parameter, shown) in case.without_effect(&bases, &files, &mut of_memory) {
            match exceptions::of(name, &policy.name, &parameter) {
                Some(exception) => used.push(exception),
                None => problems
                    .entry(format!("{parameter} in {}", shown.join(", ")))
                    .or_default()
                    .push(policy.name.to_string()),
            }
        }
    }
    let list: Vec<String> = problems
        .iter()
        .filter(|(parameter, _)| {
            !of_memory.iter().any(|name| parameter.starts_with(&format!("{name} ")))
        })
        .map(|(parameter, policies)| format!("  {parameter}: {}\n", policies.join(" ")))
        .collect();
    assert!(list.is_empty(), "{name}: no other value matters of\n{}", list.concat());
    for exception in exceptions::all(name) {
        let is_used = used.iter().any(|used| std::ptr::eq(*used, exception));
        assert!(is_used, "{exception:?} is no exception any more");
    }
}

macro_rules! scenarios {
    ($($test:ident: $name:literal,)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn none_is_left_out() {
            let registry = forebay_scenarios::registry(&Policies::default()).unwrap();
            for scenario in registry.iter() {
                assert!([$($name),*].contains(&scenario.name()), "{}", scenario.name());
            }
        }
    };
}

scenarios! {
    single_point: "single-point",
    departures: "departures",
    on_chip: "on-chip",
    sonic: "sonic",
    delayed_hits: "delayed-hits",
    prototype: "prototype",
    hbm_pattern: "hbm-pattern",
    network: "network",
    testbed: "testbed",
    link: "link",
    hierarchy: "hierarchy",
    surge: "surge",
    surge_buffers: "surge-buffers",
    single_server: "single-server",
}

//! Why a parameter that was set has no effect, and what would give it one: another policy, or
//! another value of the parameter that it depends on.
//!
//! Complexity: a walk for each value of each parameter that is tried, and only where there is an
//! error to tell.

use forebay_parameters::{Configure, Dependency, Walk, gate, listed_all};

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
            Some(policy) => match self.gate(name, policy) {
                Some(gate) => {
                    let message = format!("`{name}` has no effect while {}", gate.now());
                    (message, format!("remove it, or {}", gate.instead()))
                }
                None => {
                    let message = format!("`{name}` has no effect beside the other values");
                    (message, "remove it".to_owned())
                }
            },
        };
        self.params.blame(name, message).fix(fix)
    }

    /// What the policy would have to find for it to read this parameter.
    fn gate(&self, name: &str, policy: &str) -> Option<Dependency> {
        let params = self.at_point(0);
        let filled = || {
            let mut config = Configured(self.scenario.configure(policy));
            // What does not fit has been reported before.
            let _ = params.visit(&mut config);
            config
        };
        gate(filled, name)
    }
}

/// The configuration of a policy.
struct Configured(Box<dyn Configure>);

impl Configure for Configured {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk(walk);
    }
}

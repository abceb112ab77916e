//! What can be chosen and set on a side, from the registries: a policy that is new there appears in
//! the page by itself.

#[cfg(feature = "others")]
pub(crate) mod others;
#[cfg(feature = "switches")]
pub(crate) mod switches;

use forebay_parameters::{Configure, Entry, listed};
use serde::Serialize;

use crate::controls::Control;
use crate::error::LabError;
use crate::setup::Setup;

/// A policy of a registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyLine {
    /// Its name in files and on command lines.
    pub name: String,
    /// Its name in figures.
    pub label: String,
    /// What it does, in one sentence.
    pub about: String,
    /// What it is part of, as `shared buffers`.
    pub group: &'static str,
}

/// What can be chosen and set on a side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Panel {
    /// The policies that there are.
    pub policies: Vec<PolicyLine>,
    /// The parameters of the side's policy, with their values.
    pub controls: Vec<Control>,
    /// Those of the hosts, which both sides share; empty but for networks.
    pub hosts: Vec<Control>,
    /// The distributions of flow sizes that there are.
    pub sizes: Vec<&'static str>,
}

/// What can be chosen and set on a side of `setup`.
///
/// # Errors
/// There is no such policy or parameter, or it cannot have its value.
pub fn panel(setup: &Setup, number: usize) -> Result<Panel, LabError> {
    let side = setup.side(number)?;
    let shown = match setup {
        #[cfg(feature = "switches")]
        Setup::Network(network) => {
            let (hosts, sizes) = (switches::host_controls(network)?, switches::sizes());
            switches::panel(side).map(|panel| Panel { hosts, sizes, ..panel })
        }
        #[cfg(feature = "switches")]
        Setup::Capture(_) => switches::panel(side),
        #[cfg(feature = "others")]
        Setup::Cache(_) => others::cache_panel(side),
        #[cfg(feature = "others")]
        Setup::Jobs(jobs) => others::jobs_panel(jobs, side),
        #[cfg(not(all(feature = "switches", feature = "others")))]
        other => return Err(LabError::elsewhere(other.lab())),
    };
    shown.map_err(|error| error.within(&side.policy))
}

/// The names of the parameters that a configuration shows.
pub(crate) fn names(config: &mut dyn Configure) -> Vec<String> {
    listed(config).into_iter().map(|one| one.parameter.name.into_owned()).collect()
}

pub(crate) fn line(entry: &impl Entry, group: &'static str) -> PolicyLine {
    PolicyLine {
        name: entry.name().to_owned(),
        label: entry.label().to_owned(),
        about: entry.about().to_owned(),
        group,
    }
}

#[cfg(all(test, feature = "switches", feature = "others"))]
mod tests {
    use super::*;
    use crate::controls::ControlKind;

    #[allow(clippy::unwrap_used)] // in a helper, too, a failure is a failed test
    fn setup(lab: &str, policy: &str, set: &str) -> Setup {
        let side = format!(r#"{{"policy":"{policy}","set":{{{set}}}}}"#);
        Setup::read(&format!(r#"{{"lab":"{lab}","sides":[{side},{side}]}}"#)).unwrap()
    }

    #[test]
    fn every_policy_of_every_registry_has_a_panel() {
        for lab in ["network", "capture", "cache", "jobs"] {
            let any = Setup::read(&format!("{{\"lab\":\"{lab}\"}}")).unwrap();
            let policies = panel(&any, 0).unwrap().policies;
            assert!(policies.len() > 8, "{lab}");
            for policy in policies {
                let shown = panel(&setup(lab, &policy.name, ""), 1).unwrap().controls;
                let main = shown.iter().filter(|control| control.main).count();
                assert!(main > 0 || lab == "cache" || lab == "jobs", "{lab} {}", policy.name);
            }
        }
    }

    #[test]
    fn a_page_shows_what_is_declared() {
        let shown = panel(&setup("network", "dt", r#""alpha":"2""#), 0).unwrap().controls;
        let one = |name: &str| shown.iter().find(|control| control.name == name).unwrap();
        let alpha = one("alpha");
        assert_eq!(
            (alpha.value.as_str(), alpha.kind, alpha.main),
            ("2", ControlKind::Number, true)
        );
        assert!(alpha.least > Some(0.0) && alpha.most.is_some() && !alpha.about.is_empty());
        assert!(one("pool").main && one("pool").unit == "B");
        assert!(shown.iter().all(|control| control.name != "largest_packet"));
        let hosts = panel(&setup("network", "dt", ""), 0).unwrap().hosts;
        let control = hosts.iter().find(|control| control.name == "control").unwrap();
        assert!(control.words.iter().any(|word| word == "dctcp"));
    }

    #[test]
    fn wrong_names_and_values_are_refused_with_the_fix() {
        let refused =
            |lab, policy, set| panel(&setup(lab, policy, set), 0).unwrap_err().to_string();
        let error = refused("network", "ocamy", "");
        assert!(
            error.contains("there is no switch `ocamy`") && error.contains("occamy"),
            "{error}"
        );
        let error = refused("network", "dt", r#""alpa":"2""#);
        assert!(error.starts_with("dt: there is no parameter `alpa`"), "{error}");
        let error = refused("cache", "lru", r#""eviction":"none""#);
        assert!(error.starts_with("lru: eviction: "), "{error}");
        assert!(refused("jobs", "wsfj", "").contains("there is no job policy `wsfj`"));
    }
}

//! What can be chosen and set on a side, from the registries: a policy that is new there appears in
//! the page by itself.

use forebay_cache::policies::{CachePolicy, PolicyConfig};
use forebay_net::network::HostConfig;
use forebay_net::transport::congestion_controls;
use forebay_parameters::{Choice, Configure, Entry, Walk, listed};
use forebay_surge::{Ranks, SchedulerConfig};
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_workload::SizeDistribution;
use serde::Serialize;

use crate::controls::{Control, ControlKind, controls};
use crate::error::LabError;
use crate::setup::{JobsSetup, NetworkSetup, Setup, Side, fill};

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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// The policies that there are.
    pub policies: Vec<PolicyLine>,
    /// The parameters of the side's policy, with their values.
    pub controls: Vec<Control>,
    /// Those of the hosts, which both sides share; empty but for networks.
    pub hosts: Vec<Control>,
    /// The distributions of flow sizes that there are.
    pub sizes: &'static [&'static str],
}

/// What can be chosen and set on a side of `setup`.
///
/// # Errors
/// There is no such policy or parameter, or it cannot have its value.
pub fn panel(setup: &Setup, number: usize) -> Result<Panel, LabError> {
    let side = setup.side(number)?;
    let named = |error: LabError| error.within(&side.policy);
    let (policies, shown, hosts) = match setup {
        Setup::Network(network) => {
            let shown = switch_controls(side).map_err(named)?;
            (switch_lines(), shown, host_controls(network)?)
        }
        Setup::Capture(_) => (switch_lines(), switch_controls(side).map_err(named)?, Vec::new()),
        Setup::Cache(_) => {
            let mut cache = CacheChoice::of(side).map_err(named)?;
            let main: Vec<String> = names(&mut cache.policy);
            let shown = controls(&mut cache, |name| main.iter().any(|own| own == name), &[]);
            let policies = forebay_cache::policies::policies();
            let online = policies.iter().filter(|policy| cache.is_online(policy));
            (online.map(|one| line(one, "cache policies")).collect(), shown, Vec::new())
        }
        Setup::Jobs(jobs) => {
            let mut scheduler = scheduler(jobs, side).map_err(named)?;
            let shown = controls(&mut OfPolicy(&mut scheduler), |_| true, &[]);
            let policies = forebay_surge::policies::policies();
            (policies.iter().map(|one| line(one, "job policies")).collect(), shown, Vec::new())
        }
    };
    Ok(Panel { policies, controls: shown, hosts, sizes: &SizeDistribution::BUILTIN })
}

/// The switch of a side.
pub(crate) fn switch(side: &Side) -> Result<SwitchConfig, LabError> {
    let known = Catalogue::default().switch(&side.policy);
    let mut config = known.map_err(|error| LabError::at("", error))?;
    side.fill(&mut config)?;
    Ok(config)
}

/// How the hosts of a network send.
pub(crate) fn hosts(setup: &NetworkSetup) -> Result<HostConfig, LabError> {
    let mut hosts = HostConfig::default();
    fill(&mut hosts, &setup.hosts).map_err(|error| error.within("hosts"))?;
    Ok(hosts)
}

/// The scheduler of a side: exact ranks, as the experiments have.
pub(crate) fn scheduler(setup: &JobsSetup, side: &Side) -> Result<SchedulerConfig, LabError> {
    let config = SchedulerConfig::under(&side.policy);
    let config = config.map_err(|error| LabError::at("", error))?;
    let mut config = SchedulerConfig { capacity: setup.capacity, ranks: Ranks::Exact, ..config };
    side.fill(&mut OfPolicy(&mut config))?;
    Ok(config)
}

/// What a scheduler's policy shows.
struct OfPolicy<'a>(&'a mut SchedulerConfig);

impl Configure for OfPolicy<'_> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.0.walk_policy(walk);
    }
}

/// A cache policy, and how it evicts.
pub(crate) struct CacheChoice {
    pub(crate) policy: Choice<dyn CachePolicy>,
    pub(crate) evicts: PolicyConfig,
}

impl CacheChoice {
    pub(crate) fn of(side: &Side) -> Result<Self, LabError> {
        let policies = forebay_cache::policies::policies();
        let policy = policies.named(&side.policy).map_err(|error| LabError::at("", error))?;
        let mut made = CacheChoice { policy: policy.clone(), evicts: PolicyConfig::default() };
        side.fill(&mut made)?;
        Ok(made)
    }

    /// Whether a policy needs no future, which a stream does not tell.
    fn is_online(&self, policy: &Choice<dyn CachePolicy>) -> bool {
        use forebay_cache::policies::SetConfig;
        use forebay_cache::{Foresight, order::OrderConfig};
        let order = OrderConfig::default();
        let set = SetConfig { index: 0, capacity: 1, order };
        let built = policy.build(&PolicyConfig::default());
        built.is_ok_and(|build| build(&set).needs() == Foresight::None)
    }
}

impl Configure for CacheChoice {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.policy.walk(walk);
        self.evicts.walk(walk);
    }
}

/// The largest packet follows from what is sent.
const DECIDED: [&str; 1] = ["largest_packet"];

fn switch_controls(side: &Side) -> Result<Vec<Control>, LabError> {
    let mut config = switch(side)?;
    let mut main = match &mut config {
        SwitchConfig::DropTail(_) => Vec::new(),
        SwitchConfig::OnChip(chip) => names(&mut chip.policy),
        SwitchConfig::Hybrid(hybrid) => names(&mut hybrid.scheme),
        SwitchConfig::Scheduled(scheduled) => names(&mut scheduled.scheduler),
    };
    main.push(config.buffer_parameter().to_owned());
    let mut shown = controls(&mut config, |name| main.iter().any(|own| own == name), &DECIDED);
    let catalogue = Catalogue::default();
    suggest(&mut shown, "scheduler", catalogue.port_schedulers().names());
    Ok(shown)
}

fn host_controls(setup: &NetworkSetup) -> Result<Vec<Control>, LabError> {
    let mut shown = controls(&mut hosts(setup)?, |name| name == "control", &[]);
    suggest(&mut shown, "control", congestion_controls().names());
    Ok(shown)
}

/// Names to choose among where a parameter is the name of something.
fn suggest<'a>(controls: &mut [Control], name: &str, known: impl Iterator<Item = &'a str>) {
    let known: Vec<String> = known.map(str::to_owned).collect();
    for control in controls.iter_mut().filter(|control| control.name == name) {
        (control.kind, control.words) = (ControlKind::Words, known.clone());
    }
}

fn names(config: &mut dyn Configure) -> Vec<String> {
    listed(config).into_iter().map(|one| one.parameter.name.into_owned()).collect()
}

fn switch_lines() -> Vec<PolicyLine> {
    let group = |config: &SwitchConfig| match config {
        SwitchConfig::DropTail(_) => "first in, first out",
        SwitchConfig::OnChip(_) => "shared buffers on chip",
        SwitchConfig::Hybrid(_) => "SRAM beside HBM",
        SwitchConfig::Scheduled(_) => "schedulers, a buffer per port",
    };
    let switches = Catalogue::default().switches();
    switches.iter().map(|info| line(info, group(&info.config))).collect()
}

fn line(entry: &impl Entry, group: &'static str) -> PolicyLine {
    PolicyLine {
        name: entry.name().to_owned(),
        label: entry.label().to_owned(),
        about: entry.about().to_owned(),
        group,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! A network from settings given as text.

use forebay_parameters::{ParameterError, listed_all, set};
use forebay_switch::Catalogue;

use crate::{HostConfig, NetRunError, NetRunPlan, RunConfig, Session};

/// A network of this topology without any flow: a shape as `leaf-spine:16x16x8,100G,400G,1us`, or a
/// file. Settings are names and values: `switch` is one of the catalogue's, others are parameters
/// of the hosts (as `control`, `mss`) or of the switch (as `alpha`).
///
/// ```
/// let session = forebay_net_run::network("star:4,100G,1us", &[("switch", "occamy"), ("alpha", "8")])?;
/// assert_eq!(session.network().flow_count(), 0);
/// let error = forebay_net_run::network("star:4,100G,1us", &[("alpha", "8")]).unwrap_err();
/// assert!(error.to_string().contains("`alpha`"));
/// # Ok::<(), forebay_net_run::NetRunError>(())
/// ```
///
/// # Errors
/// The topology or a setting is wrong; a name is unknown to both hosts and switch, or given twice.
pub fn network(topology: &str, settings: &[(&str, &str)]) -> Result<Session, NetRunError> {
    for (place, (name, _)) in settings.iter().enumerate() {
        if settings[..place].iter().any(|(other, _)| other == name) {
            return refuse(ParameterError::value(*name, "it is given twice: give it once"));
        }
    }
    let name = settings.iter().find(|(name, _)| *name == "switch");
    let mut config =
        RunConfig::with_switch(&Catalogue::default(), name.map_or("drop-tail", |s| s.1))?;
    let known = listed_all(&mut HostConfig::default());
    let others = settings.iter().filter(|(name, _)| *name != "switch").copied();
    let (hosts, switch): (Vec<_>, Vec<_>) =
        others.partition(|(name, _)| known.iter().any(|host| host.parameter.name == *name));
    let filled = set(&mut config.hosts, &hosts).and_then(|()| set(&mut config.switch, &switch));
    filled.or_else(refuse)?;
    Session::new(NetRunPlan::open(topology, config)?, |_, switch| switch)
}

fn refuse<T>(error: ParameterError) -> Result<T, NetRunError> {
    Err(NetRunError::Parameter(error))
}

//! Mistakes between flow control and profiles: lossless traffic in lossy groups, and headroom
//! without flow control.

use std::collections::{BTreeMap, BTreeSet};

use super::headroom::flow_controlled;
use super::words::{priorities, profile_path};
use super::{Check, Report, Seen, Severity, port_list};
use crate::config::Kind;

/// A flow-controlled priority in a lossy profile.
pub(super) const LOSSY_PROFILE: Check = Check {
    name: "lossless-in-lossy-profile",
    about: "flow control is on for a priority whose group has a profile without headroom",
    severity: Severity::Warning,
    run: lossy_profile,
};

fn lossy_profile(seen: &Seen<'_>, report: &mut Report<'_>) {
    for_groups(seen, report, true, |found, ports| {
        format!(
            "flow control is on for {} at {ports}, but the profile has no xoff, \
             so that its packets are dropped and never paused: give the group a lossless profile",
            priorities(found)
        )
    });
}

/// A lossless profile where flow control is off.
pub(super) const NO_FLOW_CONTROL: Check = Check {
    name: "headroom-without-pfc",
    about: "a group has headroom, but flow control is off for its priority",
    severity: Severity::Warning,
    run: no_flow_control,
};

fn no_flow_control(seen: &Seen<'_>, report: &mut Report<'_>) {
    for_groups(seen, report, false, |found, ports| {
        format!(
            "{} at {ports}: the group has headroom, but pfc_enable leaves the priority out: no \
             pause is ever sent; add it to PORT_QOS_MAP or use a lossy profile",
            priorities(found)
        )
    });
}

/// Reports, for each profile, the priorities and ports where flow control is `on` and the profile
/// does not suit it; priorities at the same ports together.
fn for_groups(
    seen: &Seen<'_>,
    report: &mut Report<'_>,
    on: bool,
    message: impl Fn(&[u8], &str) -> String,
) {
    let config = seen.config;
    let mut found: BTreeMap<(usize, u8), Vec<&str>> = BTreeMap::new();
    for member in config.members.iter().filter(|member| member.kind == Kind::PriorityGroup) {
        let port = &config.ports[member.port];
        let lossless = config.profile_of(member).lossless();
        if port.pfc.is_some() && flow_controlled(port, member.index) == on && lossless != on {
            found.entry((member.profile, member.index)).or_default().push(&port.name);
        }
    }
    let mut alike: BTreeMap<(usize, Vec<&str>), Vec<u8>> = BTreeMap::new();
    for ((profile, priority), ports) in found {
        alike.entry((profile, ports)).or_default().push(priority);
    }
    for ((profile, ports), found) in alike {
        report(profile_path(seen, profile), message(&found, &port_list(&ports)));
    }
}

/// A flow-controlled priority without a group.
pub(super) const NO_GROUP: Check = Check {
    name: "pfc-without-group",
    about: "flow control is on for a priority that no BUFFER_PG entry covers",
    severity: Severity::Warning,
    run: no_group,
};

fn no_group(seen: &Seen<'_>, report: &mut Report<'_>) {
    let config = seen.config;
    let groups = config.members.iter().filter(|member| member.kind == Kind::PriorityGroup);
    let covered: BTreeSet<(usize, u8)> = groups.map(|m| (m.port, m.index)).collect();
    let mut alike: BTreeMap<Vec<&str>, Vec<u8>> = BTreeMap::new();
    for priority in 0..8u8 {
        let bare = config.ports.iter().enumerate().filter(|(index, port)| {
            flow_controlled(port, priority) && !covered.contains(&(*index, priority))
        });
        let ports: Vec<&str> = bare.map(|(_, port)| port.name.as_str()).collect();
        alike.entry(ports).or_default().push(priority);
    }
    for (ports, found) in alike {
        let (Some(port), Some(priority)) = (ports.first(), found.first()) else { continue };
        let message = format!(
            "flow control is on for {} at {}, but no BUFFER_PG entry gives it a profile: add \
             `{port}|{priority}`, unless the switch does by speed and cable (`show \
             runningconfiguration all` has what it added)",
            priorities(&found),
            port_list(&ports)
        );
        report(format!("PORT_QOS_MAP|{port}.pfc_enable"), message);
    }
}

//! Mistakes between flow control and profiles: lossless traffic in lossy groups, and headroom
//! without flow control.

use std::collections::{BTreeMap, BTreeSet};

use super::headroom::flow_controlled;
use super::words::profile_path;
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
    for_groups(seen, report, true, |priority, ports| {
        format!(
            "flow control is on for priority {priority} at {ports}, but the profile has no xoff, \
             so that its packets are dropped and never paused: give the group a lossless profile"
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
    for_groups(seen, report, false, |priority, ports| {
        format!(
            "group {priority} at {ports} has headroom, but pfc_enable leaves that priority out: no \
             pause is ever sent; add it to PORT_QOS_MAP or use a lossy profile"
        )
    });
}

/// Reports, for each profile and priority, the ports where flow control is `on` and the profile
/// does not suit it.
fn for_groups(
    seen: &Seen<'_>,
    report: &mut Report<'_>,
    on: bool,
    message: impl Fn(u8, &str) -> String,
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
    for ((profile, priority), ports) in found {
        report(profile_path(seen, profile), message(priority, &port_list(&ports)));
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
    for priority in 0..8u8 {
        let bare = config.ports.iter().enumerate().filter(|(index, port)| {
            flow_controlled(port, priority) && !covered.contains(&(*index, priority))
        });
        let ports: Vec<&str> = bare.map(|(_, port)| port.name.as_str()).collect();
        if let Some(first) = ports.first() {
            let message = format!(
                "flow control is on for priority {priority} at {}, but no BUFFER_PG entry gives it \
                 a profile: add `{first}|{priority}`",
                port_list(&ports)
            );
            report(format!("PORT_QOS_MAP|{first}.pfc_enable"), message);
        }
    }
}

//! Mistakes with early marking: thresholds that a queue cannot reach.

use std::collections::BTreeSet;

use super::words::{bytes, profile_path};
use super::{Check, Report, Seen, Severity};
use crate::config::Kind;

/// Marking that begins above what a queue may ever hold.
pub(super) const ABOVE_LIMIT: Check = Check {
    name: "marking-above-limit",
    about: "ECN or WRED begins above what a queue may hold even alone, so that it never acts \
            before the queue is full",
    severity: Severity::Warning,
    run: above_limit,
};

fn above_limit(seen: &Seen<'_>, report: &mut Report<'_>) {
    let config = seen.config;
    let queues = config.members.iter().filter(|member| member.kind == Kind::Queue);
    let profiles = queues.filter_map(|queue| {
        let wred = config.ports[queue.port].wred.get(&queue.index)?;
        Some((queue.profile, *wred))
    });
    for (profile, wred) in profiles.collect::<BTreeSet<(usize, usize)>>() {
        let limits = &config.profiles[profile];
        let Some(alone) = seen.shares[limits.pool].alone(limits) else { continue };
        let most = alone + limits.reserved;
        let wred = &config.wreds[wred];
        let Some(begins) = wred.ramps.iter().flatten().map(|ramp| ramp.min).min() else { continue };
        if begins > most {
            let message = format!(
                "`{}` begins at {}, but a queue of this profile holds {} at most, when it alone is \
                 congested: lower the threshold, or raise the profile's",
                wred.name,
                bytes(begins.get()),
                bytes(most.get())
            );
            report(profile_path(seen, profile), message);
        }
    }
}

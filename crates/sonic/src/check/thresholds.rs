//! Mistakes with thresholds: the wrong kind, too large, nothing to share.

use std::collections::BTreeSet;

use forebay_units::Bytes;

use super::headroom::flow_controlled;
use super::words::profile_path;
use super::{Check, Report, Seen, Severity};
use crate::config::{Kind, Member, Mode, Threshold};

/// A static threshold in a dynamic pool, or the reverse.
pub(super) const OTHER_MODE: Check = Check {
    name: "other-mode",
    about: "`static_th` in a dynamic pool, or `dynamic_th` in a static one, as some vendors ship \
            it",
    severity: Severity::Note,
    run: other_mode,
};

fn other_mode(seen: &Seen<'_>, report: &mut Report<'_>) {
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let pool = &seen.config.pools[profile.pool];
        let (has, mode) = match (profile.threshold, pool.mode) {
            (Threshold::Static(_), Mode::Dynamic) => ("static_th", "dynamic"),
            (Threshold::Dynamic(_), Mode::Static) => ("dynamic_th", "static"),
            (Threshold::Static(_), Mode::Static) | (Threshold::Dynamic(_), Mode::Dynamic) => {
                continue;
            }
        };
        let message = format!(
            "the pool `{}` is {mode}, the profile's threshold is not: files that vendors ship do \
             so, and the numbers here follow the profile; in a file of your own, check that it is \
             meant",
            pool.name
        );
        report(format!("{}.{has}", profile_path(seen, index)), message);
    }
}

/// Alpha above 8, where it takes from others: packets of lossless queues were let in by their
/// priority groups, and those of lossy groups are bounded by their queues, so that a pool of
/// nothing else needs no threshold.
pub(super) const GREEDY: Check = Check {
    name: "greedy-alpha",
    about: "alpha above 8 in a pool with lossy queues or lossless groups: one congested member \
            takes nearly all of it",
    severity: Severity::Warning,
    run: greedy,
};

fn greedy(seen: &Seen<'_>, report: &mut Report<'_>) {
    let protecting = protecting(seen);
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let Threshold::Dynamic(alpha) = profile.threshold else { continue };
        if alpha.factor() <= 8.0 || !protecting[index] {
            continue;
        }
        let share = 100.0 * alpha.factor() / (1.0 + alpha.factor());
        let message = format!(
            "alpha = {} lets one congested member take {share:.1} % of the shared part, and a \
             newly active one finds the rest: 3 (alpha = 8, 88.9 %) is enough for efficiency, \
             unless pauses at its ingress bound it",
            alpha.factor()
        );
        report(format!("{}.dynamic_th", profile_path(seen, index)), message);
    }
}

/// The profiles with members in a pool with others that their thresholds alone protect. Linear in
/// the members.
fn protecting(seen: &Seen<'_>) -> Vec<bool> {
    let config = seen.config;
    let of = |kind| config.members.iter().filter(move |member| member.kind == kind);
    let pool = |member: &Member| config.profiles[member.profile].pool;
    // Priority n uses priority group n and queue n, as everywhere here.
    let lossless: BTreeSet<(usize, u8)> = of(Kind::PriorityGroup)
        .filter(|member| config.profile_of(member).lossless())
        .map(|member| (member.port, member.index))
        .collect();
    let is_lossless = |member: &Member| {
        lossless.contains(&(member.port, member.index))
            || flow_controlled(&config.ports[member.port], member.index)
    };
    let groups: BTreeSet<usize> =
        of(Kind::PriorityGroup).filter(|member| is_lossless(member)).map(pool).collect();
    let queues: BTreeSet<usize> =
        of(Kind::Queue).filter(|member| !is_lossless(member)).map(pool).collect();
    let mut protecting = vec![false; config.profiles.len()];
    for member in &config.members {
        let others = if member.kind == Kind::Queue { &queues } else { &groups };
        protecting[member.profile] |= others.contains(&pool(member));
    }
    protecting
}

/// Members with neither a reservation nor a shared part.
pub(super) const STARVED: Check = Check {
    name: "nothing-to-share",
    about: "members without reservation in a pool of which nothing is shared",
    severity: Severity::Warning,
    run: starved,
};

fn starved(seen: &Seen<'_>, report: &mut Report<'_>) {
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let share = &seen.shares[profile.pool];
        let empty = share.shared.is_some_and(|shared| shared.get() == 0);
        let used = || seen.config.members.iter().any(|member| member.profile == index);
        // Where the pool has size 0, that is what it is for.
        let meant = seen.config.pools[profile.pool].size == Some(Bytes::ZERO);
        if empty && !meant && profile.reserved.get() == 0 && used() {
            let message = format!(
                "its members reserve nothing and `{}` has nothing to share: every packet is \
                 dropped",
                seen.config.pools[profile.pool].name
            );
            report(format!("{}.size", profile_path(seen, index)), message);
        }
    }
}

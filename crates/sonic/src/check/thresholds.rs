//! Mistakes with thresholds: the wrong kind, too large, nothing to share.

use super::words::profile_path;
use super::{Check, Report, Seen, Severity};
use crate::config::{Mode, Threshold};

/// A static threshold in a dynamic pool, or the reverse.
pub(super) const OTHER_MODE: Check = Check {
    name: "other-mode",
    about: "`static_th` in a dynamic pool, or `dynamic_th` in a static one",
    severity: Severity::Warning,
    run: other_mode,
};

fn other_mode(seen: &Seen<'_>, report: &mut Report<'_>) {
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let pool = &seen.config.pools[profile.pool];
        let (has, mode, right) = match (profile.threshold, pool.mode) {
            (Threshold::Static(_), Mode::Dynamic) => ("static_th", "dynamic", "dynamic_th"),
            (Threshold::Dynamic(_), Mode::Static) => ("dynamic_th", "static", "static_th"),
            _ => continue,
        };
        let message = format!(
            "the pool `{}` is {mode}, which most switches pair with `{right}`: use that, or change the \
             pool's mode",
            pool.name
        );
        report(format!("{}.{has}", profile_path(seen, index)), message);
    }
}

/// Alpha above 8.
pub(super) const GREEDY: Check = Check {
    name: "greedy-alpha",
    about: "alpha above 8: one congested queue takes nearly all of the pool",
    severity: Severity::Warning,
    run: greedy,
};

fn greedy(seen: &Seen<'_>, report: &mut Report<'_>) {
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let Threshold::Dynamic(alpha) = profile.threshold else { continue };
        if alpha.factor() <= 8.0 {
            continue;
        }
        let share = 100.0 * alpha.factor() / (1.0 + alpha.factor());
        let message = format!(
            "alpha = {} lets one congested member take {share:.1} % of the shared part, and a newly active \
             one finds the rest: 3 (alpha = 8, 88.9 %) is enough for efficiency",
            alpha.factor()
        );
        report(format!("{}.dynamic_th", profile_path(seen, index)), message);
    }
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
        if empty && profile.reserved.get() == 0 && used() {
            let message = format!(
                "its members reserve nothing and `{}` has nothing to share: every packet is dropped",
                seen.config.pools[profile.pool].name
            );
            report(format!("{}.size", profile_path(seen, index)), message);
        }
    }
}

//! Mistakes with thresholds: the wrong kind, too large, nothing to share.

use super::words::profile_path;
use super::{Check, Seen};
use crate::config::{Mode, Threshold};

/// A static threshold in a dynamic pool, or the reverse.
pub(super) struct OtherMode;

impl Check for OtherMode {
    fn name(&self) -> &'static str {
        "other-mode"
    }
    fn about(&self) -> &'static str {
        "`static_th` in a dynamic pool, or `dynamic_th` in a static one"
    }
    fn run(&self, seen: &Seen<'_>, report: &mut dyn FnMut(String, String)) {
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
}

/// Alpha above 8.
pub(super) struct Greedy;

impl Check for Greedy {
    fn name(&self) -> &'static str {
        "greedy-alpha"
    }
    fn about(&self) -> &'static str {
        "alpha above 8: one congested queue takes nearly all of the pool"
    }
    fn run(&self, seen: &Seen<'_>, report: &mut dyn FnMut(String, String)) {
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
}

/// Members with neither a reservation nor a shared part.
pub(super) struct Starved;

impl Check for Starved {
    fn name(&self) -> &'static str {
        "nothing-to-share"
    }
    fn about(&self) -> &'static str {
        "members without reservation in a pool of which nothing is shared"
    }
    fn run(&self, seen: &Seen<'_>, report: &mut dyn FnMut(String, String)) {
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
}

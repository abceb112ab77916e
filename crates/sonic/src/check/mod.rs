//! The classic mistakes: each is a [`Check`], and a line in [`ALL`].
//!
//! A check reports a mistake once: what it finds at many ports is one [`Finding`] that names them
//! all. Each takes time linear in members and profiles.

mod headroom;
mod marking;
mod pools;
mod priorities;
mod rule;
mod thresholds;
mod words;

pub use rule::{Check, Finding, Report, Seen, Severity};
pub(crate) use words::bytes;
pub use words::{counted, port_list};

use crate::config::Config;
use crate::share::shares;

/// Every check, in the order of reports.
pub const ALL: &[Check] = &[
    pools::OVERSUBSCRIBED,
    pools::WRONG_DIRECTION,
    pools::UNUSED_POOL,
    pools::UNUSED_PROFILE,
    pools::UNKNOWN_SIZE,
    pools::UNREAD_KEYS,
    marking::ABOVE_LIMIT,
    thresholds::OTHER_MODE,
    thresholds::GREEDY,
    thresholds::STARVED,
    headroom::ZERO,
    headroom::NOT_RESERVED,
    headroom::SHORT_FOR_CABLE,
    headroom::LATE_RESUME,
    headroom::SWAPPED,
    priorities::LOSSY_PROFILE,
    priorities::NO_GROUP,
    priorities::NO_FLOW_CONTROL,
];

/// Runs every check; warnings before notes.
#[must_use]
pub fn findings(config: &Config) -> Vec<Finding> {
    let shares = shares(config);
    let seen = Seen { config, shares: &shares };
    let mut findings = Vec::new();
    for check in ALL {
        (check.run)(&seen, &mut |path, message| {
            findings.push(Finding { check: check.name, severity: check.severity, path, message });
        });
    }
    findings.sort_by_key(|finding| finding.severity);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_names_of_their_own() {
        for (index, check) in ALL.iter().enumerate() {
            assert!(ALL[..index].iter().all(|other| other.name != check.name), "{}", check.name);
            assert!(!check.about.ends_with('.'), "{}", check.name);
        }
    }
}

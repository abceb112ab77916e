//! The classic mistakes: each is a small type that implements [`Check`], and a line in [`ALL`].
//!
//! A check reports a mistake once: what it finds at many ports is one [`Finding`] that names them
//! all. Each takes time linear in members and profiles.

mod headroom;
mod pools;
mod priorities;
mod thresholds;

use serde::Serialize;

use crate::config::Config;
use crate::share::{Share, shares};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Packets are lost or memory is wasted.
    Warning,
    /// Worth a look; there can be good reasons for it.
    Note,
}

/// Something that a check has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check's name.
    pub check: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// The place, as `BUFFER_PROFILE|lossless.xoff`.
    pub path: String,
    /// What is wrong and what to do, in one sentence.
    pub message: String,
}

/// A mistake that can be checked for.
pub trait Check: Sync {
    /// Its name, as `unused-profile`.
    fn name(&self) -> &'static str;
    /// What it checks for, in one sentence.
    fn about(&self) -> &'static str;
    /// How serious it is.
    fn severity(&self) -> Severity {
        Severity::Warning
    }
    /// Reports the place and the sentence of every case.
    fn run(&self, seen: &Seen<'_>, report: &mut dyn FnMut(String, String));
}

/// The input of checks.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The configuration that is checked, as it was read.
    pub config: &'a Config,
    /// How its pools are divided.
    pub shares: &'a [Share],
}

/// Every check.
pub const ALL: &[&dyn Check] = &[
    &pools::Oversubscribed,
    &pools::WrongDirection,
    &pools::UnusedPool,
    &pools::UnusedProfile,
    &pools::UnknownSize,
    &thresholds::OtherMode,
    &thresholds::Greedy,
    &thresholds::Starved,
    &headroom::Zero,
    &headroom::NotReserved,
    &headroom::ShortForCable,
    &headroom::LateResume,
    &headroom::Swapped,
    &priorities::LossyProfile,
    &priorities::NoGroup,
    &priorities::NoFlowControl,
];

/// Runs every check; warnings before notes.
#[must_use]
pub fn findings(config: &Config) -> Vec<Finding> {
    let shares = shares(config);
    let seen = Seen { config, shares: &shares };
    let mut findings = Vec::new();
    for check in ALL {
        check.run(&seen, &mut |path, message| {
            findings.push(Finding {
                check: check.name(),
                severity: check.severity(),
                path,
                message,
            });
        });
    }
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// `BUFFER_PROFILE|name`.
fn profile_path(seen: &Seen<'_>, profile: usize) -> String {
    format!("BUFFER_PROFILE|{}", seen.config.profiles[profile].name)
}

/// "1 queue", "2 queues".
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// "Ethernet0", "Ethernet0 and Ethernet4", "Ethernet0 to Ethernet124 (32 ports)".
#[must_use]
pub fn port_list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [first, .., last] => format!("{first} to {last} ({} ports)", names.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_names_of_their_own() {
        for (index, check) in ALL.iter().enumerate() {
            assert!(
                ALL[..index].iter().all(|other| other.name() != check.name()),
                "{}",
                check.name()
            );
            assert!(!check.about().ends_with('.'), "{}", check.name());
        }
    }
}

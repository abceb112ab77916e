//! What a check is given, and what it reports.

use serde::Serialize;

use crate::config::Config;
use crate::share::PoolShare;

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
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, as `unused-profile`.
    pub name: &'static str,
    /// What it checks for, in one sentence.
    pub about: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// Reports every case.
    pub run: fn(&Seen<'_>, &mut Report<'_>),
}

/// Takes the place and the sentence of a case.
pub type Report<'a> = dyn FnMut(String, String) + 'a;

/// The input of checks.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The configuration that is checked, as it was read.
    pub config: &'a Config,
    /// How its pools are divided.
    pub shares: &'a [PoolShare],
}

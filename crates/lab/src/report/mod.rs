//! The report.
use crate::results::Results;
use crate::run::manifest::Manifest;

/// The report.
#[must_use]
pub fn html(_manifest: &Manifest, _results: &Results) -> String {
    String::new()
}

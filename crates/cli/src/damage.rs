//! Captures that could be used in part.

use forebay_units::printable;
use forebay_workload::{CaptureError, CaptureWarning};

use crate::{Failure, terminal};

/// What was wrong with captures that were used in part: reported after the results, as a failure.
#[derive(Default)]
#[must_use = "it must be reported"]
pub(crate) struct Damage(Vec<String>);

impl Damage {
    /// Adds that the capture `name` is cut off, and what stopped its reading; what else is to be
    /// known of it is told at once.
    pub(crate) fn note(
        &mut self,
        name: &str,
        warnings: &[CaptureWarning],
        error: Option<CaptureError>,
    ) {
        for warning in warnings {
            match warning {
                CaptureWarning::Truncated { .. } => {
                    self.0.push(format!("{} is {warning}", printable(name)))
                }
                CaptureWarning::Limited { .. }
                | CaptureWarning::Reordered { .. }
                | CaptureWarning::NotIp { .. }
                | CaptureWarning::Implausible { .. }
                | CaptureWarning::UnknownLink { .. } => {
                    terminal::warn(&format!("  {}: {warning}", printable(name)))
                }
            }
        }
        self.0.extend(error.map(|error| error.to_string()));
    }

    /// The same, where nothing comes before it.
    pub(crate) fn alone(&self) -> Result<(), Failure> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(Failure::input(format!("error: {}", self.0.join("; ")))),
        }
    }

    /// The failure after the results, with this exit code.
    pub(crate) fn result(self, code: u8) -> Result<(), Failure> {
        if self.0.is_empty() {
            return Ok(());
        }
        let all = self.0.join("; ");
        let message = format!("error: the results cover only what comes before the damage: {all}");
        Err(Failure::new(message, code))
    }
}

//! Captures that could be used in part.

use forebay_units::printable;
use forebay_workload::{CaptureError, CaptureWarning};

use crate::{Failure, terminal};

/// What was wrong with captures that were used in part: reported after the results, as a failure.
#[derive(Default)]
#[must_use = "it must be reported"]
pub(crate) struct Damage(Vec<String>);

impl Damage {
    /// Adds how the capture `name` ended, and what stopped its reading; what else is to be known of
    /// it is told at once.
    pub(crate) fn note(
        &mut self,
        name: &str,
        ending: Option<CaptureWarning>,
        error: Option<CaptureError>,
    ) {
        match ending {
            Some(cut @ CaptureWarning::Truncated { .. }) => {
                self.0.push(format!("{} is {cut}", printable(name)))
            }
            Some(other) => terminal::warn(&format!("  {}: {other}", printable(name))),
            None => {}
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

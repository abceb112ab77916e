//! The changes of the policy in a recording, made once more.

use std::path::{Path, PathBuf};

use forebay_dataplane::link::NewPolicy;
use forebay_dataplane::record::{CHANGES, PolicyChange};
use forebay_trace::Tracing;

use super::unread;
use crate::Failure;

/// What makes the recorded changes once more, and keeps the first that is refused.
pub(crate) struct Changed<'a> {
    trace: Option<&'a (Tracing, PathBuf)>,
    scheme: &'a str,
    refused: Option<Failure>,
}

impl<'a> Changed<'a> {
    /// Of a run that began with the switch `scheme`; who is traced, if anything is.
    pub(crate) fn new(trace: Option<&'a (Tracing, PathBuf)>, scheme: &'a str) -> Self {
        Changed { trace, scheme, refused: None }
    }

    /// The policies that `made` gives for a change, each of a device with such a name, and traced
    /// if the run is; none if it is refused.
    pub(crate) fn policies(
        &mut self,
        change: &PolicyChange,
        made: Result<Vec<(u32, NewPolicy)>, Failure>,
        device: impl Fn(u32) -> String,
    ) -> Vec<(u32, NewPolicy)> {
        let switch = change.set.iter().find(|(key, _)| key == "switch");
        let switch = switch.map_or(self.scheme, |(_, switch)| switch);
        match made {
            Ok(made) => {
                let observe = |(number, policy): (u32, NewPolicy)| match self.trace {
                    Some((trace, _)) => {
                        let name = format!("{}, {switch}", device(number));
                        (number, policy.observed(|shape| trace.tracer(&name, shape)))
                    }
                    None => (number, policy),
                };
                made.into_iter().map(observe).collect()
            }
            Err(error) => {
                self.refused.get_or_insert(error);
                Vec::new()
            }
        }
    }

    /// That none was refused: then the file with the changes is not one of a run like this.
    pub(crate) fn end(self, folder: &Path) -> Result<(), Failure> {
        let Some(Failure { message, .. }) = self.refused else { return Ok(()) };
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Err(unread(folder, CHANGES, message))
    }
}

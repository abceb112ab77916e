//! Changes of the policy while a run was recorded: a line of JSON each, in a file that is there if
//! there was any.

use std::io::{BufRead, Read};

use forebay_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::RecordError;

/// The longest line that is read: a policy has a few dozen parameters.
const LONGEST: u64 = 1 << 20;
/// The most changes that are read: one a second for eleven days.
const MOST: usize = 1_000_000;

/// A change of the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyChange {
    /// How many frames had been given before.
    pub after: u64,
    /// To when each of the devices had advanced, in picoseconds.
    at_ps: Vec<u64>,
    /// The devices, or a link's directions, from 0.
    pub devices: Vec<u32>,
    /// What was said of the policy, key by key.
    pub set: Vec<(String, String)>,
}

impl PolicyChange {
    /// A change behind so many frames; `devices` with the instants to which each had advanced.
    #[must_use]
    pub fn new(after: u64, devices: &[(u32, Time)], set: Vec<(String, String)>) -> Self {
        let (devices, at_ps) = devices.iter().map(|(device, at)| (device, at.as_ps())).unzip();
        PolicyChange { after, at_ps, devices, set }
    }

    /// The devices, each with the instant to which it had advanced.
    pub fn at(&self) -> impl Iterator<Item = (u32, Time)> + '_ {
        let at = self.at_ps.iter().map(|ps| Time::ZERO + Duration::from_ps(*ps));
        self.devices.iter().copied().zip(at)
    }

    /// All that were recorded, in their order. The last line of a run that was killed may be half a
    /// line, and is left out.
    ///
    /// # Errors
    /// It cannot be read, or is not what is recorded.
    pub fn read(mut file: impl BufRead) -> Result<Vec<Self>, RecordError> {
        let mut all: Vec<Self> = Vec::new();
        loop {
            let mut line = String::new();
            let read = file.by_ref().take(LONGEST).read_line(&mut line);
            if read.map_err(RecordError::Read)? == 0 || !line.ends_with('\n') {
                return Ok(all);
            }
            let damaged = RecordError::Damaged("a line of its changes is no change");
            let Ok(change) = serde_json::from_str::<Self>(&line) else { return Err(damaged) };
            let is_later = all.last().is_none_or(|last| last.after <= change.after);
            if !is_later || change.at_ps.len() != change.devices.len() || all.len() == MOST {
                return Err(damaged);
            }
            all.push(change);
        }
    }
}

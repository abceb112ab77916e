//! What is written last of a recording.

use std::path::Path;

use forebay_dataplane::record::MANIFEST;
use forebay_files::read_stored;
use forebay_units::{Duration, Time};
use serde::Deserialize;

use crate::Failure;

/// The most that a manifest takes.
const MOST: u64 = 1 << 20;

/// What was written last.
#[derive(Deserialize)]
pub(crate) struct Manifest {
    /// When each direction of a link ended, or a lab.
    ends_ps: Vec<u64>,
    /// Why the recording ended before the run did.
    pub(crate) stopped: Option<String>,
}

impl Manifest {
    /// The manifest in `folder`; none if the run was cut.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let path = folder.join(MANIFEST);
        let refused =
            |problem: String| Failure::input(format!("error: {}: {problem}", path.display()));
        if !path.exists() {
            return Ok(None);
        }
        let text = read_stored(&path, MOST)
            .map_err(|error| refused(format!("it cannot be read: {error}")))?;
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| refused(format!("it is not one of a recording: {error}")))
    }

    /// When each direction of a link ended, if the recording is complete.
    pub(crate) fn ends(&self) -> Option<[Time; 2]> {
        let ends: [u64; 2] = self.ends_ps.as_slice().try_into().ok()?;
        self.stopped.is_none().then(|| ends.map(instant))
    }

    /// When a lab ended, if the recording is complete.
    pub(crate) fn end(&self) -> Option<Time> {
        let [end] = self.ends_ps[..] else { return None };
        self.stopped.is_none().then(|| instant(end))
    }
}

fn instant(ps: u64) -> Time {
    Time::ZERO + Duration::from_ps(ps)
}

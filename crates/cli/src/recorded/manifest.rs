//! What is written last of a recording.

use std::path::Path;

use forebay_dataplane::record::{FRAMES, MANIFEST, RecordError, Recorded};
use forebay_files::read_stored;
use forebay_lab::results::number::count;
use forebay_units::{Duration, Time};
use serde::Deserialize;

use super::files::misread;
use crate::Failure;

/// The most that a manifest takes.
const MOST: u64 = 1 << 20;

/// What was written last.
#[derive(Deserialize)]
pub(crate) struct Manifest {
    /// When each direction of a link ended, or a lab.
    ends_ps: Vec<u64>,
    /// How many frames were written.
    frames: u64,
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
            .map_err(|error| refused(misread("a recording", &error)))
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

/// That a recording is not whole.
pub(crate) struct Cut {
    /// Why it ends where it does.
    why: String,
    /// Whether it was whole when it was made, so that something has happened to it since.
    is_damaged: bool,
}

impl Cut {
    /// What is missing of a recording of which so many frames could be read; none if it is whole.
    pub(crate) fn of(
        manifest: Option<&Manifest>,
        read: u64,
        error: Option<&RecordError>,
    ) -> Option<Self> {
        let unreadable = || error.map(|error| format!("{FRAMES}: {error}"));
        let Some(Manifest { frames, stopped, .. }) = manifest else {
            let why = unreadable().unwrap_or_else(|| "the run did not end by itself".to_owned());
            return Some(Cut { why, is_damaged: false });
        };
        if let Some(stopped) = stopped {
            return Some(Cut { why: stopped.clone(), is_damaged: false });
        }
        let differs = || {
            let (read, frames) = (count(read), count(*frames));
            format!("{FRAMES} has {read} frames, where {MANIFEST} says {frames}")
        };
        let is_short = (read != *frames).then(differs);
        let why = unreadable().or(is_short)?;
        Some(Cut { why, is_damaged: true })
    }

    /// What is said of it below the results.
    pub(crate) fn note(&self) -> String {
        format!("note: the recording is cut, and read up to there: {}\n", self.why)
    }

    /// The failure that it is: what was recorded whole should be so still.
    pub(crate) fn failure(&self, folder: &Path) -> Option<Failure> {
        let what = "the recording is not what it was";
        let message = || format!("error: {}: {what}: {}", folder.display(), self.why);
        self.is_damaged.then(|| Failure::new(message(), 1))
    }
}

/// The failure of a run whose recording ends before it did, after all else is told.
pub(crate) fn recorded_whole(recorded: Option<&Recorded>) -> Result<(), Failure> {
    match recorded {
        Some(Recorded { stopped: Some(why), .. }) => {
            Err(Failure::new(format!("error: --record: the recording is not whole: {why}"), 1))
        }
        Some(Recorded { stopped: None, .. }) | None => Ok(()),
    }
}

fn instant(ps: u64) -> Time {
    Time::ZERO + Duration::from_ps(ps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_whose_recording_ends_early_is_a_failure() {
        let recorded =
            |stopped: Option<&str>| Recorded { frames: 3, stopped: stopped.map(str::to_owned) };
        assert!(recorded_whole(None).is_ok());
        assert!(recorded_whole(Some(&recorded(None))).is_ok());
        let failure = recorded_whole(Some(&recorded(Some("disk full")))).unwrap_err();
        assert!(failure.code == 1 && failure.message.contains("disk full"));
    }

    #[test]
    fn a_whole_recording_has_as_many_frames_as_its_manifest_says() {
        let manifest = |stopped: Option<&str>| Manifest {
            ends_ps: vec![1, 1],
            frames: 410,
            stopped: stopped.map(str::to_owned),
        };
        let (whole, stopped) = (manifest(None), manifest(Some("disk full")));
        assert!(Cut::of(Some(&whole), 410, None).is_none());
        let cut = Cut::of(Some(&whole), 204, None).unwrap();
        assert!(cut.note().contains("frames.pcapng has 204 frames, where manifest.json says 410"));
        assert_eq!(cut.failure(Path::new("run")).map(|failure| failure.code), Some(1));
        let cut = Cut::of(Some(&stopped), 204, None).unwrap();
        assert!(cut.note().contains("disk full") && cut.failure(Path::new("run")).is_none());
        let killed = Cut::of(None, 204, None).unwrap();
        assert!(killed.failure(Path::new("run")).is_none());
    }
}

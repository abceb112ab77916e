//! Recordings of links and labs: what both have in common, and which of them a folder holds.

mod changed;
mod compared;
mod files;
mod given;
mod manifest;

use std::path::Path;

use forebay_dataplane::record::SETUP;
use forebay_switch::Catalogue;

pub(crate) use changed::Changed;
pub(crate) use compared::{Compared, OPEN_LOOP};
pub(crate) use files::{changes, misread, open, tracing, unread, unwritten};
pub(crate) use given::{CHANGEABLE, Given, POLICY, words_after};
pub(crate) use manifest::{Cut, Manifest, recorded_whole};

use crate::{Failure, link, switch};

/// Whether a link or a lab was recorded there, or can only have been meant to be: captures are
/// files, and are given rates.
pub(crate) fn is_recording(path: &Path, has_rates: bool) -> bool {
    path.join(SETUP).symlink_metadata().is_ok() || path.is_dir() && !has_rates
}

/// Decides a recorded run again: as it was, or by the policy that the command line gives.
pub(crate) fn replay(folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    if !folder.join(SETUP).exists() {
        let what = "there is none, so this is no folder of link --record or switch --record";
        return Err(unread(folder, SETUP, what));
    }
    match switch::recorded::is_lab(folder) {
        true => switch::recorded::replay(folder, catalogue),
        false => link::recorded::replay(folder, catalogue),
    }
}

/// Reads how a run that was recorded in `folder` was made, whether it is whole, and how its policy
/// changed: all that a replay needs but the frames and the decisions.
///
/// # Errors
/// What `forebay replay` says of it.
pub fn read_recording(folder: &Path, catalogue: &Catalogue) -> Result<(), String> {
    let read = match switch::recorded::is_lab(folder) {
        true => switch::recorded::read,
        false => link::recorded::read,
    };
    read(folder, catalogue).map_err(|failure| failure.message)
}

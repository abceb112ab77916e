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
pub(crate) use files::{changes, open, tracing, unread, unwritten};
pub(crate) use given::{CHANGEABLE, Given, POLICY, words_after};
pub(crate) use manifest::Manifest;

use crate::{Failure, link, switch};

/// Whether a link or a lab was recorded there.
pub(crate) fn is_recording(path: &Path) -> bool {
    path.join(SETUP).is_file()
}

/// Decides a recorded run again: as it was, or by the policy that the command line gives.
pub(crate) fn replay(folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    match switch::recorded::is_lab(folder) {
        true => switch::recorded::replay(folder, catalogue),
        false => link::recorded::replay(folder, catalogue),
    }
}

//! The experiments that come with the program: an installed package has them beside it.

use std::path::{Path, PathBuf};

/// Where experiments are looked for if no folder is given.
pub(crate) const USUAL: &str = "experiments";

/// The experiments of a program installed as PREFIX/bin/forebay: PREFIX/share/forebay/experiments.
pub(crate) fn beside_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?.parent()?.join("share/forebay/experiments");
    folder.is_dir().then_some(folder)
}

/// The package's experiments, where they are what is meant: nothing here has the usual name.
pub(crate) fn meant(packaged: Option<&Path>) -> Option<&Path> {
    packaged.filter(|_| !Path::new(USUAL).is_dir())
}

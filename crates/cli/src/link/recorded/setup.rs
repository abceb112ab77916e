//! How a recorded link was made: the words of its command line, and copies of the files that they
//! name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use forebay_dataplane::link::{EmulationConfig, Pace};
use forebay_dataplane::record::SETUP;
use forebay_files::read_stored;
use serde::{Deserialize, Serialize};

use super::super::arguments::Arguments;
use crate::Failure;
use crate::net::wrong;
use crate::recorded::misread;

/// What a setup of this program says about its format.
const FORMAT: u64 = 1;
/// The most that a setup takes.
const MOST: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setup {
    format: u64,
    forebay: String,
    /// The words behind `forebay link`, without the command.
    pub(super) link: Vec<String>,
    /// The files that they name, and what each is called in the folder.
    files: BTreeMap<PathBuf, String>,
}

impl Setup {
    /// The setup of the link that `words` describe.
    pub(super) fn new(
        words: Vec<String>,
        arguments: &Arguments,
        directions: &[(EmulationConfig, Pace); 2],
    ) -> Result<Self, Failure> {
        let traces = directions.iter().map(|(config, _)| PathBuf::from(&config.trace));
        let named = traces.filter(|trace| !trace.as_os_str().is_empty());
        let mut files = BTreeMap::new();
        for path in named.chain(arguments.switch.tree.clone()) {
            if !path.is_file() {
                let what = "is not a file that can be kept with the recording: write it to one";
                return Err(wrong("record", format!("{} {what}", path.display())));
            }
            let number = files.len() + 1;
            files.entry(path).or_insert_with(|| format!("given-{number}"));
        }
        Ok(Setup {
            format: FORMAT,
            forebay: env!("CARGO_PKG_VERSION").to_owned(),
            link: words,
            files,
        })
    }

    /// The text of the file.
    pub(super) fn text(&self) -> String {
        // Words and paths can be written as JSON, whatever is in them.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Keeps the files that the words name.
    pub(super) fn copy_files(&self, folder: &Path) -> Result<(), Failure> {
        for (path, name) in &self.files {
            fs::copy(path, folder.join(name)).map_err(|error| {
                wrong("record", format!("cannot copy {}: {error}", path.display()))
            })?;
        }
        Ok(())
    }

    /// The setup in `folder`.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(SETUP);
        let refused =
            |problem: String| Failure::input(format!("error: {}: {problem}", path.display()));
        let text = read_stored(&path, MOST)
            .map_err(|error| refused(format!("it cannot be read: {error}")))?;
        let setup: Setup = serde_json::from_slice(&text)
            .map_err(|error| refused(misread("link --record", &error)))?;
        match setup.format {
            FORMAT => Ok(setup),
            other => Err(refused(format!("its format is {other}, where {FORMAT} is known"))),
        }
    }

    /// The arguments with the copies in `folder` instead of the files that were named; a tree only
    /// if it is the recorded one.
    pub(super) fn redirect(&self, arguments: &mut Arguments, folder: &Path, is_own_tree: bool) {
        let copy = |named: &Path| self.files.get(named).map(|name| folder.join(name));
        let [set, up, down] = [&mut arguments.set, &mut arguments.up, &mut arguments.down];
        for (_, value) in set.iter_mut().chain(up).chain(down).filter(|(key, _)| key == "trace") {
            if let Some(copy) = copy(Path::new(value)) {
                *value = copy.to_string_lossy().into_owned();
            }
        }
        if let Some(copy) = arguments.switch.tree.as_deref().filter(|_| !is_own_tree).and_then(copy)
        {
            arguments.switch.tree = Some(copy);
        }
    }
}

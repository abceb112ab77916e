//! The files of a recording, and what is said when they cannot be read or written.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use forebay_dataplane::record::{CHANGES, PolicyChange};
use forebay_files::{Files, open_stored};
use forebay_trace::{TraceOutput, Tracing};
use serde_json::error::Category;

use crate::Failure;
use crate::net::only_new;
use crate::replay::trace::TraceArguments;

/// The trace that is asked for, and where; it replaces none of the recording's files.
pub(crate) fn tracing(
    folder: &Path,
    asked: &TraceArguments,
    recorded: &[&str],
) -> Result<Option<(Tracing, PathBuf)>, Failure> {
    let Some(TraceOutput { path, bounds }) = asked.output() else { return Ok(None) };
    let files = recorded
        .iter()
        .fold(Files::default(), |files, name| files.read("the recording", folder.join(name)));
    only_new(&files.write("trace", &path))?;
    let trace = Tracing::create(&path, bounds).map_err(|error| unwritten(&path, &error))?;
    Ok(Some((trace, path)))
}

pub(crate) fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("error: cannot write {}: {error}", path.display()), 1)
}

pub(crate) fn open(folder: &Path, name: &str) -> Result<BufReader<File>, Failure> {
    open_stored(&folder.join(name))
        .map(BufReader::new)
        .map_err(|error| unread(folder, name, &format!("it cannot be read: {error}")))
}

/// The changes of the policy that were recorded; none if it did not change.
pub(crate) fn changes(folder: &Path) -> Result<Vec<PolicyChange>, Failure> {
    if !folder.join(CHANGES).exists() {
        return Ok(Vec::new());
    }
    PolicyChange::read(open(folder, CHANGES)?)
        .map_err(|error| unread(folder, CHANGES, &error.to_string()))
}

/// Why a file cannot be read as one of `whose`: it is no JSON, or other JSON.
pub(crate) fn misread(whose: &str, error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Syntax | Category::Eof => {
            let (line, column) = (error.line(), error.column());
            format!("it is no JSON at line {line}, column {column}: copy the recording again")
        }
        Category::Data | Category::Io => format!("it is not one of {whose} ({error})"),
    }
}

pub(crate) fn unread(folder: &Path, name: &str, problem: &str) -> Failure {
    Failure::input(format!("error: {}: {problem}", folder.join(name).display()))
}

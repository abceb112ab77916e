//! What stands beside a value, in a group as on an axis: what justifies it, and the file that it
//! names.

use std::ops::Range;
use std::path::PathBuf;

use super::document::Table;
use super::reader::Reader;
use crate::resolved::{Note, Resolved};
use forebay_parameters::{Kind, Value};

/// The `paper` or `assumed` (with `sensitivity`) of a value written as a table.
pub(super) fn read_note(reader: &mut Reader, table: &Table, span: &Range<usize>) -> Option<Note> {
    let (paper, assumed) = (table.get("paper"), table.get("assumed"));
    if paper.is_some() && assumed.is_some() {
        let fix = "keep `paper` if a paper states the value, `assumed` if none does";
        reader.fail(span, "a value is from the paper or assumed, not both", fix);
    }
    if let Some(entry) = table.get("sensitivity").filter(|_| assumed.is_none()) {
        let fix = "add assumed = \"why\", or remove `sensitivity`";
        reader.fail(&entry.key_span, "only an assumed value can have a sensitivity", fix);
    }
    if paper.is_some() {
        return Some(Note::Paper(reader.required_text(table, "paper", "the value")));
    }
    assumed?;
    let why = reader.required_text(table, "assumed", "the value");
    let sensitivity = Some(reader.optional_text(table, "sensitivity")).filter(|s| !s.is_empty());
    Some(Note::Assumed { why, sensitivity })
}

pub(super) fn check_path(
    reader: &mut Reader,
    kind: Kind,
    value: &Value,
    span: &Range<usize>,
    params: &Resolved,
) {
    if let Some(path) = absent_file(kind, value, params) {
        let fix = "paths are relative to the experiment file";
        reader.fail(span, format!("there is no file {}", path.display()), fix);
    }
}

/// The file that a value names, if it is not there.
fn absent_file(kind: Kind, value: &Value, params: &Resolved) -> Option<PathBuf> {
    match (kind, value) {
        (Kind::Path, Value::Text(text)) if !text.is_empty() => {
            Some(params.folder.join(text)).filter(|path| !path.is_file())
        }
        _ => None,
    }
}

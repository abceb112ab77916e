//! `basis` of a claim: where its number comes from, so that ours is never shown as a paper's.

use serde::{Deserialize, Serialize};

use super::claim::Published;
use super::document::{Table, Tree};
use super::reader::Reader;
use forebay_parameters::UnknownName;

/// Where the number of a claim comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The paper's text or a table has it, or both ends of the range.
    #[default]
    Stated,
    /// The paper has the upper end of the range; the lower one is open.
    AtMost,
    /// The paper has the lower end of the range; the upper one is open.
    AtLeast,
    /// Somebody read it off a figure of the paper.
    Figure,
    /// The paper says it in words, and the number is our reading of them.
    Words,
    /// No paper says it: we expect it.
    Ours,
}

/// Every basis with its name in experiment files.
const BASES: [(&str, Basis); 6] = [
    ("stated", Basis::Stated),
    ("at-most", Basis::AtMost),
    ("at-least", Basis::AtLeast),
    ("figure", Basis::Figure),
    ("words", Basis::Words),
    ("ours", Basis::Ours),
];

impl Basis {
    /// Whether the number is the paper's own.
    #[must_use]
    pub fn is_published(self) -> bool {
        match self {
            Basis::Stated | Basis::AtMost | Basis::AtLeast | Basis::Figure => true,
            Basis::Words | Basis::Ours => false,
        }
    }

    /// The names of all, as experiment files have them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BASES.iter().map(|(name, _)| *name)
    }

    /// Whether it is the default.
    pub(super) fn is_stated(&self) -> bool {
        *self == Basis::Stated
    }
}

/// Reads `basis`; nothing if it is wrong, of which the reader then knows.
pub(super) fn read(reader: &mut Reader, table: &Table, paper: Option<Published>) -> Option<Basis> {
    let Some(entry) = table.get("basis") else { return Some(Basis::Stated) };
    let name = reader.optional_text(table, "basis");
    let Some((_, basis)) = BASES.iter().find(|(known, _)| *known == name) else {
        if matches!(entry.node.tree, Tree::Text(_)) {
            let unknown = UnknownName::new("basis", &name, Basis::names());
            reader.unknown(&entry.node.span, &unknown);
        }
        return None;
    };
    let open = matches!(basis, Basis::AtMost | Basis::AtLeast);
    if open && matches!(paper, Some(Published::Value(_))) {
        let message = format!("`{name}` is about an end of a range, and `paper` is a number");
        reader.fail(&entry.node.span, message, "write paper = [low, high]");
        return None;
    }
    Some(*basis)
}

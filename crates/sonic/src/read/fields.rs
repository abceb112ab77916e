//! Fields of entries: texts, numbers and references, with errors that name their place.

use std::collections::{BTreeMap, BTreeSet};

use forebay_units::{Bytes, is_hidden};

use crate::config::LARGEST_SIZE;
use crate::document::{Document, Node};
use crate::error::{MOST, SonicError, clipped, hint};

/// One entry of a table.
pub(super) struct Entry<'a> {
    pub(super) table: &'static str,
    pub(super) key: &'a str,
    fields: BTreeMap<&'a str, &'a Node>,
}

impl Entry<'_> {
    /// The entry's place: `TABLE|key`.
    pub(super) fn path(&self) -> String {
        format!("{}|{}", self.table, clipped(self.key))
    }

    /// A field's place: `TABLE|key.field`.
    pub(super) fn at(&self, field: &str) -> String {
        format!("{}.{field}", self.path())
    }

    /// The name and value of every field; for tables whose fields are themselves names.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.fields.iter().map(|(name, node)| (*name, *node))
    }

    /// A text that exists.
    fn text(&self, field: &str) -> Option<&str> {
        match self.fields.get(field)? {
            Node::Text(text) => Some(text.trim()),
            Node::List(_) | Node::Object(_) | Node::Other(_) => None,
        }
    }
}

/// Reads tables, and collects errors and what is not modelled.
pub(super) struct Reader<'a> {
    document: &'a Document,
    pub(super) errors: Vec<SonicError>,
    /// Fields that are present but not modelled, as `TABLE.field`.
    strangers: BTreeSet<String>,
    /// The entries of tables that others refer to, readable or not.
    defined: BTreeSet<(&'static str, &'a str)>,
    /// Those of these tables that are malformed.
    unreadable: BTreeSet<&'static str>,
}

/// The tables that others refer to, by the word for their entries in messages.
const REFERABLE: [(&str, &str); 5] = [
    ("pool", "BUFFER_POOL"),
    ("profile", "BUFFER_PROFILE"),
    ("scheduler", "SCHEDULER"),
    ("port", "PORT"),
    ("WRED profile", "WRED_PROFILE"),
];
/// The longest name of any of them, in bytes: above what SONiC accepts.
const LONGEST_NAME: usize = 255;

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let mut reader = Reader {
            document,
            errors: Vec::new(),
            strangers: BTreeSet::new(),
            defined: BTreeSet::new(),
            unreadable: BTreeSet::new(),
        };
        for (name, node) in &document.tables {
            let Some((_, table)) = REFERABLE.iter().find(|(_, table)| table == name) else {
                continue;
            };
            match node {
                Node::Object(entries) => {
                    reader.defined.extend(entries.iter().map(|(key, _)| (*table, key.as_str())));
                }
                Node::Text(_) | Node::List(_) | Node::Other(_) => {
                    reader.unreadable.insert(table);
                }
            }
        }
        reader
    }

    /// Adds an error, unless there are more than anyone reads.
    pub(super) fn wrong(&mut self, error: SonicError) {
        if !self.full() {
            self.errors.push(error);
        }
    }

    /// Whether there are so many errors that reading on would only cost time.
    pub(super) fn full(&self) -> bool {
        self.errors.len() >= 4 * MOST
    }

    /// The entries of a table. `known` are its fields; if it is empty, any field is accepted. A
    /// present but unknown field is noted once.
    pub(super) fn entries(&mut self, table: &'static str, known: &[&str]) -> Vec<Entry<'a>> {
        let document = self.document;
        let mut entries = Vec::new();
        let mut seen = BTreeSet::new();
        for (_, node) in document.tables.iter().filter(|(name, _)| name == table) {
            let Node::Object(all) = node else {
                self.shape(table.into(), node, "an object of entries");
                continue;
            };
            for (key, node) in all {
                let path = format!("{table}|{}", clipped(key));
                if !seen.insert(key.as_str()) {
                    self.wrong(SonicError::Twice { path: path.clone(), what: "the entry".into() });
                    continue;
                }
                let Node::Object(fields) = node else {
                    self.shape(path, node, "an object of fields");
                    continue;
                };
                if let Some(expected) = unfit(table, key) {
                    let (found, example) = (clipped(key), "\"Ethernet0\", for example");
                    self.wrong(SonicError::Value { path, found, expected, example });
                    continue;
                }
                entries.push(self.entry(table, key, fields, known));
            }
        }
        entries
    }

    fn entry(
        &mut self,
        table: &'static str,
        key: &'a str,
        fields: &'a [(String, Node)],
        known: &[&str],
    ) -> Entry<'a> {
        let mut entry = Entry { table, key, fields: BTreeMap::new() };
        for (name, node) in fields {
            if !known.is_empty() && !known.contains(&name.as_str()) {
                self.strangers.insert(format!("{table}.{}", clipped(name)));
            } else if entry.fields.insert(name, node).is_some() {
                self.wrong(SonicError::Twice {
                    path: entry.at(&clipped(name)),
                    what: "the field".into(),
                });
            }
        }
        entry
    }

    /// Whether the file has a table.
    pub(super) fn has(&self, table: &str) -> bool {
        self.document.tables.iter().any(|(name, _)| name == table)
    }

    /// Notes something that is not modelled.
    pub(super) fn stranger(&mut self, name: String) {
        self.strangers.insert(name);
    }

    /// Everything that is present but not modelled, tables first; each once.
    pub(super) fn unmodelled(&self) -> Vec<String> {
        let tables: BTreeSet<String> =
            self.document.others.iter().map(|name| clipped(name)).collect();
        tables.into_iter().chain(self.strangers.iter().cloned()).collect()
    }

    pub(super) fn shape(&mut self, path: String, node: &Node, expected: &'static str) {
        self.wrong(SonicError::Shape { path, found: node.describe(), expected });
    }

    /// A text field, if present.
    pub(super) fn text<'e>(&mut self, entry: &'e Entry<'_>, field: &str) -> Option<&'e str> {
        if let Some(node) = entry.fields.get(field)
            && !matches!(node, Node::Text(_))
        {
            self.shape(entry.at(field), node, "a text");
        }
        entry.text(field)
    }

    /// A text field that takes one of a few values.
    pub(super) fn word<T: Copy>(
        &mut self,
        entry: &Entry<'_>,
        field: &str,
        words: &[(&'static str, T)],
        expected: &'static str,
    ) -> Option<T> {
        let text = self.text(entry, field)?;
        let found = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        if found.is_none() {
            let example = words.first().map_or("", |(word, _)| *word);
            self.wrong(SonicError::Value {
                path: entry.at(field),
                found: clipped(text),
                expected,
                example,
            });
        }
        found.map(|(_, value)| *value)
    }

    /// A whole number between `least` and `most`, if the field is present.
    pub(super) fn number(
        &mut self,
        entry: &Entry<'_>,
        field: &str,
        (least, most): (i64, i64),
        (expected, example): (&'static str, &'static str),
    ) -> Option<i64> {
        let text = self.text(entry, field)?;
        match text.parse::<i64>() {
            Ok(number) if (least..=most).contains(&number) => Some(number),
            _ => {
                let found = clipped(text);
                self.wrong(SonicError::Value { path: entry.at(field), found, expected, example });
                None
            }
        }
    }

    /// A size in bytes, if the field is present.
    pub(super) fn size(&mut self, entry: &Entry<'_>, field: &str) -> Option<Bytes> {
        let words = ("a size in bytes from 0 to 2^40", "\"18432\"");
        let number = self.number(entry, field, (0, LARGEST_SIZE as i64), words)?;
        u64::try_from(number).ok().map(Bytes::new)
    }

    /// Reports a missing field.
    pub(super) fn missing(&mut self, entry: &Entry<'_>, field: &str, fix: &'static str) {
        if !entry.fields.contains_key(field) {
            self.wrong(SonicError::Missing { path: entry.at(field), fix });
        }
    }

    /// Whether the file has the target of a reference, although it could not be read and was
    /// reported there.
    fn failed(&self, what: &str, name: &str) -> bool {
        let table = REFERABLE.iter().find(|(word, _)| *word == what).map(|(_, table)| *table);
        table.is_some_and(|table| {
            self.unreadable.contains(table) || self.defined.contains(&(table, name))
        })
    }

    /// The index of what `name` refers to; an error if the file has no such thing.
    pub(super) fn find<'n>(
        &mut self,
        path: impl Fn() -> String,
        what: &'static str,
        name: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<usize> {
        let found = names.clone().position(|other| other == name);
        if found.is_none() && !self.full() && !self.failed(what, name) {
            let hint = if self.errors.len() < MOST { hint(name, names) } else { String::new() };
            self.wrong(SonicError::Unknown { path: path(), what, name: clipped(name), hint });
        }
        found
    }
}

/// What is expected of a key that cannot be shown in a message as it is.
fn unfit(table: &str, key: &str) -> Option<&'static str> {
    if key.chars().any(is_hidden) {
        return Some("a key without control characters");
    }
    let name = REFERABLE.iter().any(|(_, referable)| *referable == table);
    (name && key.len() > LONGEST_NAME).then_some("a name of at most 255 bytes")
}

/// The texts of a field that is a list, or one text with commas.
pub(super) fn texts(node: &Node) -> Vec<&str> {
    match node {
        Node::Text(text) => {
            text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect()
        }
        Node::List(nodes) => nodes.iter().flat_map(texts).collect(),
        Node::Object(_) | Node::Other(_) => Vec::new(),
    }
}

/// The name in a reference: `[BUFFER_POOL|name]` as older releases write it, or just `name`.
pub(super) fn referred<'t>(text: &'t str, table: &str) -> &'t str {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let Some(inner) = inner else { return text };
    inner.strip_prefix(table).and_then(|rest| rest.strip_prefix('|')).unwrap_or(inner)
}

//! A TOML file as a tree of owned values that remember their byte ranges, in the file's order.
//!
//! Decides what is refused before any meaning is read: files over 1 MB, bytes that are not UTF-8,
//! syntax errors, nesting deeper than the parser's limit (80). Complexity: linear in the file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{ConfigError, SourceText};
use forebay_parameters::{Kind, Value};

/// The largest experiment file that is read, in bytes.
pub const MAX_FILE: usize = 1_000_000;

/// The most items a list may have; keeps every later check cheap.
pub(crate) const MAX_LIST: usize = 10_000;

/// A value and the bytes it came from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) tree: Tree,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    /// A date, or an integer outside 64 bits: kept as written, since no parameter is one.
    Other(String),
    Array(Vec<Node>),
    Table(Table),
}

/// The entries of a table in the file's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) entries: Vec<Entry>,
}

/// A key, the bytes of the key, and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) node: Node,
}

impl Table {
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

impl Node {
    /// What the value is, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.tree {
            Tree::Text(text) => format!("the text \"{text}\""),
            Tree::Int(value) => format!("the number {value}"),
            Tree::Float(value) => format!("the number {value}"),
            Tree::Bool(value) => format!("`{value}`"),
            Tree::Other(text) => format!("`{text}`"),
            Tree::Array(_) => "a list".to_owned(),
            Tree::Table(_) => "a table".to_owned(),
        }
    }
}

/// Reads a parameter's value.
///
/// # Errors
/// One sentence that says what was found and what was expected.
pub(crate) fn value(kind: Kind, node: &Node) -> Result<Value, String> {
    let refused = || format!("{} is not {}", node.describe(), kind.describe());
    match (kind, &node.tree) {
        (Kind::Float { .. }, Tree::Float(number)) => kind.within(Value::Float(*number)),
        // The file's own digits are repeated: of a large number, the value has others.
        (Kind::Float { .. }, Tree::Int(number)) => kind
            .within(Value::Float(*number as f64))
            .map_err(|_| format!("{number} is not {}", kind.describe())),
        (Kind::Int { .. }, Tree::Int(number)) => kind.within(Value::Int(*number)),
        (Kind::Bool, Tree::Bool(flag)) => Ok(Value::Bool(*flag)),
        (Kind::Float { .. } | Kind::Int { .. } | Kind::Bool, _) => Err(refused()),
        (Kind::Rate | Kind::Bytes | Kind::Duration, Tree::Int(_) | Tree::Float(_)) => {
            Err(format!("{} has no unit: write {}", node.describe(), kind.describe()))
        }
        (_, Tree::Text(text)) => kind.read_text(text),
        _ => Err(refused()),
    }
}

/// Reads the bytes of a file called `name`.
///
/// # Errors
/// The file is too large, not UTF-8, or not TOML.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<(SourceText, Table), ConfigError> {
    if bytes.len() > MAX_FILE {
        return Err(ConfigError::new(format!(
            "{name} has {} bytes; an experiment file has at most {MAX_FILE}",
            bytes.len()
        ))
        .fix("split the experiment"));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            return Err(ConfigError::new(format!("{name}:{line}: the file is not UTF-8 text"))
                .fix("save it as UTF-8"));
        }
    };
    let source = SourceText { name: name.to_owned(), text };
    match DeTable::parse(&source.text) {
        Ok(table) => {
            let table = own_table(table.get_ref());
            match too_long(&table) {
                None => Ok((source, table)),
                Some(list) => {
                    Err(ConfigError::new(format!("a list has more than {MAX_LIST} items"))
                        .at(source.position(&list.span))
                        .fix("split the experiment"))
                }
            }
        }
        Err(error) => {
            let message =
                format!("this is not valid TOML: {}", error.message().replace('\n', ", "));
            let position = source.position(&error.span().unwrap_or(0..0));
            Err(ConfigError::new(message).at(position).fix("correct the syntax here"))
        }
    }
}

fn too_long(table: &Table) -> Option<&Node> {
    table.entries.iter().find_map(|entry| match &entry.node.tree {
        Tree::Array(items) if items.len() > MAX_LIST => Some(&entry.node),
        Tree::Array(items) => items.iter().find_map(|item| match &item.tree {
            Tree::Table(inner) => too_long(inner),
            Tree::Text(_)
            | Tree::Int(_)
            | Tree::Float(_)
            | Tree::Bool(_)
            | Tree::Other(_)
            | Tree::Array(_) => None,
        }),
        Tree::Table(inner) => too_long(inner),
        Tree::Text(_) | Tree::Int(_) | Tree::Float(_) | Tree::Bool(_) | Tree::Other(_) => None,
    })
}

fn own_table(table: &DeTable<'_>) -> Table {
    let entries = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            node: own(value),
        })
        .collect();
    Table { entries }
}

fn own(value: &Spanned<DeValue<'_>>) -> Node {
    let tree = match value.get_ref() {
        DeValue::String(text) => Tree::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) => Tree::Int(value),
            Err(_) => Tree::Other(number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(value) => Tree::Float(value),
            Err(_) => Tree::Other(number.to_string()),
        },
        DeValue::Boolean(value) => Tree::Bool(*value),
        DeValue::Datetime(date) => Tree::Other(date.to_string()),
        DeValue::Array(items) => Tree::Array(items.iter().map(own).collect()),
        DeValue::Table(table) => Tree::Table(own_table(table)),
    };
    Node { span: value.span(), tree }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_and_refuse() {
        let value = |kind: Kind, tree| value(kind, &Node { span: 0..0, tree });
        let share = Kind::Float { min: 0.0, max: 1.0 };
        assert_eq!(value(share, Tree::Int(1)), Ok(Value::Float(1.0)));
        assert!(value(share, Tree::Float(1.5)).unwrap_err().contains("between 0 and 1"));
        assert!(value(share, Tree::Float(f64::NAN)).is_err());
        assert!(value(Kind::Rate, Tree::Int(50)).unwrap_err().contains("has no unit"));
        assert!(value(Kind::Bool, Tree::Text("true".into())).is_err());
    }

    #[test]
    fn order_and_spans_survive() {
        let text = "b = 1\n[z]\ny = [1.5, \"q\"]\na = true\n";
        let (source, table) = read("t.toml", text.as_bytes()).unwrap();
        let keys: Vec<&str> = table.entries.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["b", "z"]);
        let Tree::Table(z) = &table.get("z").unwrap().node.tree else { panic!() };
        assert_eq!(z.entries[0].key, "y");
        assert_eq!(source.position(&z.entries[1].node.span).line, 4);
    }

    #[test]
    fn bad_files_name_the_line() {
        let broken = read("t.toml", b"a = 1\nb = = 2\n").unwrap_err();
        assert!(broken.to_string().starts_with("t.toml:2:"), "{broken}");
        let bytes = read("t.toml", b"a = 1\nb = \"\xff\"\n").unwrap_err();
        assert!(bytes.to_string().contains("t.toml:2: the file is not UTF-8"), "{bytes}");
        let large = read("t.toml", &vec![b'#'; MAX_FILE + 1]).unwrap_err();
        assert!(large.to_string().contains("at most 1000000"), "{large}");
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_an_overflow() {
        let deep = format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read("t.toml", deep.as_bytes()).is_err());
        let long = format!("a = [{}]", "1,".repeat(MAX_LIST + 1));
        assert!(
            read("t.toml", long.as_bytes()).unwrap_err().to_string().contains("more than 10000")
        );
        let dotted = format!("{} = 1", vec!["a"; 100_000].join("."));
        assert!(read("t.toml", dotted.as_bytes()).is_err());
    }
}

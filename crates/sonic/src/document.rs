//! The JSON text as tables, entries and fields, without interpreting them.
//!
//! A `config_db.json` is an object of tables, each an object of entries, each an object of fields,
//! which are strings or lists of strings. Only the tables that the model knows are kept; all others
//! are skipped without building anything. Anything deeper than a field is skipped too, so depth
//! costs nothing. Breadth does: a value in a list takes two bytes of the file and some thirty times
//! that in memory (its node and its text), so a hostile file of [`LARGEST`] costs a few hundred MiB
//! while it is read (268 MiB were measured for one list); a real one costs a few times its size.
//! Reading is linear in the file.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::{SonicError, clipped};

/// The largest accepted file: several times that of a modular switch with all its tables.
pub const LARGEST: usize = 8 << 20;

/// A JSON value, as far as the model needs it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A string, a number or a boolean, as text.
    Text(String),
    /// A list; elements that are not scalars are [`Node::Other`].
    List(Vec<Node>),
    /// An object, in the file's order.
    Object(Vec<(String, Node)>),
    /// Something without meaning here, named for a message.
    Other(&'static str),
}

impl Node {
    /// The kind of value, for a message.
    pub(crate) fn describe(&self) -> String {
        match self {
            Node::Text(text) => format!("`{}`", clipped(text)),
            Node::List(_) => "a list".to_owned(),
            Node::Object(_) => "an object".to_owned(),
            Node::Other(what) => (*what).to_owned(),
        }
    }
}

/// The modelled tables in the file's order, and the names of the others.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) tables: Vec<(String, Node)>,
    pub(crate) others: Vec<String>,
}

impl Document {
    /// Reads a file; keeps the tables for which `modelled` holds.
    pub(crate) fn parse(file: &[u8], modelled: fn(&str) -> bool) -> Result<Document, SonicError> {
        if file.len() > LARGEST {
            return Err(SonicError::TooLarge { limit: LARGEST });
        }
        const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
        if MARKS.iter().any(|mark| file.starts_with(mark)) {
            let problem =
                "the file begins with a byte-order mark: save it as UTF-8 without one".to_owned();
            return Err(SonicError::Syntax { line: 1, column: 1, problem });
        }
        let mut json = serde_json::Deserializer::from_slice(file);
        let document = json.deserialize_map(Tables(modelled)).and_then(|document| {
            json.end()?;
            Ok(document)
        });
        document.map_err(|error| syntax(&error))
    }
}

fn syntax(error: &serde_json::Error) -> SonicError {
    // The parser counts the end of a line as column 0 of the next.
    let (line, column) = (error.line().max(1), error.column().max(1));
    if error.is_eof() {
        return SonicError::CutOff { line, column };
    }
    let text = error.to_string();
    let problem = text.split(" at line ").next().unwrap_or_default();
    // The parser's word for a list is other than everybody's.
    let problem = problem.replacen("invalid type: sequence,", "found a list,", 1);
    let problem = clipped(&problem);
    if error.is_syntax() {
        return SonicError::Syntax { line, column, problem: format!("it is no JSON ({problem})") };
    }
    SonicError::Syntax { line, column, problem }
}

/// Reads the whole file.
struct Tables(fn(&str) -> bool);

impl<'de> Visitor<'de> for Tables {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut document = Document::default();
        while let Some(name) = map.next_key::<String>()? {
            if (self.0)(&name) {
                document.tables.push((name, map.next_value_seed(Nested { levels: 3 })?));
            } else {
                map.next_value::<IgnoredAny>()?;
                document.others.push(name);
            }
        }
        Ok(document)
    }
}

/// Reads a value with at most this many levels of objects.
#[derive(Clone, Copy)]
struct Nested {
    levels: u8,
}

impl<'de> DeserializeSeed<'de> for Nested {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Text(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Text(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Text(number.to_string()))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Text(flag.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        if self.levels == 0 {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Node::Other("a list in a list"));
        }
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element_seed(Nested { levels: 0 })? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        if self.levels == 0 {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Node::Other("an object"));
        }
        let mut entries = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            entries.push((name, map.next_value_seed(Nested { levels: self.levels - 1 })?));
        }
        Ok(Node::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Document, SonicError> {
        Document::parse(text.as_bytes(), |name| name.starts_with('B'))
    }

    #[test]
    fn modelled_tables_are_kept_and_others_named() {
        let document =
            parse(r#"{"A": {"x": [1, {"y": 2}]}, "B": {"p": {"size": 5, "l": ["a"]}}}"#).unwrap();
        assert_eq!(document.others, ["A"]);
        let size = ("size".to_owned(), Node::Text("5".into()));
        let Node::Object(entries) = &document.tables[0].1 else { panic!("a table") };
        let Node::Object(fields) = &entries[0].1 else { panic!("an entry") };
        assert_eq!(fields[0], size);
        assert_eq!(fields[1].1, Node::List(vec![Node::Text("a".into())]));
    }

    #[test]
    fn depth_costs_nothing() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = |n: usize| format!("{{\"B\": {}1{}}}", open.repeat(n), close.repeat(n));
            assert!(parse(&deep(1000)).is_ok(), "{open}");
            assert!(parse(&deep(1000).replace('B', "A")).is_ok(), "{open}");
        }
        let cut = "[".repeat(1 << 20);
        assert!(matches!(parse(&format!("{{\"B\": {cut}")), Err(SonicError::CutOff { .. })));
    }

    #[test]
    fn size_and_syntax_have_one_error_each() {
        let large = vec![b' '; LARGEST + 1];
        let large = Document::parse(&large, |_| true).unwrap_err().to_string();
        assert_eq!(large, "the file has more than 8 MiB; give the configuration of one switch");
        let cut = parse("{\"B\": {\n \"p\": {\"size\":").unwrap_err().to_string();
        assert_eq!(
            cut,
            "line 2, column 14: the text ends inside a value; copy the whole file again"
        );
        let comma = parse("{\"B\": {},}").unwrap_err();
        assert!(matches!(comma, SonicError::Syntax { line: 1, column: 10, .. }), "{comma:?}");
        let list = parse("[]").unwrap_err().to_string();
        assert!(list.contains("found a list, expected an object of tables"), "{list}");
        assert!(parse("{} x").is_err());
        let line = parse("{\"B\": {\n\n").unwrap_err().to_string();
        assert!(line.starts_with("line 3, column 1:"), "{line}");
        let mark = parse("\u{feff}{}").unwrap_err().to_string();
        assert!(mark.contains("byte-order mark: save it as UTF-8 without one"), "{mark}");
    }
}

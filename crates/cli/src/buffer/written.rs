//! The experiment file that `compare` writes: every value with where it comes from.

use std::fmt::Write;

use forebay_units::Bytes;

use super::compared::Compared;

/// The burst sizes, as parts of the largest.
pub(super) const PARTS: u64 = 8;

/// What stands at the head of an experiment file.
pub(super) struct Head {
    pub(super) title: String,
    pub(super) assumptions: Vec<String>,
    pub(super) scenario: &'static str,
}

/// What is drawn: metrics against the burst's size, and series at the largest; an id, a title and
/// the quantity of each.
pub(super) struct Figures {
    pub(super) metrics: &'static [(&'static str, &'static str, &'static str)],
    pub(super) series: &'static [(&'static str, &'static str, &'static str)],
}

/// An experiment file.
pub(super) struct Written {
    pub(super) text: String,
    origins: Vec<Origin>,
}

/// Where a value in an experiment file comes from.
struct Origin {
    /// Its line, from 1.
    line: usize,
    parameter: String,
    /// What the user wrote: an option, or an entry of the configuration.
    source: String,
}

impl Written {
    /// The file: of `groups` the lines that any of the policies reads, and bursts up to `largest`.
    pub(super) fn new<const N: usize>(
        head: &Head,
        compared: &Compared,
        groups: [(&str, Vec<Line>); N],
        largest: Bytes,
        figures: Figures,
    ) -> Self {
        let description = format!("Assumed: {}.", head.assumptions.join("; "));
        let mut text = format!(
            "# Made by forebay buffer compare; docs/sonic.md says how.\n\
             title = {}\ndescription = {}\nscenario = \"{}\"\n\
             policies = {}\nseeds = [1, 2, 3]\n",
            quoted(&head.title),
            quoted(&description),
            head.scenario,
            compared.names()
        );
        let mut origins = Vec::new();
        for (group, lines) in groups {
            let _ = writeln!(text, "\n[{group}]");
            let is_read = |line: &Line| compared.reads(&format!("{group}.{}", line.name));
            for line in lines.into_iter().filter(is_read) {
                let why = quoted(&format!("{}{}", line.source, line.note));
                let (name, value) = (line.name, line.value);
                origins.push(Origin {
                    line: text.lines().count() + 1,
                    parameter: format!("{group}.{name}"),
                    source: line.source,
                });
                let _ = writeln!(text, "{name} = {{ value = {value}, assumed = {why} }}");
            }
        }
        let parts = (1..=PARTS).map(|part| Bytes::new(largest.get() / PARTS * part));
        let parts: Vec<String> = parts.map(|part| quoted(&part.to_string())).collect();
        let _ = writeln!(text, "\n[sweep]\nburst_bytes = [{}]", parts.join(", "));
        origins.push(Origin {
            line: text.lines().count(),
            parameter: "workload.burst_bytes".to_owned(),
            source: "--bytes".to_owned(),
        });
        text += &figures.text(parts.last().map_or("", String::as_str));
        Written { text, origins }
    }

    /// What the user wrote that a line has its value from.
    pub(super) fn source_of_line(&self, line: usize) -> Option<&str> {
        self.source(|origin| origin.line == line)
    }

    /// The option that sets a parameter; its name, if only an own experiment can.
    pub(super) fn option_of<'a>(&'a self, parameter: &'a str) -> &'a str {
        let source = self.source(|origin| origin.parameter == parameter);
        source.filter(|source| source.starts_with("--")).unwrap_or(parameter)
    }

    fn source(&self, is_it: impl Fn(&Origin) -> bool) -> Option<&str> {
        self.origins.iter().find(|origin| is_it(origin)).map(|origin| origin.source.as_str())
    }
}

/// A parameter of the experiment.
pub(super) struct Line {
    name: String,
    value: String,
    source: String,
    note: &'static str,
}

impl Line {
    pub(super) fn number(
        name: &'static str,
        value: impl ToString,
        source: impl Into<String>,
    ) -> Self {
        Line { name: name.to_owned(), value: value.to_string(), source: source.into(), note: "" }
    }

    /// What --set says.
    pub(super) fn set(name: &str, value: &str) -> Self {
        let (name, value) = (name.to_owned(), value.to_owned());
        Line { name, value, source: "--set".to_owned(), note: "" }
    }

    pub(super) fn text(
        name: &'static str,
        value: impl ToString,
        source: impl Into<String>,
    ) -> Self {
        Line::number(name, quoted(&value.to_string()), source)
    }

    /// With what stands behind the source in the file.
    pub(super) fn noted(self, note: &'static str) -> Self {
        Line { note, ..self }
    }
}

impl Figures {
    fn text(&self, largest: &str) -> String {
        let mut text = String::new();
        for (id, title, metric) in self.metrics {
            let _ = write!(
                text,
                "\n[[figure]]\nid = \"{id}\"\ntitle = \"{title}\"\nmetric = \"{metric}\"\nx = \
                 \"burst_bytes\"\nkind = \"line\"\n"
            );
        }
        for (id, title, name) in self.series {
            let _ = write!(
                text,
                "\n[[figure]]\nid = \"{id}\"\ntitle = \"{title}\"\nseries = \"{name}\"\nkind = \
                 \"timeline\"\nat = {{ burst_bytes = {largest} }}\n"
            );
        }
        text
    }
}

/// The size, rounded up so that its parts are round, too.
pub(super) fn round(size: u64) -> Bytes {
    let unit = PARTS * if size > 1_000_000 { 100_000 } else { 1_000 };
    Bytes::new(size.div_ceil(unit) * unit)
}

/// A TOML string: JSON's escapes are also TOML's.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

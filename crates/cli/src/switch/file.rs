//! A lab's file.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use forebay_dataplane::fabric::{LabConfig, Mode};
use forebay_dataplane::link::{EmulationConfig, Rules, largest_frame};
use forebay_lab::config::MAX_FILE;
use forebay_net::topology::{Graph, LARGEST_FILE, is_shape, read_graph, read_shape};
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::Bytes;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use crate::link::policy::{ordered, refused};
use crate::net::SwitchArguments;
use crate::replay::rules::RuleArguments;
use crate::settings::{self, Decided};
use crate::{Failure, terminal};

/// A lab's file, key by key; what is left out is as these say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabFile {
    topology: String,
    forwarding: Option<Forwarding>,
    #[serde(default = "drop_tail")]
    switch: String,
    buffer: Option<Text<Bytes>>,
    mark: Option<Text<Bytes>>,
    tree: Option<PathBuf>,
    rank: Option<String>,
    class: Option<String>,
    classes: Option<u16>,
    #[serde(default = "mtu")]
    mtu: u32,
    #[serde(default = "card_buffer")]
    card_buffer: Text<Bytes>,
    #[serde(default = "memory")]
    memory: Text<Bytes>,
    #[serde(default)]
    link: Table,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Forwarding {
    Learning,
    Routes,
}

fn drop_tail() -> String {
    "drop-tail".to_owned()
}

fn mtu() -> u32 {
    EmulationConfig::default().mtu
}

/// What Linux queues at an interface of 1 Gb/s by default: 1000 packets, rounded up.
fn card_buffer() -> Text<Bytes> {
    Text(Bytes::new(2_000_000))
}

fn memory() -> Text<Bytes> {
    Text(EmulationConfig::default().memory)
}

/// A value that a file gives as a text with its unit.
struct Text<T>(T);

impl<'de, T: FromStr<Err: std::fmt::Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Text).map_err(serde::de::Error::custom)
    }
}

/// What a lab's file describes.
pub(super) struct Lab {
    pub(super) config: LabConfig,
    pub(super) mtu: u32,
    pub(super) memory: u64,
}

/// Links have these from the topology; the rest is not a wire's.
const DECIDED: &[Decided<'static>] = &[
    ("rate", "the topology's"),
    ("delay", "the topology's"),
    ("trace", "the topology's rate that counts"),
    ("mtu", "a key of its own, mtu"),
    ("memory", "a key of its own, memory"),
];

/// Reads a lab, which is a file or a topology, with what was set.
pub(super) fn read(
    lab: &str,
    set: &[(String, String)],
    catalogue: &Catalogue,
) -> Result<Lab, Failure> {
    let file = if is_shape(lab) {
        let table = Table::from_iter([("topology".to_owned(), Value::String(lab.to_owned()))]);
        with(table, set)?
    } else {
        let text = forebay_files::read_text(Path::new(lab), MAX_FILE as u64)
            .map_err(|error| Failure::input(format!("error: cannot read {lab}: {error}")))?;
        let wrong = |error: toml::de::Error| {
            let text = error.to_string();
            // The place first, as in errors of experiments.
            let text = text.strip_prefix("TOML parse error at ").unwrap_or(&text);
            Failure::input(format!("error: {lab}, {}", text.trim_end()))
        };
        // Its places are lost in a table, so it is read by itself first.
        let file: LabFile = toml::from_str(&text).map_err(wrong)?;
        if set.is_empty() { file } else { with(text.parse().map_err(wrong)?, set)? }
    };
    let folder = if is_shape(lab) { None } else { Path::new(lab).parent() };
    file.lab(folder, catalogue).map_err(|failure| in_file(lab, failure))
}

/// The lab of a table, once some of its keys are set.
fn with(mut table: Table, set: &[(String, String)]) -> Result<LabFile, Failure> {
    for (key, value) in set {
        let place = match key.split_once('.') {
            Some(("link", key)) => {
                let link = table.entry("link").or_insert_with(|| Value::Table(Table::new()));
                link.as_table_mut().map(|link| (link, key))
            }
            _ => Some((&mut table, key.as_str())),
        };
        let Some((table, key)) = place else {
            return Err(Failure::input(format!("error: --set {key}: link is no table")));
        };
        let number = value.parse().map(Value::Integer);
        let number = number.or_else(|_| value.parse().map(Value::Float));
        table.insert(key.to_owned(), number.unwrap_or_else(|_| Value::String(value.clone())));
    }
    table.try_into().map_err(|error: toml::de::Error| {
        Failure::input(format!("error: --set: {}", error.to_string().trim_end()))
    })
}

/// What was said of an option, said of the key of a file that has its name.
pub(super) fn in_file(lab: &str, Failure { message, code }: Failure) -> Failure {
    match message.strip_prefix("error: --") {
        Some(rest) => Failure { message: format!("error: {lab}: {rest}"), code },
        None => Failure { message, code },
    }
}

impl LabFile {
    fn lab(self, folder: Option<&Path>, catalogue: &Catalogue) -> Result<Lab, Failure> {
        let beside =
            |path: &Path| folder.map_or_else(|| path.to_owned(), |folder| folder.join(path));
        let wrong = |key: &str, problem: &dyn std::fmt::Display| {
            Failure::input(format!("error: --{key}: {problem}"))
        };
        let graph = graph(&self.topology, beside)?;
        if self.classes == Some(0) || self.classes.is_some_and(|classes| classes > 256) {
            return Err(wrong("classes", &"give a whole number from 1 to 256"));
        }
        let switches = SwitchArguments {
            switch: self.switch,
            tree: self.tree.as_deref().map(beside),
            buffer: self.buffer.map(|Text(size)| size),
            mark: self.mark.map(|Text(size)| size),
        };
        let rules = RuleArguments { rank: self.rank, class: self.class, classes: self.classes };
        let (switch, rules): (SwitchConfig, Rules) = ordered(&switches, &rules, catalogue)?;
        let mut links = [EmulationConfig {
            mtu: self.mtu,
            memory: self.memory.0,
            ..EmulationConfig::default()
        }];
        let pair = |(key, value): (&String, &Value)| match shown(value) {
            Some(text) => Ok((key.clone(), text)),
            None => Err(wrong(&format!("link.{key}"), &"give a number, or a text in quotes")),
        };
        let pairs = self.link.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        settings::set(&mut links, &pairs, DECIDED)
            .map_err(|error| wrong(&format!("link.{}", error.name()), &error.sentence()))?;
        let [link] = links;
        if !(68..=65_535).contains(&self.mtu) {
            return Err(wrong("mtu", &"give a whole number from 68 to 65,535"));
        }
        let slowest = graph.links.iter().map(|link| link.config.delay).min().unwrap_or_default();
        if link.jitter > slowest {
            let problem = format!(
                "a frame cannot take less than no time: give at most the shortest delay of the \
                 topology, {slowest}"
            );
            return Err(wrong("link.jitter", &problem));
        }
        switch
            .check_packets_of(largest_frame(self.mtu))
            .map_err(|error| refused(&switch, &error.into()))?;
        let card = SwitchConfig::named("drop-tail").map_err(|error| wrong("switch", &error))?;
        if self.card_buffer.0.get() < u64::from(largest_frame(self.mtu)) {
            let problem = format!("it holds no full frame of {} B", largest_frame(self.mtu));
            return Err(wrong("card_buffer", &problem));
        }
        let mode = match self.forwarding {
            None => Mode::of(&graph),
            Some(Forwarding::Learning) => Mode::Learning,
            Some(Forwarding::Routes) => Mode::Routes,
        };
        let card = card.with_buffer(self.card_buffer.0);
        let config = LabConfig { graph, mode, switch, rules, card, link };
        Ok(Lab { config, mtu: self.mtu, memory: self.memory.0.get() })
    }
}

/// A value of a file as `--set` would write it; `None` for what is no single value.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

/// The topology that a text is, or names.
fn graph(topology: &str, beside: impl Fn(&Path) -> PathBuf) -> Result<Graph, Failure> {
    let wrong =
        |problem: String| Failure::input(format!("error: --topology: {topology}: {problem}"));
    let graph = if is_shape(topology) {
        read_shape(topology).map_err(|error| wrong(error.to_string()))?
    } else {
        let path = beside(Path::new(topology));
        let text = forebay_files::read_text(&path, LARGEST_FILE)
            .map_err(|error| wrong(format!("it cannot be read: {error}")))?;
        read_graph(&text).map_err(|error| wrong(error.to_string()))?
    };
    graph.check().map_err(|error| wrong(error.to_string()))?;
    if graph.hosts == 0 {
        return Err(wrong("it has no hosts, so that nothing could be sent".to_owned()));
    }
    Ok(graph)
}

/// What is to be known before a lab runs.
pub(super) fn note(lab: &Lab) {
    if lab.config.link.loss >= 1.0 {
        terminal::warn("note: every frame is lost on every wire (link.loss = 1)");
    }
}

//! A lab's file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use forebay_dataplane::fabric::{LabConfig, Mode};
use forebay_dataplane::link::{EmulationConfig, largest_frame, least_memory};
use forebay_lab::config::MAX_FILE;
use forebay_net::topology::is_shape;
use forebay_parameters::{FormError, grouped, read_quantity, read_toml};
use forebay_switch::{Catalogue, SwitchBuildError, SwitchConfig};
use forebay_units::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use toml::{Table, Value};

use super::parameters::{self, Parameters};
use super::topology::{graph, ports};
use crate::Failure;
use crate::link::policy::{Ordered, ordered_with};
use crate::net::{SwitchArguments, wrong};
use crate::recorded::POLICY;
use crate::replay::rules::RuleArguments;
use crate::settings::{self, Decided};

/// A laboratory of hosts and switches with real packets: `forebay switch FILE`.
// What is left out is as the defaults say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LabFile {
    /// A shape such as "star:4,100M,1ms" (`forebay net run --help` lists them), or a file with a
    /// topology.
    topology: String,
    /// Whether switches learn where addresses are, or follow routes (the default where there are
    /// loops).
    forwarding: Option<Forwarding>,
    /// What every switch is: a buffer manager or a scheduler by name; drop-tail if left out.
    #[serde(default = "drop_tail")]
    switch: String,
    /// The switch's buffer: of each port, of each pool on chip, the SRAM beside HBM.
    buffer: Option<Text<Bytes>>,
    /// Beyond so many bytes of their queue packets are marked (ECN).
    mark: Option<Text<Bytes>>,
    /// The file with the scheduling tree of the switch `tree`.
    tree: Option<PathBuf>,
    /// The rank by which packets leave: a name, or a rule such as "class * 100".
    #[serde(default, deserialize_with = "rule")]
    rank: Option<String>,
    /// A rule that gives packets their class, as "dscp == 46 ? 0 : 1".
    #[serde(default, deserialize_with = "rule")]
    class: Option<String>,
    /// How many classes there are.
    classes: Option<Within<1, 256>>,
    /// The largest IP packet, in bytes; 1500 if left out.
    #[serde(default = "mtu")]
    mtu: Within<68, 65_535>,
    /// The queue of a host's network card; 2 MB if left out.
    #[serde(default = "card_buffer")]
    card_buffer: Text<Bytes>,
    /// The most memory that frames may take that wait or are on their way; 256 MB if left out.
    #[serde(default = "memory")]
    memory: Text<Bytes>,
    /// What happens on every wire.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    link: Table,
    /// Parameters of the switches; in `[parameters.s1]` of one of them alone.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    parameters: Table,
    /// Interfaces of this machine that are ports: eth1 = "s1,1G".
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    ports: Table,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Forwarding {
    Learning,
    Routes,
}

fn drop_tail() -> String {
    "drop-tail".to_owned()
}

fn mtu() -> Within<68, 65_535> {
    Within(EmulationConfig::default().mtu)
}

/// What Linux queues at an interface of 1 Gb/s by default: 1000 packets, rounded up.
fn card_buffer() -> Text<Bytes> {
    Text(Bytes::new(2_000_000))
}

fn memory() -> Text<Bytes> {
    Text(EmulationConfig::default().memory)
}

/// A rule; a number is one, too.
fn rule<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(Some(text)),
        Value::Integer(number) => Ok(Some(number.to_string())),
        _ => Err(serde::de::Error::custom("give a rule in quotes, as \"dscp\", or a number")),
    }
}

/// A value that a file gives as a text with its unit.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct Text<T>(T);

impl<'de, T: FromStr<Err: std::fmt::Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_quantity(deserializer).map(Text)
    }
}

/// A whole number between two, both possible.
#[derive(Clone, Copy)]
struct Within<const LEAST: u32, const MOST: u32>(u32);

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Within<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Value::deserialize(deserializer)?.as_integer();
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.filter(|number| (LEAST..=MOST).contains(number)).map(Within).ok_or_else(|| {
            let [least, most] = [LEAST, MOST].map(|end| grouped(end.into()));
            serde::de::Error::custom(format!("give a whole number from {least} to {most}"))
        })
    }
}

impl<const LEAST: u32, const MOST: u32> JsonSchema for Within<LEAST, MOST> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("whole-{LEAST}-{MOST}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

/// The form of a lab's file, as JSON Schema (draft 7), without what its tables hold.
pub(crate) fn schema() -> Schema {
    let draft7 = schemars::generate::SchemaSettings::draft07();
    draft7.into_generator().into_root_schema_for::<LabFile>()
}

/// What a lab's file describes.
pub(super) struct Lab {
    pub(super) config: LabConfig,
    pub(super) mtu: u32,
    pub(super) memory: u64,
    /// The name of its switch.
    pub(super) switch: String,
    /// The files that it names, as it names them and where they are.
    pub(super) files: Vec<(PathBuf, PathBuf)>,
    /// What is to be known before it runs.
    pub(super) notes: Vec<String>,
    /// The names of the parameters that it sets.
    pub(super) parameters: Vec<String>,
}

impl Lab {
    /// Why the device of this number cannot be built.
    pub(super) fn refused(
        &self,
        source: &Source,
        number: usize,
        error: &SwitchBuildError,
    ) -> Failure {
        let switch = self.config.switch_of(number as u32);
        said_of(source, parameters::refused(&self.parameters, number as u32, switch, error))
    }
}

/// What to do where a lab's file cannot be read.
const FIND: &str = "give the path of a lab's file, or a topology such as star:4,100M,1ms; `forebay new \
                    lab NAME` makes a file";

/// A lab before it is read: what was named, the text of the file if it is one, and what was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    /// A file's name, or a topology.
    pub(super) lab: String,
    /// The text of the file.
    pub(super) text: Option<String>,
    /// What was set.
    pub(super) set: Vec<(String, String)>,
    /// Whether the policy in the text is another's, and counts for nothing.
    #[serde(skip)]
    is_replaced: bool,
}

impl Source {
    /// A file of this name with this text.
    pub(super) fn of_text(lab: &str, text: &str) -> Self {
        let (lab, text) = (lab.to_owned(), Some(text.to_owned()));
        Source { lab, text, set: Vec::new(), is_replaced: false }
    }

    /// What an argument names.
    pub(super) fn open(lab: &str, set: &[(String, String)]) -> Result<Self, Failure> {
        let text = match is_shape(lab) {
            true => None,
            false => {
                let read = forebay_files::read_text(Path::new(lab), MAX_FILE as u64);
                Some(read.map_err(|error| Failure::unread(lab, &error, FIND))?)
            }
        };
        Ok(Source { lab: lab.to_owned(), text, set: set.to_vec(), is_replaced: false })
    }

    /// The text that a key of the policy has, if it has one.
    #[cfg(feature = "view")]
    pub(super) fn key(&self, key: &str) -> Option<String> {
        if let Some((_, value)) = self.set.iter().find(|(set, _)| set == key) {
            return Some(value.clone());
        }
        let table: Table = self.text.as_deref().filter(|_| !self.is_replaced)?.parse().ok()?;
        table.get(key).and_then(|value| shown(value).ok())
    }
}

/// Links have these from the topology; the rest is not a wire's.
const DECIDED: &[Decided<'static>] = &[
    ("rate", "the topology's"),
    ("delay", "the topology's"),
    ("trace", "the topology's rate that counts"),
    ("mtu", "a key of its own, mtu"),
    ("memory", "a key of its own, memory"),
];

/// Whether a wire has this from elsewhere than the table `link`.
pub(crate) fn is_decided(name: &str) -> bool {
    DECIDED.iter().any(|(decided, _)| *decided == name)
}

/// Reads a lab; what it names lies `beside` it.
pub(super) fn read(
    source: &Source,
    beside: impl Fn(&Path) -> PathBuf,
    catalogue: &Catalogue,
) -> Result<Lab, Failure> {
    let Source { lab, text, set, is_replaced } = source;
    let file = match text {
        None => {
            let table = Table::from_iter([("topology".to_owned(), Value::String(lab.clone()))]);
            with(table, set)?
        }
        Some(text) => {
            let wrong = |error: FormError| {
                Failure::input(format!("error: {}", error.of_file(lab).render()))
            };
            // Its places are lost in a table, so it is read by itself first.
            let file: LabFile = read_toml(text).map_err(wrong)?;
            if set.is_empty() && !is_replaced {
                file
            } else {
                let mut table: Table = read_toml(text).map_err(wrong)?;
                let is_policy = |key: &str| POLICY.contains(&key) || key == parameters::TABLE;
                table.retain(|key, _| !is_replaced || !is_policy(key));
                with(table, set)?
            }
        }
    };
    // Which might as well be meant for keys of the file.
    let bare = set.iter().map(|(key, _)| key.as_str());
    let bare: Vec<&str> =
        bare.filter(|key| is_parameter(key) && *key == parameters::of(key)).collect();
    file.lab(beside, catalogue, &bare).map_err(|failure| said_of(source, failure))
}

/// Where the files are that a lab names: beside its own.
pub(super) fn beside(lab: &str) -> impl Fn(&Path) -> PathBuf + use<> {
    let folder = if is_shape(lab) { None } else { Path::new(lab).parent().map(Path::to_owned) };
    move |path| folder.as_ref().map_or_else(|| path.to_owned(), |folder| folder.join(path))
}

/// The keys of a file; those of its tables are `link.KEY` and `parameters.KEY`, of which the second
/// may be said without the table's name.
pub(super) const KEYS: [&str; 12] = [
    "topology",
    "forwarding",
    "switch",
    "buffer",
    "mark",
    "tree",
    "rank",
    "class",
    "classes",
    "mtu",
    "card_buffer",
    "memory",
];

/// The tables whose keys are no parameters of a switch.
const TABLES: [&str; 2] = ["link", "ports"];

/// The lab of a table, once some of its keys are set.
fn with(mut table: Table, set: &[(String, String)]) -> Result<LabFile, Failure> {
    for (place, (key, value)) in set.iter().enumerate() {
        let refuse =
            |problem: String| Failure::input(format!("error: --set {key}={value}: {problem}"));
        if set[..place].iter().any(|(other, _)| other == key) {
            return Err(refuse("it is set twice; give one value".to_owned()));
        }
        let number = value.parse().map(Value::Integer);
        let number = number.or_else(|_| value.parse().map(Value::Float));
        let value = number.unwrap_or_else(|_| Value::String(value.clone()));
        let group = TABLES
            .iter()
            .find_map(|name| Some((*name, key.strip_prefix(name)?.strip_prefix('.')?)));
        if let Some((group, key)) = group {
            let group = table.entry(group).or_insert_with(|| Value::Table(Table::new()));
            group.as_table_mut().map(|group| group.insert(key.to_owned(), value));
        } else if KEYS.contains(&key.as_str()) {
            table.insert(key.clone(), value);
        } else {
            let own = parameters::of(key);
            parameters::put(&mut table, own, value).map_err(refuse)?;
        }
        // Read after each, so that it is known which cannot be.
        LabFile::deserialize(table.clone()).map_err(|error| {
            let text = error.to_string();
            refuse(text.lines().next().unwrap_or_default().to_owned())
        })?;
    }
    table.try_into().map_err(|error: toml::de::Error| {
        Failure::input(format!("error: {}", error.to_string().trim_end()))
    })
}

/// What was said of an option, said of the `--set` that gave its value, or else of the lab's file.
pub(super) fn said_of(source: &Source, failure: Failure) -> Failure {
    let Some((option, problem)) = failure.about() else { return failure };
    let is_named = |key: &str| key == option || parameters::is_named(key, option);
    let message = match source.set.iter().rfind(|(key, _)| is_named(key)) {
        Some((key, value)) => format!("error: --set {key}={value}: {problem}"),
        // A lab that is a topology has said which by its name.
        None if source.text.is_none() && option == "topology" => format!("error: {problem}"),
        None => format!("error: {}: {option}: {problem}", source.lab),
    };
    Failure::new(message, failure.code)
}

/// Whether `--set` with this key sets a parameter of a switch.
pub(super) fn is_parameter(key: &str) -> bool {
    !KEYS.contains(&key) && !is_in_table(key)
}

/// Whether a key is one of a table that has nothing to do with the policy.
pub(super) fn is_in_table(key: &str) -> bool {
    key.split_once('.').is_some_and(|(table, _)| TABLES.contains(&table))
}

/// Gives a lab another policy. With `switch`, nothing of its own policy stays.
pub(super) fn replace_policy(source: &mut Source, policy: &[(String, String)]) {
    let is_whole = policy.iter().any(|(key, _)| key == "switch");
    if is_whole {
        source.set.retain(|(key, _)| !POLICY.contains(&key.as_str()) && !is_parameter(key));
        source.is_replaced = true;
    }
    // Of what is said twice, the last counts.
    source.set.retain(|(key, _)| policy.iter().all(|(new, _)| new != key));
    source.set.extend_from_slice(policy);
}

impl LabFile {
    fn lab(
        self,
        beside: impl Fn(&Path) -> PathBuf,
        catalogue: &Catalogue,
        bare: &[&str],
    ) -> Result<Lab, Failure> {
        let wrong = |key: &str, problem: &dyn std::fmt::Display| wrong(key, problem);
        let graph = graph(&self.topology, &beside, self.ports.is_empty())?;
        let ports = ports(&self.ports, &graph)?;
        let topology = (!is_shape(&self.topology)).then(|| PathBuf::from(&self.topology));
        let named = topology.into_iter().chain(self.tree.clone());
        let files = named.map(|named| (named.clone(), beside(&named))).collect();
        let name = self.switch.clone();
        let Within(mtu) = self.mtu;
        let switches = SwitchArguments {
            switch: self.switch,
            tree: self.tree.as_deref().map(&beside),
            buffer: self.buffer.map(|Text(size)| size),
            mark: self.mark.map(|Text(size)| size),
        };
        let classes = self.classes.map(|Within(classes)| classes as u16);
        let rules = RuleArguments { rank: self.rank, class: self.class, classes };
        let mut others = BTreeMap::new();
        let set = |switch: SwitchConfig| {
            let parameters = Parameters { switches: &switches, classes: rules.classes, bare };
            let (switch, own) = parameters.set(switch, &self.parameters, graph.switches)?;
            others = own;
            Ok(switch)
        };
        let Ordered { switch, rules, note } = ordered_with(&switches, &rules, catalogue, set)?;
        let mut links =
            [EmulationConfig { mtu, memory: self.memory.0, ..EmulationConfig::default() }];
        let pair = |(key, value): (&String, &Value)| {
            let shown = shown(value);
            let shown = shown.map_err(|problem| wrong(&format!("link.{key}"), &problem))?;
            Ok::<_, Failure>((key.clone(), shown))
        };
        let pairs = self.link.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        settings::set(&mut links, &pairs, DECIDED)
            .map_err(|error| wrong(&format!("link.{}", error.name()), &error.sentence()))?;
        let [link] = links;
        let least = least_memory(mtu);
        if self.memory.0 < least {
            let given = self.memory.0;
            let problem = format!("no full frame fits into {given}: give at least {least}");
            return Err(wrong("memory", &problem));
        }
        let delays = graph.links.iter().map(|link| link.config.delay);
        let delays = delays.chain(ports.iter().map(|port| port.delay));
        let slowest = delays.min().unwrap_or_default();
        if link.jitter > slowest {
            let problem = format!(
                "a frame cannot take less than no time: give at most the shortest delay of the \
                 topology, {slowest}"
            );
            return Err(wrong("link.jitter", &problem));
        }
        let parameters = parameters::names(&self.parameters)?;
        for number in
            (0..graph.switches.max(1)).filter(|number| *number == 0 || others.contains_key(number))
        {
            let switch = others.get(&number).unwrap_or(&switch);
            switch
                .check_packets_of(largest_frame(mtu))
                .map_err(|error| parameters::refused(&parameters, number, switch, &error))?;
        }
        let card = SwitchConfig::named("drop-tail").map_err(|error| wrong("switch", &error))?;
        if self.card_buffer.0.get() < u64::from(largest_frame(mtu)) {
            let problem = format!("it holds no full frame of {} B", largest_frame(mtu));
            return Err(wrong("card_buffer", &problem));
        }
        let mode = match self.forwarding {
            None => Mode::of(&graph),
            Some(Forwarding::Learning) => Mode::Learning,
            Some(Forwarding::Routes) => Mode::Routes,
        };
        let card = card.with_buffer(self.card_buffer.0);
        let everything = (link.loss >= 1.0)
            .then(|| "every frame is lost on every wire (link.loss = 1)".to_owned());
        let notes = note.into_iter().chain(everything).collect();
        let config = LabConfig { graph, mode, switch, others, ports, rules, card, link };
        let memory = self.memory.0.get();
        Ok(Lab { config, mtu, memory, switch: name, files, notes, parameters })
    }
}

/// A value of a file as `--set` would write it.
///
/// # Errors
/// It is no single value.
pub(super) fn shown(value: &Value) -> Result<String, &'static str> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(is_true) => Ok(is_true.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            Err("give a number, or a text in quotes")
        }
    }
}

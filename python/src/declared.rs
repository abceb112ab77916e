//! What keyword arguments the package takes, and of which type each is: read from the declarations
//! of the parameters, for the stubs.

use std::collections::BTreeMap;

use forebay_buffer::onchip::{ChipConfig, MemoryConfig, QueueConfig};
use forebay_net_run::HostConfig;
use forebay_parameters::{Configure, Kind, Parameter, listed_all};
use forebay_scenarios::Policies;
use pyo3::prelude::*;

use crate::engine::memory;
use crate::parameters::PAIRS;
use crate::settings::argument;

/// Arguments by name, with their types as texts of Python.
type Types = BTreeMap<String, String>;

/// A dictionary's name, a sentence about it, and its entries with their types.
type Dictionary = (&'static str, &'static str, Vec<(String, String)>);

/// What has no parameter of its own and is read by whoever takes it.
const RANK: (&str, &str) = ("rank", "Rank");
const TREE: (&str, &str) = ("tree", "str");
const LINK_RATE: (&str, &str) = ("link_rate", "Rate");
const SECRET: (&str, &str) = ("secret", "SupportsIndex");
const HBM: (&str, &str) = ("hbm", "Stack");
const PFC: (&str, &str) = ("pfc", "FlowControl");
const CREDITS: (&str, &str) = ("credits", "Credits");
const QUEUES: (&str, &str) = ("queues", "Sequence[OwnQueue]");
const MEMORY: (&str, &str) = ("memory", "Memories");

/// What each dictionary of keyword arguments may hold, in an order in which each is known before
/// another names it: its name, a sentence, and its entries.
#[pyfunction]
pub(crate) fn parameter_types() -> Vec<Dictionary> {
    let policies = Policies::default();
    let catalogue = &policies.switches;
    let mut schedulers = all(catalogue.schedulers().iter().cloned());
    schedulers.extend([TREE, LINK_RATE].map(owned));
    let ports = all(catalogue.port_schedulers().iter().cloned());
    let mut jobs = all(policies.jobs.iter().cloned());
    jobs.extend([SECRET].map(owned));
    let mut buffers = all(catalogue.on_chip().iter().cloned());
    buffers.extend(all([ChipConfig::default()]));
    buffers.extend([QUEUES].map(owned));
    let mut memories = all([MemoryConfig::default()]);
    memories.remove("cell");
    let mut network = Types::new();
    let mut stack = Types::new();
    let mut flow_control = Types::new();
    let mut credits = Types::new();
    for info in catalogue.switches().iter() {
        for one in listed_all(&mut info.config.clone()) {
            let name = &*one.parameter.name;
            let of = type_of(&one.parameter);
            match (info.config.option(name), name.split_once('.')) {
                ("buffer" | "mark" | "largest_packet", _) => {}
                (_, Some(("hbm", word))) => drop(stack.insert(word.to_owned(), of)),
                (_, Some(("pfc", word))) => drop(flow_control.insert(word.to_owned(), of)),
                (_, Some(("credits", word))) => drop(credits.insert(word.to_owned(), of)),
                // As the rank function's own, which `rank` gives with it.
                (_, Some(("rank", _))) => {}
                _ => drop(network.insert(argument(name).to_owned(), of)),
            }
        }
    }
    network.extend([HBM, PFC, CREDITS].map(owned));
    let hosts = all([HostConfig::default()]);
    let size = || type_of_kind(&Kind::Bytes);
    let mut switches = network.clone();
    switches.remove("ranked_queue"); // it is exact, unless there are `rank_bits`
    switches.extend([RANK, TREE, QUEUES, MEMORY].map(owned));
    switches.extend(["buffer", "mark", "largest_packet"].map(|name| (name.to_owned(), size())));
    let mut replayed = network.clone();
    replayed.remove("classes"); // an argument of its own
    let mut run = network;
    run.remove("flows"); // what is sent
    run.extend(hosts);
    let list = |types: Types| types.into_iter().collect();
    vec![
        ("SchedulerParameters", "Parameters of schedulers; each takes its own.", list(schedulers)),
        (
            "PortSchedulerParameters",
            "Parameters of port schedulers; each takes its own.",
            list(ports),
        ),
        ("JobParameters", "Parameters of job policies; each takes its own.", list(jobs)),
        ("OwnQueue", "What a queue has of its own.", list(all([QueueConfig::default()]))),
        ("Memories", "The clock and widths of an on-chip buffer's memories.", list(memories)),
        ("BufferParameters", "Parameters of the chip and of its policy.", list(buffers)),
        ("Stack", "An HBM stack and its controllers.", list(stack)),
        ("FlowControl", "Flow control of lossless classes.", list(flow_control)),
        ("Credits", "What senders of lossless classes are granted.", list(credits)),
        ("HbmParameters", "What `Hbm` takes.", list(all([memory::config()]))),
        ("SwitchParameters", "Parameters of switches; each takes its own.", list(switches)),
        (
            "ReplayParameters",
            "Parameters of switches in a replay; each takes its own.",
            list(replayed),
        ),
        (
            "NetRunParameters",
            "Parameters of hosts, and of switches, of which each takes its own.",
            list(run),
        ),
    ]
}

fn owned((name, of): (&str, &str)) -> (String, String) {
    (name.to_owned(), of.to_owned())
}

/// The parameters of several configurations.
fn all<C: Configure>(configs: impl IntoIterator<Item = C>) -> Types {
    let shown = configs.into_iter().flat_map(|mut config| listed_all(&mut config));
    shown.map(|one| (one.parameter.name.to_string(), type_of(&one.parameter))).collect()
}

/// The type of what a parameter takes.
fn type_of(parameter: &Parameter) -> String {
    match PAIRS.iter().any(|pair| pair.0 == parameter.word()) {
        false => type_of_kind(&parameter.kind),
        true => match parameter.kind {
            Kind::List(_) => "Sequence[str | tuple[Any, Any]] | str".to_owned(),
            Kind::Rate
            | Kind::Bytes
            | Kind::Duration
            | Kind::Float { .. }
            | Kind::Int { .. }
            | Kind::Bool
            | Kind::Choice(_)
            | Kind::Text
            | Kind::Path => "str | tuple[Any, Any]".to_owned(),
        },
    }
}

fn type_of_kind(kind: &Kind) -> String {
    match kind {
        Kind::Rate => "Rate".to_owned(),
        Kind::Bytes => "Size".to_owned(),
        Kind::Duration => "Time".to_owned(),
        Kind::Float { .. } => "float".to_owned(),
        Kind::Int { .. } => "SupportsIndex".to_owned(),
        Kind::Bool => "bool".to_owned(),
        Kind::Choice(words) => format!("Literal[\"{}\"]", words.join("\", \"")),
        Kind::Text | Kind::Path => "str".to_owned(),
        Kind::List(of) => format!("Sequence[{}]", type_of_kind(of)),
    }
}

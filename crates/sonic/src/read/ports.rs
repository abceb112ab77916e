//! Ports: their speed, cable, flow control and schedulers (PORT, CABLE_LENGTH, PORT_QOS_MAP, QUEUE,
//! SCHEDULER), and the packet size of lossless traffic.

use std::collections::BTreeMap;

use forebay_units::{Bytes, Rate};

use super::fields::{Entry, Reader, referred, texts};
use super::keys::{self, natural};
use super::maps;
use crate::config::{Config, Port, Service};
use crate::document::Node;
use crate::error::{SonicError, clipped};

/// The highest egress queue (sonic-buffer-queue, leaf `qindex`).
pub(super) const LAST_QUEUE: u8 = 15;
/// The longest plausible cable, in metres.
const LONGEST_CABLE: u32 = 300_000;
/// The most ports: those of a large modular switch.
const PORTS: usize = 1 << 12;

/// Reads every port named by the PORT table or, without one, by any other table.
pub(super) fn read(reader: &mut Reader<'_>, config: &mut Config) {
    let mut ports: BTreeMap<String, Port> = BTreeMap::new();
    for (name, speed) in speeds(reader, "PORT") {
        let name = name.to_owned();
        ports.insert(name.clone(), Port { name, speed, ..Port::default() });
    }
    let of_chassis = speeds(reader, "SYSTEM_PORT");
    let given = (!ports.is_empty(), !of_chassis.is_empty());
    for name in named(reader) {
        let port = Port { name, ..Port::default() };
        let (given, speed) = match port.name.rsplit_once('|') {
            None => (given.0, None),
            Some((_, local)) => {
                let local = ports.get(local).and_then(|port| port.speed);
                let speed = of_chassis.get(port.name.as_str());
                (given.1 && speed.is_none(), speed.copied().flatten().or(local))
            }
        };
        if !given {
            ports.insert(port.name.clone(), Port { speed, ..port });
        }
    }
    if ports.len() > PORTS {
        reader.wrong(SonicError::TooMany { path: "PORT".into(), limit: PORTS });
        return;
    }
    config.ports = ports.into_values().collect();
    config.ports.sort_by(|a, b| natural(&a.name, &b.name));
    cables(reader, config);
    flow_control(reader, config);
    services(reader, config);
    for entry in reader.entries("LOSSLESS_TRAFFIC_PATTERN", &["mtu"]) {
        let words = ("a packet size from 64 to 16384", "\"1024\"");
        let mtu = reader.number(&entry, "mtu", (64, 16_384), words);
        config.mtu = mtu.and_then(|bytes| u64::try_from(bytes).ok()).map(Bytes::new).or(config.mtu);
    }
}

/// The speeds of a table of ports.
fn speeds<'a>(reader: &mut Reader<'a>, table: &'static str) -> BTreeMap<&'a str, Option<Rate>> {
    let words = ("a speed in Mb/s from 1 to 10000000", "\"100000\"");
    let mut speeds = BTreeMap::new();
    for entry in reader.entries(table, &["speed"]) {
        let mbps = reader.number(&entry, "speed", (1, 10_000_000), words);
        let rate = mbps.and_then(|mbps| u64::try_from(mbps).ok());
        speeds.insert(entry.key, rate.map(|mbps| Rate::from_bps(mbps * 1_000_000)));
    }
    speeds
}

/// The ports that buffer tables name.
fn named(reader: &mut Reader<'_>) -> Vec<String> {
    let before = reader.errors.len();
    let mut names = Vec::new();
    let tables = [("BUFFER_PG", 7), ("BUFFER_QUEUE", LAST_QUEUE), ("QUEUE", LAST_QUEUE)];
    for (table, most) in tables {
        for entry in reader.entries(table, &[]) {
            if let Some(Ok(key)) = keys::member(entry.key, most) {
                names.extend(key.ports.iter().map(|port| (*port).to_owned()));
            }
        }
    }
    names.sort();
    names.dedup();
    // The entries are read again with the members; their errors are reported there.
    reader.errors.truncate(before);
    names
}

/// Indices of the ports in the first part of a key; unknown ones are errors.
pub(super) fn indices(
    reader: &mut Reader<'_>,
    config: &Config,
    entry: &Entry<'_>,
    ports: &[&str],
) -> Vec<usize> {
    let mut found = Vec::new();
    for name in ports {
        match config.ports.binary_search_by(|port| natural(&port.name, name)) {
            Ok(index) => found.push(index),
            Err(_) => {
                let names = config.ports.iter().map(|port| port.name.as_str());
                reader.find(|| entry.path(), "port", name, names);
            }
        }
    }
    found
}

fn cables(reader: &mut Reader<'_>, config: &mut Config) {
    for entry in reader.entries("CABLE_LENGTH", &[]) {
        for (name, node) in entry.fields() {
            let length = match node {
                Node::Text(text) => {
                    text.trim().strip_suffix('m').unwrap_or(text).trim().parse::<u32>().ok()
                }
                Node::List(_) | Node::Object(_) | Node::Other(_) => None,
            };
            let Some(metres) = length.filter(|metres| *metres <= LONGEST_CABLE) else {
                reader.wrong(SonicError::Value {
                    path: entry.at(&clipped(name)),
                    found: node.describe().trim_matches('`').to_owned(),
                    expected: "a length in metres from 0m to 300000m",
                    example: "\"40m\"",
                });
                continue;
            };
            // The cable of a missing port says nothing about buffers.
            if let Ok(port) = config.ports.binary_search_by(|port| natural(&port.name, name)) {
                config.ports[port].cable_metres = Some(metres);
            }
        }
    }
}

fn flow_control(reader: &mut Reader<'_>, config: &mut Config) {
    let known: Vec<&str> = maps::fields().chain(["pfc_enable"]).collect();
    let mut entries = reader.entries("PORT_QOS_MAP", &known);
    entries.retain(|entry| entry.key != "global");
    maps::read(reader, config, &entries);
    for entry in &entries {
        let Some(text) = reader.text(entry, "pfc_enable") else { continue };
        let priorities = if text.is_empty() { Some(Vec::new()) } else { keys::range_list(text, 7) };
        let Some(priorities) = priorities else {
            reader.wrong(SonicError::Value {
                path: entry.at("pfc_enable"),
                found: clipped(text),
                expected: "a list of priorities from 0 to 7",
                example: "\"3,4\"",
            });
            continue;
        };
        let mask = priorities.iter().fold(0u8, |mask, priority| mask | 1 << priority);
        let ports: Vec<&str> = entry.key.split(',').map(str::trim).collect();
        for port in indices(reader, config, entry, &ports) {
            config.ports[port].pfc = Some(mask);
        }
    }
}

fn services(reader: &mut Reader<'_>, config: &mut Config) {
    let mut schedulers: BTreeMap<&str, Service> = BTreeMap::new();
    for entry in reader.entries("SCHEDULER", &["type", "weight"]) {
        let Some(discipline) = reader.text(&entry, "type") else { continue };
        let discipline = clipped(discipline);
        let words = ("a weight from 1 to 100", "\"15\"");
        let weight = reader.number(&entry, "weight", (1, 100), words);
        let weight = weight.and_then(|weight| u32::try_from(weight).ok());
        schedulers.insert(entry.key, Service { discipline, weight });
    }
    for entry in reader.entries("QUEUE", &["scheduler", "wred_profile"]) {
        if reader.full() {
            return;
        }
        let service = reader.text(&entry, "scheduler").and_then(|name| {
            let name = referred(name, "SCHEDULER");
            if !schedulers.contains_key(name) {
                let names = schedulers.keys().copied();
                reader.find(|| entry.at("scheduler"), "scheduler", name, names);
            }
            schedulers.get(name)
        });
        let wred = reader.text(&entry, "wred_profile").and_then(|name| {
            let names = config.wreds.iter().map(|wred| wred.name.as_str());
            let name = referred(name, "WRED_PROFILE");
            // A part of a configuration may leave the whole table out.
            if config.wreds.is_empty() && !reader.has("WRED_PROFILE") {
                let missing = "QUEUE.wred_profile (there is no table WRED_PROFILE)";
                reader.stranger(missing.to_owned());
                return None;
            }
            reader.find(|| entry.at("wred_profile"), "WRED profile", name, names)
        });
        if service.is_none() && wred.is_none() {
            continue;
        }
        let Some(Ok(key)) = keys::member(entry.key, LAST_QUEUE) else {
            reader.stranger(format!("QUEUE|{}", clipped(entry.key)));
            continue;
        };
        for port in indices(reader, config, &entry, &key.ports) {
            let port = &mut config.ports[port];
            for index in &key.indices {
                port.service.extend(service.map(|service| (*index, service.clone())));
                port.wred.extend(wred.map(|wred| (*index, wred)));
            }
        }
    }
}

/// Reads the ports of a profile list's key and the names in it.
pub(super) fn listed<'e>(
    reader: &mut Reader<'_>,
    entry: &'e Entry<'_>,
) -> (Vec<&'e str>, Vec<&'e str>) {
    const FIELD: &str = "profile_list";
    reader.missing(entry, FIELD, "name profiles of BUFFER_PROFILE");
    let ports = entry.key.split(',').map(str::trim).filter(|port| !port.is_empty()).collect();
    let Some((_, node)) = entry.fields().find(|(name, _)| *name == FIELD) else {
        return (ports, Vec::new());
    };
    let scalar = |node: &Node| matches!(node, Node::Text(_));
    let readable = match node {
        Node::List(nodes) => nodes.iter().all(scalar),
        node => scalar(node),
    };
    if !readable {
        reader.shape(entry.at(FIELD), node, "a text or a list of texts");
        return (ports, Vec::new());
    }
    (ports, texts(node).into_iter().map(|name| referred(name, "BUFFER_PROFILE")).collect())
}

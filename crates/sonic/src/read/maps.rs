//! Which queue, priority group and priority a packet gets (PORT_QOS_MAP and the maps it names).

use std::collections::BTreeMap;

use super::fields::{Entry, Reader, referred};
use super::ports::{LAST_QUEUE, indices};
use crate::config::{Classes, Config};
use crate::document::Node;
use crate::error::{SonicError, clipped};

/// A map of PORT_QOS_MAP: the field that names it, its table, and the largest key and value.
struct Map {
    field: &'static str,
    table: &'static str,
    most: (u8, u8),
    put: fn(&mut Classes, &BTreeMap<u8, u8>),
}

/// The highest DSCP, traffic class, priority and priority group.
const DSCP: u8 = 63;
const CLASS: u8 = 7;

const MAPS: [Map; 4] = [
    Map {
        field: "dscp_to_tc_map",
        table: "DSCP_TO_TC_MAP",
        most: (DSCP, CLASS),
        put: |classes, map| classes.of_dscp = Some(map.clone()),
    },
    Map {
        field: "tc_to_queue_map",
        table: "TC_TO_QUEUE_MAP",
        most: (CLASS, LAST_QUEUE),
        put: |classes, map| classes.queue = map.clone(),
    },
    Map {
        field: "tc_to_pg_map",
        table: "TC_TO_PRIORITY_GROUP_MAP",
        most: (CLASS, CLASS),
        put: |classes, map| classes.group = map.clone(),
    },
    Map {
        field: "pfc_to_pg_map",
        table: "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
        most: (CLASS, CLASS),
        put: |classes, map| classes.group_of_priority = map.clone(),
    },
];

/// The fields of PORT_QOS_MAP that name maps which are read.
pub(super) fn fields() -> impl Iterator<Item = &'static str> {
    MAPS.iter().map(|map| map.field)
}

/// Reads what the ports' maps say.
pub(super) fn read(reader: &mut Reader<'_>, config: &mut Config, entries: &[Entry<'_>]) {
    for map in MAPS {
        let maps = tables(reader, &map);
        for entry in entries {
            let Some(name) = reader.text(entry, map.field) else { continue };
            let name = referred(name, map.table);
            // A part of a configuration may leave the whole table out.
            if !reader.has(map.table) {
                let (field, table) = (map.field, map.table);
                reader.stranger(format!("PORT_QOS_MAP.{field} (there is no table {table})"));
                continue;
            }
            let Some(found) = maps.get(name) else {
                let names = maps.keys().map(String::as_str);
                reader.find(|| entry.at(map.field), "map", name, names);
                continue;
            };
            let ports: Vec<&str> = entry.key.split(',').map(str::trim).collect();
            for port in indices(reader, config, entry, &ports) {
                (map.put)(&mut config.ports[port].classes, found);
            }
        }
    }
}

/// The maps of a table by name. Keys and values that no such map can have are errors.
fn tables(reader: &mut Reader<'_>, map: &Map) -> BTreeMap<String, BTreeMap<u8, u8>> {
    let mut all = BTreeMap::new();
    for entry in reader.entries(map.table, &[]) {
        let mut read = BTreeMap::new();
        for (key, node) in entry.fields() {
            let number = |text: &str, most| {
                let number = text.trim().parse::<u8>().ok();
                number.filter(|number| *number <= most)
            };
            let value = match node {
                Node::Text(text) => number(text, map.most.1),
                Node::List(_) | Node::Object(_) | Node::Other(_) => None,
            };
            let (Some(from), Some(to)) = (number(key, map.most.0), value) else {
                reader.wrong(SonicError::Value {
                    path: entry.at(&clipped(key)),
                    found: node.describe().trim_matches('`').to_owned(),
                    expected: "a number of this map, or its key is none",
                    example: "\"3\": \"3\"",
                });
                continue;
            };
            read.insert(from, to);
        }
        all.insert(entry.key.to_owned(), read);
    }
    all
}

//! Priority groups, queues and per-port limits (BUFFER_PG, BUFFER_QUEUE,
//! BUFFER_PORT_…_PROFILE_LIST).

use std::collections::BTreeSet;

use super::buffers::{ComputedSizes, null_profile};
use super::fields::{Entry, Reader, referred};
use super::keys;
use super::ports::{LAST_QUEUE, indices, listed};
use crate::config::{Config, Kind, MEMBERS, Member, PortLimit};
use crate::error::{SonicError, clipped};

/// The highest priority group: a port has eight (802.1Qbb).
const LAST_GROUP: u8 = 7;

/// Reads every member, sorted by profile, kind, port and index.
pub(super) fn read(reader: &mut Reader<'_>, config: &mut Config, computed: ComputedSizes) {
    let tables =
        [("BUFFER_PG", Kind::PriorityGroup, LAST_GROUP), ("BUFFER_QUEUE", Kind::Queue, LAST_QUEUE)];
    let mut unread = Vec::new();
    for (table, kind, most) in tables {
        let mut seen = BTreeSet::new();
        for entry in reader.entries(table, &["profile"]) {
            if reader.full() {
                return;
            }
            let Some(profile) = profile(reader, config, &entry, computed) else { continue };
            let Some((ports, indices)) = places(reader, config, &entry, most, &mut unread) else {
                continue;
            };
            for port in ports {
                for index in &indices {
                    if reader.full() {
                        return;
                    }
                    if !seen.insert((port, *index)) {
                        let what = format!("{} {index} of {}", word(kind), config.ports[port].name);
                        reader.wrong(SonicError::Twice { path: entry.path(), what });
                    } else if config.members.len() < MEMBERS {
                        config.members.push(Member { profile, kind, port, index: *index });
                    } else {
                        reader.wrong(SonicError::TooMany { path: entry.path(), limit: MEMBERS });
                        return;
                    }
                }
            }
        }
    }
    config.unread = unread;
    config.members.sort();
    port_limits(reader, config);
}

/// The name of a kind.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::PriorityGroup => "priority group",
        Kind::Queue => "queue",
    }
}

fn profile(
    reader: &mut Reader<'_>,
    config: &mut Config,
    entry: &Entry<'_>,
    computed: ComputedSizes,
) -> Option<usize> {
    reader.missing(entry, "profile", "name a profile of BUFFER_PROFILE");
    let name = referred(reader.text(entry, "profile")?, "BUFFER_PROFILE");
    if name == "NULL" {
        return null_profile(reader, config, entry, computed);
    }
    let names = config.profiles.iter().map(|profile| profile.name.as_str());
    reader.find(|| entry.at("profile"), "profile", name, names)
}

fn places(
    reader: &mut Reader<'_>,
    config: &Config,
    entry: &Entry<'_>,
    most: u8,
    unread: &mut Vec<String>,
) -> Option<(Vec<usize>, Vec<u8>)> {
    match keys::member(entry.key, most) {
        Some(Ok(key)) => Some((indices(reader, config, entry, &key.ports), key.indices)),
        Some(Err(found)) => {
            let expected = match most {
                LAST_GROUP => "an index from 0 to 7, or a range of them",
                _ => "an index from 0 to 15, or a range of them",
            };
            let (path, found) = (entry.path(), clipped(found));
            reader.wrong(SonicError::Value { path, found, expected, example: "\"Ethernet0|3-4\"" });
            None
        }
        None => {
            unread.push(entry.path());
            None
        }
    }
}

fn port_limits(reader: &mut Reader<'_>, config: &mut Config) {
    for table in ["BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"] {
        for entry in reader.entries(table, &["profile_list"]) {
            // The reservations of a port's profile count; its thresholds are not applied to the
            // port.
            reader.stranger(format!("{table} thresholds"));
            let (ports, names) = listed(reader, &entry);
            let ports = indices(reader, config, &entry, &ports);
            for name in names {
                let all = config.profiles.iter().map(|profile| profile.name.as_str());
                let path = || entry.at("profile_list");
                let Some(profile) = reader.find(path, "profile", name, all) else { continue };
                let limits = ports.iter().map(|port| PortLimit { port: *port, profile });
                config
                    .port_limits
                    .extend(limits.take(MEMBERS - config.port_limits.len().min(MEMBERS)));
            }
        }
    }
}

//! Reads a `config_db.json` into a [`Config`]: one file per group of tables, in the order in which
//! they refer to each other. All errors are collected; a configuration is returned only if there
//! are none.

mod buffers;
mod fields;
mod keys;
mod maps;
mod members;
mod ports;
mod wred;

use crate::config::Config;
use crate::document::Document;
use crate::error::{SonicError, SonicErrors, clipped};
use fields::Reader;

/// The tables that are modelled.
pub const TABLES: &[&str] = &[
    "BUFFER_POOL",
    "BUFFER_PROFILE",
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
    "PORT",
    "SYSTEM_PORT",
    "CABLE_LENGTH",
    "PORT_QOS_MAP",
    "DSCP_TO_TC_MAP",
    "TC_TO_QUEUE_MAP",
    "TC_TO_PRIORITY_GROUP_MAP",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "QUEUE",
    "SCHEDULER",
    "WRED_PROFILE",
    "LOSSLESS_TRAFFIC_PATTERN",
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
    "DEVICE_METADATA",
];

/// Reads a configuration. Any bytes are allowed; work and memory are bounded by
/// [`crate::document::LARGEST`] and [`crate::config::MEMBERS`].
///
/// ```
/// let errors = forebay_sonic::parse(br#"{"BUFFER_PROFILE": {"lossy": {"pool": "p", "size": "0"}}}"#).unwrap_err();
/// assert!(errors.to_string().starts_with("BUFFER_PROFILE|lossy.pool: there is no pool `p`"), "{errors}");
/// ```
///
/// # Errors
/// Every error of the file, each with its place.
pub fn parse(file: &[u8]) -> Result<Config, SonicErrors> {
    let document = Document::parse(file, |name| TABLES.contains(&name))
        .map_err(|error| SonicErrors(vec![error]))?;
    let mut reader = Reader::new(&document);
    let mut config = Config::default();
    wred::read(&mut reader, &mut config);
    ports::read(&mut reader, &mut config);
    let computed_sizes = buffers::read(&mut reader, &mut config);
    members::read(&mut reader, &mut config, computed_sizes);
    if reader.errors.is_empty() && config.members.is_empty() {
        reader.errors.push(no_members(&document));
    }
    config.unmodelled = reader.unmodelled();
    if reader.errors.is_empty() { Ok(config) } else { Err(SonicErrors(reader.errors)) }
}

/// Why there is nothing to explain.
fn no_members(document: &Document) -> SonicError {
    const MEMBERS: [&str; 2] = ["BUFFER_PG", "BUFFER_QUEUE"];
    let path = MEMBERS.join(", ");
    let fix = "give at least one priority group or queue; otherwise nothing shares a pool";
    let others = || document.others.iter().map(String::as_str);
    if let Some(key) = others().find(|name| MEMBERS.iter().any(|table| is_key_of(name, table))) {
        let problem = "a key stands where the name of a table belongs, as in dumps of a database";
        let fix = "give a config_db.json, as `sonic-cfggen -d --print-data` prints it";
        return SonicError::Conflict { path: clipped(key), problem, fix };
    }
    let of_asic = |name: &&str| *name == "localhost" || name.starts_with("asic");
    if let Some(asic) = others().find(of_asic) {
        let problem = "the file has a configuration for each ASIC";
        let fix = "give that of one of them as a file of its own";
        return SonicError::Conflict { path: clipped(asic), problem, fix };
    }
    match document.tables.iter().any(|(name, _)| MEMBERS.contains(&name.as_str())) {
        true => SonicError::Conflict { path, problem: "there are no entries", fix },
        false => SonicError::Missing { path, fix },
    }
}

/// Whether this is `table|key` or `table:key`, as dumps of a database have it.
fn is_key_of(name: &str, table: &str) -> bool {
    name.strip_prefix(table).is_some_and(|rest| rest.starts_with(['|', ':']))
}

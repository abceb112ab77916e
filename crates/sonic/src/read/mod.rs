//! Reads a `config_db.json` into a [`Config`]: one file per group of tables, in the order in which
//! they refer to each other. All errors are collected; a configuration is returned only if there
//! are none.

mod buffers;
mod fields;
mod keys;
mod members;
mod ports;
mod wred;

use crate::config::Config;
use crate::document::Document;
use crate::error::{SonicError, SonicErrors};
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
        reader.errors.push(SonicError::Missing {
            path: "BUFFER_PG, BUFFER_QUEUE".into(),
            fix: "give at least one priority group or queue; otherwise nothing shares a pool",
        });
    }
    config.unmodelled = reader.unmodelled();
    if reader.errors.is_empty() { Ok(config) } else { Err(SonicErrors(reader.errors)) }
}

//! Pools and profiles (BUFFER_POOL, BUFFER_PROFILE).

use forebay_units::Bytes;

use super::fields::{Entry, Reader, referred};
use crate::config::{AlphaExponent, Config, Direction, Headroom, Mode, Pool, Profile, Threshold};
use crate::error::SonicError;

const DIRECTIONS: &[(&str, Direction)] =
    &[("ingress", Direction::Ingress), ("egress", Direction::Egress), ("both", Direction::Both)];
const MODES: &[(&str, Mode)] = &[("dynamic", Mode::Dynamic), ("static", Mode::Static)];

/// The most pools, and the most profiles: far more than a switch chip has.
const POOLS: usize = 64;
const PROFILES: usize = 1024;

/// The pool for headroom that is computed at run time, unless the profile says otherwise.
const LOSSLESS_POOL: &str = "ingress_lossless_pool";

/// Whether the switch computes buffer sizes itself (DEVICE_METADATA, `buffer_model`).
#[derive(Clone, Copy)]
pub(super) struct ComputedSizes(bool);

/// Reads the pools, then the profiles that refer to them.
pub(super) fn read(reader: &mut Reader<'_>, config: &mut Config) -> ComputedSizes {
    let mut dynamic_model = false;
    for entry in reader.entries("DEVICE_METADATA", &["buffer_model"]) {
        let models = [("dynamic", true), ("traditional", false)];
        let found = reader.word(&entry, "buffer_model", &models, "dynamic or traditional");
        dynamic_model |= found.unwrap_or(false);
    }
    let computed = ComputedSizes(dynamic_model);
    for entry in reader.entries("BUFFER_POOL", &["type", "mode", "size", "xoff"]) {
        if config.pools.len() >= POOLS {
            reader.wrong(SonicError::TooMany { path: entry.path(), limit: POOLS });
            break;
        }
        if let Some(pool) = pool(reader, &entry, computed) {
            config.pools.push(pool);
        }
    }
    let fields =
        ["pool", "size", "dynamic_th", "static_th", "xoff", "xon", "xon_offset", "headroom_type"];
    for entry in reader.entries("BUFFER_PROFILE", &fields) {
        if config.profiles.len() >= PROFILES {
            reader.wrong(SonicError::TooMany { path: entry.path(), limit: PROFILES });
            break;
        }
        if let Some(profile) = profile(reader, &entry, config) {
            config.profiles.push(profile);
        }
    }
    computed
}

fn pool(reader: &mut Reader<'_>, entry: &Entry<'_>, computed: ComputedSizes) -> Option<Pool> {
    let direction = reader.word(entry, "type", DIRECTIONS, "ingress, egress or both");
    reader.missing(entry, "type", "say whether it counts \"ingress\" or \"egress\"");
    let mode = reader.word(entry, "mode", MODES, "dynamic or static");
    reader.missing(entry, "mode", "say \"dynamic\" (thresholds by alpha) or \"static\" (in bytes)");
    let size = reader.size(entry, "size");
    if !computed.0 {
        reader.missing(
            entry,
            "size",
            "give it in bytes, or set DEVICE_METADATA|localhost.buffer_model to dynamic",
        );
    }
    let shared_headroom = reader.size(entry, "xoff").unwrap_or(Bytes::ZERO);
    let name = entry.key.to_owned();
    Some(Pool { name, direction: direction?, mode: mode?, size, shared_headroom })
}

fn profile(reader: &mut Reader<'_>, entry: &Entry<'_>, config: &Config) -> Option<Profile> {
    let types = [("dynamic", true), ("static", false)];
    let computed =
        reader.word(entry, "headroom_type", &types, "dynamic or static").unwrap_or(false);
    let reserved = reader.size(entry, "size");
    if !computed {
        reader.missing(entry, "size", "give the reserved bytes, \"0\" if there are none");
        reader.missing(entry, "pool", "name a pool of BUFFER_POOL");
    }
    let name = reader.text(entry, "pool").map(|name| referred(name, "BUFFER_POOL"));
    let name = name.or(computed.then_some(LOSSLESS_POOL));
    let names = config.pools.iter().map(|pool| pool.name.as_str());
    let pool = name.and_then(|name| reader.find(|| entry.at("pool"), "pool", name, names));
    let threshold = threshold(reader, entry);
    let headroom = headroom(reader, entry, computed);
    let reserved = if computed { reserved.unwrap_or(Bytes::ZERO) } else { reserved? };
    let (pool, threshold) = (pool?, threshold?);
    // A pool of size 0 is there for ports out of use, whose members shall hold nothing.
    let nothing = config.pools[pool].size == Some(Bytes::ZERO);
    let none = reserved == Bytes::ZERO && threshold == Threshold::Static(Bytes::ZERO);
    if none && !nothing && !computed {
        let problem =
            "it has neither reserved bytes nor a threshold, so its members can hold nothing";
        let fix = "raise `size` or `static_th`";
        reader.wrong(SonicError::Conflict { path: entry.path(), problem, fix });
    }
    Some(Profile { name: entry.key.to_owned(), pool, reserved, threshold, headroom })
}

fn threshold(reader: &mut Reader<'_>, entry: &Entry<'_>) -> Option<Threshold> {
    let alpha = alpha(reader, entry, "dynamic_th");
    let bytes = reader.size(entry, "static_th");
    match (alpha, bytes) {
        (Some(_), Some(_)) => {
            let problem = "`dynamic_th` and `static_th` are both there and exclude each other";
            let fix = "keep the one that suits the pool's mode";
            reader.wrong(SonicError::Conflict { path: entry.path(), problem, fix });
            None
        }
        (Some(alpha), None) => Some(Threshold::Dynamic(alpha)),
        (None, Some(bytes)) => Some(Threshold::Static(bytes)),
        (None, None) => {
            if !entry.fields().any(|(name, _)| name == "dynamic_th" || name == "static_th") {
                let fix = "give `dynamic_th` (an exponent) or `static_th` (bytes)";
                let path = entry.at("dynamic_th");
                reader.wrong(SonicError::Missing { path, fix });
            }
            None
        }
    }
}

fn alpha(reader: &mut Reader<'_>, entry: &Entry<'_>, field: &str) -> Option<AlphaExponent> {
    let range = (i64::from(AlphaExponent::MIN), i64::from(AlphaExponent::MAX));
    let words = ("an exponent of alpha from -8 to 7", "\"0\" for alpha = 1, \"3\" for alpha = 8");
    let exponent = reader.number(entry, field, range, words)?;
    i8::try_from(exponent).ok().and_then(AlphaExponent::new)
}

fn headroom(reader: &mut Reader<'_>, entry: &Entry<'_>, computed: bool) -> Headroom {
    let xoff = reader.size(entry, "xoff");
    let xon = reader.size(entry, "xon").unwrap_or(Bytes::ZERO);
    let xon_offset = reader.size(entry, "xon_offset").unwrap_or(Bytes::ZERO);
    match xoff {
        Some(xoff) => Headroom::Fixed { xoff, xon, xon_offset },
        None if computed => Headroom::Computed,
        None => Headroom::None,
    }
}

/// The index of the profile that stands for `NULL`, which the switch replaces by one that it
/// computes from speed and cable; created when first needed.
pub(super) fn null_profile(
    reader: &mut Reader<'_>,
    config: &mut Config,
    entry: &Entry<'_>,
    computed: ComputedSizes,
) -> Option<usize> {
    const NAME: &str = "NULL";
    if !computed.0 {
        let problem = "a profile `NULL` is meaningful only if buffer_model is dynamic";
        let fix = "name a profile of BUFFER_PROFILE";
        reader.wrong(SonicError::Conflict { path: entry.at("profile"), problem, fix });
        return None;
    }
    if let Some(index) = config.profiles.iter().position(|profile| profile.name == NAME) {
        return Some(index);
    }
    let mut exponent = None;
    for entry in reader.entries("DEFAULT_LOSSLESS_BUFFER_PARAMETER", &["default_dynamic_th"]) {
        exponent = alpha(reader, &entry, "default_dynamic_th");
        reader.missing(&entry, "default_dynamic_th", "give the exponent of alpha, such as \"0\"");
    }
    let Some(alpha) = exponent else {
        let path = "DEFAULT_LOSSLESS_BUFFER_PARAMETER".to_owned();
        let fix = "give its default_dynamic_th, which profiles `NULL` take";
        reader.wrong(SonicError::Missing { path, fix });
        return None;
    };
    let names = config.pools.iter().map(|pool| pool.name.as_str());
    let pool = reader.find(|| entry.at("profile"), "pool", LOSSLESS_POOL, names)?;
    config.profiles.push(Profile {
        name: NAME.to_owned(),
        pool,
        reserved: Bytes::ZERO,
        threshold: Threshold::Dynamic(alpha),
        headroom: Headroom::Computed,
    });
    Some(config.profiles.len() - 1)
}

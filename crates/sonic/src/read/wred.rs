//! Early marking and dropping (WRED_PROFILE).
//!
//! Fields as in sonic-wred-profile: for each colour two thresholds in bytes, a probability in
//! percent (the switch's default of 100 where it is not given) and whether packets are dropped; and
//! which colours ECN marks.

use forebay_units::Bytes;

use super::fields::{Entry, Reader};
use crate::config::{Config, Ramp, Wred};
use crate::error::SonicError;

/// The most profiles: far more than a switch chip has.
const PROFILES: usize = 256;

/// A colour's fields: lower threshold, upper threshold, probability, and whether packets are
/// dropped.
const COLOURS: [[&str; 4]; 3] = [
    ["green_min_threshold", "green_max_threshold", "green_drop_probability", "wred_green_enable"],
    [
        "yellow_min_threshold",
        "yellow_max_threshold",
        "yellow_drop_probability",
        "wred_yellow_enable",
    ],
    ["red_min_threshold", "red_max_threshold", "red_drop_probability", "wred_red_enable"],
];
/// Which colours are marked: green, yellow, red.
const ECN: &[(&str, [bool; 3])] = &[
    ("ecn_none", [false, false, false]),
    ("ecn_green", [true, false, false]),
    ("ecn_yellow", [false, true, false]),
    ("ecn_red", [false, false, true]),
    ("ecn_green_yellow", [true, true, false]),
    ("ecn_green_red", [true, false, true]),
    ("ecn_yellow_red", [false, true, true]),
    ("ecn_all", [true, true, true]),
];

/// Reads every profile.
pub(super) fn read(reader: &mut Reader<'_>, config: &mut Config) {
    let known: Vec<&str> = COLOURS.as_flattened().iter().copied().chain(["ecn"]).collect();
    for entry in reader.entries("WRED_PROFILE", &known) {
        if config.wreds.len() >= PROFILES {
            reader.wrong(SonicError::TooMany { path: entry.path(), limit: PROFILES });
            return;
        }
        let marked = reader.word(&entry, "ecn", ECN, "ecn_none, ecn_all, or ecn_ and colours");
        let marked = marked.unwrap_or_default();
        let mut ramps = [None; 3];
        for ((ramp, fields), ecn) in ramps.iter_mut().zip(COLOURS).zip(marked) {
            *ramp = colour(reader, &entry, fields, ecn);
        }
        config.wreds.push(Wred { name: entry.key.to_owned(), ramps });
    }
}

fn colour(
    reader: &mut Reader<'_>,
    entry: &Entry<'_>,
    [min_field, max_field, probability, enable]: [&str; 4],
    ecn: bool,
) -> Option<Ramp> {
    let min = reader.size(entry, min_field);
    let max = reader.size(entry, max_field);
    let words = ("a probability in percent from 0 to 100", "\"5\"");
    let percent = reader.number(entry, probability, (0, 100), words);
    let drops = reader.word(entry, enable, &[("true", true), ("false", false)], "true or false");
    let (drops, max) = (drops.unwrap_or(false), max?);
    let min = min.unwrap_or(Bytes::ZERO);
    if min > max {
        let problem = "the lower threshold is above the upper one";
        let fix = "swap them, or raise the upper one";
        reader.wrong(SonicError::Conflict { path: entry.at(min_field), problem, fix });
    }
    let percent = percent.and_then(|percent| u8::try_from(percent).ok()).unwrap_or(100);
    (drops || ecn).then_some(Ramp { min, max, percent, ecn, drops })
}

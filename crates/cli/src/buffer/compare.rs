//! `forebay buffer compare`: sends an incast into a configuration's queue, as an experiment.

use std::path::{Path, PathBuf};

use forebay_lab::run::store::{StoreError, writable, write_whole};
use forebay_lab::{ConfigErrors, Experiment, Overrides, ScenarioRegistry};
use forebay_parameters::{Kind, Value, grouped};
use forebay_scenarios::Policies;
use forebay_units::{Bytes, Rate};

use super::arguments::CompareArguments;
use super::compared::Compared;
use super::incast::{Incast, PARTS, Written};
use super::uplinks::SLOWEST;
use super::{load, value};
use crate::terminal::{self, wrapped};
use crate::{Failure, experiment};

/// The largest burst, far above any switch's buffer.
const LARGEST_BURST: Bytes = Bytes::new(10_000_000_000);

/// Builds the experiment, keeps its file beside the results, runs it.
pub(super) fn compare(
    arguments: &CompareArguments,
    policies: &Policies,
    registry: &ScenarioRegistry,
) -> Result<(), Failure> {
    let compared = Compared::read(arguments, policies, registry)?;
    let config = load(&arguments.file)?;
    let (bytes, rate) = (bytes(arguments)?, sender_rate(arguments)?);
    let incast = Incast::new(&config, arguments, compared, bytes, rate)?;
    let written = incast.experiment();
    let out = out(arguments, &incast.place());
    let file = out.join("experiment.toml");
    let experiment = Experiment::read(
        &file.display().to_string(),
        written.text.as_bytes(),
        Path::new("."),
        &Overrides::default(),
        registry,
    )
    .map_err(|errors| refused(&errors, &written))?;
    let mut assumed = "Assumed\n".to_owned();
    for assumption in incast.assumptions() {
        assumed += &wrapped(&format!("- {assumption}"), 100, "  ");
    }
    terminal::print(&assumed)?;
    let unwritten = |error: StoreError| Failure::new(format!("error: {error}"), 1);
    // Before the report, which links to it.
    writable(&out).and_then(|()| write_whole(&file, written.text.as_bytes())).map_err(unwritten)?;
    let stop = experiment::stop_flag();
    experiment::run_one(&experiment, &out, None, &stop, |name| written.option_of(name).to_owned())?;
    terminal::print(&format!("experiment: {}\n", file.display()))
}

/// What is wrong with the experiment, which the user has not written, at the option or the entry of
/// the configuration that says it.
fn refused(errors: &ConfigErrors, written: &Written) -> Failure {
    let lines = errors.0.iter().map(|error| {
        let line = error.position().map(|position| position.line);
        let said_by = line.and_then(|line| written.source_of_line(line));
        let problem = error.problem();
        said_by.map_or_else(
            || format!("error: {problem}"),
            |said_by| format!("error: {said_by}: {problem}"),
        )
    });
    Failure::input(lines.collect::<Vec<_>>().join("\n"))
}

/// The largest burst, if given.
fn bytes(arguments: &CompareArguments) -> Result<Option<Bytes>, Failure> {
    let Some(text) = &arguments.bytes else { return Ok(None) };
    let least = PARTS * u64::from(arguments.packet);
    match value("bytes", text, Kind::Bytes)? {
        Value::Bytes(bytes) if (least..=LARGEST_BURST.get()).contains(&bytes.get()) => {
            Ok(Some(bytes))
        }
        _ => Err(Failure::input(format!(
            "error: --bytes: {text} is out of range; give {} B ({PARTS} packets) to \
             {LARGEST_BURST}",
            grouped(least)
        ))),
    }
}

/// The rate of a sender, if given.
fn sender_rate(arguments: &CompareArguments) -> Result<Option<Rate>, Failure> {
    let Some(text) = &arguments.sender_rate else { return Ok(None) };
    match value("sender-rate", text, Kind::Rate)? {
        Value::Rate(rate) if rate >= SLOWEST => Ok(Some(rate)),
        _ => Err(Failure::input(format!(
            "error: --sender-rate: {text} is too slow; give {SLOWEST} or more"
        ))),
    }
}

/// The results folder.
fn out(arguments: &CompareArguments, place: &str) -> PathBuf {
    if let Some(folder) = &arguments.out {
        return folder.clone();
    }
    let stem = arguments
        .file
        .file_stem()
        .map_or_else(|| "config_db".into(), |stem| stem.to_string_lossy());
    // A port's name may contain anything, even a slash.
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String =
        format!("{stem}-{place}-incast{}", arguments.incast).chars().map(clean).collect();
    Path::new("results").join("buffer").join(name)
}

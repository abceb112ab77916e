//! Traces in files: which format, and how a csv is laid out.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use forebay_cache::readers::{
    Clock, Column, CsvConfig, CsvTrace, OracleGeneral, ReadError, StepTrace, flow_lookups,
};
use forebay_cache::{Request, STEP};
use forebay_lab::{ConfigError, Resolved};
use forebay_units::Bytes;
use forebay_workload::{Capture, CaptureLimits};

use super::trace::{Stream, endless};

/// The formats of files.
pub(super) const RECORDED: [&str; 4] = ["csv", "steps", "oracle-general", "capture"];

/// The requests of the file of a point.
///
/// # Errors
/// If it cannot be opened, or is not laid out as the parameters say.
pub(super) fn recorded(params: &Resolved, kind: &str) -> Result<Stream, ConfigError> {
    let Some(path) = params.path("trace.file")? else {
        let message = format!("a trace of kind {kind} needs a file");
        return Err(params.blame("trace.file", message).fix("give trace.file = \"…\""));
    };
    if kind == "capture" {
        let capture = Capture::open(&path, CaptureLimits::default())
            .map_err(|error| params.blame("trace.file", error.to_string()))?;
        let lookups: Vec<Request> = flow_lookups(&capture, Bytes::new(64)).collect();
        return Ok(endless(lookups.into_iter()));
    }
    let name = path.display().to_string();
    let file = open(params, &path)?;
    let bad = |error: ReadError| params.blame("trace.file", error.to_string());
    let clock = match params.text("clock")? {
        "index" => Clock::Even(STEP),
        _ => Clock::Recorded(params.duration("time_unit")?),
    };
    Ok(match kind {
        "steps" => readable(StepTrace::new(file, &name)),
        "oracle-general" => readable(OracleGeneral::new(file, &name, clock)),
        _ => readable(CsvTrace::new(file, &name, layout(params, clock)?).map_err(bad)?),
    })
}

fn open(params: &Resolved, path: &PathBuf) -> Result<BufReader<File>, ConfigError> {
    File::open(path).map(BufReader::new).map_err(|error| {
        params.blame("trace.file", format!("cannot read {}: {error}", path.display()))
    })
}

/// How a csv is laid out.
fn layout(params: &Resolved, clock: Clock) -> Result<CsvConfig, ConfigError> {
    let timed = matches!(clock, Clock::Recorded(_));
    let column = |name: &str| -> Result<Option<&str>, ConfigError> {
        Ok(Some(params.text(name)?).filter(|text| !text.is_empty()))
    };
    let time = column("time_column")?.filter(|_| timed).map(numbered_or_named);
    let object = numbered_or_named(params.text("object_column")?);
    let size = column("size_column")?.map(numbered_or_named);
    let origin = column("origin_column")?.map(numbered_or_named);
    let columns = [Some(&object), time.as_ref(), size.as_ref(), origin.as_ref()];
    let named = columns.iter().flatten().any(|column| matches!(column, Column::Named(_)));
    let header = match params.text("trace.header")? {
        "auto" => named,
        said => said == "yes",
    };
    if named && !header {
        let message = "a column has a name, which only a header tells";
        return Err(params.blame("trace.header", message).fix("give numbers, or a header"));
    }
    Ok(CsvConfig { delimiter: delimiter(params)?, header, clock, time, object, size, origin })
}

/// What separates columns: one character.
fn delimiter(params: &Resolved) -> Result<char, ConfigError> {
    let text = params.text("trace.delimiter")?;
    let mut characters = if text == "tab" { "\t".chars() } else { text.chars() };
    match (characters.next(), characters.next()) {
        (Some(one), None) => Ok(one),
        _ => {
            let message = "not one character";
            Err(params.blame("trace.delimiter", message).fix("give one, such as \";\", or tab"))
        }
    }
}

fn readable(requests: impl Iterator<Item = Result<Request, ReadError>> + 'static) -> Stream {
    Box::new(requests.map(|request| request.map_err(|error| error.to_string())))
}

fn numbered_or_named(text: &str) -> Column {
    text.parse().map_or_else(|_| Column::Named(text.to_owned()), Column::Numbered)
}

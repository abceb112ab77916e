//! Traces in files: which format, and how a csv is laid out. The content must be of the format that
//! the configuration says, whatever the file is called.

use std::fs::File;

use forebay_cache::readers::{
    Column, CsvConfig, CsvTrace, Field, Format, Input, OracleGeneral, Problem, ReadError, Source,
    StepTrace, TraceClock, flow_lookups,
};
use forebay_cache::{Request, STEP};
use forebay_parameters::{Parameter, ParameterError};
use forebay_units::Bytes;
use forebay_workload::{Capture, CaptureLimits};

use super::config::{ClockKind, Header, TraceConfig, TraceKind};
use super::trace::{Stream, endless};

/// The kind of trace that a file's content shows; gzip and zstd are undone.
///
/// # Errors
/// If the file cannot be read, or is of no format that is.
pub fn kind_of(file: &str) -> Result<TraceKind, ParameterError> {
    Ok(match recognise(file)?.format {
        Format::Columns => TraceKind::Csv,
        Format::Steps => TraceKind::Steps,
        Format::OracleGeneral => TraceKind::OracleGeneral,
        Format::Capture => TraceKind::Capture,
    })
}

fn recognise(file: &str) -> Result<Source, ParameterError> {
    let opened = File::open(file)
        .map_err(|error| TraceConfig::FILE.refuse(format_args!("cannot read {file}: {error}")))?;
    Source::recognise(opened, file).map_err(|error| TraceConfig::FILE.refuse(error))
}

/// The lookups of the flows of a capture.
///
/// # Errors
/// As all here: if the file cannot be read, or is not laid out as the configuration says.
pub(super) fn capture(config: &TraceConfig) -> Result<Stream, ParameterError> {
    let input = open(config, Format::Capture)?;
    let capture = Capture::read(input, &config.file, CaptureLimits::default())
        .map_err(|error| TraceConfig::FILE.refuse(error))?;
    let lookups: Vec<Request> = flow_lookups(&capture, Bytes::new(64)).collect();
    Ok(endless(lookups.into_iter()))
}

/// A line for each time step.
pub(super) fn steps(config: &TraceConfig) -> Result<Stream, ParameterError> {
    Ok(readable(StepTrace::new(open(config, Format::Steps)?, &config.file)))
}

/// The format of libCacheSim.
pub(super) fn oracle_general(config: &TraceConfig) -> Result<Stream, ParameterError> {
    let input = open(config, Format::OracleGeneral)?;
    Ok(readable(OracleGeneral::new(input, &config.file, clock(config))))
}

/// Text with columns.
pub(super) fn csv(config: &TraceConfig) -> Result<Stream, ParameterError> {
    let layout = layout(config)?;
    let trace = CsvTrace::new(open(config, Format::Columns)?, &config.file, layout);
    Ok(readable(trace.map_err(|error| parameter_of(&error.problem).refuse(&error))?))
}

/// The parameter that mends what is wrong with the head of a csv.
fn parameter_of(problem: &Problem) -> Parameter {
    if let Problem::NoColumn { field, .. } = problem {
        return match field {
            Field::Object => TraceConfig::OBJECT_COLUMN,
            Field::Time => TraceConfig::TIME_COLUMN,
            Field::Size => TraceConfig::SIZE_COLUMN,
            Field::Origin => TraceConfig::ORIGIN_COLUMN,
        };
    }
    let of_header = matches!(problem, Problem::Header | Problem::NoHeader(_));
    if of_header { TraceConfig::HEADER } else { TraceConfig::FILE }
}

/// The content of a file of this format; the readers of text tell their formats apart themselves.
fn open(config: &TraceConfig, format: Format) -> Result<Input, ParameterError> {
    if config.file.is_empty() {
        return Err(
            TraceConfig::FILE.refuse("this kind of trace needs a file; give trace.file = \"…\"")
        );
    }
    let source = recognise(&config.file)?;
    if source.format == format || (source.format.is_text() && format.is_text()) {
        return Ok(source.input);
    }
    let (file, found) = (&config.file, source.format);
    let problem = format!("{file} is {found}, not {format}; name its kind, or give another file");
    Err(TraceConfig::KIND.refuse(problem))
}

fn clock(config: &TraceConfig) -> TraceClock {
    match config.clock {
        ClockKind::Index => TraceClock::Even(STEP),
        ClockKind::Time => TraceClock::Recorded(config.time_unit),
    }
}

/// How a csv is laid out.
fn layout(config: &TraceConfig) -> Result<CsvConfig, ParameterError> {
    let column = |text: &str| Some(text).filter(|text| !text.is_empty()).map(numbered_or_named);
    let timed = config.clock == ClockKind::Time;
    let time = column(&config.time_column).filter(|_| timed);
    let object = numbered_or_named(&config.object_column);
    let (size, origin) = (column(&config.size_column), column(&config.origin_column));
    let header = match config.header {
        Header::Auto => None,
        Header::Yes => Some(true),
        Header::No => Some(false),
    };
    let delimiter = match config.delimiter.as_str() {
        "auto" => None,
        "tab" => Some(b'\t'),
        "space" => Some(b' '),
        text => match text.as_bytes() {
            [byte @ (b'\t' | b' '..=b'~')] if *byte != b'"' => Some(*byte),
            _ => {
                let problem = "not one character; give one, such as \";\", or auto, tab or space";
                return Err(TraceConfig::DELIMITER.refuse(problem));
            }
        },
    };
    Ok(CsvConfig { delimiter, header, clock: clock(config), time, object, size, origin })
}

fn readable(requests: impl Iterator<Item = Result<Request, ReadError>> + 'static) -> Stream {
    Box::new(requests.map(|request| request.map_err(|error| error.to_string())))
}

fn numbered_or_named(text: &str) -> Column {
    text.parse().map_or_else(|_| Column::Named(text.to_owned()), Column::Numbered)
}

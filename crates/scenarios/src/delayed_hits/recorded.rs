//! Traces in files: which format, and how a csv is laid out.

use std::fs::File;
use std::io::BufReader;

use forebay_cache::readers::{
    Clock, Column, CsvConfig, CsvTrace, OracleGeneral, ReadError, StepTrace, flow_lookups,
};
use forebay_cache::{Request, STEP};
use forebay_parameters::ParameterError;
use forebay_units::Bytes;
use forebay_workload::{Capture, CaptureLimits};

use super::config::{ClockKind, Header, TraceConfig};
use super::trace::{Stream, endless};

/// The lookups of the flows of a capture.
///
/// # Errors
/// As all here: if the file cannot be read, or is not laid out as the configuration says.
pub(super) fn capture(config: &TraceConfig) -> Result<Stream, ParameterError> {
    let capture = Capture::open(named(config)?.as_ref(), CaptureLimits::default())
        .map_err(|error| TraceConfig::FILE.refuse(error))?;
    let lookups: Vec<Request> = flow_lookups(&capture, Bytes::new(64)).collect();
    Ok(endless(lookups.into_iter()))
}

/// A line for each time step.
pub(super) fn steps(config: &TraceConfig) -> Result<Stream, ParameterError> {
    Ok(readable(StepTrace::new(open(config)?, &config.file)))
}

/// The format of libCacheSim.
pub(super) fn oracle_general(config: &TraceConfig) -> Result<Stream, ParameterError> {
    Ok(readable(OracleGeneral::new(open(config)?, &config.file, clock(config))))
}

/// Text with columns.
pub(super) fn csv(config: &TraceConfig) -> Result<Stream, ParameterError> {
    let trace = CsvTrace::new(open(config)?, &config.file, layout(config)?);
    Ok(readable(trace.map_err(|error| TraceConfig::FILE.refuse(error))?))
}

fn open(config: &TraceConfig) -> Result<BufReader<File>, ParameterError> {
    let name = named(config)?;
    let file = File::open(name).map(BufReader::new);
    file.map_err(|error| TraceConfig::FILE.refuse(format_args!("cannot read {name}: {error}")))
}

fn named(config: &TraceConfig) -> Result<&str, ParameterError> {
    if config.file.is_empty() {
        return Err(
            TraceConfig::FILE.refuse("this kind of trace needs a file; give trace.file = \"…\"")
        );
    }
    Ok(&config.file)
}

fn clock(config: &TraceConfig) -> Clock {
    match config.clock {
        ClockKind::Index => Clock::Even(STEP),
        ClockKind::Time => Clock::Recorded(config.time_unit),
    }
}

/// How a csv is laid out.
fn layout(config: &TraceConfig) -> Result<CsvConfig, ParameterError> {
    let column = |text: &str| Some(text).filter(|text| !text.is_empty()).map(numbered_or_named);
    let timed = config.clock == ClockKind::Time;
    let time = column(&config.time_column).filter(|_| timed);
    let object = numbered_or_named(&config.object_column);
    let (size, origin) = (column(&config.size_column), column(&config.origin_column));
    let columns = [Some(&object), time.as_ref(), size.as_ref(), origin.as_ref()];
    let named = columns.iter().flatten().any(|column| matches!(column, Column::Named(_)));
    let header = match config.header {
        Header::Auto => named,
        Header::Yes => true,
        Header::No if named => {
            let problem =
                "a column has a name, which only a header tells; give numbers, or a header";
            return Err(TraceConfig::HEADER.refuse(problem));
        }
        Header::No => false,
    };
    let text = &config.delimiter;
    let mut characters = if text == "tab" { "\t".chars() } else { text.chars() };
    let (Some(delimiter), None) = (characters.next(), characters.next()) else {
        return Err(
            TraceConfig::DELIMITER.refuse("not one character; give one, such as \";\", or tab")
        );
    };
    Ok(CsvConfig { delimiter, header, clock: clock(config), time, object, size, origin })
}

fn readable(requests: impl Iterator<Item = Result<Request, ReadError>> + 'static) -> Stream {
    Box::new(requests.map(|request| request.map_err(|error| error.to_string())))
}

fn numbered_or_named(text: &str) -> Column {
    text.parse().map_or_else(|_| Column::Named(text.to_owned()), Column::Numbered)
}

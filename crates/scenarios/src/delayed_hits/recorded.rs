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

use super::config::{ClockKind, DELIMITER, FILE, HEADER, Header, TraceConfig, TraceKind};
use super::trace::{Stream, endless};

/// The requests of the file of a point.
///
/// # Errors
/// If it cannot be opened, or is not laid out as the configuration says.
pub(super) fn recorded(config: &TraceConfig) -> Result<Stream, ParameterError> {
    let name = &config.file;
    if name.is_empty() {
        return Err(FILE.refuse("this kind of trace needs a file; give trace.file = \"…\""));
    }
    if config.kind == TraceKind::Capture {
        let capture = Capture::open(name.as_ref(), CaptureLimits::default())
            .map_err(|error| FILE.refuse(error))?;
        let lookups: Vec<Request> = flow_lookups(&capture, Bytes::new(64)).collect();
        return Ok(endless(lookups.into_iter()));
    }
    let file = File::open(name).map(BufReader::new);
    let file = file.map_err(|error| FILE.refuse(format_args!("cannot read {name}: {error}")))?;
    let clock = match config.clock {
        ClockKind::Index => Clock::Even(STEP),
        ClockKind::Time => Clock::Recorded(config.time_unit),
    };
    Ok(match config.kind {
        TraceKind::Steps => readable(StepTrace::new(file, name)),
        TraceKind::OracleGeneral => readable(OracleGeneral::new(file, name, clock)),
        _ => {
            let layout = layout(config, clock)?;
            readable(CsvTrace::new(file, name, layout).map_err(|error| FILE.refuse(error))?)
        }
    })
}

/// How a csv is laid out.
fn layout(config: &TraceConfig, clock: Clock) -> Result<CsvConfig, ParameterError> {
    let column = |text: &String| Some(text).filter(|text| !text.is_empty()).map(numbered_or_named);
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
            return Err(HEADER.refuse(problem));
        }
        Header::No => false,
    };
    let text = &config.delimiter;
    let mut characters = if text == "tab" { "\t".chars() } else { text.chars() };
    let (Some(delimiter), None) = (characters.next(), characters.next()) else {
        return Err(DELIMITER.refuse("not one character; give one, such as \";\", or tab"));
    };
    Ok(CsvConfig { delimiter, header, clock, time, object, size, origin })
}

fn readable(requests: impl Iterator<Item = Result<Request, ReadError>> + 'static) -> Stream {
    Box::new(requests.map(|request| request.map_err(|error| error.to_string())))
}

fn numbered_or_named(text: &String) -> Column {
    text.parse().map_or_else(|_| Column::Named(text.clone()), Column::Numbered)
}

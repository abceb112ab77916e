//! Traces in files: which format, and how a csv is laid out. The content must be of the format that
//! the configuration says, whatever the file is called.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use forebay_cache::readers::{
    Column, CsvConfig, CsvTrace, Field, Format, Input, OracleGeneral, Problem, ReadError, Source,
    StepTrace, TraceClock, flow_lookups,
};
use forebay_cache::{Request, STEP};
use forebay_parameters::{Parameter, ParameterError};
use forebay_units::{Bytes, Duration, printable};
use forebay_workload::{Capture, CaptureLimits, CaptureWarning};

use super::config::{ClockKind, Header, TraceConfig, TraceKind};
use super::trace::{Stream, endless};

/// A trace in a file that has been opened and recognised. It is read once, from its beginning, so
/// that it may as well come through a pipe; what has been looked at to recognise it (64 KiB) is
/// kept.
pub struct Recording {
    /// What stands for it in messages.
    name: String,
    content: Content,
}

/// What is known of a recording.
enum Content {
    /// Its beginning.
    Unread(Source),
    /// A capture that has been read.
    Captured(Capture),
}

impl Recording {
    /// Opens a file and looks at its beginning; gzip and zstd are undone.
    ///
    /// # Errors
    /// If it cannot be read, or is of no format that is.
    pub fn open(file: &Path) -> Result<Self, ParameterError> {
        let name = file.display().to_string();
        let opened = File::open(file).map_err(|error| {
            TraceConfig::FILE.refuse(format_args!("cannot read {}: {error}", printable(&name)))
        })?;
        Recording::read(opened, &name)
    }

    /// The same of what comes through `reader`; `name` stands for it in messages.
    ///
    /// # Errors
    /// As of [`Recording::open`].
    pub fn read(reader: impl Read + Send + 'static, name: &str) -> Result<Self, ParameterError> {
        let source =
            Source::recognise(reader, name).map_err(|error| TraceConfig::FILE.refuse(error))?;
        Ok(Recording { name: name.to_owned(), content: Content::Unread(source) })
    }

    /// Reads it if it is a capture, which is held whole: then [`Recording::warnings`] are known.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn captured(self) -> Result<Self, ParameterError> {
        if self.format() != Format::Capture {
            return Ok(self);
        }
        let name = self.name.clone();
        let content = Content::Captured(self.capture()?);
        Ok(Recording { name, content })
    }

    /// What of a capture that has been read is not used: a cut-off end, packets left out.
    #[must_use]
    pub fn warnings(&self) -> &[CaptureWarning] {
        match &self.content {
            Content::Captured(capture) => capture.warnings(),
            Content::Unread(_) => &[],
        }
    }

    fn format(&self) -> Format {
        match &self.content {
            Content::Unread(source) => source.format,
            Content::Captured(_) => Format::Capture,
        }
    }

    /// The kind of trace that its content shows.
    #[must_use]
    pub fn kind(&self) -> TraceKind {
        match self.format() {
            Format::Columns => TraceKind::Csv,
            Format::Steps => TraceKind::Steps,
            Format::OracleGeneral => TraceKind::OracleGeneral,
            Format::Capture => TraceKind::Capture,
        }
    }

    /// Its requests, if it is of the kind that the configuration says, and laid out as it says.
    pub(super) fn requests(self, config: &TraceConfig) -> Result<Stream, ParameterError> {
        match config.kind {
            TraceKind::Csv => self.csv(config),
            TraceKind::Steps => {
                let name = self.name.clone();
                Ok(readable(StepTrace::new(self.input(Format::Steps)?, &name)))
            }
            TraceKind::OracleGeneral => {
                let name = self.name.clone();
                let input = self.input(Format::OracleGeneral)?;
                Ok(readable(OracleGeneral::new(input, &name, clock(config))))
            }
            TraceKind::Capture => lookups(&self.capture()?, config),
            TraceKind::Cdn
            | TraceKind::Network
            | TraceKind::ZipfBursts
            | TraceKind::OnOff
            | TraceKind::Example => {
                Err(TraceConfig::KIND.refuse("a generated trace reads no file; leave out one"))
            }
        }
    }

    /// Text with columns.
    fn csv(self, config: &TraceConfig) -> Result<Stream, ParameterError> {
        let (layout, name) = (layout(config)?, self.name.clone());
        let trace = CsvTrace::new(self.input(Format::Columns)?, &name, layout);
        Ok(readable(trace.map_err(|error| parameter_of(&error.problem).refuse(&error))?))
    }

    /// The capture that it is.
    fn capture(self) -> Result<Capture, ParameterError> {
        let name = self.name.clone();
        match self.content {
            Content::Captured(capture) => Ok(capture),
            Content::Unread(_) => {
                Capture::read(self.input(Format::Capture)?, &name, CaptureLimits::default())
                    .map_err(|error| TraceConfig::FILE.refuse(error))
            }
        }
    }

    /// Its content, if it is of this format; the readers of text tell their formats apart
    /// themselves.
    fn input(self, format: Format) -> Result<Input, ParameterError> {
        let found = self.format();
        match self.content {
            Content::Unread(source) if found == format || (found.is_text() && format.is_text()) => {
                Ok(source.input)
            }
            Content::Unread(_) | Content::Captured(_) => {
                let file = printable(&self.name);
                let problem =
                    format!("{file} is {found}, not {format}; name its kind, or give another");
                Err(TraceConfig::KIND.refuse(problem))
            }
        }
    }
}

/// The lookups of the flows of a capture, those that are asked for.
fn lookups(capture: &Capture, config: &TraceConfig) -> Result<Stream, ParameterError> {
    let clock = match config.clock {
        ClockKind::Index => TraceClock::Even(STEP),
        ClockKind::Time => TraceClock::Recorded(Duration::from_ns(1)),
    };
    let all = flow_lookups(capture, Bytes::new(64), clock).take(config.requests as usize);
    let all = all.collect::<Result<Vec<Request>, _>>();
    Ok(endless(all.map_err(|error| TraceConfig::FILE.refuse(error))?.into_iter()))
}

/// What of the file that the configuration names is not used, a sentence each.
pub(super) fn warnings(config: &TraceConfig) -> Vec<String> {
    if config.kind != TraceKind::Capture || config.file.is_empty() {
        return Vec::new();
    }
    match Recording::open(Path::new(&config.file)).and_then(Recording::captured) {
        Ok(recording) => recording.warnings().iter().map(ToString::to_string).collect(),
        Err(_) => Vec::new(), // `check` has refused it
    }
}

/// The requests of the file that the configuration names.
pub(super) fn requests(config: &TraceConfig) -> Result<Stream, ParameterError> {
    if config.file.is_empty() {
        return Err(
            TraceConfig::FILE.refuse("this kind of trace needs a file; give trace.file = \"…\"")
        );
    }
    Recording::open(Path::new(&config.file))?.requests(config)
}

/// The parameter that mends what is wrong with the head of a csv.
fn parameter_of(problem: &Problem) -> Parameter {
    match problem {
        Problem::NoColumn { field, .. } | Problem::SameName { field, .. } => match field {
            Field::Object => TraceConfig::OBJECT_COLUMN,
            Field::Time => TraceConfig::TIME_COLUMN,
            Field::Size => TraceConfig::SIZE_COLUMN,
            Field::Origin => TraceConfig::ORIGIN_COLUMN,
        },
        Problem::Header | Problem::NoHeader(_) => TraceConfig::HEADER,
        Problem::Foreign { .. }
        | Problem::Unrecognised
        | Problem::Control(_)
        | Problem::NotText
        | Problem::Unreadable(_)
        | Problem::LongLine
        | Problem::NoRows
        | Problem::ColumnZero
        | Problem::MissingField { .. }
        | Problem::HeaderAgain(_)
        | Problem::Ragged { .. }
        | Problem::OpenQuote
        | Problem::NotAStep
        | Problem::Comment
        | Problem::Unlike
        | Problem::NotANumber { .. }
        | Problem::Empty { .. }
        | Problem::TooLate
        | Problem::PacketTooLate
        | Problem::BeforeFirst
        | Problem::Next(_)
        | Problem::Truncated(_) => TraceConfig::FILE,
    }
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

//! How a text with columns begins: which line is the header, if there is one, and where it says
//! that the fields are. O(length of the lines before the first request).

use std::io::BufRead;

use super::columns::{Column, CsvConfig};
use super::error::{Field, quoted};
use super::lines::Lines;
use super::record::{Record, delimiter_of};
use super::{Problem, ReadError};

/// Where the fields are, from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) time: Option<usize>,
    pub(super) object: usize,
    pub(super) size: Option<usize>,
    pub(super) origin: Option<usize>,
}

impl Columns {
    /// Finds the columns; `names` are those of the header, if there is one.
    fn find(config: &CsvConfig, names: Option<&[String]>) -> Result<Columns, Problem> {
        let find = |field: Field, column: &Column| match (column, names) {
            (Column::Numbered(number), _) => number.checked_sub(1).ok_or(Problem::ColumnZero),
            (Column::Named(name), None) => Err(Problem::NoHeader(name.clone())),
            (Column::Named(name), Some(names)) => position(field, name, names),
        };
        let optional = |field, column: &Option<Column>| {
            column.as_ref().map(|column| find(field, column)).transpose()
        };
        let time = config.time.clone().unwrap_or_else(|| "time".into());
        Ok(Columns {
            object: find(Field::Object, &config.object)?,
            time: config.clock.reads_stamps().then(|| find(Field::Time, &time)).transpose()?,
            size: optional(Field::Size, &config.size)?,
            origin: optional(Field::Origin, &config.origin)?,
        })
    }
}

/// Where the only column of this name is.
fn position(field: Field, name: &str, names: &[String]) -> Result<usize, Problem> {
    let mut places = (0..names.len()).filter(|place| names[*place] == name);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (Some(first), Some(second)) => {
            let (first, second) = (first + 1, second + 1);
            Err(Problem::SameName { field, name: name.to_owned(), first, second })
        }
        (None, _) => {
            let (name, found) = (name.to_owned(), shown(names));
            Err(Problem::NoColumn { field, name, found })
        }
    }
}

/// Names in quotation marks, not all if they are many.
fn shown(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let all = names.iter().take(SHOWN).map(|name| format!("\"{}\"", quoted(name)));
    let mut all: Vec<String> = all.collect();
    if names.len() > SHOWN {
        all.push("…".to_owned());
    }
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

impl CsvConfig {
    fn names_a_column(&self) -> bool {
        let time = self.time.as_ref().filter(|_| self.clock.reads_stamps());
        let columns = [Some(&self.object), time, self.size.as_ref(), self.origin.as_ref()];
        columns.into_iter().flatten().any(|column| matches!(column, Column::Named(_)))
    }
}

/// What is known of a text once its first lines have been read.
pub(super) struct Beginning {
    /// The fields of the line last read.
    pub(super) record: Record,
    pub(super) columns: Columns,
    /// Whether that line is a request, and no header.
    pub(super) held: bool,
    pub(super) header: Option<Above>,
}

impl Beginning {
    /// Reads up to the header, or to the first request where a line before tells that it is one.
    pub(super) fn read<R: BufRead>(
        lines: &mut Lines<R>,
        config: &CsvConfig,
    ) -> Result<Self, ReadError> {
        match config.header.unwrap_or_else(|| config.names_a_column()) {
            true => with_header(lines, config),
            false => without_header(lines, config),
        }
    }
}

/// The header above the requests.
pub(super) struct Above {
    /// Its line, from 1.
    pub(super) line: u64,
    /// What it says.
    pub(super) text: String,
}

/// A line that may be the header.
struct Header {
    line: u64,
    text: String,
    record: Record,
    columns: Result<Columns, Problem>,
}

impl Header {
    /// Reads the line last read; one that begins with `#` may have it before each name.
    fn read<R: BufRead>(lines: &Lines<R>, config: &CsvConfig) -> Result<Self, ReadError> {
        let (line, text) = (lines.number(), lines.text()?);
        let own = |name: &str| name.trim_start_matches('#').trim_start().to_owned();
        let is_comment = text.starts_with('#');
        let names = if is_comment { own(text) } else { text.to_owned() };
        let mut record = Record::new(config.delimiter.unwrap_or_else(|| delimiter_of(&names)));
        let read = record.read(&names);
        if !is_comment {
            read.clone().map_err(|problem| lines.error(problem))?;
        }
        let name = |name: &str| if is_comment { own(name) } else { name.to_owned() };
        let names: Vec<String> = record.fields().map(name).collect();
        let columns = read.and_then(|()| Columns::find(config, Some(&names)));
        Ok(Header { line, text: text.to_owned(), record, columns })
    }

    /// With this header, below which `first` has been read if it is given.
    fn begin<R: BufRead>(
        self,
        lines: &Lines<R>,
        first: Option<Record>,
    ) -> Result<Beginning, ReadError> {
        let Header { line, text, record, columns } = self;
        let columns = columns.map_err(|problem| lines.error_at(line, problem))?;
        let held = first.is_some();
        let header = Some(Above { line, text });
        Ok(Beginning { record: first.unwrap_or(record), columns, held, header })
    }
}

/// The header is the first line that begins with `#` and has all names, or the last of these above
/// a line that is none, or else the first without it.
fn with_header<R: BufRead>(
    lines: &mut Lines<R>,
    config: &CsvConfig,
) -> Result<Beginning, ReadError> {
    let mut comment: Option<Header> = None;
    while lines.advance()? {
        let text = lines.text()?;
        if text.is_empty() {
            continue;
        }
        let is_comment = text.starts_with('#');
        let header = Header::read(lines, config)?;
        if is_comment && !(config.names_a_column() && header.columns.is_ok()) {
            comment = Some(header);
            continue;
        }
        let above = comment.filter(|above| !is_comment && above.record.is_above(&header.record));
        return match above {
            Some(above) => above.begin(lines, Some(header.record)),
            None => header.begin(lines, None),
        };
    }
    match comment {
        Some(header) => header.begin(lines, None),
        None => {
            let columns = Columns::find(config, Some(&[])).map_err(|e| lines.error(e))?;
            let record = Record::new(b',');
            Ok(Beginning { record, columns, held: false, header: None })
        }
    }
}

/// The first request's fields, and the columns by their numbers.
fn without_header<R: BufRead>(
    lines: &mut Lines<R>,
    config: &CsvConfig,
) -> Result<Beginning, ReadError> {
    let columns = Columns::find(config, None).map_err(|problem| lines.error_at(1, problem))?;
    let line = content(lines)?.unwrap_or_default();
    let mut record = Record::new(config.delimiter.unwrap_or_else(|| delimiter_of(&line)));
    if !line.is_empty() {
        record.read(&line).map_err(|problem| lines.error(problem))?;
        let most = [columns.time, Some(columns.object), columns.size, columns.origin];
        let (most, found) = (most.into_iter().flatten().max(), record.columns());
        if let Some(column) = most.map(|most| most + 1).filter(|column| *column > found) {
            return Err(lines.error(Problem::MissingField { column, found }));
        }
        if !record.has_a_number() && config.header.is_none() {
            return Err(lines.error(Problem::Header));
        }
    }
    Ok(Beginning { record, columns, held: true, header: None })
}

/// The next line that says something.
pub(super) fn content<R: BufRead>(lines: &mut Lines<R>) -> Result<Option<String>, ReadError> {
    while lines.advance()? {
        let text = lines.text()?;
        if !text.is_empty() && !text.starts_with('#') {
            return Ok(Some(text.to_owned()));
        }
    }
    Ok(None)
}

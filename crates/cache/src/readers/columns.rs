//! Text with columns: CSV with a header whose columns are named, or numbered columns as
//! libCacheSim's CSV reader takes them.
//!
//! An object id that is a number is that number, any other text is hashed to 64 bits. Quotes are
//! those of RFC 4180, within a line. Empty lines and lines that begin with `#` are skipped, except
//! that the header may begin with it, as libCacheSim writes it. Every line must have as many
//! columns as the first. O(length); a line at a time.

use std::hash::Hasher;
use std::io::BufRead;

use forebay_units::{Bytes, Duration};

use super::clock::{Relative, Stamp};
use super::error::Field;
use super::lines::Lines;
use super::record::{Record, delimiter_of};
use super::{Problem, ReadError, TraceClock};
use crate::hash::IdHasher;
use crate::model::{ObjectId, Request};

/// Which column of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By its name in the header.
    Named(String),
    /// By its number, from 1.
    Numbered(usize),
}

impl From<&str> for Column {
    fn from(name: &str) -> Self {
        Column::Named(name.to_owned())
    }
}

/// How a [`CsvTrace`] is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvConfig {
    /// The character (of ASCII) that separates columns; none: what the first line shows.
    pub delimiter: Option<u8>,
    /// Whether the first line names the columns; it must where one is named. None: if a column is
    /// named, and else the first line must have a number, which no header does.
    pub header: Option<bool>,
    /// What time stamps mean.
    pub clock: TraceClock,
    /// The time stamp; needed unless the clock ignores it.
    pub time: Option<Column>,
    /// The object's id.
    pub object: Column,
    /// Its bytes; 1 where there is no such column.
    pub size: Option<Column>,
    /// Its origin, a number from 0; 0 where there is no such column.
    pub origin: Option<Column>,
}

impl Default for CsvConfig {
    /// Any delimiter, a header with `time` in seconds, `object` and `size`.
    fn default() -> Self {
        CsvConfig {
            delimiter: None,
            header: None,
            clock: TraceClock::Recorded(Duration::from_ms(1_000)),
            time: Some("time".into()),
            object: "object".into(),
            size: Some("size".into()),
            origin: None,
        }
    }
}

/// The requests of a text with columns.
///
/// ```
/// use forebay_cache::readers::{CsvConfig, CsvTrace};
///
/// let text = "op,time,size,lbn\nread,10.5,512,77\nread,11,4096,78\n";
/// let config = CsvConfig { object: "lbn".into(), ..CsvConfig::default() };
/// let requests: Vec<_> = CsvTrace::new(text.as_bytes(), "disk.csv", config)?.collect::<Result<_, _>>()?;
/// assert_eq!(requests[1].at.to_string(), "500 ms");
/// assert_eq!((requests[0].object.0, requests[0].size.get()), (77, 512));
/// # Ok::<(), forebay_cache::readers::ReadError>(())
/// ```
pub struct CsvTrace<R> {
    lines: Lines<R>,
    record: Record,
    clock: Relative,
    columns: Columns,
    /// The columns of the first line.
    expected: usize,
    /// Whether the line last read is a request that nobody has got yet.
    held: bool,
    ended: bool,
}

/// Where the fields are, from 0.
#[derive(Clone, Copy, Debug)]
struct Columns {
    time: Option<usize>,
    object: usize,
    size: Option<usize>,
    origin: Option<usize>,
}

impl Columns {
    /// Finds the columns, whose names the record holds if there is a header.
    fn find(config: &CsvConfig, header: Option<&Record>) -> Result<Columns, Problem> {
        let find = |field: Field, column: &Column| match (column, header) {
            (Column::Numbered(number), _) => number.checked_sub(1).ok_or(Problem::ColumnZero),
            (Column::Named(name), None) => Err(Problem::NoHeader(name.clone())),
            (Column::Named(name), Some(header)) => {
                let found = || header.fields().map(|name| format!("{name:?}")).collect::<Vec<_>>();
                let position = header.fields().position(|found| found == name);
                position.ok_or_else(|| {
                    let (name, found) = (name.clone(), shown(&found().join(", ")));
                    Problem::NoColumn { field, name, found }
                })
            }
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

impl CsvConfig {
    fn names_a_column(&self) -> bool {
        let time = self.time.as_ref().filter(|_| self.clock.reads_stamps());
        let columns = [Some(&self.object), time, self.size.as_ref(), self.origin.as_ref()];
        columns.into_iter().flatten().any(|column| matches!(column, Column::Named(_)))
    }
}

impl<R: BufRead> CsvTrace<R> {
    /// Reads from `reader`; `name` stands for it in messages.
    ///
    /// # Errors
    /// If the first line cannot be read, does not tell whether it is a header, or lacks a column,
    /// or a column has the number 0.
    pub fn new(reader: R, name: &str, config: CsvConfig) -> Result<Self, ReadError> {
        let mut lines = Lines::new(reader, name);
        let header = config.header.unwrap_or_else(|| config.names_a_column());
        let (record, columns) =
            if header { header_of(&mut lines, &config)? } else { first_of(&mut lines, &config)? };
        let (clock, expected) = (Relative::new(config.clock), record.columns());
        Ok(CsvTrace { lines, record, clock, columns, expected, held: !header, ended: false })
    }

    fn read(&mut self) -> Result<Option<Request>, ReadError> {
        if !std::mem::take(&mut self.held) && !self.advance()? {
            return Ok(None);
        }
        if self.record.columns() == 0 {
            return Ok(None);
        }
        let request = self.parse().map_err(|problem| self.lines.error(problem))?;
        Ok(Some(request))
    }

    /// Reads the next line that says something into the record; whether there was one.
    fn advance(&mut self) -> Result<bool, ReadError> {
        let Some(line) = content(&mut self.lines)? else { return Ok(false) };
        let read = self.record.read(&line);
        read.map_err(|problem| self.lines.error(problem))?;
        let (found, expected) = (self.record.columns(), self.expected);
        if found != expected {
            return Err(self.lines.error(Problem::Ragged { found, expected }));
        }
        Ok(true)
    }

    fn parse(&mut self) -> Result<Request, Problem> {
        let Columns { time, object, size, origin } = self.columns;
        let stamp = match time {
            Some(column) => {
                let text = self.record.field(column)?;
                Stamp::parse(text).ok_or_else(|| not_a_number(Field::Time, text))?
            }
            None => Stamp::default(),
        };
        let mut request =
            Request::new(self.clock.next(stamp)?, object_id(self.record.field(object)?));
        if let Some(column) = size {
            request.size = Bytes::new(number(Field::Size, self.record.field(column)?)?);
        }
        if let Some(column) = origin {
            let text = self.record.field(column)?;
            let origin = text.parse().map_err(|_| not_a_number(Field::Origin, text))?;
            request.origin = origin;
        }
        Ok(request)
    }
}

impl<R: BufRead> Iterator for CsvTrace<R> {
    type Item = Result<Request, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read().transpose();
        self.ended = !matches!(read, Some(Ok(_)));
        read
    }
}

/// The header and the columns that it names. Lines before it that begin with `#` may be comments,
/// and so the first line without one is the last that may be it.
fn header_of<R: BufRead>(
    lines: &mut Lines<R>,
    config: &CsvConfig,
) -> Result<(Record, Columns), ReadError> {
    loop {
        if !lines.advance()? {
            let record = Record::new(b',');
            let columns = Columns::find(config, Some(&record)).map_err(|e| lines.error(e))?;
            return Ok((record, columns));
        }
        let line = lines.text()?;
        let named = line.trim_start_matches('#').trim_start();
        let mut record = Record::new(config.delimiter.unwrap_or_else(|| delimiter_of(named)));
        let read = record.read(named).and_then(|()| Columns::find(config, Some(&record)));
        match read {
            Ok(columns) => return Ok((record, columns)),
            Err(_) if line.is_empty() || line.starts_with('#') => {}
            Err(problem) => return Err(lines.error(problem)),
        }
    }
}

/// The first request's fields, and the columns by their numbers.
fn first_of<R: BufRead>(
    lines: &mut Lines<R>,
    config: &CsvConfig,
) -> Result<(Record, Columns), ReadError> {
    let columns = Columns::find(config, None).map_err(|problem| lines.error(problem))?;
    let line = content(lines)?.unwrap_or_default();
    let mut record = Record::new(config.delimiter.unwrap_or_else(|| delimiter_of(&line)));
    if !line.is_empty() {
        record.read(&line).map_err(|problem| lines.error(problem))?;
        let a_number = record.fields().any(|field| field.parse::<f64>().is_ok());
        if !a_number && config.header.is_none() {
            return Err(lines.error(Problem::Header));
        }
    }
    Ok((record, columns))
}

/// The next line that says something.
fn content<R: BufRead>(lines: &mut Lines<R>) -> Result<Option<String>, ReadError> {
    while lines.advance()? {
        let text = lines.text()?;
        if !text.is_empty() && !text.starts_with('#') {
            return Ok(Some(text.to_owned()));
        }
    }
    Ok(None)
}

fn number(field: Field, text: &str) -> Result<u64, Problem> {
    text.parse().map_err(|_| not_a_number(field, text))
}

fn not_a_number(field: Field, text: &str) -> Problem {
    const SHOWN: usize = 40;
    Problem::NotANumber { field, text: text.chars().take(SHOWN).collect() }
}

/// A list of names, cut short.
fn shown(names: &str) -> String {
    const SHOWN: usize = 200;
    match names.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &names[..end]),
        None if names.is_empty() => "none".to_owned(),
        None => names.to_owned(),
    }
}

/// The id that `text` stands for.
pub(super) fn object_id(text: &str) -> ObjectId {
    ObjectId(text.parse().unwrap_or_else(|_| {
        let mut hasher = IdHasher::default();
        hasher.write(text.as_bytes());
        hasher.finish()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::STEP;

    fn read(text: &str, config: CsvConfig) -> Result<Vec<Request>, ReadError> {
        CsvTrace::new(text.as_bytes(), "t.csv", config)?.collect()
    }

    /// Objects in the second column.
    fn numbered() -> CsvConfig {
        CsvConfig {
            clock: TraceClock::Even(STEP),
            time: None,
            object: Column::Numbered(2),
            size: None,
            ..CsvConfig::default()
        }
    }

    #[test]
    fn numbered_columns_need_no_header() {
        let requests = read("9;5\n8;page\n\n# no\n7;page", numbered()).unwrap();
        assert_eq!(requests.len(), 3);
        assert_eq!((requests[0].object, requests[0].at.as_ps()), (ObjectId(5), 0));
        assert_eq!((requests[1].object, requests[2].at.as_ps()), (requests[2].object, 2_000));
        assert!(read("", numbered()).unwrap().is_empty());
    }

    #[test]
    fn a_header_is_never_taken_for_a_request() {
        let error = read("time,object\n1,2\n", numbered()).unwrap_err().to_string();
        assert_eq!(error, "t.csv, line 1: the line has no number: say whether it is a header");
        let config = |header| CsvConfig { header: Some(header), ..numbered() };
        assert_eq!(read("time,object\n1,2\n", config(true)).unwrap().len(), 1);
        assert_eq!(read("time,object\n1,2\n", config(false)).unwrap().len(), 2);
    }

    #[test]
    fn a_header_may_be_a_comment_as_of_libcachesim() {
        let text = "# a trace\n# time, object, size, next_access_vtime\n0, 13053225291711363978, \
                    737, 13\n";
        let requests = read(text, CsvConfig::default()).unwrap();
        assert_eq!(requests[0].object, ObjectId(13_053_225_291_711_363_978));
        assert_eq!((requests.len(), requests[0].size.get()), (1, 737));
    }

    #[test]
    fn quotes_and_delimiters_are_read() {
        let requests =
            read("\u{feff}time\tobject\tsize\n1\t\"a\"\t5\n1\ta\t6\n", CsvConfig::default());
        let requests = requests.unwrap();
        assert_eq!(requests[0].object, requests[1].object);
        let requests = read("time,object,size\n1,\"x,y\",5\n", CsvConfig::default()).unwrap();
        assert_eq!(requests[0].size.get(), 5);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text| read(text, CsvConfig::default()).unwrap_err().to_string();
        assert!(error("").starts_with("t.csv, line 1: there is no column \"object\""));
        let missing = error("time,obj_id,size\n1,2,3\n");
        assert_eq!(
            missing,
            "t.csv, line 1: there is no column \"object\" for the object; there is \"time\", \
             \"obj_id\", \"size\": name one of these, or give its number"
        );
        let ragged = error("time,object,size\n1,2,3\n\n1,2\n");
        assert!(ragged.starts_with("t.csv, line 4: the line has 2, the first 3"), "{ragged}");
        assert!(error("time,object,size\n1,\"2,3\n4,5,6\n").contains("line 2: a quoted field"));
        assert!(error("time,object,size\n-1,2,3").contains("time is \"-1\""));
        assert!(error("time,object,size\n5,2,3\n4,2,3").contains("line 3: the request is earlier"));
        let long = format!("time,object,size\n{}", "x".repeat(100_000));
        assert!(error(&long).contains("line 2: the line is longer"));
        let bytes =
            CsvTrace::new(&b"time,object,size\n1,caf\xe9,3\n"[..], "t.csv", CsvConfig::default());
        let error = bytes.unwrap().next().unwrap().unwrap_err();
        assert_eq!(error.problem, Problem::NotText);
    }

    #[test]
    fn nothing_follows_an_error() {
        let text = "time,object,size\nx\n1,2,3\n";
        let mut trace = CsvTrace::new(text.as_bytes(), "t.csv", CsvConfig::default()).unwrap();
        assert!(trace.next().is_some_and(|read| read.is_err()));
        assert!(trace.next().is_none());
    }
}

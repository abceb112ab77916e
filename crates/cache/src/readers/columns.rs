//! Text with columns: CSV with a header whose columns are named, or numbered columns as libCacheSim's CSV
//! reader takes them.
//!
//! An object id that is a number is that number, any other text is hashed to 64 bits. Empty lines and lines that begin with `#` are skipped; quotes are not interpreted. O(length);
//! a line at a time.

use std::hash::Hasher;
use std::io::BufRead;

use forebay_units::{Bytes, Duration};

use super::clock::{Relative, Stamp};
use super::lines::Lines;
use super::{Clock, Problem, ReadError};
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
    /// What separates columns.
    pub delimiter: char,
    /// Whether the first line names the columns; it must where one is named.
    pub header: bool,
    /// What time stamps mean.
    pub clock: Clock,
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
    /// Commas, a header with `time` in seconds, `object` and `size`.
    fn default() -> Self {
        CsvConfig {
            delimiter: ',',
            header: true,
            clock: Clock::Recorded(Duration::from_ms(1_000)),
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
    delimiter: char,
    clock: Relative,
    columns: Columns,
    ended: bool,
}

/// Where the fields are, from 0.
struct Columns {
    time: Option<usize>,
    object: usize,
    size: Option<usize>,
    origin: Option<usize>,
}

impl<R: BufRead> CsvTrace<R> {
    /// Reads from `reader`; `name` stands for it in messages.
    ///
    /// # Errors
    /// If the header cannot be read or lacks a column, or a column has the number 0.
    pub fn new(reader: R, name: &str, config: CsvConfig) -> Result<Self, ReadError> {
        let mut lines = Lines::new(reader, name);
        let header =
            if config.header { content(&mut lines)?.unwrap_or_default() } else { String::new() };
        let names: Vec<&str> = header.split(config.delimiter).map(str::trim).collect();
        let find = |column: &Column| match column {
            Column::Numbered(number) => {
                number.checked_sub(1).ok_or_else(|| lines.error(Problem::ColumnZero))
            }
            Column::Named(name) => names
                .iter()
                .position(|found| config.header && found == name)
                .ok_or_else(|| lines.error(Problem::NoColumn(name.clone()))),
        };
        let optional = |column: &Option<Column>| column.as_ref().map(find).transpose();
        let time = if config.clock.reads_stamps() {
            Some(find(config.time.as_ref().unwrap_or(&"time".into()))?)
        } else {
            None
        };
        let columns = Columns {
            time,
            object: find(&config.object)?,
            size: optional(&config.size)?,
            origin: optional(&config.origin)?,
        };
        let clock = Relative::new(config.clock);
        Ok(CsvTrace { lines, delimiter: config.delimiter, clock, columns, ended: false })
    }

    fn read(&mut self) -> Result<Option<Request>, ReadError> {
        let Some(line) = content(&mut self.lines)? else { return Ok(None) };
        let request = self.parse(&line).map_err(|problem| self.lines.error(problem))?;
        Ok(Some(request))
    }

    fn parse(&mut self, line: &str) -> Result<Request, Problem> {
        let fields: Vec<&str> = line.split(self.delimiter).map(str::trim).collect();
        let field = |column: usize| {
            let found = fields.len();
            fields.get(column).copied().ok_or(Problem::MissingField { column: column + 1, found })
        };
        let stamp = match self.columns.time {
            Some(column) => {
                let text = field(column)?;
                Stamp::parse(text).ok_or_else(|| not_a_number("time", text))?
            }
            None => Stamp::default(),
        };
        let mut request =
            Request::new(self.clock.next(stamp)?, object_id(field(self.columns.object)?));
        if let Some(column) = self.columns.size {
            request.size = Bytes::new(number("size", field(column)?)?);
        }
        if let Some(column) = self.columns.origin {
            let origin = number("origin", field(column)?)?;
            request.origin = u32::try_from(origin).unwrap_or(u32::MAX);
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

/// The next line that says something.
fn content<R: BufRead>(lines: &mut Lines<R>) -> Result<Option<String>, ReadError> {
    while lines.advance()? {
        let text = lines.text();
        if !text.is_empty() && !text.starts_with('#') {
            return Ok(Some(text.into_owned()));
        }
    }
    Ok(None)
}

fn number(field: &'static str, text: &str) -> Result<u64, Problem> {
    text.parse().map_err(|_| not_a_number(field, text))
}

fn not_a_number(field: &'static str, text: &str) -> Problem {
    const SHOWN: usize = 40;
    Problem::NotANumber { field, text: text.chars().take(SHOWN).collect() }
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

    #[test]
    fn numbered_columns_need_no_header() {
        let config = CsvConfig {
            header: false,
            delimiter: ';',
            clock: Clock::Even(STEP),
            time: None,
            object: Column::Numbered(2),
            size: None,
            ..CsvConfig::default()
        };
        let requests = read("9;5\n8;page\n\n# no\n7;page", config).unwrap();
        assert_eq!(requests.len(), 3);
        assert_eq!((requests[0].object, requests[0].at.as_ps()), (ObjectId(5), 0));
        assert_eq!((requests[1].object, requests[2].at.as_ps()), (requests[2].object, 2_000));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text| read(text, CsvConfig::default()).unwrap_err().to_string();
        assert!(error("").starts_with("t.csv, line 1: there is no column \"time\""));
        let missing = error("time,object,size\n1,2,3\n\n1,2\n");
        assert_eq!(missing, "t.csv, line 4: column 3 is missing: the line has 2");
        assert!(error("time,object,size\n-1,2,3").contains("time is \"-1\""));
        assert!(error("time,object,size\n5,2,3\n4,2,3").contains("line 3: the request is earlier"));
        let long = format!("time,object,size\n{}", "x".repeat(100_000));
        assert!(error(&long).contains("line 2: the line is longer"));
    }

    #[test]
    fn nothing_follows_an_error() {
        let text = "time,object,size\nx\n1,2,3\n";
        let mut trace = CsvTrace::new(text.as_bytes(), "t.csv", CsvConfig::default()).unwrap();
        assert!(trace.next().is_some_and(|read| read.is_err()));
        assert!(trace.next().is_none());
    }
}

//! Text with columns: CSV with a header whose columns are named, or numbered columns as
//! libCacheSim's CSV reader takes them.
//!
//! An object id that is a number is that number, any other text is hashed to 64 bits. Quotes are
//! those of RFC 4180, within a line. Empty lines and lines that begin with `#` are skipped, except
//! that the header, and each name in it, may begin with it, as libCacheSim writes it. Every line
//! must have as many columns as the first, and say something in those that are read. O(length); a
//! line at a time.

use std::hash::Hasher;
use std::io::BufRead;

use forebay_units::{Bytes, Duration};

use super::clock::{Relative, Stamp};
use super::error::Field;
use super::header::{Above, Beginning, Columns, content};
use super::lines::Lines;
use super::record::Record;
use super::{Problem, ReadError, TraceClock, number};
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
    header: Option<Above>,
    /// Whether a request has been read.
    begun: bool,
    ended: bool,
}

impl<R: BufRead> CsvTrace<R> {
    /// Reads from `reader`; `name` stands for it in messages.
    ///
    /// # Errors
    /// If the first line cannot be read, does not tell whether it is a header, or lacks a column,
    /// or a column has the number 0.
    pub fn new(reader: R, name: &str, config: CsvConfig) -> Result<Self, ReadError> {
        let mut lines = Lines::new(reader, name);
        let Beginning { record, columns, held, header } = Beginning::read(&mut lines, &config)?;
        let (clock, expected) = (Relative::new(config.clock), record.columns());
        let (begun, ended) = (false, false);
        Ok(CsvTrace { lines, record, clock, columns, expected, held, header, begun, ended })
    }

    fn read(&mut self) -> Result<Option<Request>, ReadError> {
        if !std::mem::take(&mut self.held) && !self.advance()? {
            return match &self.header {
                Some(header) if !self.begun => {
                    Err(self.lines.error_at(header.line, Problem::NoRows))
                }
                Some(_) | None => Ok(None),
            };
        }
        self.begun = true;
        if self.record.columns() == 0 {
            return Ok(None);
        }
        let request = self.parse().map_err(|problem| self.lines.error(problem))?;
        Ok(Some(request))
    }

    /// Reads the next line that says something into the record; whether there was one.
    fn advance(&mut self) -> Result<bool, ReadError> {
        let Some(line) = content(&mut self.lines)? else { return Ok(false) };
        if let Some(header) = self.header.as_ref().filter(|header| header.text == line) {
            return Err(self.lines.error(Problem::HeaderAgain(header.line)));
        }
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
            Some(column) => number::stamp(self.said(Field::Time, column)?)?,
            None => Stamp::default(),
        };
        let object = object_id(self.said(Field::Object, object)?);
        let mut request = Request::new(self.clock.next(stamp)?, object);
        if let Some(column) = size {
            let text = self.said(Field::Size, column)?;
            request.size = Bytes::new(number::whole(Field::Size, text, u64::MAX)?);
        }
        if let Some(column) = origin {
            let text = self.said(Field::Origin, column)?;
            request.origin = number::whole(Field::Origin, text, u32::MAX.into())? as u32;
        }
        Ok(request)
    }

    /// What a column says, from 0.
    fn said(&self, field: Field, column: usize) -> Result<&str, Problem> {
        match self.record.field(column)? {
            "" => Err(Problem::Empty { field, column: column + 1 }),
            text => Ok(text),
        }
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
    use crate::readers::Position;

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
        assert_eq!(
            error,
            "t.csv, line 1: the line has no number: say whether it is a header, \"yes\" or \"no\""
        );
        let far = CsvConfig { object: Column::Numbered(9), ..numbered() };
        let error = read("time,object\n1,2\n", far).unwrap_err().to_string();
        assert_eq!(error, "t.csv, line 1: column 9 is missing: the line has 2");
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
    fn each_name_of_a_header_may_begin_as_a_comment_does() {
        let named = CsvConfig { object: "obj_id".into(), ..CsvConfig::default() };
        for header in ["#time,#obj_id,#size", "# made by us, of a trace\n#time, obj_id, size"] {
            let text = format!("{header}\n0,7,5\n1,8,6\n");
            let requests = read(&text, named.clone()).unwrap();
            assert_eq!((requests.len(), requests[0].object), (2, ObjectId(7)), "{header}");
            let error = read(&text, CsvConfig::default()).unwrap_err().to_string();
            let line = header.lines().count();
            assert!(error.starts_with(&format!("t.csv, line {line}: there is no")), "{error}");
            assert!(error.contains("there is \"time\", \"obj_id\", \"size\""), "{error}");
        }
        // Said to be there, where columns are numbered: above the first number.
        let said = CsvConfig { header: Some(true), ..numbered() };
        for text in ["#time,#id\n1,2\n", "# ours\ntime,id\n1,2\n", "time,id\n1,2\n"] {
            assert_eq!(read(text, said.clone()).unwrap().len(), 1, "{text}");
        }
    }

    #[test]
    fn a_header_without_rows_is_said_to_be_one() {
        for text in ["time,object,size\n", "\n# time,object,size", "time,object,size\n\n# none\n"] {
            let error = read(text, CsvConfig::default()).unwrap_err();
            let line = if text.starts_with('\n') { 2 } else { 1 };
            assert_eq!((error.position, error.problem), (Position::Line(line), Problem::NoRows));
        }
    }

    #[test]
    fn a_header_between_requests_is_no_request() {
        let text = "time,object,size\n1,2,3\n time,object,size\n1,2,3\n";
        let mut trace = CsvTrace::new(text.as_bytes(), "t.csv", CsvConfig::default()).unwrap();
        assert!(trace.next().is_some_and(|read| read.is_ok()));
        let error = trace.next().unwrap().unwrap_err().to_string();
        assert_eq!(error, "t.csv, line 3: the line repeats the header of line 1: remove it");
        // Of names alone, an object might be called as one.
        let named = CsvConfig { object: "id".into(), size: None, time: None, ..numbered() };
        let error = read("id\na\nid\n", named).unwrap_err();
        assert_eq!((error.position, error.problem), (Position::Line(3), Problem::HeaderAgain(1)));
    }

    #[test]
    fn what_says_nothing_or_could_be_either_is_refused() {
        let error = |text: &str| read(text, CsvConfig::default()).unwrap_err().to_string();
        for (row, column, field) in [
            ("1,,5", 2, "object"),
            (",7,5", 1, "time"),
            ("1,7, ", 3, "size"),
            ("1,\"\",5", 2, "obj"),
        ] {
            let found = error(&format!("time,object,size\n0,1,2\n{row}\n"));
            let told = format!("t.csv, line 3: column {column} is empty, which tells the {field}");
            assert!(found.starts_with(&told), "{found}");
        }
        assert_eq!(
            error("time,object,object,size\n1,2,3,4\n"),
            "t.csv, line 1: columns 2 and 3 are both called \"object\": rename one, or give the \
             number of the object's"
        );
        // Nobody asks for these two.
        assert!(read("time,x,x,object,size\n1,2,3,4,5\n", CsvConfig::default()).is_ok());
    }

    #[test]
    fn what_is_quoted_is_printable() {
        let error = |text| read(text, CsvConfig::default()).unwrap_err().to_string();
        for text in ["time,ob\u{1b}[31mject,size\n", "time,object,size\n\u{7}1,2,3\n"] {
            let error = error(text);
            assert!(!error.contains(char::is_control) && error.contains("\\u{"), "{error}");
        }
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

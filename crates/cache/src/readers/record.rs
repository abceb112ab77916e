//! The fields of one line of CSV: quotes are undone, white space around a field is not part of it.
//!
//! A field is in one line: no id needs a line break, and a quote that is never closed must not
//! swallow what follows it. O(length); the buffers are kept.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::Problem;

/// The most columns of a line.
const MAX_COLUMNS: usize = 1024;

/// The fields of the line last read.
pub(super) struct Record {
    reader: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    columns: usize,
}

impl Record {
    pub(super) fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Record { reader, text: Vec::new(), ends: vec![0; MAX_COLUMNS], columns: 0 }
    }

    /// Reads a line that says something.
    pub(super) fn read(&mut self, line: &str) -> Result<(), Problem> {
        self.reader.reset();
        self.text.resize(line.len() + 1, 0);
        let (result, read, written, columns) =
            self.reader.read_record(line.as_bytes(), &mut self.text, &mut self.ends);
        let (text, ends) = (&mut self.text[written..], &mut self.ends[columns..]);
        // The end of the line ends the record, unless it is within quotes.
        let (ended, .., last) = self.reader.read_record(b"\n", text, ends);
        self.columns = columns + last;
        match (result, ended) {
            (ReadRecordResult::InputEmpty, ReadRecordResult::Record) if read == line.len() => {
                Ok(())
            }
            (ReadRecordResult::InputEmpty, ReadRecordResult::InputEmpty) => Err(Problem::OpenQuote),
            _ => Err(Problem::LongLine),
        }
    }

    /// How many fields there are.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// A field, from 0.
    pub(super) fn field(&self, column: usize) -> Result<&str, Problem> {
        let found = self.columns;
        if column >= found {
            return Err(Problem::MissingField { column: column + 1, found });
        }
        let from = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        let field = std::str::from_utf8(&self.text[from..self.ends[column]]);
        field.map(str::trim).map_err(|_| Problem::NotText)
    }

    /// Whether a field is a number, as of no header.
    pub(super) fn has_a_number(&self) -> bool {
        self.fields().any(|field| field.parse::<f64>().is_ok())
    }

    /// Whether it may name the columns of `other`, which are a request's.
    pub(super) fn is_above(&self, other: &Record) -> bool {
        self.columns == other.columns && !self.has_a_number() && other.has_a_number()
    }

    /// All fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        (0..self.columns).filter_map(|column| self.field(column).ok())
    }
}

/// What separates the columns of a line: of the usual characters, the one that occurs most often
/// outside of quotes; a space only where there is no other.
pub(super) fn delimiter_of(line: &str) -> u8 {
    let outside = |delimiter: u8| {
        let mut quoted = false;
        let separates = |byte: &u8| {
            quoted ^= *byte == b'"';
            !quoted && *byte == delimiter
        };
        line.bytes().filter(separates).count()
    };
    let best = [b'|', b';', b'\t', b','].into_iter().max_by_key(|delimiter| outside(*delimiter));
    match best.filter(|delimiter| outside(*delimiter) > 0) {
        Some(delimiter) => delimiter,
        None if outside(b' ') > 0 => b' ',
        None => b',',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Result<Vec<String>, Problem> {
        let mut record = Record::new(delimiter_of(line));
        record.read(line)?;
        Ok(record.fields().map(str::to_owned).collect())
    }

    #[test]
    fn quotes_are_undone_and_must_close() {
        assert_eq!(fields("1, \"a,b\",2").unwrap()[0], "1");
        assert_eq!(fields("\"a,b\",\"say \"\"x\"\"\",2").unwrap(), ["a,b", "say \"x\"", "2"]);
        assert_eq!(fields("1,\"open").unwrap_err(), Problem::OpenQuote);
        assert_eq!(fields("1,").unwrap(), ["1", ""]);
        assert_eq!(fields(&",".repeat(2000)).unwrap_err(), Problem::LongLine);
    }

    #[test]
    fn delimiters_are_found() {
        for (line, delimiter) in [
            ("a,b;c,d", ','),
            ("a;b", ';'),
            ("a\tb c", '\t'),
            ("a|b", '|'),
            ("a b", ' '),
            ("a", ','),
            ("\"a,b\";c", ';'),
        ] {
            assert_eq!(char::from(delimiter_of(line)), delimiter, "{line}");
        }
    }
}

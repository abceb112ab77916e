//! Lines of bounded length, with their numbers. O(length); one buffer.

use std::io::{BufRead, ErrorKind, Read};

use super::error::{Line, MAX_LINE_BYTES};
use super::{Problem, ReadError};

/// Reads lines as bytes, without their ends.
pub(super) struct Lines<R> {
    reader: R,
    name: String,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, name: &str) -> Self {
        Lines { reader, name: name.to_owned(), buffer: Vec::new(), number: 0 }
    }

    /// The error `problem` at the line last read.
    pub(super) fn error(&self, problem: Problem) -> ReadError {
        ReadError { name: self.name.clone(), position: Line(self.number), problem }
    }

    /// The error `problem` at a line, from 1.
    pub(super) fn error_at(&self, line: u64, problem: Problem) -> ReadError {
        ReadError { position: Line(line), ..self.error(problem) }
    }

    /// The number of the line last read, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The line last read, without white space around it.
    pub(super) fn text(&self) -> Result<&str, ReadError> {
        const MARK: char = '\u{feff}';
        let text = std::str::from_utf8(&self.buffer).map_err(|_| self.error(Problem::NotText))?;
        Ok(text.trim_start_matches(MARK).trim())
    }

    /// Reads the next line; whether there was one.
    pub(super) fn advance(&mut self) -> Result<bool, ReadError> {
        self.buffer.clear();
        self.number += 1;
        loop {
            let left = MAX_LINE_BYTES + 2 - self.buffer.len() as u64;
            match (&mut self.reader).take(left).read_until(b'\n', &mut self.buffer) {
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(Problem::Unreadable(error.to_string()))),
            }
        }
        let ended = self.buffer.last() == Some(&b'\n');
        if !ended && self.buffer.len() as u64 > MAX_LINE_BYTES {
            return Err(self.error(Problem::LongLine));
        }
        Ok(!self.buffer.is_empty())
    }
}

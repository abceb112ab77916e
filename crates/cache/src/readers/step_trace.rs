//! The trace of the paper's model: one time step a line, with the id of the object requested in it,
//! or nothing where the step is empty (σ(T) of thesis §2.3.2, and the X of §2.3.1).
//!
//! A line may have a time stamp before the id, as `1583;17`; the step is the line all the same. Ids
//! are as in [`CsvTrace`](super::CsvTrace). A line that is `X` or `-` is an empty step too. Lines
//! that begin with `#` are comments above the first step, and refused below it, as are lines with
//! other columns. O(length).

use std::io::BufRead;

use super::clock::Stamp;
use super::columns::object_id;
use super::lines::Lines;
use super::{Problem, ReadError};
use crate::model::{Request, STEP};
use crate::order::LATEST;
use forebay_units::Time;

/// The requests of a trace with a line for each time step.
///
/// ```
/// use forebay_cache::{at_step, readers::StepTrace};
///
/// let steps = StepTrace::new("B\nA\nX\n\nB\n".as_bytes(), "example");
/// let at: Vec<_> = steps.map(|read| Ok(read?.at)).collect::<Result<_, forebay_cache::readers::ReadError>>()?;
/// assert_eq!(at, [0, 1, 4].map(at_step));
/// # Ok::<(), forebay_cache::readers::ReadError>(())
/// ```
pub struct StepTrace<R> {
    lines: Lines<R>,
    step: Time,
    /// Whether ids have a stamp before them, once it is known.
    stamped: Option<bool>,
    ended: bool,
}

/// What stands in the line of a step.
pub(super) enum StepLine<'a> {
    /// The id of the object requested in this step.
    Object(&'a str),
    /// An id behind a time stamp.
    Stamped(&'a str),
    /// Several columns, which no step has.
    Several,
}

impl<'a> StepLine<'a> {
    /// Reads a line without white space around it; none if the step is empty.
    pub(super) fn of(line: &'a str) -> Option<Self> {
        if ["", "X", "-"].contains(&line) {
            return None;
        }
        let several =
            |text: &str| text.is_empty() || text.contains([',', ';', '|', '"', ' ', '\t']);
        Some(match line.split_once(';') {
            Some((stamp, id)) if Stamp::parse(stamp.trim()).is_some() && !several(id.trim()) => {
                StepLine::Stamped(id.trim())
            }
            None if !several(line) => StepLine::Object(line),
            Some(_) | None => StepLine::Several,
        })
    }
}

impl<R: BufRead> StepTrace<R> {
    /// Reads from `reader`; `name` stands for it in messages.
    pub fn new(reader: R, name: &str) -> Self {
        StepTrace { lines: Lines::new(reader, name), step: Time::ZERO, stamped: None, ended: false }
    }

    fn read(&mut self) -> Result<Option<Request>, ReadError> {
        while self.lines.advance()? {
            let is_comment = self.lines.text()?.starts_with('#');
            if is_comment && self.step == Time::ZERO {
                continue;
            }
            if is_comment {
                return Err(self.lines.error(Problem::Comment));
            }
            let at = self.step;
            if at > LATEST {
                return Err(self.lines.error(Problem::TooLate));
            }
            self.step += STEP;
            let Some(line) = StepLine::of(self.lines.text()?) else { continue };
            let (stamped, id) = match line {
                StepLine::Object(id) => (false, id),
                StepLine::Stamped(id) => (true, id),
                StepLine::Several => return Err(self.lines.error(Problem::NotAStep)),
            };
            if *self.stamped.get_or_insert(stamped) != stamped {
                return Err(self.lines.error(Problem::Unlike));
            }
            return Ok(Some(Request::new(at, object_id(id))));
        }
        Ok(None)
    }
}

impl<R: BufRead> Iterator for StepTrace<R> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ObjectId, at_step};

    fn read(text: &str) -> Result<Vec<Request>, ReadError> {
        StepTrace::new(text.as_bytes(), "t").collect()
    }

    #[test]
    fn stamps_stand_before_ids_and_blank_lines_are_idle() {
        let requests = read("100;7\n\n\n103;page\n104; 7\n").unwrap();
        assert_eq!([0, 3, 4].map(at_step), [0, 1, 2].map(|i: usize| requests[i].at));
        assert_eq!((requests[0].object, requests[2].object), (ObjectId(7), ObjectId(7)));
    }

    #[test]
    fn comments_stand_above_the_first_step() {
        let requests = read("# a trace\n#of mine\n7\n\n8\n").unwrap();
        assert_eq!([requests[0].at, requests[1].at], [0, 2].map(at_step));
        let error = read("7\n#8\n").unwrap_err();
        assert_eq!(error.problem, Problem::Comment);
        assert!(error.to_string().starts_with("t, line 2: the line begins with #"), "{error}");
    }

    #[test]
    fn columns_are_no_steps() {
        for text in ["time,object\n1,2", "7\n1 2 3", "a;b", "1;2;3", "a\tb", "1;"] {
            let error = read(text).unwrap_err();
            assert_eq!(error.problem, Problem::NotAStep, "{text:?}");
        }
        let error = read("7\n\n1;7\n").unwrap_err();
        assert_eq!(error.to_string().split(':').next(), Some("t, line 3"));
        assert_eq!(error.problem, Problem::Unlike);
    }
}

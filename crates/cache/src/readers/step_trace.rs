//! The trace of the paper's model: one time step a line, with the id of the object requested in it, or
//! nothing where the step is empty (σ(T) of thesis §2.3.2, and the X of §2.3.1).
//!
//! This is our reading of the model; no released trace format was consulted. Ids are as in
//! [`CsvTrace`](super::CsvTrace). A line that is `X` or `-` is an empty step too. O(length).

use std::io::BufRead;

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
    ended: bool,
}

impl<R: BufRead> StepTrace<R> {
    /// Reads from `reader`; `name` stands for it in messages.
    pub fn new(reader: R, name: &str) -> Self {
        StepTrace { lines: Lines::new(reader, name), step: Time::ZERO, ended: false }
    }

    fn read(&mut self) -> Result<Option<Request>, ReadError> {
        while self.lines.advance()? {
            let at = self.step;
            if at > LATEST {
                return Err(self.lines.error(Problem::TooLate));
            }
            self.step += STEP;
            let text = self.lines.text();
            if !["", "X", "-"].contains(&text.as_ref()) {
                return Ok(Some(Request::new(at, object_id(&text))));
            }
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

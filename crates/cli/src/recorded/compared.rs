//! Decisions beside those that were recorded.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// What another policy's figures are.
pub(crate) const OPEN_LOOP: &str = "open loop: the senders did what they did under the recorded policy, and \
                         would have sent otherwise under this one";

/// Compares decisions with the recorded ones, a line at a time.
pub(crate) struct Compared {
    recorded: BufReader<File>,
    same: u64,
    is_over: bool,
    difference: Option<String>,
}

impl Compared {
    pub(crate) fn new(mut recorded: BufReader<File>, head: &'static str) -> Self {
        let first = next_line(&mut recorded);
        let is_head = first.is_none_or(|first| first == head);
        let difference = (!is_head).then(|| format!("its decisions do not begin with {head}"));
        Compared { recorded, same: 0, is_over: false, difference }
    }

    /// A decision is made again.
    pub(crate) fn see(&mut self, line: &str) {
        if self.difference.is_some() || self.is_over {
            return;
        }
        match next_line(&mut self.recorded) {
            Some(recorded) if recorded == line => self.same += 1,
            Some(recorded) => {
                // The last line of a run that was killed may be half a line.
                self.is_over =
                    line.starts_with(&recorded) && next_line(&mut self.recorded).is_none();
                if !self.is_over {
                    let number = self.same + 1;
                    let what = format!("decision {number} was `{recorded}` and is now `{line}`");
                    self.difference = Some(what);
                }
            }
            None => self.is_over = true,
        }
    }

    /// How many decisions are the same; else the first that is not.
    pub(crate) fn verdict(mut self, is_cut: bool) -> Result<u64, String> {
        match self.difference {
            Some(difference) => Err(difference),
            None if is_cut => Ok(self.same),
            None if self.is_over => Err(format!("only {} decisions were recorded", self.same)),
            None => match next_line(&mut self.recorded) {
                None => Ok(self.same),
                Some(_) => Err(format!("only the first {} decisions were made again", self.same)),
            },
        }
    }
}

/// The next line, or as much of it as a decision takes at most.
fn next_line(file: &mut BufReader<File>) -> Option<String> {
    const LONGEST: u64 = 256;
    let mut line = Vec::new();
    let read = file.take(LONGEST).read_until(b'\n', &mut line);
    let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned();
    matches!(read, Ok(1..)).then_some(line)
}

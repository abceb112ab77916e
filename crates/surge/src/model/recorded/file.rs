//! Recordings as files of comma-separated values.

use std::io::{BufRead, ErrorKind, Read};

use forebay_parameters::grouped;
use forebay_units::{Bytes, Duration};

use super::{Recorded, RecordedJob};
use crate::model::attack::Shot;

/// The most rows that are read.
pub const MAX_ROWS: usize = 1 << 22;

/// The longest job or estimate of a row, an hour: sums of [`MAX_ROWS`] of them stay finite.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// The largest packet of a row.
const LARGEST: u64 = 1 << 30;

/// Lines of a recording are shorter than this, in bytes.
const LONGEST_LINE: u64 = 1 << 10;

/// The first line of a recording: its columns.
pub const HEADER: &str = "class,flow,bytes,estimate_ns,work_ns";

/// Why a recording cannot be read; each names the line and the fix.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedError {
    /// The file cannot be read.
    #[error("line {line}: {source}")]
    Read {
        /// Where.
        line: u64,
        /// Why.
        source: std::io::Error,
    },
    /// A line is wrong.
    #[error("line {line}: {problem}")]
    Line {
        /// Where.
        line: u64,
        /// What is wrong and how to mend it.
        problem: String,
    },
    /// There are no rows of a class.
    #[error("there are no {0} rows; record both classes again")]
    None(&'static str),
}

impl Recorded {
    /// Reads a file; blank lines are skipped.
    ///
    /// # Errors
    /// [`RecordedError`], also if one of the classes has no row.
    pub fn read(mut reader: impl BufRead) -> Result<Self, RecordedError> {
        let mut recorded = Recorded::default();
        let mut text = String::new();
        for line in 1.. {
            text.clear();
            let read = reader.by_ref().take(LONGEST_LINE).read_line(&mut text);
            let unreadable = |error: std::io::Error| {
                let source = match error.kind() {
                    ErrorKind::InvalidData => {
                        std::io::Error::new(ErrorKind::InvalidData, "it is not text (UTF-8)")
                    }
                    _ => error,
                };
                RecordedError::Read { line, source }
            };
            if read.map_err(unreadable)? == 0 {
                break;
            }
            let bad = |problem: String| RecordedError::Line { line, problem };
            if text.len() as u64 == LONGEST_LINE {
                return Err(bad(format!("it has {LONGEST_LINE} bytes or more; give a recording")));
            }
            let text = text.trim();
            if line == 1 {
                if text != HEADER {
                    return Err(bad(format!("the first line has to be `{HEADER}`")));
                }
            } else if !text.is_empty() {
                recorded.add(text).map_err(bad)?;
            }
        }
        for (class, rows) in [("innocent", &recorded.innocent), ("attack", &recorded.attack)] {
            if rows.is_empty() {
                return Err(RecordedError::None(class));
            }
        }
        Ok(recorded)
    }

    fn add(&mut self, text: &str) -> Result<(), String> {
        let mut fields = text.split(',').map(str::trim);
        let class = fields.next().unwrap_or_default();
        let mut number = |name: &str, most: u64| {
            let field = fields.next().ok_or_else(|| format!("{name} is missing"))?;
            let value: u64 =
                field.parse().map_err(|_| format!("{name} is `{field}`; give a whole number"))?;
            if value > most {
                let (value, most) = (grouped(value), grouped(most));
                Err(format!("{name} is {value}; give at most {most}"))
            } else {
                Ok(value)
            }
        };
        let flow = number("flow", u64::from(u32::MAX >> 1))? as u32;
        let size = Bytes::new(number("bytes", LARGEST)?);
        let estimate = Duration::from_ns(number("estimate_ns", LONGEST_NS)?);
        let work = Duration::from_ns(number("work_ns", LONGEST_NS)?);
        if fields.next().is_some() {
            return Err("there are more than five fields; remove the others".to_owned());
        }
        if size == Bytes::ZERO || work == Duration::ZERO {
            return Err("bytes or work_ns is 0; give at least 1".to_owned());
        }
        let rows = match class {
            "innocent" => &mut self.innocent,
            "attack" => &mut self.attack,
            other => return Err(format!("class is `{other}`; write innocent or attack")),
        };
        if rows.len() >= MAX_ROWS {
            let most = grouped(MAX_ROWS as u64);
            return Err(format!("there are more than {most} rows of this class; remove some"));
        }
        rows.push(RecordedJob { flow, shot: Shot { size, work, estimate } });
        Ok(())
    }

    /// It as a file.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (class, rows) in [("innocent", &self.innocent), ("attack", &self.attack)] {
            for RecordedJob { flow, shot: Shot { size, work, estimate } } in rows {
                let [estimate, work] = [estimate, work].map(|span| span.as_ps().div_ceil(1000));
                text += &format!("{class},{flow},{},{estimate},{work}\n", size.get());
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (rows, words) in [
            ("innocent,0,1500,200,x", "line 2: work_ns is `x`"),
            ("innocent,0,1500,200", "line 2: work_ns is missing"),
            ("evil,0,1500,200,9", "class is `evil`"),
            ("attack,0,0,200,9", "bytes or work_ns is 0"),
            ("attack,0,64,200,9,9", "more than five"),
            ("attack,0,64,200,9", "no innocent rows"),
            (
                "attack,0,64,200,99999999999999999",
                "99,999,999,999,999,999; give at most 3,600,000,",
            ),
        ] {
            let error = Recorded::read(format!("{HEADER}\n{rows}\n").as_bytes()).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
        assert!(
            Recorded::read(&b"flow,bytes\n"[..]).unwrap_err().to_string().contains("first line")
        );
        assert!(Recorded::read(&b""[..]).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(innocent|attack|[0-9]{0,4}|,|\n|class){0,40}") {
            if let Ok(recorded) = Recorded::read(format!("{HEADER}\n{text}").as_bytes()) {
                prop_assert_eq!(Recorded::read(recorded.to_csv().as_bytes()).unwrap(), recorded);
            }
        }
    }
}

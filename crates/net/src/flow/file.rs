//! Flow files: one flow a line, `src dst bytes start_ns`, so that several simulators can be given
//! the same.
//!
//! Fields are separated by blanks; blank lines, and lines that begin with `#`, are passed over.
//! Times are in nanoseconds with up to three decimals, which is a picosecond. Any order of times.
//! O(length); 24 bytes a flow.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use forebay_units::{Bytes, Time, printable};

use super::{Flow, FlowList, FlowProblem, MAX_FLOWS};

/// The longest line of a flow file that is worth reading, in bytes: more is no flow and no comment.
pub const LONGEST_LINE: u64 = 1 << 16;

/// What a flow file's line says wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowFileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    Fields(usize),
    Number { field: &'static str, text: String },
    TooMany,
    NoMemory(usize),
    Flow(FlowProblem),
}

impl fmt::Display for FlowFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            Problem::Fields(found) => {
                write!(f, "found {found} fields: write \"src dst bytes start_ns\"")
            }
            Problem::Number { field, text } => write!(
                f,
                "{field} is \"{}\": write a non-negative number that fits, start_ns with at most \
                 three decimals",
                printable(text)
            ),
            Problem::TooMany => write!(f, "more than {MAX_FLOWS} flows: split the file"),
            Problem::NoMemory(flows) => {
                write!(f, "there is no memory for more than {flows} flows: split the file")
            }
            Problem::Flow(problem) => write!(f, "{problem}"),
        }
    }
}

impl core::error::Error for FlowFileError {}

/// Reads a flow file for a network of `hosts` hosts.
///
/// ```
/// use forebay_net::flow::read_flows;
///
/// let flows = read_flows("# src dst bytes start_ns\n0 1 20000 0\n1 0 500 12.5\n", 2)?;
/// assert_eq!(flows[1].start.as_ps(), 12_500);
/// let error = read_flows("0 1 20000 0\n0 7 1 0\n", 2).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2: host 7 is not in the topology: its 2 hosts count from 0"
/// );
/// # Ok::<(), forebay_net::flow::FlowFileError>(())
/// ```
///
/// # Errors
/// [`FlowFileError`] names the first line that is wrong.
pub fn read_flows(text: &str, hosts: u32) -> Result<Vec<Flow>, FlowFileError> {
    let mut lines = FlowLines::new(hosts);
    text.lines().try_for_each(|line| lines.read(line))?;
    Ok(lines.into_flows())
}

/// Whether a line of a flow file holds a flow: it is neither blank nor a comment.
///
/// ```
/// assert!(forebay_net::flow::holds_flow("0 1 500 0"));
/// assert!(!forebay_net::flow::holds_flow("# src dst bytes start_ns"));
/// ```
#[must_use]
pub fn holds_flow(line: &str) -> bool {
    let content = line.trim_start();
    !content.is_empty() && !content.starts_with('#')
}

/// A flow file that is read line by line, so that its text need not be in memory.
#[derive(Clone, Debug)]
pub struct FlowLines {
    hosts: u32,
    lines: usize,
    flows: FlowList,
}

impl FlowLines {
    /// Nothing read yet, for a network of `hosts` hosts.
    #[must_use]
    pub fn new(hosts: u32) -> Self {
        FlowLines { hosts, lines: 0, flows: FlowList::default() }
    }

    /// Reads the next line. O(length).
    ///
    /// # Errors
    /// What is wrong with it, or there is no memory for one more flow.
    pub fn read(&mut self, line: &str) -> Result<(), FlowFileError> {
        self.lines += 1;
        let at = |problem| FlowFileError { line: self.lines, problem };
        if !holds_flow(line) {
            return Ok(());
        }
        if self.flows.len() == MAX_FLOWS {
            return Err(at(Problem::TooMany));
        }
        let flow = read_flow(line.trim()).map_err(at)?;
        flow.check(self.hosts).map_err(|problem| at(Problem::Flow(problem)))?;
        self.flows.try_reserve(1).map_err(|_| at(Problem::NoMemory(self.flows.len())))?;
        self.flows.push(&flow).map_err(|problem| at(Problem::Flow(problem)))
    }

    /// The flows of the lines read.
    #[must_use]
    pub fn into_list(mut self) -> FlowList {
        self.flows.shrink();
        self.flows
    }

    /// The flows of the lines read, as values.
    #[must_use]
    pub fn into_flows(self) -> Vec<Flow> {
        self.flows.iter().collect()
    }
}

fn read_flow(content: &str) -> Result<Flow, Problem> {
    let mut fields = content.split_ascii_whitespace();
    let (Some(src), Some(dst), Some(bytes), Some(start), None) =
        (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(Problem::Fields(content.split_ascii_whitespace().count()));
    };
    let host = |field, text: &str| text.parse::<u32>().map_err(|_| bad_number(field, text));
    let (src, dst) = (host("src", src)?, host("dst", dst)?);
    let bytes = Bytes::new(bytes.parse().map_err(|_| bad_number("bytes", bytes))?);
    let start = read_time(start).ok_or_else(|| bad_number("start_ns", start))?;
    Ok(Flow::new(src, dst, bytes, start))
}

fn bad_number(field: &'static str, text: &str) -> Problem {
    Problem::Number { field, text: text.chars().take(40).collect() }
}

/// Nanoseconds with up to three decimals, exactly.
fn read_time(text: &str) -> Option<Time> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths = fraction.bytes().chain([b'0'; 3]).take(3);
    let ps = thousandths.fold(0, |ps, digit| ps * 10 + u64::from(digit - b'0'));
    let ps = whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(ps)?;
    (ps != u64::MAX).then_some(Time::from_ps(ps))
}

/// Flows as text that [`read_flows`] reads. It is written piece by piece, and never whole in
/// memory.
#[must_use]
pub fn write_flows(flows: &[Flow]) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        f.write_str("# src dst bytes start_ns\n")?;
        for Flow { src, dst, bytes, start, .. } in flows {
            let (ns, ps) = (start.as_ps() / 1000, start.as_ps() % 1000);
            writeln!(f, "{src} {dst} {} {ns}.{ps:03}", bytes.get())?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::LATEST_START;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn bad_lines_are_named() {
        for (text, expected) in [
            ("0 1 5", "line 1: found 3 fields"),
            ("0 1 5 0 9", "line 1: found 5 fields"),
            ("\n0 1 5 -3", "line 2: start_ns is \"-3\""),
            ("0 1 5 1.2345", "line 1: start_ns is \"1.2345\""),
            ("0 1 5 99999999999999999999", "line 1: start_ns is"),
            ("0 1 -5 0", "line 1: bytes is \"-5\""),
            ("0 1 0 0", "line 1: a flow of 0 bytes"),
            ("0 1 9999999999999999 0", "line 1: a flow of 9,999,999,999,999,999 bytes"),
            ("1 1 5 0", "line 1: the flow leads from host 1 to itself"),
            ("0 1 5 18446744073709551", "line 1: the flow begins at "),
            ("x 1 5 0", "line 1: src is \"x\""),
        ] {
            let error = read_flows(text, 2).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9a-z. #\n-]{0,80}") {
            let _ = read_flows(&text, 3);
        }

        #[test]
        fn what_is_written_is_read(
            flows in proptest::collection::vec((0u32..5, 1u32..5, 1u64..1 << 50, 0..LATEST_START.as_ps()), 0..20)
        ) {
            let flows: Vec<_> = flows
                .into_iter()
                .map(|(src, step, bytes, at)| {
                    Flow::new(src, (src + step) % 5, Bytes::new(bytes), Time::from_ps(at))
                })
                .collect();
            prop_assert_eq!(read_flows(&write_flows(&flows).to_string(), 5), Ok(flows));
        }
    }
}

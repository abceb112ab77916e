//! Mahimahi's traces: a line is an instant, in milliseconds, at which 1500 bytes may pass
//! (mm-link(1)).

use forebay_units::Duration;

use super::TraceError;
use crate::link::{Opportunities, Pace};

pub(super) fn read(text: &str) -> Result<Pace, TraceError> {
    let mut instants = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        // More than 100 days are no instant that is ever reached.
        let ms = text.parse::<u64>().ok().filter(|ms| *ms < 10_000_000_000);
        let shown = || text.chars().take(20).collect();
        let ms = ms.ok_or_else(|| TraceError::Line { line, text: shown() })?;
        instants.push(Duration::from_ms(ms));
    }
    Ok(Pace::Opportunities(Opportunities::new(instants)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::PaceError;
    use forebay_units::Rate;

    #[test]
    fn a_line_is_an_opportunity() {
        assert_eq!(read("0\n1\n1\n\n2 \n").unwrap().mean(), Rate::from_bps(4 * 12_000 / 2 * 1_000));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = read("1\n2\n2.5\n").unwrap_err();
        assert!(error.to_string().starts_with("line 3: `2.5` is not a whole number"), "{error}");
        assert!(matches!(read("99999999999999\n"), Err(TraceError::Line { line: 1, .. })));
        assert_eq!(read("# nothing\n"), Err(TraceError::Pace(PaceError::Nothing)));
        assert_eq!(read("0\n"), Err(TraceError::Pace(PaceError::NoTime)));
    }
}

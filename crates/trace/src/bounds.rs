//! What of a run goes into a trace: a window of time, and one packet in so many.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use forebay_units::{Duration, ParseUnitError, Time};

/// From an instant, up to but without another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceWindow {
    /// The first instant that is traced.
    pub from: Time,
    /// The first instant after it that is not.
    pub to: Time,
}

impl TraceWindow {
    /// All of a run.
    pub const ALL: TraceWindow = TraceWindow { from: Time::ZERO, to: Time::MAX };

    /// Whether `at` is in it.
    #[must_use]
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && at < self.to
    }
}

impl FromStr for TraceWindow {
    type Err = WindowError;

    /// Reads `1 ms..2 ms`; either end may be left out.
    ///
    /// ```
    /// use forebay_trace::TraceWindow;
    /// use forebay_units::Time;
    ///
    /// let window: TraceWindow = "1 us..".parse()?;
    /// assert_eq!((window.from, window.to), (Time::from_ps(1_000_000), Time::MAX));
    /// assert!("2 us..1 us".parse::<TraceWindow>().is_err());
    /// # Ok::<(), forebay_trace::WindowError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, WindowError> {
        let (from, to) = text.split_once("..").ok_or(WindowError::Form)?;
        let instant = |text: &str, open: Time| match text.trim() {
            "" => Ok(open),
            text => {
                text.parse::<Duration>().map(|span| Time::ZERO + span).map_err(WindowError::Time)
            }
        };
        let window = TraceWindow { from: instant(from, Time::ZERO)?, to: instant(to, Time::MAX)? };
        if window.from < window.to { Ok(window) } else { Err(WindowError::Empty) }
    }
}

/// Why a text is no window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowError {
    /// It has no two dots.
    Form,
    /// One of its ends is no time.
    Time(ParseUnitError),
    /// It ends before it begins.
    Empty,
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WindowError::Form => {
                f.write_str("write a window as FROM..TO, for example \"1 ms..2 ms\"")
            }
            WindowError::Time(error) => error.fmt(f),
            WindowError::Empty => {
                f.write_str("the window is empty: its end must come after its beginning")
            }
        }
    }
}

impl std::error::Error for WindowError {}

/// What of a run is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Only what happens then. A packet that arrives in it is followed until it is gone.
    pub window: TraceWindow,
    /// One packet in so many, and one reading of the levels and thresholds in so many events. What
    /// is moved between memories, and how much has been lost, is traced in any case.
    pub sample: NonZeroU32,
}

impl Default for Bounds {
    /// Everything.
    fn default() -> Self {
        Bounds { window: TraceWindow::ALL, sample: NonZeroU32::MIN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_and_refused() {
        let window: TraceWindow = "1 ns..1 us".parse().unwrap();
        assert!(
            window.contains(Time::from_ps(1_000)) && !window.contains(Time::from_ps(1_000_000))
        );
        assert_eq!("..".parse(), Ok(TraceWindow::ALL));
        let says = |text: &str| text.parse::<TraceWindow>().unwrap_err().to_string();
        assert!(says("1 ms").contains("FROM..TO"));
        assert!(says("1 ms..1 ms").contains("empty"));
        assert!(says("1 parsec..").contains("parsec"), "{}", says("1 parsec.."));
    }
}

//! What the proxy and its libraries have to say, on standard error.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use log::{Level, LevelFilter, Log, Metadata, Record, SetLoggerError};

use crate::terminal::warn;

/// What is ours; of other libraries only errors are told, for each client that goes away can cause
/// their warnings.
const OURS: &str = "forebay";
/// How many messages one span has room for, ours and those of others each.
const MOST: u32 = 10;
/// The span.
const SPAN: Duration = Duration::from_secs(60);

/// How many messages have come in a span, so that no client fills a disk with them.
#[derive(Default)]
struct Quota {
    began: Option<Instant>,
    told: u32,
    left_out: u64,
}

impl Quota {
    /// Whether there is room for a message at `now`, and how many were left out before it.
    fn take(&mut self, now: Instant) -> Option<u64> {
        if self.began.is_none_or(|began| now.saturating_duration_since(began) >= SPAN) {
            self.began = Some(now);
            self.told = 0;
        }
        if self.told == MOST {
            self.left_out += 1;
            return None;
        }
        self.told += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

#[derive(Default)]
struct Logger {
    ours: Mutex<Quota>,
    others: Mutex<Quota>,
}

fn is_ours(target: &str) -> bool {
    target.starts_with(OURS)
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let least = if is_ours(metadata.target()) { Level::Warn } else { Level::Error };
        metadata.level() <= least
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let ours = is_ours(record.target());
        let quota = if ours { &self.ours } else { &self.others };
        let room = quota.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
        // Our errors come once each time that something breaks, and no client can cause them.
        let room = if ours && record.level() == Level::Error { room.or(Some(0)) } else { room };
        let Some(left_out) = room else { return };
        if left_out > 0 {
            warn(&format!("{left_out} messages like the following were left out"));
        }
        match record.level() {
            Level::Error => warn(&format!("error: {}", record.args())),
            Level::Warn | Level::Info | Level::Debug | Level::Trace => {
                warn(&format!("warning: {}", record.args()));
            }
        }
    }

    fn flush(&self) {}
}

/// Tells messages from now on.
pub(super) fn tell() -> Result<(), SetLoggerError> {
    log::set_boxed_logger(Box::<Logger>::default())?;
    log::set_max_level(LevelFilter::Warn);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_room_for_some_messages_and_says_what_was_left_out() {
        let mut quota = Quota::default();
        let began = Instant::now();
        let room = |quota: &mut Quota, seconds| quota.take(began + Duration::from_secs(seconds));
        for _ in 0..MOST {
            assert_eq!(room(&mut quota, 0), Some(0));
        }
        assert_eq!([room(&mut quota, 1), room(&mut quota, 59)], [None, None]);
        assert_eq!(room(&mut quota, 60), Some(2));
        assert_eq!(room(&mut quota, 61), Some(0));
    }

    #[test]
    fn of_others_only_errors_are_told() {
        let logger = Logger::default();
        let told = |target, level| {
            logger.enabled(&Metadata::builder().target(target).level(level).build())
        };
        assert!(told("forebay_pingora::cache", Level::Warn));
        assert!(!told("forebay_proxy::door", Level::Debug));
        assert!(told("pingora_proxy", Level::Error) && !told("h2::codec", Level::Warn));
    }
}

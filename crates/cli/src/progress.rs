//! Shows the progress of an experiment: a bar with the runs in flight on a terminal, plain lines
//! elsewhere.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forebay_lab::results::number::{Shown, plural};
use forebay_lab::run::Observer;
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal;

/// How often a plain line is written.
const PLAIN_EVERY: Duration = Duration::from_secs(5);
/// Steps of the bar per run, so that long runs move it too.
const STEPS: u64 = 100;

/// The progress of one experiment.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    total: usize,
    reused: usize,
    finished: usize,
    /// Runs in flight: label and steps done.
    running: BTreeMap<usize, (String, u64)>,
    started: Instant,
    last_line: Instant,
}

impl Progress {
    /// A bar if standard error is a terminal.
    pub(crate) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            let template = "  {bar:28} {prefix} · {elapsed} elapsed, {eta} left\n  {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
            }
            bar
        });
        let now = Instant::now();
        let state = State {
            total: 0,
            reused: 0,
            finished: 0,
            running: BTreeMap::new(),
            started: now,
            last_line: now,
        };
        Progress { bar, state: Mutex::new(state) }
    }

    /// Removes the bar from the screen.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn redraw(&self, state: &mut State) {
        let done = state.reused + state.finished;
        let running: Vec<&str> = state.running.values().map(|(label, _)| label.as_str()).collect();
        if let Some(bar) = &self.bar {
            let steps: u64 = state.running.values().map(|(_, steps)| steps).sum();
            bar.set_position(state.finished as u64 * STEPS + steps);
            bar.set_prefix(format!("{done} of {}", plural(state.total, "run", "runs")));
            bar.set_message(running.join(" | "));
        } else if state.last_line.elapsed() >= PLAIN_EVERY {
            state.last_line = Instant::now();
            let seconds = state.started.elapsed().as_secs_f64();
            let remaining = state.total.saturating_sub(done) as f64;
            let left = match state.finished {
                0 => String::new(),
                finished => format!(", about {:.0} s left", seconds / finished as f64 * remaining),
            };
            terminal::warn(&format!(
                "  {done} of {} after {seconds:.0} s{left}{}",
                plural(state.total, "run", "runs"),
                in_flight(&running)
            ));
        }
    }
}

/// What runs, after what is said of the rest; nothing at the end.
pub(crate) fn in_flight(running: &[&str]) -> String {
    if running.is_empty() { String::new() } else { format!("; running {}", running.join(" | ")) }
}

impl Observer for Progress {
    fn warned(&self, warning: &str) {
        terminal::warn(&format!("warning: {warning}"));
    }

    fn planned(&self, total: usize, reused: usize) {
        let mut state = self.state();
        (state.total, state.reused) = (total, reused);
        if reused > 0 {
            terminal::warn(&format!(
                "  {reused} of {} already there",
                plural(total, "run", "runs")
            ));
        }
        if let Some(bar) = &self.bar {
            bar.set_length((total - reused) as u64 * STEPS);
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        self.redraw(&mut state);
    }

    fn started(&self, run: usize, label: &str) {
        let mut state = self.state();
        state.running.insert(run, (label.to_owned(), 0));
        self.redraw(&mut state);
    }

    fn progressed(&self, run: usize, share: f64) {
        let mut state = self.state();
        let steps = (share * STEPS as f64) as u64;
        let moved = state.running.get_mut(&run).is_some_and(|(_, old)| {
            let moved = *old != steps;
            *old = steps;
            moved
        });
        if moved {
            self.redraw(&mut state);
        }
    }

    fn traces(&self, bytes: u64) {
        // Smaller ones are no surprise.
        if bytes >= 10_000_000 {
            let size = Shown::alone("B", bytes as f64).value(bytes as f64);
            let text = format!(
                "  the trace of the whole run will have about {size}; --trace-window and \
                 --trace-sample make it smaller"
            );
            match &self.bar {
                Some(bar) => bar.suspend(|| terminal::warn(&text)),
                None => terminal::warn(&text),
            }
        }
    }

    fn finished(&self, run: usize) {
        let mut state = self.state();
        state.running.remove(&run);
        state.finished += 1;
        self.redraw(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_to_run_when_all_has_run() {
        assert_eq!(in_flight(&["dt, seed 1", "dt, seed 2"]), "; running dt, seed 1 | dt, seed 2");
        assert_eq!(in_flight(&[]), "");
    }
}

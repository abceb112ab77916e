//! One bar over all experiments on a terminal, plain lines elsewhere; and a line for each
//! experiment that ends.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forebay_lab::results::number::plural;
use indicatif::{ProgressBar, ProgressStyle};

use super::estimate::{Estimate, span};
use crate::terminal;

/// How often a plain line is written.
const PLAIN_EVERY: Duration = Duration::from_secs(20);
/// How often the bar is drawn.
const BAR_EVERY: Duration = Duration::from_millis(200);
/// The length of the bar.
const STEPS: f64 = 1000.0;

/// The progress of all experiments.
pub(super) struct Overall {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    estimate: Estimate,
    experiments: usize,
    ended: usize,
    /// Runs in flight: experiment and run; what is shown, the share done, the beginning.
    running: BTreeMap<(usize, usize), (String, f64, Instant)>,
    started: Instant,
    drawn: Instant,
}

impl Overall {
    /// A bar if standard error is a terminal.
    pub(super) fn new(estimate: Estimate, experiments: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(STEPS as u64);
            let template = "  {bar:28} {prefix}\n  {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
            }
            bar
        });
        let now = Instant::now();
        let running = BTreeMap::new();
        let state = State { estimate, experiments, ended: 0, running, started: now, drawn: now };
        Overall { bar, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run begins.
    pub(super) fn started(&self, member: usize, run: usize, label: String) {
        let mut state = self.state();
        state.running.insert((member, run), (label, 0.0, Instant::now()));
        self.draw(&mut state);
    }

    /// A share of a run is done.
    pub(super) fn progressed(&self, member: usize, run: usize, share: f64) {
        let mut state = self.state();
        if let Some((_, done, _)) = state.running.get_mut(&(member, run)) {
            *done = share;
        }
        self.draw(&mut state);
    }

    /// A run is stored.
    pub(super) fn finished(&self, member: usize, run: usize, cpu_seconds: f64) {
        let mut state = self.state();
        let began = state.running.remove(&(member, run));
        let passed = began.map_or(cpu_seconds, |(_, _, began)| began.elapsed().as_secs_f64());
        state.estimate.finished(member, cpu_seconds, passed);
        self.draw(&mut state);
    }

    /// An experiment has ended; `told` is what is said about it.
    pub(super) fn ended(&self, member: usize, told: Option<String>) {
        let mut state = self.state();
        state.ended += 1;
        state.estimate.ended(member);
        state.running.retain(|(of, _), _| *of != member);
        let Some(told) = told else { return };
        let line = format!("  {} of {}: {told}", state.ended, state.experiments);
        match &self.bar {
            Some(bar) => bar.suspend(|| terminal::warn(&line)),
            None => terminal::warn(&line),
        }
    }

    fn draw(&self, state: &mut State) {
        let every = if self.bar.is_some() { BAR_EVERY } else { PLAIN_EVERY };
        if state.drawn.elapsed() < every {
            return;
        }
        state.drawn = Instant::now();
        let in_flight: Vec<(usize, f64)> =
            state.running.iter().map(|((member, _), (_, share, _))| (*member, *share)).collect();
        let share = state.estimate.share(&in_flight);
        let line = format!(
            "{:.0} % after {}, about {} left · {} of {}",
            share * 100.0,
            span(state.started.elapsed().as_secs_f64()),
            span(state.estimate.seconds_left(&in_flight)),
            state.ended,
            plural(state.experiments, "experiment", "experiments"),
        );
        let running: Vec<&str> =
            state.running.values().map(|(label, _, _)| label.as_str()).collect();
        match &self.bar {
            Some(bar) => {
                bar.set_position((share * STEPS) as u64);
                bar.set_prefix(line);
                bar.set_message(running.join(" | "));
            }
            None => terminal::warn(&format!("  {line}{}", crate::progress::in_flight(&running))),
        }
    }

    /// Removes the bar from the screen.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

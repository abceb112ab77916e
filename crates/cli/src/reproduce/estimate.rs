//! How long what is left will take.
//!
//! An experiment's runs are taken to cost what they cost before, on this machine or on the one that
//! stored the costs. As runs end, what they cost counts more and more, for their own experiment
//! and, as the speed of this machine, for all others; and so does how much of the time the threads
//! get a processor.

use forebay_lab::results::number::{self, plural};

/// Processor seconds for which what was known counts as much as what is measured.
const TRUST: f64 = 15.0;

/// What is left, and how long it will take.
pub(super) struct Estimate {
    threads: usize,
    members: Vec<Member>,
    /// Processor seconds of the runs that ended, and the time that passed in them.
    spent: f64,
    passed: f64,
    /// What those of them were thought to cost whose cost was known, and what they cost.
    thought: f64,
    known: f64,
}

struct Member {
    /// Processor seconds of a run, as known before.
    before: Option<f64>,
    missing: usize,
    done: usize,
    spent: f64,
}

impl Estimate {
    /// Without experiments.
    pub(super) fn new(threads: usize) -> Self {
        let members = Vec::new();
        Estimate { threads, members, spent: 0.0, passed: 0.0, thought: 0.0, known: 0.0 }
    }

    /// Adds an experiment: what a run of it costs, if that is known, and how many are missing.
    pub(super) fn add(&mut self, before: Option<f64>, missing: usize) {
        self.members.push(Member { before, missing, done: 0, spent: 0.0 });
    }

    /// A run has ended, after so much processor time and so much time.
    pub(super) fn finished(&mut self, member: usize, cpu_seconds: f64, passed: f64) {
        let member = &mut self.members[member];
        member.done += 1;
        member.spent += cpu_seconds;
        if let Some(before) = member.before {
            self.thought += before;
            self.known += cpu_seconds;
        }
        self.spent += cpu_seconds;
        self.passed += passed;
    }

    /// No more runs of an experiment will come.
    pub(super) fn ended(&mut self, member: usize) {
        let member = &mut self.members[member];
        member.missing = member.done;
    }

    /// What a run of an experiment costs, by all that is known.
    fn run_cost(&self, member: &Member) -> f64 {
        let slower = (self.known + TRUST) / (self.thought + TRUST);
        let before = match member.before {
            Some(before) => before * slower,
            None => self.usual(),
        };
        // The first runs of a sweep are not like the last ones: they count fully only when a
        // quarter is done.
        let trust = (member.missing as f64 / 4.0).max(1.0);
        (before * trust + member.spent) / (trust + member.done as f64)
    }

    /// What a run costs of which nothing is known: as the others.
    fn usual(&self) -> f64 {
        let runs: usize = self.members.iter().map(|member| member.done).sum();
        if runs > 0 {
            return self.spent / runs as f64;
        }
        let known: Vec<f64> = self.members.iter().filter_map(|member| member.before).collect();
        if known.is_empty() { 1.0 } else { known.iter().sum::<f64>() / known.len() as f64 }
    }

    /// Seconds left, while `running` runs (experiment, share done) are in flight.
    pub(super) fn seconds_left(&self, running: &[(usize, f64)]) -> f64 {
        self.work_left(running) / self.threads.max(1) as f64 * self.waiting()
    }

    /// How much of all work is done, 0 to 1.
    pub(super) fn share(&self, running: &[(usize, f64)]) -> f64 {
        let left = self.work_left(running);
        let in_flight: f64 = running
            .iter()
            .map(|(member, share)| share * self.run_cost(&self.members[*member]))
            .sum();
        let done = self.spent + in_flight;
        if done + left > 0.0 { done / (done + left) } else { 1.0 }
    }

    /// Processor seconds left.
    fn work_left(&self, running: &[(usize, f64)]) -> f64 {
        let all: f64 = self
            .members
            .iter()
            .map(|member| member.missing.saturating_sub(member.done) as f64 * self.run_cost(member))
            .sum();
        let in_flight = running.iter().map(|(member, share)| {
            let member = &self.members[*member];
            if member.missing > member.done { share * self.run_cost(member) } else { 0.0 }
        });
        (all - in_flight.sum::<f64>()).max(0.0)
    }

    /// How many seconds pass for one of processor time.
    fn waiting(&self) -> f64 {
        ((self.passed + TRUST) / (self.spent + TRUST)).max(1.0)
    }

    /// "about 40 min on 2 threads", and what is not known.
    pub(super) fn outlook(&self) -> String {
        let unknown = self.members.iter().filter(|m| m.before.is_none() && m.missing > 0).count();
        let threads = plural(self.threads, "thread", "threads");
        let left = format!("about {} on {threads}", span(self.seconds_left(&[])));
        let never = plural(
            unknown,
            "experiment that was never measured",
            "experiments that were never measured",
        );
        if unknown == 0 { left } else { format!("{left} (a guess for {never})") }
    }
}

/// "4 s", "12 min", "1 h 20 min": as precisely as an estimate is.
pub(super) fn span(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        _ if seconds < 10.0 => format!("{} s", number::short((seconds * 10.0).round() / 10.0)),
        _ if seconds < 90.0 => format!("{seconds:.0} s"),
        0..60 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 0.05 * b.abs().max(1e-9)
    }

    #[test]
    fn what_is_known_is_divided_among_the_threads() {
        let mut estimate = Estimate::new(2);
        estimate.add(Some(10.0), 12);
        estimate.add(Some(1.0), 0);
        assert!(near(estimate.seconds_left(&[]), 60.0));
        assert!(near(estimate.seconds_left(&[(0, 0.5), (0, 0.5)]), 55.0));
        assert_eq!(estimate.outlook(), "about 60 s on 2 threads");
        estimate.add(None, 3);
        assert!(estimate.outlook().ends_with("(a guess for 1 experiment that was never measured)"));
        assert!(estimate.share(&[]) == 0.0);
    }

    #[test]
    fn a_slower_machine_and_a_busy_one_are_noticed() {
        let mut estimate = Estimate::new(1);
        estimate.add(Some(10.0), 40);
        estimate.add(Some(5.0), 100);
        let before = estimate.seconds_left(&[]);
        // Twice as slow, and the processor is ours half of the time.
        for _ in 0..40 {
            estimate.finished(0, 20.0, 40.0);
        }
        estimate.ended(0);
        let after = estimate.seconds_left(&[]);
        assert!(near(before, 900.0), "{before}");
        assert!(near(after, 100.0 * 5.0 * 2.0 * 2.0), "{after}");
        let share = estimate.share(&[]);
        assert!(near(share, 800.0 / 1800.0), "{share}");
    }

    #[test]
    fn what_will_not_come_is_not_waited_for() {
        let mut estimate = Estimate::new(1);
        estimate.add(Some(10.0), 10);
        estimate.finished(0, 10.0, 10.0);
        estimate.ended(0);
        assert_eq!((estimate.seconds_left(&[]), estimate.share(&[])), (0.0, 1.0));
        assert_eq!(Estimate::new(1).share(&[]), 1.0, "nothing to do is done");
    }

    #[test]
    fn spans_are_as_precise_as_they_can_be() {
        for (seconds, words) in [
            (0.04, "0 s"),
            (3.21, "3.2 s"),
            (42.0, "42 s"),
            (600.0, "10 min"),
            (4800.0, "1 h 20 min"),
        ] {
            assert_eq!(span(seconds), words);
        }
    }
}

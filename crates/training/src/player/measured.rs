//! What was measured of a job that may still run.

use forebay_units::Time;

use super::{DONE, Player};
use crate::report::{RankReport, Report};

/// How far a rank is with each of its iterations: when it was done with it.
struct Ends {
    iterations: Vec<Option<Time>>,
    /// Whether all of the rank's nodes are done.
    is_done: bool,
}

impl Player {
    /// What was measured so far. O(nodes).
    #[must_use]
    pub fn report(&self) -> Report {
        let us = |time: Time| time.as_ps() as f64 / 1e6;
        let totals = self.net.totals();
        let ends: Vec<Ends> = (0..self.ranks.len()).map(|rank| self.ends_of(rank)).collect();
        let of_rank = |(number, ends): (usize, &Ends)| {
            let rank = &self.ranks[number];
            let end = if ends.is_done { rank.end } else { self.now() };
            let computed = self.processors.computed(number, self.now()).as_ps();
            RankReport {
                end_us: ends.is_done.then(|| us(end)),
                compute_us: us(Time::from_ps(computed)),
                exposed_us: us(Time::from_ps(end.as_ps().saturating_sub(computed))),
                sent_bytes: rank.sent,
                iteration_ends_us: ends.iterations.iter().map(|end| end.map(us)).collect(),
            }
        };
        let longest = ends.iter().map(|ends| ends.iterations.len()).max().unwrap_or(0);
        // Nothing, if a rank that has the iteration is not done with it.
        let last = |at: usize| {
            let mut of_all = ends.iter().filter_map(|ends| ends.iterations.get(at));
            of_all.try_fold(Time::ZERO, |last, end| Some(last.max((*end)?))).map(us)
        };
        let is_done = self.done == self.plan.nodes();
        let last_of_all = self.ranks.iter().map(|rank| rank.end).max().unwrap_or_default();
        Report {
            end_us: us(if is_done { last_of_all } else { self.now() }),
            iteration_ends_us: (0..longest).map(last).collect(),
            messages: self.sent,
            packet_hops: totals.packet_hops,
            lost: totals.dropped.packets,
            done: self.done,
            nodes: self.plan.nodes(),
            ranks: ends.iter().enumerate().map(of_rank).collect(),
        }
    }

    fn ends_of(&self, rank: usize) -> Ends {
        let nodes = &self.plan.job.ranks[rank];
        let iterations = nodes.iter().map(|node| node.iteration as usize + 1).max().unwrap_or(0);
        let mut ends = Ends {
            iterations: self.ranks[rank].iterations.iter().copied().map(Some).collect(),
            is_done: true,
        };
        // An iteration without nodes of the rank is done at once.
        ends.iterations.resize(iterations, Some(Time::ZERO));
        let first = self.plan.first(rank as u32).unwrap_or(0);
        for (number, node) in (first..).zip(nodes) {
            if self.waits[number as usize] != DONE {
                ends.iterations[node.iteration as usize] = None;
                ends.is_done = false;
            }
        }
        ends
    }
}

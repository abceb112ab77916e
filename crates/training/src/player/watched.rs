//! When the nodes of one rank began and were done.

use forebay_units::Time;
use serde::Serialize;

use super::{PlayError, Player};
use crate::job::Operation;

/// What a node of a rank took. Times are in µs from the job's beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// The node's number.
    pub id: u64,
    /// What it is called; may be empty.
    pub name: Box<str>,
    /// What it does: `compute`, `send`, `receive`, or the collective.
    pub kind: String,
    /// The iteration that it belongs to.
    pub iteration: u32,
    /// When it began: a computation on its processor, all else when what it waits for was done.
    pub begin_us: f64,
    /// When it was done; none if it is not.
    pub end_us: Option<f64>,
}

/// The rank that is watched.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) rank: u32,
    /// Its first node.
    first: u32,
    /// When each of its nodes began, and was done.
    begins: Vec<Option<Time>>,
    ends: Vec<Option<Time>>,
}

impl Player {
    /// Keeps account of when the nodes of a rank begin and are done: 32 bytes each.
    ///
    /// # Errors
    /// The job has no such rank.
    pub fn watch(&mut self, rank: u32) -> Result<(), PlayError> {
        let ranks = self.plan.job.ranks.len();
        let (Some(nodes), Some(first)) =
            (self.plan.job.ranks.get(rank as usize), self.plan.first(rank))
        else {
            return Err(PlayError::NoRank { rank, ranks });
        };
        let none = vec![None; nodes.len()];
        self.watched = Some(Watched { rank, first, begins: none.clone(), ends: none });
        Ok(())
    }

    /// A node begins now.
    #[inline]
    pub(super) fn begins(&mut self, node: u32) {
        let now = self.net.now();
        if let Some(watched) = &mut self.watched
            && self.plan.rank[node as usize] == watched.rank
        {
            watched.begins[(node - watched.first) as usize] = Some(now);
        }
    }

    /// A node is done now.
    #[inline]
    pub(super) fn ends(&mut self, node: u32) {
        let now = self.net.now();
        if let Some(watched) = &mut self.watched
            && self.plan.rank[node as usize] == watched.rank
        {
            watched.ends[(node - watched.first) as usize] = Some(now);
        }
    }

    /// The nodes of the watched rank that have begun, in the order of their numbers; none if no
    /// rank is watched.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        let Some(watched) = &self.watched else { return Vec::new() };
        let us = |time: Time| time.as_ps() as f64 / 1e6;
        let nodes = &self.plan.job.ranks[watched.rank as usize];
        let span = |(at, node): (usize, &crate::Node)| {
            // A receive takes no turn: it waits from when it may begin.
            let begin = match node.operation {
                Operation::Receive { .. } => watched.may_begin(&self.plan, at),
                Operation::Compute { .. }
                | Operation::Send { .. }
                | Operation::Collective { .. } => watched.begins[at],
            };
            Some(Span {
                id: node.id,
                name: node.name.clone(),
                kind: kind(node.operation),
                iteration: node.iteration,
                begin_us: us(begin?),
                end_us: watched.ends[at].map(us),
            })
        };
        nodes.iter().enumerate().filter_map(span).collect()
    }
}

impl Watched {
    /// When all that a node waits for was done.
    fn may_begin(&self, plan: &crate::Plan, at: usize) -> Option<Time> {
        let before = plan.before(self.first + at as u32);
        let mut ends = before.map(|node| self.ends[(node - self.first) as usize]);
        ends.try_fold(Time::ZERO, |latest, end| Some(latest.max(end?)))
    }
}

fn kind(operation: Operation) -> String {
    match operation {
        Operation::Compute { .. } => "compute".to_owned(),
        Operation::Send { .. } => "send".to_owned(),
        Operation::Receive { .. } => "receive".to_owned(),
        Operation::Collective { kind, .. } => kind.to_string(),
    }
}

//! A job that has been checked: it can run, and it ends.
//!
//! Which send a receive waits for, and which nodes are one collective, is decided here, by the
//! order of nodes, and not by what arrives first. So the graph of all waits is known before the
//! run, and a circle in it, across ranks too, is an error and no hang. In this graph no rank's part
//! of a collective ends before all ranks have begun theirs.
//!
//! O((nodes + waits) log nodes); 24 bytes per node and 4 per wait besides the job.

mod circle;
mod matching;

use crate::error::{JobError, NodeName, NodeProblem};
use crate::job::{Collective, Job, Node, Operation};
use forebay_units::Bytes;

/// The most ranks of a job.
pub const MAX_RANKS: usize = 1 << 20;

/// The most nodes of a job.
pub const MAX_NODES: usize = 1 << 24;

/// The most waits of a job's nodes for others.
pub const MAX_WAITS: usize = 1 << 26;

/// No partner.
pub(crate) const NONE: u32 = u32::MAX;

/// Nodes of several ranks that are one collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Together {
    pub(crate) kind: Collective,
    pub(crate) bytes: Bytes,
    pub(crate) group: u32,
    /// One of each rank of the group, in its order.
    pub(crate) members: Vec<u32>,
}

/// A job that can run. Its nodes are numbered through, rank by rank.
#[derive(Debug)]
pub struct Plan {
    pub(crate) job: Job,
    /// The first node of each rank, and the number of nodes.
    first: Vec<u32>,
    /// The rank of each node.
    pub(crate) rank: Vec<u32>,
    /// How many others each waits for.
    pub(crate) waits: Vec<u32>,
    /// Where the nodes that wait for each are in `followers`.
    follower: Vec<u32>,
    followers: Vec<u32>,
    /// Of a send its receive, of a receive its send, of a collective its number.
    pub(crate) partner: Vec<u32>,
    /// Of a collective, which member of its group it is.
    pub(crate) member: Vec<u32>,
    pub(crate) together: Vec<Together>,
}

impl Plan {
    /// Checks a job.
    ///
    /// ```
    /// use forebay_training::{Job, JobError, NodeProblem, Operation, Plan};
    /// use forebay_units::Bytes;
    ///
    /// // Each waits for the other's message before it sends its own.
    /// let mut job = Job::of(2);
    /// for (rank, other) in [(0, 1), (1, 0)] {
    ///     let mut script = job.rank(rank).ok_or("no such rank")?;
    ///     let (tag, bytes) = (0, Bytes::new(8));
    ///     let got = script.add("get", Operation::Receive { from: other, tag, bytes }, &[]);
    ///     script.add("answer", Operation::Send { to: other, tag, bytes }, &[got]);
    /// }
    /// let error = Plan::new(job).unwrap_err();
    /// assert!(matches!(error, JobError::Node { problem: NodeProblem::Circle, .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Names the first rank and node that are impossible.
    pub fn new(job: Job) -> Result<Self, JobError> {
        let first = numbered(&job)?;
        check_groups(&job)?;
        for (rank, nodes) in (0..).zip(&job.ranks) {
            check_nodes(&job, rank, nodes)?;
        }
        let matching::Matched { partner, member, together } = matching::matched(&job, &first)?;
        let (waits, follower, followers) = waits(&job, &first);
        let counts = first.windows(2).map(|pair| pair[1] - pair[0]);
        let rank = (0..).zip(counts).flat_map(|(rank, n)| std::iter::repeat_n(rank, n as usize));
        let rank = rank.collect();
        let plan = Plan { job, first, rank, waits, follower, followers, partner, member, together };
        match circle::find(&plan) {
            Some(node) => Err(plan.wrong(node, NodeProblem::Circle)),
            None => Ok(plan),
        }
    }

    /// The job.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> u32 {
        self.rank.len() as u32
    }

    /// The first node of a rank.
    pub(crate) fn first(&self, rank: u32) -> Option<u32> {
        self.first.get(rank as usize).copied()
    }

    pub(crate) fn node(&self, number: u32) -> &Node {
        let rank = self.rank[number as usize] as usize;
        &self.job.ranks[rank][(number - self.first[rank]) as usize]
    }

    /// The nodes that wait for this one.
    pub(crate) fn followers(&self, number: u32) -> &[u32] {
        let [from, to] = [number, number + 1].map(|at| self.follower[at as usize] as usize);
        &self.followers[from..to]
    }

    /// The nodes of its rank that this one waits for.
    pub(crate) fn before(&self, number: u32) -> impl Iterator<Item = u32> {
        let rank = self.rank[number as usize] as usize;
        let nodes = &self.job.ranks[rank];
        self.node(number).after.iter().filter_map(move |id| place(nodes, *id, self.first[rank]))
    }

    /// How a message names a node.
    pub(crate) fn name(&self, number: u32) -> NodeName {
        NodeName::new(self.rank[number as usize], self.node(number))
    }

    fn wrong(&self, number: u32, problem: NodeProblem) -> JobError {
        JobError::node(self.rank[number as usize], self.node(number), problem)
    }
}

/// The number of the first node of each rank, and the number of all.
fn numbered(job: &Job) -> Result<Vec<u32>, JobError> {
    if job.ranks.is_empty() || job.ranks.len() > MAX_RANKS {
        return Err(JobError::Ranks(job.ranks.len()));
    }
    let nodes: usize = job.ranks.iter().map(Vec::len).sum();
    let waits: usize = job.ranks.iter().flatten().map(|node| node.after.len()).sum();
    if nodes > MAX_NODES || waits > MAX_WAITS {
        return Err(JobError::TooLarge);
    }
    let mut first = vec![0];
    for nodes in &job.ranks {
        first.push(first[first.len() - 1] + nodes.len() as u32);
    }
    Ok(first)
}

fn check_groups(job: &Job) -> Result<(), JobError> {
    for group in &job.groups {
        let wrong = |rank| Err(JobError::Group { name: group.name.clone(), rank });
        let mut ranks = group.ranks.clone();
        ranks.sort_unstable();
        let Some(last) = ranks.last() else { return wrong(None) };
        if *last as usize >= job.ranks.len() {
            return wrong(Some(*last));
        }
        if let Some(twice) = ranks.windows(2).find(|pair| pair[0] == pair[1]) {
            return wrong(Some(twice[0]));
        }
    }
    Ok(())
}

/// What can be said about a rank's nodes alone.
fn check_nodes(job: &Job, rank: u32, nodes: &[Node]) -> Result<(), JobError> {
    let mut before: Option<&Node> = None;
    for node in nodes {
        let wrong = |problem| Err(JobError::node(rank, node, problem));
        if before.is_some_and(|before| before.id >= node.id) {
            return wrong(NodeProblem::Order);
        }
        let iteration = before.map_or(0, |before| before.iteration);
        if node.iteration != iteration && node.iteration != iteration.saturating_add(1) {
            return wrong(NodeProblem::Iteration(node.iteration));
        }
        before = Some(node);
        if let Some(problem) = problem_of(job, rank, node.operation) {
            return wrong(problem);
        }
    }
    for node in nodes {
        if let Some(id) = node.after.iter().find(|id| place(nodes, **id, 0).is_none()) {
            return Err(JobError::node(rank, node, NodeProblem::NoNode(*id)));
        }
    }
    Ok(())
}

fn problem_of(job: &Job, rank: u32, operation: Operation) -> Option<NodeProblem> {
    match operation {
        Operation::Compute { .. } => None,
        Operation::Send { to: other, bytes, .. }
        | Operation::Receive { from: other, bytes, .. } => {
            if other == rank {
                Some(NodeProblem::Itself)
            } else if other as usize >= job.ranks.len() {
                Some(NodeProblem::NoRank(other))
            } else {
                (bytes == Bytes::ZERO).then_some(NodeProblem::Empty)
            }
        }
        Operation::Collective { kind, group, bytes } => {
            if group as usize >= job.groups.len() {
                return Some(NodeProblem::NoGroup(group));
            }
            (bytes == Bytes::ZERO && kind != Collective::Barrier).then_some(NodeProblem::Empty)
        }
    }
}

/// The number of the node with this id, where the rank's first has the number `first`.
fn place(nodes: &[Node], id: u64, first: u32) -> Option<u32> {
    let found = nodes.binary_search_by_key(&id, |node| node.id);
    found.ok().map(|place| first + place as u32)
}

/// How many others each node waits for, and who waits for each.
fn waits(job: &Job, first: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let edges = || {
        job.ranks.iter().zip(first).flat_map(|(nodes, &first)| {
            (first..).zip(nodes).flat_map(move |(number, node)| {
                let places = node.after.iter().filter_map(move |id| place(nodes, *id, first));
                places.map(move |before| (before, number))
            })
        })
    };
    let nodes = first.last().map_or(0, |last| *last as usize);
    let (mut waits, mut follower) = (vec![0; nodes], vec![0; nodes + 1]);
    for (before, number) in edges() {
        waits[number as usize] += 1;
        follower[before as usize + 1] += 1;
    }
    for at in 0..nodes {
        follower[at + 1] += follower[at];
    }
    let mut next = follower.clone();
    let mut followers = vec![0; follower[nodes] as usize];
    for (before, number) in edges() {
        let at = &mut next[before as usize];
        followers[*at as usize] = number;
        *at += 1;
    }
    (waits, follower, followers)
}

#[cfg(test)]
mod tests;

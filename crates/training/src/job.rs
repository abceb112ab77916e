//! What a training job does: per rank a graph of computations, messages and collectives.

use std::fmt;

use forebay_units::{Bytes, Duration};

/// What computes. A rank has one of each, and each computes one node at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Processor {
    /// The accelerator.
    Accelerator,
    /// The processor of its host.
    Host,
}

/// What the ranks of a group do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collective {
    /// Every rank gets the sum of all vectors. The size is that of the vector.
    AllReduce,
    /// Every rank gets what each has. The size is that of what one rank has.
    AllGather,
    /// Every rank gets its part of the sum of all vectors. The size is that of the vector.
    ReduceScatter,
    /// Every rank sends a part to each. The size is that of all parts of one rank together, the one
    /// that it keeps included.
    AllToAll,
    /// Nobody goes on before all are there. It has no size.
    Barrier,
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Collective::AllReduce => "all-reduce",
            Collective::AllGather => "all-gather",
            Collective::ReduceScatter => "reduce-scatter",
            Collective::AllToAll => "all-to-all",
            Collective::Barrier => "barrier",
        })
    }
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Computes for a time. A node of no time is done as soon as it may begin.
    Compute {
        /// How long.
        time: Duration,
        /// Where.
        on: Processor,
    },
    /// Sends a message; done when its last byte has arrived.
    Send {
        /// The rank that receives it.
        to: u32,
        /// Among the messages of these two ranks, the n-th send with a tag is for the n-th receive
        /// with it, in the order of their nodes.
        tag: u64,
        /// Its size.
        bytes: Bytes,
    },
    /// Receives a message; done when its last byte has arrived.
    Receive {
        /// The rank that sends it.
        from: u32,
        /// As of the send.
        tag: u64,
        /// Its size, as the send says it.
        bytes: Bytes,
    },
    /// Takes part in a collective; done when all that the rank sends and receives in it has
    /// arrived. The n-th of a group at one rank is the n-th at every other, in the order of nodes.
    Collective {
        /// What they do.
        kind: Collective,
        /// The number of their group in the job.
        group: u32,
        /// The size, as the kind says; none for barriers.
        bytes: Bytes,
    },
}

/// A part of a rank's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number, larger than those of the rank's nodes before.
    pub id: u64,
    /// What it is called, for people.
    pub name: Box<str>,
    /// What it does.
    pub operation: Operation,
    /// The numbers of the rank's nodes that must be done before it begins.
    pub after: Vec<u64>,
    /// The iteration of the training that it belongs to, from 0.
    pub iteration: u32,
}

/// Ranks that take part in collectives together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What it is called, for people.
    pub name: String,
    /// The ranks, each once, in their order on a ring.
    pub ranks: Vec<u32>,
}

/// A training job: what each rank does, rank 0 first.
///
/// A node takes 80 bytes, its name, and 8 bytes for each node that it waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The nodes of each rank, in the order of their numbers.
    pub ranks: Vec<Vec<Node>>,
    /// The groups of collectives.
    pub groups: Vec<Group>,
}

impl Job {
    /// A job of so many ranks that do nothing yet.
    #[must_use]
    pub fn of(ranks: u32) -> Self {
        Job { ranks: (0..ranks).map(|_| Vec::new()).collect(), groups: Vec::new() }
    }

    /// Adds a group, and returns its number.
    pub fn group(&mut self, name: &str, ranks: Vec<u32>) -> u32 {
        self.groups.push(Group { name: name.to_owned(), ranks });
        (self.groups.len() - 1) as u32
    }

    /// The rank's nodes, to add more; none if there is no such rank.
    pub fn rank(&mut self, rank: u32) -> Option<Script<'_>> {
        self.ranks.get_mut(rank as usize).map(|nodes| Script { nodes, iteration: 0 })
    }
}

/// The nodes of a rank while they are written.
#[derive(Debug)]
pub struct Script<'a> {
    nodes: &'a mut Vec<Node>,
    iteration: u32,
}

impl Script<'_> {
    /// The same, whose next nodes belong to this iteration.
    #[must_use]
    pub fn in_iteration(self, iteration: u32) -> Self {
        Script { iteration, ..self }
    }

    /// Adds a node that begins when these are done, and returns its number.
    pub fn add(&mut self, name: &str, operation: Operation, after: &[u64]) -> u64 {
        let id = self.nodes.last().map_or(0, |last| last.id + 1);
        let (name, after, iteration) = (name.into(), after.to_vec(), self.iteration);
        self.nodes.push(Node { id, name, operation, after, iteration });
        id
    }

    /// Adds a computation on the accelerator.
    pub fn compute(&mut self, name: &str, time: Duration, after: &[u64]) -> u64 {
        self.add(name, Operation::Compute { time, on: Processor::Accelerator }, after)
    }
}

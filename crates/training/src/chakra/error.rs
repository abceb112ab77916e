//! Why a trace is not understood.

use std::fmt;
use std::path::PathBuf;

use forebay_units::printable;

use crate::error::NodeName;

/// What is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChakraProblem {
    /// A trace without a message.
    Empty,
    /// A message of so many bytes of which fewer are there.
    Cut {
        /// The bytes that it should have.
        length: usize,
        /// The bytes that are there.
        found: usize,
    },
    /// A message of more than 4 MiB.
    TooLong(usize),
    /// A message that is not one of the schema; the decoder's reason.
    Message(String),
    /// Two nodes have this number.
    Twice,
    /// More nodes, or dependencies, than a job has.
    TooMany,
    /// A type of node that has no meaning here.
    Kind(i32),
    /// An attribute that is missing.
    NoAttribute(&'static str),
    /// An attribute of another kind than it should be.
    Attribute {
        /// Its name.
        name: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A message of another rank.
    OtherRank {
        /// The attribute that says so.
        name: &'static str,
        /// The rank that it names.
        rank: u32,
    },
    /// Communication on a CPU.
    OnHost,
    /// A collective that there is not here.
    Collective(u64),
    /// A collective of some dimensions of a machine.
    Dimensions,
    /// A group whose ranks were not given.
    NoGroup(String),
    /// A computation with operations and no duration, and no speed was given.
    NoSpeed,
}

impl From<prost::DecodeError> for ChakraProblem {
    fn from(error: prost::DecodeError) -> Self {
        ChakraProblem::Message(error.to_string())
    }
}

/// A trace that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChakraError {
    /// A file that cannot be read.
    File {
        /// Its path.
        path: PathBuf,
        /// The system's reason.
        problem: String,
    },
    /// A message of a rank's trace.
    Message {
        /// The rank.
        rank: u32,
        /// Where it begins, in bytes from the trace's beginning.
        byte: usize,
        /// What is wrong.
        problem: ChakraProblem,
    },
    /// A node.
    Node {
        /// Which one.
        node: NodeName,
        /// What is wrong.
        problem: ChakraProblem,
    },
}

impl fmt::Display for ChakraProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChakraProblem::Empty => f.write_str("the trace is empty: give one with its metadata"),
            ChakraProblem::Cut { length, found } => write!(
                f,
                "a message of {length} bytes has {found}: the trace was cut, write it again"
            ),
            ChakraProblem::TooLong(length) => write!(
                f,
                "a message of {length} bytes is longer than {}: is it a Chakra trace?",
                super::LARGEST_MESSAGE
            ),
            ChakraProblem::Message(reason) => write!(
                f,
                "no message of Chakra's schema ({}): is it a Chakra trace?",
                printable(reason).at_most(120)
            ),
            ChakraProblem::Twice => f.write_str("two nodes have this id: give each its own"),
            ChakraProblem::TooMany => write!(
                f,
                "more than {} nodes or {} dependencies in all: give a part of the trace",
                super::MAX_NODES,
                super::MAX_WAITS
            ),
            ChakraProblem::Kind(kind) => write!(
                f,
                "a node of type {kind} has no meaning here: leave it out (metadata 1, memory 2 and \
                 3, computation 4, send 5, receive 6, collective 7)"
            ),
            ChakraProblem::NoAttribute(name) => write!(f, "it has no attribute {name}: add it"),
            ChakraProblem::Attribute { name, expected } => {
                write!(f, "its attribute {name} is not {expected}: give one")
            }
            ChakraProblem::OtherRank { name, rank } => {
                write!(f, "its {name} is rank {rank}: put it into that rank's trace")
            }
            ChakraProblem::OnHost => {
                f.write_str("it communicates on a CPU (is_cpu_op): leave it out, or make it false")
            }
            ChakraProblem::Collective(kind) => write!(
                f,
                "a collective of comm_type {kind} is not modelled: give an all-reduce (0), \
                 all-gather (2), all-to-all (6), reduce-scatter (7, 8) or barrier (9)"
            ),
            ChakraProblem::Dimensions => f.write_str(
                "it is for some dimensions of a machine (involved_dim): name a group of ranks \
                 (pg_name) instead",
            ),
            ChakraProblem::NoGroup(group) => {
                let group = printable(group).at_most(60);
                write!(f, "the ranks of its group {group} are not known: give the group's ranks")
            }
            ChakraProblem::NoSpeed => f.write_str(
                "it has num_ops and no duration: give the operations a second of an accelerator",
            ),
        }
    }
}

impl fmt::Display for ChakraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChakraError::File { path, problem } => write!(f, "{}: {problem}", path.display()),
            ChakraError::Message { rank, byte, problem } => {
                write!(f, "rank {rank}, byte {byte}: {problem}")
            }
            ChakraError::Node { node, problem } => write!(f, "{node}: {problem}"),
        }
    }
}

impl std::error::Error for ChakraError {}

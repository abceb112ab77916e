//! Chakra execution traces (MLCommons) as a job: one file per rank, `NAME.RANK.et`.
//!
//! A file is a stream of protobuf messages, each behind its length as a varint: first a
//! `GlobalMetadata`, then a `Node` each (`schema/protobuf/et_def.proto` of the Chakra repository;
//! attributes as ASTRA-sim's workload layer reads them). The schema says what fields there are, and
//! not what a simulator does with them. Open, and chosen here:
//!
//! - A node waits for all nodes of `data_deps` and of `ctrl_deps`. Start times are not used.
//! - A computation takes `duration_micros`; if that is 0 and there are `num_ops`, these over
//!   [`ChakraConfig::ops_per_second`]; otherwise no time. Memory nodes take their time on the
//!   accelerator, and so do computations unless `is_cpu_op` is true. Metadata takes no time.
//! - A send or receive needs `comm_size`, and `comm_dst` or `comm_src`; its own side may be left
//!   out. `comm_tag` is 0 if it is not there. The n-th send with a tag is for the n-th receive.
//! - A collective needs `comm_type` and `comm_size` (a barrier no size), read as ASTRA-sim does: of
//!   an all-gather it is one rank's contribution, of others what a rank has in all. Its group is
//!   `pg_name` (`comm_group` in older traces), or all ranks; the ranks of a group by name are the
//!   caller's to [give](ChakraConfig::groups). The n-th collective of a group is the same at all.
//!   A collective of one dimension of a machine (`involved_dim` with a false) has no ranks here.
//! - Nodes of a rank are taken in the order of their ids.
//!
//! What is not understood is refused with rank, node and name: other collectives (reduce, gather,
//! scatter, broadcast), invalid nodes, storage, batch and checkpoint nodes, communication on a CPU.
//!
//! A message is at most 4 MiB, a file 256 MiB, a job has at most [`MAX_NODES`] nodes.

mod attributes;
mod error;
mod node;
mod schema;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prost::Message;

use crate::error::NodeName;
use crate::job::{Group, Job, Node};
use crate::plan::{MAX_NODES, MAX_RANKS, MAX_WAITS};
pub use error::{ChakraError, ChakraProblem};

/// The largest message that is read, in bytes.
const LARGEST_MESSAGE: usize = 4 << 20;

/// The largest file that is read, in bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// What a trace does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChakraConfig {
    /// Operations a second of an accelerator, for computations with `num_ops` and no duration; none
    /// to refuse them.
    pub ops_per_second: Option<u64>,
    /// The ranks of each group that collectives name.
    pub groups: BTreeMap<String, Vec<u32>>,
}

/// Traces that become a job, rank by rank.
///
/// ```
/// use forebay_training::chakra::{ChakraConfig, Traces};
///
/// let config = ChakraConfig::default();
/// let mut traces = Traces::new(&config);
/// // Metadata with version "1"; then node 7, called "a", a computation (4) of 20 µs.
/// traces.add(&[3, 10, 1, b'1', 9, 8, 7, 18, 1, b'a', 24, 4, 56, 20])?;
/// let job = traces.finish();
/// assert_eq!((job.ranks[0][0].id, &*job.ranks[0][0].name), (7, "a"));
/// // Cut short: the second message has 9 bytes.
/// let error = Traces::new(&config).add(&[3, 10, 1, b'1', 9, 8, 7]).unwrap_err();
/// assert!(error.to_string().starts_with("rank 0, byte 4: "));
/// # Ok::<(), forebay_training::chakra::ChakraError>(())
/// ```
#[derive(Debug)]
pub struct Traces<'a> {
    config: &'a ChakraConfig,
    job: Job,
    nodes: usize,
    waits: usize,
}

/// The group of all ranks.
const ALL: u32 = 0;

impl<'a> Traces<'a> {
    /// No traces yet.
    #[must_use]
    pub fn new(config: &'a ChakraConfig) -> Self {
        let mut job = Job::default();
        job.group("all ranks", Vec::new());
        Traces { config, job, nodes: 0, waits: 0 }
    }

    /// Adds the next rank's trace.
    ///
    /// # Errors
    /// Names the rank and the node, or the byte, that is not understood.
    pub fn add(&mut self, trace: &[u8]) -> Result<(), ChakraError> {
        let rank = self.job.ranks.len() as u32;
        let (mut rest, mut nodes) = (trace, Vec::new());
        let mut is_first = true;
        while !rest.is_empty() {
            let byte = trace.len() - rest.len();
            let wrong = |problem| ChakraError::Message { rank, byte, problem };
            let message = next(&mut rest).map_err(wrong)?;
            if std::mem::take(&mut is_first) {
                schema::GlobalMetadata::decode(message).map_err(|error| wrong(error.into()))?;
                continue;
            }
            let read = schema::Node::decode(message).map_err(|error| wrong(error.into()))?;
            let name = || NodeName { rank, id: read.id, name: read.name.as_str().into() };
            let node = self.node(rank, &read);
            let node = node.map_err(|problem| ChakraError::Node { node: name(), problem })?;
            self.nodes += 1;
            self.waits += node.after.len();
            if self.nodes > MAX_NODES || self.waits > MAX_WAITS {
                return Err(ChakraError::Node { node: name(), problem: ChakraProblem::TooMany });
            }
            nodes.push(node);
        }
        if is_first {
            let problem = ChakraProblem::Empty;
            return Err(ChakraError::Message { rank, byte: 0, problem });
        }
        nodes.sort_by_key(|node: &Node| node.id);
        if let Some(twice) = nodes.windows(2).find(|pair| pair[0].id == pair[1].id) {
            let node = NodeName::new(rank, &twice[1]);
            return Err(ChakraError::Node { node, problem: ChakraProblem::Twice });
        }
        nodes.shrink_to_fit();
        self.job.ranks.push(nodes);
        Ok(())
    }

    /// The job of the ranks that were added.
    #[must_use]
    pub fn finish(mut self) -> Job {
        let all = (0..self.job.ranks.len() as u32).collect();
        if let Some(group) = self.job.groups.get_mut(ALL as usize) {
            group.ranks = all;
        }
        self.job
    }

    fn node(&mut self, rank: u32, read: &schema::Node) -> Result<Node, ChakraProblem> {
        let mut after: Vec<u64> = [&read.ctrl_deps[..], &read.data_deps[..]].concat();
        after.sort_unstable();
        after.dedup();
        after.shrink_to_fit();
        let operation = node::operation(self, rank, read)?;
        Ok(Node { id: read.id, name: read.name.as_str().into(), operation, after, iteration: 0 })
    }

    /// The number of the group with this name.
    fn group(&mut self, name: &str) -> Result<u32, ChakraProblem> {
        if let Some(known) = self.job.groups[1..].iter().position(|group| group.name == name) {
            return Ok(known as u32 + 1);
        }
        let Some(ranks) = self.config.groups.get(name) else {
            return Err(ChakraProblem::NoGroup(name.to_owned()));
        };
        self.job.groups.push(Group { name: name.to_owned(), ranks: ranks.clone() });
        Ok(self.job.groups.len() as u32 - 1)
    }
}

/// The next message of a stream.
fn next<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], ChakraProblem> {
    let length = prost::decode_length_delimiter(&mut *rest)?;
    if length > LARGEST_MESSAGE {
        return Err(ChakraProblem::TooLong(length));
    }
    let (message, others) =
        rest.split_at_checked(length).ok_or(ChakraProblem::Cut { length, found: rest.len() })?;
    *rest = others;
    Ok(message)
}

/// The name of a rank's file.
fn file(prefix: &Path, rank: usize) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(format!(".{rank}.et"));
    name.into()
}

/// Whether there is a trace of rank 0 with this prefix.
#[must_use]
pub fn exists(prefix: &Path) -> bool {
    file(prefix, 0).exists()
}

/// The job of the traces `PREFIX.0.et`, `PREFIX.1.et` and so on, up to the first that is not there.
///
/// # Errors
/// Names the file that cannot be read, or the rank and node that is not understood.
pub fn read(prefix: &Path, config: &ChakraConfig) -> Result<Job, ChakraError> {
    let mut traces = Traces::new(config);
    for rank in 0..MAX_RANKS {
        let path = file(prefix, rank);
        if rank > 0 && !path.exists() {
            break;
        }
        let bytes = forebay_files::read_stored(&path, LARGEST_FILE).map_err(|error| {
            ChakraError::File { path: path.clone(), problem: error.to_string() }
        })?;
        traces.add(&bytes)?;
    }
    Ok(traces.finish())
}

#[cfg(test)]
mod tests;

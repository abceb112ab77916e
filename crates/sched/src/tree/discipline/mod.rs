//! How an inner node of a tree chooses among its children: the disciplines and their registry.
//! Adding one: a file with a type, its [`Discipline`] and its `INFO`, and a line in
//! [`disciplines`].

mod drr;
mod sp;
#[cfg(test)]
mod tests;
mod wfq;

use alloc::boxed::Box;

use forebay_parameters::{Entry, Registry};

pub use drr::SurplusRoundRobin;
pub use sp::StrictPriorityLevel;
pub use wfq::FairQueueing;

/// What a discipline knows of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its weight among its siblings, at least 1.
    pub weight: u32,
    /// Its priority among its siblings; 0 is the highest.
    pub priority: u32,
}

/// Ranks the children of one node. Children are numbered from 0 in the order of the configuration;
/// the node serves the smallest rank, and within a rank the child that has waited longest.
pub trait Discipline: Send {
    /// The rank of `child`, which has a packet that may be sent: called when that becomes so, and
    /// again after each packet for as long as it stays so. O(1).
    fn rank(&mut self, child: u32) -> u64;

    /// `child`, which stood at `rank`, has sent a packet of `size` bytes. O(1).
    fn sent(&mut self, child: u32, rank: u64, size: u32);

    /// No child has a packet that may be sent.
    fn idle(&mut self) {}
}

/// One line of the registry of disciplines.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineInfo {
    /// The name in configurations.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Whether all children share by weight, so that rates can be guaranteed to them.
    pub weighted: bool,
    /// Whether children have priorities.
    pub prioritized: bool,
    /// From the shares of the children and the largest packet in bytes.
    pub build: fn(&[Share], u32) -> Box<dyn Discipline>,
}

/// The built-in disciplines; a tree takes others of
/// [`TreeConfig::disciplines`](super::TreeConfig::disciplines).
#[must_use]
pub fn disciplines() -> Registry<DisciplineInfo> {
    Registry::of([sp::INFO, wfq::INFO, drr::INFO])
}

impl Entry for DisciplineInfo {
    const WHAT: &'static str = "tree discipline";

    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        self.about
    }
}

/// Equal if they have the same name.
impl PartialEq for DisciplineInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DisciplineInfo {}

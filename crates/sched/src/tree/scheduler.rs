//! The tree of one port as a [`PacketScheduler`].

use forebay_units::{Bytes, Time};

use super::ClubLevel;
use super::config::TreeConfig;
use super::level_queue::{LevelQueue, QueueCount};
use super::ports::{BuildError, PortTrees};
use crate::DropCause;
use crate::Packet;
use crate::scheduler::PacketScheduler;

/// A [`PacketScheduler`] that is a tree of schedulers; see the [module](super) for an example.
///
/// ```
/// use forebay_sched::tree::{NodeConfig, Rule, SchedulingTree, SeparateQueues, TreeConfig};
/// use forebay_units::Rate;
///
/// let mut config = TreeConfig::new(Rate::from_gbps(10));
/// config.nodes = vec![NodeConfig { rules: vec![Rule::any()], ..NodeConfig::root("port") }];
/// let tree: SchedulingTree<SeparateQueues> = SchedulingTree::new(&config)?;
/// assert_eq!(tree.queues().physical, 1);
/// # Ok::<(), forebay_sched::tree::BuildError>(())
/// ```
pub struct SchedulingTree<Q = ClubLevel> {
    trees: PortTrees<Q>,
    reads_class: bool,
}

forebay_pifo::debug_in_one_line!(
    [Q: LevelQueue + Send] SchedulingTree<Q>, |queue| { len: queue.len(), bytes: queue.bytes() }
);

impl<Q: LevelQueue> SchedulingTree<Q> {
    /// An empty tree.
    ///
    /// # Errors
    /// If the configuration has a mistake, or a queue for a level cannot be built.
    pub fn new(config: &TreeConfig) -> Result<Self, BuildError> {
        let trees = PortTrees::new(config, 1)?;
        Ok(SchedulingTree { trees, reads_class: config.may_read_class() })
    }

    /// How many queues the tree would need, and how many there are.
    #[must_use]
    pub fn queues(&self) -> QueueCount {
        self.trees.queues()
    }
}

impl<Q: LevelQueue + Send> PacketScheduler for SchedulingTree<Q> {
    fn reads_class(&self) -> bool {
        self.reads_class
    }

    fn reads_rate(&self) -> bool {
        true
    }

    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        self.trees.enqueue(0, now, packet)
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        self.trees.dequeue(0, now)
    }

    fn ready_at(&self, now: Time) -> Option<Time> {
        self.trees.ready_at(0, now)
    }

    fn len(&self) -> usize {
        self.trees.waiting(0).0
    }

    fn bytes(&self) -> Bytes {
        self.trees.waiting(0).1
    }
}

#[cfg(test)]
mod tests {
    use forebay_units::Rate;

    use super::super::{NodeConfig, Rule};
    use super::*;

    #[test]
    fn a_tree_reads_classes_if_a_rule_names_them() {
        let reads = |rule: Rule| {
            let mut config = TreeConfig::new(Rate::from_gbps(10));
            config.nodes =
                alloc::vec![NodeConfig { rules: alloc::vec![rule], ..NodeConfig::root("port") }];
            SchedulingTree::<ClubLevel>::new(&config).unwrap().reads_class()
        };
        assert!(reads(Rule::class(0)) && !reads(Rule::any()));
        assert!(!reads(Rule { flow: Some(0..=9), ..Rule::default() }));
    }
}

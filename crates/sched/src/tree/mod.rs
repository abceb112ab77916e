//! Scheduling trees: schedulers of schedulers, with shapers, for many ports.
//!
//! Every node is a PIFO: a leaf of its packets, an inner node of its children. A packet leaves by a
//! walk from the root: take the child of the smallest rank, then its child, down to a packet.
//! Source: PIFO trees as clubheap §1 and §2.1 use them (hierarchical scheduling, logical PIFOs at
//! the levels of a tree); thesis §4.1.1 and Fig. 4.1 (why logical queues share physical ones); HPFQ
//! as clubheap §1 names it.
//!
//! What the papers leave open, and what we chose:
//!
//! - A child is in its parent's PIFO once, while it has a packet that may be sent, and is ranked
//!   anew after each of its packets: the *replace* form of clubheap §1. (PIFO trees as first
//!   published push one element per packet and level on arrival.) So an inner node ranks by what
//!   was really sent, queues above the leaves hold at most one element per child, and an arrival at
//!   a busy leaf touches only the leaf.
//! - A shaped node is clocked by departures: it is out of its parent's PIFO, and in the shaping
//!   queue of its port, until its token bucket holds a largest packet. So what leaves it in any
//!   span t is at most rate · t + burst, even after its ancestors were busy elsewhere. (Shaping on
//!   arrival would let it send in one burst what piled up meanwhile.)
//! - Virtual time of `wfq` is by start tags, node by node.
//!
//! All nodes of a level, over all ports, are partitions of one [`LevelQueue`]; shaped nodes share
//! one more. A tree of L levels needs L + 1 physical queues whatever the number of nodes and ports.
//!
//! Complexity: a packet costs one push into its leaf, one pop from it, and one replace per inner
//! level. To classify it is three binary searches over the rules. A shaped node adds a push and a
//! pop. Memory: 32 bytes a packet, the queues' elements, and about 100 bytes a node and port.
//!
//! Limits: [`MAX_LEVELS`], [`MAX_NODES`], [`MAX_RULES`], [`MAX_CAPACITY`], [`MAX_PORTS`],
//! [`MAX_PORT_NODES`].
//!
//! ```
//! use forebay_sched::scheduler::PacketScheduler;
//! use forebay_sched::tree::{NodeConfig, Rule, SchedulingTree, TreeConfig};
//! use forebay_sched::Packet;
//! use forebay_units::{Rate, Time};
//!
//! // Voice first; then web and backup, 3 : 1.
//! let mut config = TreeConfig::new(Rate::from_gbps(10));
//! config.nodes = vec![
//!     NodeConfig { scheduler: Some("sp".into()), ..NodeConfig::root("port") },
//!     NodeConfig { rules: vec![Rule::class(0)], ..NodeConfig::below("port", "voice") },
//!     NodeConfig { priority: 1, ..NodeConfig::below("port", "data") },
//!     NodeConfig { weight: Some(3), rules: vec![Rule::class(1)], ..NodeConfig::below("data", "web") },
//!     NodeConfig { rules: vec![Rule::any()], ..NodeConfig::below("data", "backup") },
//! ];
//! let mut tree: SchedulingTree = SchedulingTree::new(&config)?;
//! for class in [2, 1, 2, 1, 0] {
//!     assert_eq!(tree.enqueue(Time::ZERO, Packet { class, size: 1500, ..Packet::default() }), Ok(()));
//! }
//! let order: Vec<u8> =
//!     std::iter::from_fn(|| tree.dequeue(Time::ZERO)).map(|packet| packet.class).collect();
//! assert_eq!(order, [0, 2, 1, 1, 2]);
//! # Ok::<(), forebay_sched::tree::BuildError>(())
//! ```

mod allocation;
mod classify;
mod config;
mod discipline;
mod level_queue;
mod packets;
mod ports;
mod scheduler;
mod shaping;

use forebay_pifo::{PartitionedClubHeap, Stable};

#[cfg(feature = "serde")]
pub use config::TreeFileError;
#[cfg(feature = "schema")]
pub use config::schema;
pub use config::{NodeConfig, Rule, Shaper, TreeConfig, TreeError, TreeProblem};
pub use discipline::{
    Discipline, DisciplineInfo, FairQueueing, Share, StrictPriorityLevel, SurplusRoundRobin,
    disciplines,
};
pub use level_queue::{LevelQueue, LevelQueueError, QueueCount, SeparateQueues};
pub use ports::{BuildError, PortTrees};
pub use scheduler::SchedulingTree;

/// The most levels of a tree, root and leaves included.
pub const MAX_LEVELS: usize = 16;
/// The most nodes of a tree.
pub const MAX_NODES: usize = 1 << 16;
/// The most ports that share queues.
pub const MAX_PORTS: usize = 1 << 16;
/// The most nodes over all ports.
pub const MAX_PORT_NODES: usize = 1 << 24;
/// The most match rules of a tree.
pub const MAX_RULES: usize = 1 << 12;
/// The most packets that may wait in all trees.
pub const MAX_CAPACITY: usize = 1 << 25;

/// One ClubHeap for all nodes of a level: what a device would have.
pub type ClubLevel = Stable<PartitionedClubHeap<(u64, u64), u32>>;

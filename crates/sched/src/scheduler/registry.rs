//! The built-in schedulers that hold packets. Adding one: its file with a `choice()`, and a line
//! where those of its folder are listed.

use alloc::boxed::Box;
use core::fmt;

use forebay_parameters::{Choice, Choices, ParameterError, Registry};

use super::PacketScheduler;
use super::by_rank::by_rank;
use super::choice::SchedulerShape;
use super::limited::Limited;
use crate::fair::{self, Limits};
use crate::functions::rank_functions;
use crate::tree::{BuildError, SchedulingTree, SeparateQueues, TreeConfig};

/// The built-in schedulers: those that have a type of their own, the ideal first and no scheduling
/// last, then the rank functions over an exact queue. The tree is the default one; [`tree`] makes
/// others.
///
/// ```
/// use forebay_parameters::set;
/// use forebay_sched::Packet;
/// use forebay_sched::scheduler::{SchedulerShape, schedulers};
/// use forebay_units::{Rate, Time};
///
/// let mut drr = schedulers().named("drr")?.clone();
/// set(&mut drr, &[("weights", "50:50:1x40"), ("quantum", "1500 B")])?;
/// let mut drr = drr.build(&SchedulerShape::of_link(Rate::from_gbps(10)))?;
/// assert!(drr.enqueue(Time::ZERO, Packet { size: 1500, ..Packet::default() }).is_ok());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
pub fn schedulers() -> Choices<dyn PacketScheduler> {
    let own = fair::choices().into_iter().chain([tree(TreeConfig::by_class()), fair::drop_tail()]);
    Registry::of(own.chain(rank_functions().into_iter().map(by_rank)))
}

/// A scheduling tree as a choice. Its rate is that of the link, and of its capacity the smaller
/// counts.
#[must_use]
pub fn tree(config: TreeConfig) -> Choice<dyn PacketScheduler> {
    let about = "a scheduling tree: schedulers of schedulers, priorities, shares and shapers";
    let build = move |limits: &Limits, shape: &SchedulerShape| {
        let limits = limits.within(shape.buffer)?;
        let mut tree = if shape.pairs { config.clone().of_pairs() } else { config.clone() };
        tree.capacity = tree.capacity.min(limits.packets as usize);
        (tree.rate, tree.ranks.rate) = (shape.link_rate, shape.link_rate);
        let tree = SchedulingTree::<SeparateQueues>::new(&tree);
        let tree = tree.map_err(|error| ParameterError::value(TREE, Unbuilt(error)))?;
        Ok(Box::new(Limited::new(tree, limits.bytes)) as _)
    };
    Choice::new(TREE, about, Limits::default(), build).labelled("Tree")
}

/// What a tree is called, as a scheduler and where it is at fault.
const TREE: &str = "tree";

/// Why a tree cannot be built: to a port, the queues of its levels are one thing.
struct Unbuilt(BuildError);

impl fmt::Display for Unbuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            BuildError::Config(error) => error.fmt(f),
            BuildError::Queue { .. } => {
                f.write_str("so many nodes and packets need too many places; give fewer")
            }
        }
    }
}

//! Schedulers as choices: each with the parameters that it reads, declared beside its configuration, and no others.
//!
//! What stands around a scheduler (the rate of its link, the buffer of its port, whether flows come in pairs) is the
//! [`SchedulerShape`] that it is built for. Adding one: its file with a `choice()`, and a line in [`schedulers`].

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use forebay_parameters::{
    Choice, Choices, Configure, Entry, Family, Kind, Parameter, ParameterError, Registry, Setting,
    Source, Value, Walk,
};
use forebay_pifo::{BucketQueue, ExactQueue};
use forebay_units::{Bytes, Rate, Time};

use super::limited::Limited;
use super::{PacketScheduler, Weights};
use crate::fair::{self, Limits};
use crate::functions::{RankFunctionFamily, RankShape, rank_functions};
use crate::rank_queue::{DropTail, RankQueue, Ranked};
use crate::tree::{BuildError, SchedulingTree, SeparateQueues, TreeConfig};
use crate::{Quantizer, Rank};

/// What a scheduler is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerShape {
    /// The rate of its link.
    pub link_rate: Rate,
    /// Bytes that its port can hold; a scheduler holds no more than this.
    pub buffer: Bytes,
    /// Whether flows 2n and 2n + 1 are the two directions of one, with one weight.
    pub pairs: bool,
}

impl SchedulerShape {
    /// For a link of this rate; the scheduler's own limits are what counts, and every flow stands alone.
    #[must_use]
    pub const fn of_link(link_rate: Rate) -> Self {
        SchedulerShape { link_rate, buffer: Bytes::new(u64::MAX), pairs: false }
    }

    /// These weights, of flows or of pairs of them.
    #[must_use]
    pub fn weights(&self, weights: &Weights) -> Weights {
        if self.pairs { weights.clone().of_pairs() } else { weights.clone() }
    }
}

/// The family of schedulers that hold packets.
#[derive(Debug)]
pub enum PacketSchedulerFamily {}

impl Family for PacketSchedulerFamily {
    const WHAT: &'static str = "scheduler";
    type Shape = SchedulerShape;
    type Built = Box<dyn PacketScheduler>;
}

/// The built-in schedulers: those that have a type of their own, the ideal first and no scheduling last, then the
/// rank functions over an exact queue. The tree is the default one; [`tree`] makes others.
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
pub fn schedulers() -> Choices<PacketSchedulerFamily> {
    let own = fair::choices().into_iter().chain([tree(TreeConfig::by_class()), fair::drop_tail()]);
    Registry::of(own.chain(rank_functions().into_iter().map(by_rank)))
}

/// A scheduler with a weight for every flow.
pub(crate) fn weighted<C, S>(
    name: &'static str,
    about: &'static str,
    config: C,
    build: fn(&C, Limits, Weights) -> Result<S, ParameterError>,
) -> Choice<PacketSchedulerFamily>
where
    C: Configure + Clone + Send + Sync + 'static,
    S: PacketScheduler + 'static,
{
    let config = Weighted { limits: Limits::default(), weights: Weights::default(), config };
    Choice::new(name, about, config, move |own: &Weighted<C>, shape: &SchedulerShape| {
        let limits = own.limits.within(shape.buffer)?;
        let built = build(&own.config, limits, shape.weights(&own.weights))?;
        Ok(Box::new(built) as _)
    })
}

#[derive(Clone)]
struct Weighted<C> {
    limits: Limits,
    weights: Weights,
    config: C,
}

impl<C: Configure> Configure for Weighted<C> {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.limits.walk(walk);
        self.weights.walk(walk);
        self.config.walk(walk);
    }
}

/// A scheduling tree as a choice. Its rate is that of the link, and of its capacity the smaller counts.
#[must_use]
pub fn tree(config: TreeConfig) -> Choice<PacketSchedulerFamily> {
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
    Choice::new(TREE, about, Limits::default(), build)
}

/// What a tree is called, as a scheduler and where it is at fault.
const TREE: &str = "tree";

/// Why a tree cannot be built: to a port, the queues of its levels are one thing.
struct Unbuilt(BuildError);

impl core::fmt::Display for Unbuilt {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match &self.0 {
            BuildError::Config(error) => error.fmt(f),
            BuildError::Queue { .. } => {
                f.write_str("so many nodes and packets need too many places; give fewer")
            }
        }
    }
}

/// A scheduler that serves the smallest rank of this function, exactly or by buckets: with a caller's own, its own
/// scheduler. It has the parameters of the function, and limits.
#[must_use]
pub fn by_rank(rank: Choice<RankFunctionFamily>) -> Choice<PacketSchedulerFamily> {
    let (name, about) = (rank.name().to_owned(), rank.about().to_owned());
    let label = rank.label().to_owned();
    let (limits, quantizer, bucket_ranks) = (Limits::default(), None, 1 << 16);
    let config = ByRank { rank, limits, quantizer, bucket_ranks };
    Choice::new(name, about, config, ByRank::build).labelled(label)
}

#[derive(Clone)]
struct ByRank {
    rank: Choice<RankFunctionFamily>,
    limits: Limits,
    quantizer: Option<Quantizer>,
    bucket_ranks: u32,
}

impl Configure for ByRank {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.limits.walk(walk);
        self.rank.walk(walk);
        walk.field(&QUANTIZER, &mut Order(&mut self.quantizer));
        if self.quantizer.is_some() || walk.wants_all() {
            walk.field(&BUCKET_RANKS, &mut self.bucket_ranks);
        }
    }
}

impl ByRank {
    fn build(&self, shape: &SchedulerShape) -> Result<Box<dyn PacketScheduler>, ParameterError> {
        let limits = self.limits.within(shape.buffer)?;
        let ranks = RankShape { rate: shape.link_rate, pairs: shape.pairs };
        let (function, places) = (self.rank.build(&ranks)?, limits.packets as usize);
        let Some(quantizer) = self.quantizer else {
            let queue = RankQueue::new(function, ExactQueue::new(places));
            return Ok(Box::new(queue.with_byte_limit(limits.bytes)));
        };
        // A packet that may leave would wait behind one of its bucket that may not.
        if function.may_leave_at(Rank::new(u64::MAX)) > Time::ZERO {
            return Err(QUANTIZER.refuse(format_args!(
                "\"{}\" delays packets, which buckets cannot; give none",
                self.rank.name()
            )));
        }
        let buckets: BucketQueue<Ranked> = BucketQueue::new(self.bucket_ranks as usize, places)
            .map_err(|error| BUCKET_RANKS.refuse(error))?;
        let queue = RankQueue::with_overflow(function, buckets, quantizer, DropTail);
        Ok(Box::new(queue.with_byte_limit(limits.bytes)))
    }
}

/// How ranks are ordered: `exact`, or by buckets `identity`, `linear 100` or `log-linear 8`.
struct Order<'a>(&'a mut Option<Quantizer>);

impl Setting for Order<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let text = format!("{value}");
        let mut words = text.split_whitespace();
        let (kind, number) = (words.next().unwrap_or_default(), words.next());
        let number: Option<Option<u32>> = number.map(|number| number.parse().ok());
        *self.0 = match (kind, number, words.next()) {
            ("exact", None, None) => None,
            ("identity", None, None) => Some(Quantizer::Identity),
            ("linear", Some(Some(step)), None) if step > 0 => {
                Some(Quantizer::Linear { step: step.into() })
            }
            ("log-linear", Some(Some(bits)), None) if bits <= 31 => {
                Some(Quantizer::log_linear(bits))
            }
            _ => {
                return Err(format!(
                    "\"{text}\" is none of exact, identity, linear with ranks a bucket, log-linear with up to \
                     31 bits"
                ));
            }
        };
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Text(match *self.0 {
            None => "exact".to_owned(),
            Some(Quantizer::Identity) => "identity".to_owned(),
            Some(Quantizer::Linear { step }) => format!("linear {step}"),
            Some(Quantizer::LogLinear { bits }) => format!("log-linear {bits}"),
        })
    }
}

const QUANTIZER: Parameter = Parameter::new(
    "quantizer",
    Kind::Text,
    Source::assumed("the order that the function means"),
    "exact, or buckets of ranks: identity, linear with ranks a bucket, log-linear with bits kept.",
);

/// Of every scheduler over buckets.
pub(crate) const BUCKET_RANKS: Parameter = Parameter::new(
    "bucket_ranks",
    Kind::Int { min: 1, max: 1 << 20 },
    Source::assumed("a bucket queue of 64 K buckets, half the L2 cache of a core"),
    "Ranks that buckets tell apart; of wfq-bucket, 16ths of a unit of virtual time.",
);

//! Schedulers as choices: each with the parameters that it reads, declared beside its
//! configuration, and no others.
//!
//! What stands around a scheduler (the rate of its link, the buffer of its port, whether flows come
//! in pairs) is the [`SchedulerShape`] that it is built for.

use alloc::boxed::Box;

use forebay_parameters::{
    Choice, Configure, Family, Kind, Parameter, ParameterError, Source, Walk,
};
use forebay_units::{Bytes, Rate};

use super::{PacketScheduler, Weights};
use crate::fair::Limits;

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
    /// For a link of this rate; the scheduler's own limits are what counts, and every flow stands
    /// alone.
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
impl Family for dyn PacketScheduler {
    const WHAT: &'static str = "scheduler";
    type Shape = SchedulerShape;
    type Built = Box<dyn PacketScheduler>;
}

/// A scheduler with a weight for every flow.
pub(crate) fn weighted<C, S>(
    name: &'static str,
    about: &'static str,
    config: C,
    build: fn(&C, Limits, Weights) -> Result<S, ParameterError>,
) -> Choice<dyn PacketScheduler>
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

/// Of every scheduler over buckets.
pub(crate) const BUCKET_RANKS: Parameter = Parameter::new(
    "bucket_ranks",
    Kind::Int { min: 1, max: 1 << 20 },
    Source::assumed("a bucket queue of 64 K buckets, half the L2 cache of a core"),
    "Ranks that buckets tell apart; of wfq-bucket, 16ths of a unit of virtual time.",
);

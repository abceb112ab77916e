//! The trait of a rank function, and one that is a closure.

use alloc::boxed::Box;

use forebay_parameters::Family;
use forebay_units::{Rate, Time};

use super::RankConfig;
use crate::{Packet, Rank};

/// Gives every arriving packet its rank; called once per packet, in arrival order.
///
/// `now` never decreases. Every packet that was ranked is reported by exactly one of
/// [`refused`](Self::refused), at once, and [`departed`](Self::departed) and
/// [`dropped`](Self::dropped), later; a function that says so works without.
pub trait RankFunction: Send {
    /// The rank of `packet`, arriving at `now`. O(1) unless the function says otherwise.
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank;

    /// `packet`, which was given `rank`, leaves for the wire: the feedback that self-clocked
    /// virtual times need.
    fn departed(&mut self, now: Time, packet: &Packet, rank: Rank) {
        let _ = (now, packet, rank);
    }

    /// `packet`, which was given `rank`, was dropped while it waited.
    fn dropped(&mut self, packet: &Packet, rank: Rank) {
        let _ = (packet, rank);
    }

    /// `packet`, the last that was ranked, cannot be held at `rank` and goes back to the caller:
    /// the next packet of its flow is ranked as if it had never come. Functions whose ranks depend
    /// on what came before take that back here.
    fn refused(&mut self, packet: &Packet, rank: Rank) {
        self.dropped(packet, rank);
    }

    /// Whether it tells packets of one class from those of another, with its parameters as they
    /// are.
    fn reads_class(&self) -> bool {
        false
    }

    /// Whether it reads how fast its link is.
    fn reads_rate(&self) -> bool {
        false
    }

    /// The earliest instant at which a packet of `rank` may leave; always for functions that only
    /// order.
    fn may_leave_at(&self, rank: Rank) -> Time {
        let _ = rank;
        Time::ZERO
    }
}

/// The family of rank functions.
impl Family for dyn RankFunction {
    const WHAT: &'static str = "rank function";
    type Shape = RankShape;
    type Built = Box<dyn RankFunction>;
}

/// What a rank function is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankShape {
    /// The rate of the port, of which `wfq` and `lstf` must know. Default 100 Gb/s.
    pub rate: Rate,
    /// Whether flows 2n and 2n + 1 are the two directions of one, with one weight.
    pub pairs: bool,
}

impl Default for RankShape {
    fn default() -> Self {
        RankShape { rate: RankConfig::default().rate, pairs: false }
    }
}

/// A rank function of the caller's: a closure of the time and the packet.
///
/// ```
/// use forebay_parameters::Choice;
/// use forebay_sched::functions::{RankBy, RankFunction, RankShape};
/// use forebay_sched::{Packet, Rank};
/// use forebay_units::Time;
///
/// let largest = Choice::<dyn RankFunction>::new("largest", "largest packet first", (), |(), _| {
///     Ok(Box::new(RankBy(|_now, packet: &Packet| Rank::new(u64::from(u32::MAX - packet.size)))))
/// });
/// let mut rank = largest.build(&RankShape::default())?;
/// let of = |size| Packet { size, ..Packet::default() };
/// assert!(rank.rank(Time::ZERO, &of(1500)) < rank.rank(Time::ZERO, &of(64)));
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RankBy<F>(pub F);

impl<F: FnMut(Time, &Packet) -> Rank + Send> RankFunction for RankBy<F> {
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        (self.0)(now, packet)
    }
}

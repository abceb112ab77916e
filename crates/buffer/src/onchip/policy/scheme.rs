//! What a scheme is asked, and what it may answer.

use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure, Family};
use forebay_units::{Bytes, Rate, Time};

use super::{PoolShape, QueueShape};
use crate::descriptor::Descriptor;
use crate::onchip::PoolView;

/// A waiting packet that is to be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The oldest packet of this queue (head drop).
    Head(u32),
    /// The youngest packet of this queue.
    Tail(u32),
    /// The packet with this id.
    Packet(u32),
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It enters. If the pool has too little room it is dropped all the same.
    Accept,
    /// It is dropped.
    Drop,
    /// This packet is dropped first, then the policy is asked again.
    PushOut(Victim),
}

/// What becomes of a packet that its port takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The port sends it.
    Send,
    /// It is dropped on its way, which keeps the port from its next packet for some time.
    Drop {
        /// When the port may take the next one; not before now.
        until: Time,
    },
}

/// How a packet left the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Its port took it.
    Dequeued,
    /// Dropped for an arriving packet, or by the caller.
    PushedOut,
    /// Expelled, as [`OnChipPolicy::next_expulsion`] or [`OnChipPolicy::exit`] asked.
    Expelled,
}

/// A buffer management scheme for one shared pool.
///
/// What it says of itself, whether it [expels](OnChipPolicy::expels) or reads α or ranks, is so
/// whatever its parameters and its pool: it decides which parameters of a switch are shown.
///
/// Methods are called in the order of events and may keep state; they read the [`PoolView`] and
/// never change it. Lengths and thresholds are in cells of the pool; what a queue holds of its
/// reservation is not counted, and packets that fit in a reservation are admitted without asking.
pub trait OnChipPolicy: Send {
    /// May `arriving` take `cells` cells (at least one) of the pool?
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission;

    /// The most cells that `queue` may hold now, if the scheme has such a number.
    fn threshold(&self, _pool: PoolView<'_>, _queue: u32) -> Option<u32> {
        None
    }

    /// The waiting packet that goes first where a packet must enter that is none of the scheme's
    /// own: one that a rule around it lets in. A scheme that never pushes out has none.
    fn victim(&self, _pool: PoolView<'_>) -> Option<Victim> {
        None
    }

    /// The waiting packet to expel now, if any, of a policy that [expels](OnChipPolicy::expels). It
    /// is asked for until it says `None`, whenever bandwidth is to spare, and may be asked several
    /// times before the packet goes: what changes with an expulsion belongs in
    /// [`OnChipPolicy::removed`].
    fn next_expulsion(&mut self, _pool: PoolView<'_>) -> Option<Victim> {
        None
    }

    /// Whether it ever asks for an expulsion: how fast the memory reads then counts. A policy that
    /// says no is not asked.
    fn expels(&self) -> bool {
        false
    }

    /// Whether queues may have an α of their own, which [`PoolShape::alphas`] gives.
    fn reads_alpha(&self) -> bool {
        false
    }

    /// Whether it reads how fast its ports send: [`PoolShape::port_rate`].
    fn reads_port_rate(&self) -> bool {
        false
    }

    /// Its port takes `departing`, the next packet of its queue, at `now`; the pool still counts
    /// it.
    #[inline]
    fn exit(&mut self, _now: Time, _pool: PoolView<'_>, _departing: &Descriptor) -> Exit {
        Exit::Send
    }

    /// Whether it reads the ranks of packets, so that a switch should give them some.
    fn reads_ranks(&self) -> bool {
        false
    }

    /// Packet `id` has entered its queue; the pool counts it.
    fn enqueued(&mut self, _pool: PoolView<'_>, _id: u32, _packet: &Descriptor) {}

    /// Packet `id` has left its queue; the pool no longer counts it.
    fn removed(&mut self, _pool: PoolView<'_>, _id: u32, _packet: &Descriptor, _how: Removal) {}
}

/// What a policy says of itself, such as [`OnChipPolicy::expels`]: it is built for a small pool and
/// asked. One that cannot be built may read anything, so the answer is yes.
#[must_use]
pub fn says(policy: &Choice<dyn OnChipPolicy>, of: impl FnOnce(&dyn OnChipPolicy) -> bool) -> bool {
    let queue = QueueShape { member: true, port: 0, class: 0, alpha: None, limit: None };
    let shape = PoolShape {
        capacity: 64,
        cell: Bytes::new(200),
        queues: alloc::vec![queue],
        classes: 1,
        port_rate: Rate::from_gbps(10),
    };
    policy.build(&shape).map_or(true, |policy| of(&*policy))
}

/// The family of buffer policies of an on-chip buffer, one for each of its pools.
impl Family for dyn OnChipPolicy {
    const WHAT: &'static str = "buffer policy";
    type Shape = PoolShape;
    type Built = Box<dyn OnChipPolicy>;
}

/// The choice of a built-in scheme: its parameters at their defaults, and how it is made of them.
pub(super) fn choice_of<C, P>(
    name: &'static str,
    label: &'static str,
    about: &'static str,
    new: fn(&C, &PoolShape) -> P,
) -> Choice<dyn OnChipPolicy>
where
    C: Configure + Clone + Default + Send + Sync + 'static,
    P: OnChipPolicy + 'static,
{
    let build = move |config: &C, shape: &PoolShape| Ok(Box::new(new(config, shape)) as _);
    Choice::new(name, about, C::default(), build).labelled(label)
}

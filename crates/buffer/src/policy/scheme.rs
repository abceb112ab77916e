//! What a policy is asked, and what it may answer.

use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure, Family, Word};
use forebay_units::Bytes;

use crate::descriptor::Descriptor;
use crate::view::BufferView;

/// Where an arriving packet is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Placement {
    /// Into SRAM.
    Sram,
    /// Into HBM, through the staging buffer.
    Hbm,
}

/// What gives way when the memory that an arriving packet is bound for is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// The arriving packet goes to the other memory if that has room, and is dropped if not.
    Divert,
    /// The arriving packet is dropped.
    DropArriving,
    /// On-chip packets of larger rank than the arriving one are dropped, largest first, until at
    /// least this many bytes are free and the arriving packet fits; if none has a larger rank, the
    /// arriving packet is dropped.
    DropLargest {
        /// Bytes to free, at least.
        bytes: u64,
    },
}

/// A background move that a policy asks for. The traffic manager performs it when no arrival or
/// departure needs the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The head packet of this accounting queue goes from SRAM to HBM (occamy §4.3).
    Expel {
        /// The over-allocated queue.
        queue: u32,
    },
    /// A batch of the on-chip packets with the largest ranks goes to HBM (themis §4.1).
    SwapOut,
    /// The batch with the smallest representative rank comes from HBM to SRAM (themis §4.1).
    SwapIn,
}

/// Which background moves can begin now: the traffic manager bounds how many are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRoom {
    /// From SRAM to HBM.
    pub outward: bool,
    /// From HBM to SRAM.
    pub inward: bool,
}

/// A buffer-management scheme for a hybrid buffer.
///
/// Methods are called in the order of events and may keep state; they read the [buffer](BufferView)
/// and never change it. The memory a scheme is made of (cells, staging, HBM) is the same for all.
/// What it says of itself, whether it [moves](HybridPolicy::moves) packets, reads queues or stores
/// batches, is so whatever its parameters and decides which parameters of a switch are shown.
pub trait HybridPolicy: Send {
    /// Where `arriving` is bound.
    fn place(&mut self, buffer: &dyn BufferView, arriving: &Descriptor) -> Placement;

    /// `arriving` is bound for SRAM and finds too few free cells. Unless the scheme says otherwise,
    /// it is diverted.
    fn sram_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::Divert
    }

    /// `arriving` is bound for HBM and the staging buffer is full. Unless the scheme says
    /// otherwise, it is dropped.
    fn staging_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::DropArriving
    }

    /// The background move wanted now, if any, among those that `room` says can begin. Asked after
    /// every event until it answers `None`, as a scheme does that moves nothing.
    fn next_move(&mut self, _buffer: &dyn BufferView, _room: MoveRoom) -> Option<Move> {
        None
    }

    /// Whether it ever asks for a [move](HybridPolicy::next_move): how fast the SRAM's ports are,
    /// and how much may be under way, then counts.
    fn moves(&self) -> bool {
        true
    }

    /// Whether it reads the accounting queues.
    fn reads_queues(&self) -> bool {
        true
    }

    /// Whether packets share HBM rows in batches; otherwise they are stored one by one.
    fn batches(&self) -> bool {
        false
    }

    /// The shares of the SRAM below which it swaps in and above which it swaps out, if it has such
    /// marks: for whoever watches.
    fn watermarks(&self) -> Option<[f64; 2]> {
        None
    }
}

/// What a policy may know of its buffer when it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HybridShape {
    /// Bytes of a batch: an HBM row over all pseudo channels.
    pub batch: Bytes,
}

/// The family of policies of a hybrid buffer.
impl Family for dyn HybridPolicy {
    const WHAT: &'static str = "hybrid buffer policy";
    type Shape = HybridShape;
    type Built = Box<dyn HybridPolicy>;
}

/// The choice of a built-in policy: its parameters at their defaults, and how it is made of them.
pub(super) fn choice_of<C, P>(
    name: &'static str,
    label: &'static str,
    about: &'static str,
    new: fn(&C, &HybridShape) -> P,
) -> Choice<dyn HybridPolicy>
where
    C: Configure + Clone + Default + Send + Sync + 'static,
    P: HybridPolicy + 'static,
{
    let build = move |config: &C, shape: &HybridShape| Ok(Box::new(new(config, shape)) as _);
    Choice::new(name, about, C::default(), build).labelled(label)
}

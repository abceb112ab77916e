//! TCP reassembly: the in-order bytes of each direction of each connection, out of segments as they come.
//!
//! Source: the reassembler of thesis §3.5.1 (a list of out-of-order segments per flow, walked from its head
//! for each newcomer, Fig. 3.10), and RFC 9293. The paper describes the list alone; what an endpoint or a
//! monitor does beside is ours:
//!
//! - *Overlap*: bytes that were delivered stay; [`Overlap`] says whose bytes count among those
//!   that wait.
//! - *Missing SYN*: a stream begins with the first segment seen.
//! - *Holes*: if the other side acknowledges what lies behind a hole, the receiver had it and the capture
//!   missed it: the hole is told and passed.
//! - *FIN*: one ahead of the data waits for its turn, as at a receiver (RFC 9293, §3.10.7.4); data that passes over it
//!   makes it void, and what waits behind it keeps the stream open. So a forged one cuts nothing off that is there when
//!   its turn comes. One that is next when nothing waits ends the stream, as it ends it at the receiver.
//! - *RST*: one whose number lies in the window drops what waits; a stream that goes on after all is followed,
//!   since a forged one would blind us otherwise.
//! - *Window*: what lies too far ahead of a hole is refused. (The paper's drops the flow.) If the receiver
//!   acknowledges it all the same, the hole is passed as above. What comes in order is never refused.
//! - *Memory*: bounded per direction and in all, 64 bytes counted per waiting segment beside its data; what does
//!   not fit is refused, as a receiver would. The least recently seen connection gives way to a new one.
//!
//! Urgent data counts as data. Checksums, timestamps (PAWS) and the advertised window are not looked at.
//!
//! Complexity: O(1) in order; out of order that of the [`SegmentStore`]: [`ListStore`] walks the list, the
//! attack's target, [`TreeStore`] is logarithmic.

mod connections;
mod list;
mod reassembler;
mod segments;
mod stream;
mod tree;

pub use list::ListStore;
pub use reassembler::{Counters, Reassembler, ReassemblyConfig, Work};
pub use segments::{Newcomer, Overlap, SEGMENT_OVERHEAD, SegmentStore};
pub use tree::TreeStore;

use std::net::SocketAddr;

/// What reassembly needs of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFields {
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number, if the segment has one.
    pub ack: Option<u32>,
    /// Begins a stream.
    pub syn: bool,
    /// Ends a stream.
    pub fin: bool,
    /// Breaks the connection off.
    pub rst: bool,
}

/// A TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Whose it is.
    pub source: SocketAddr,
    /// For whom it is.
    pub destination: SocketAddr,
    /// What its TCP header says.
    pub fields: TcpFields,
    /// The bytes that it carries.
    pub payload: &'a [u8],
}

/// One direction of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// The connection: counted from 0 by their first segments.
    pub connection: u64,
    /// Whose bytes they are.
    pub from: SocketAddr,
    /// For whom they are.
    pub to: SocketAddr,
}

/// What a stream has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The bytes that follow those delivered before.
    Data(&'a [u8]),
    /// So many bytes were never seen, though their receiver had them.
    Missing(u64),
    /// It ended; nothing follows.
    Finished,
    /// It was broken off.
    Reset,
}

//! TCP reassembly: the in-order bytes of each direction of each connection, from segments as they
//! arrive.
//!
//! Source: the reassembler of thesis §3.5.1 (a list of out-of-order segments per flow, walked from
//! its head for each newcomer, Fig. 3.10), and RFC 9293. The paper describes only the list; the
//! rest of what an endpoint or a monitor does is ours:
//!
//! - *Overlap*: delivered bytes stay; [`Overlap`] says whose bytes count among those that wait.
//! - *Missing SYN*: a stream begins with the first segment seen.
//! - *Holes*: if the other side acknowledges what lies behind a hole, the receiver had it and the
//!   capture missed it; the hole is reported and skipped.
//! - *FIN*: one ahead of the data waits for its turn, as at a receiver (RFC 9293, §3.10.7.4); data
//!   that passes over it makes it void, and what waits behind it keeps the stream open. So a forged
//!   FIN cuts off nothing that is there when its turn comes. One that is next when nothing waits
//!   ends the stream, as it does at the receiver.
//! - *RST*: one whose number lies in the window drops what waits; a stream that continues after all
//!   is followed, since otherwise a forged RST would blind us.
//! - *Window*: what lies too far ahead of a hole is refused. (The paper's reassembler drops the
//!   flow.) If the receiver acknowledges it all the same, the hole is skipped as above. What comes
//!   in order is never refused.
//! - *Memory*: bounded per direction and in total, counting 64 bytes per waiting segment besides
//!   its data; what does not fit is refused, as a receiver would. The least recently seen
//!   connection gives way to a new one.
//!
//! Urgent data counts as data. Checksums, timestamps (PAWS) and the advertised window are ignored.
//!
//! Complexity: O(1) in order; out of order that of the [`SegmentStore`]: [`ListStore`] walks the
//! list, the attack's target; [`TreeStore`] is logarithmic.

mod connections;
mod list;
mod reassembler;
mod segments;
mod stream;
mod tree;

pub use list::ListStore;
pub use reassembler::{Reassembler, ReassemblyConfig, ReassemblyCounters, Work};
pub use segments::{Newcomer, Overlap, SEGMENT_OVERHEAD, SegmentStore};
pub use tree::TreeStore;

use std::net::SocketAddr;

/// The fields of a TCP header that reassembly needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFields {
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number, if the segment has one.
    pub ack: Option<u32>,
    /// It begins a stream.
    pub syn: bool,
    /// It ends a stream.
    pub fin: bool,
    /// It aborts the connection.
    pub rst: bool,
}

/// A segment as reassembly sees it: between whom, its header, its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// The address and port that sent it.
    pub source: SocketAddr,
    /// The address and port it goes to.
    pub destination: SocketAddr,
    /// What its TCP header says.
    pub fields: TcpFields,
    /// The bytes that it carries.
    pub payload: &'a [u8],
}

/// One direction of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// The connection: numbered from 0 by their first segments.
    pub connection: u64,
    /// The sender of its bytes.
    pub from: SocketAddr,
    /// The receiver of its bytes.
    pub to: SocketAddr,
}

/// An event of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The bytes that follow those delivered before.
    Data(&'a [u8]),
    /// This many bytes were never seen, though their receiver had them.
    Missing(u64),
    /// It ended; nothing follows.
    Finished,
    /// It was aborted.
    Reset,
}

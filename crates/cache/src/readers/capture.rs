//! A packet capture as lookups of flow state: each packet asks for the state of its five-tuple (the
//! "Network" rows of thesis Table 2.1).
//!
//! The capture itself is read by [`forebay_workload::Capture`], which sorts by time and so holds
//! the packets (24 bytes each, bounded by its limits). O(1) a packet.

use forebay_units::{Bytes, Time};
use forebay_workload::Capture;

use super::clock::{Relative, Stamp};
use super::{Position, Problem, ReadError, TraceClock};
use crate::model::{ObjectId, Request};

/// The requests of `capture`: its flows are the objects, each with `state` bytes. `clock` says what
/// the capture's times mean, which count nanoseconds.
///
/// # Errors
/// The first packet that is too late for ranks to compare; nothing follows it.
pub fn flow_lookups(
    capture: &Capture,
    state: Bytes,
    clock: TraceClock,
) -> impl Iterator<Item = Result<Request, ReadError>> + '_ {
    let (mut times, mut packets) = (Relative::new(clock), capture.packets().iter().zip(1..));
    let mut is_late = false;
    std::iter::from_fn(move || {
        let (packet, number) = packets.next().filter(|_| !is_late)?;
        let at = times.next(Stamp { whole: packet.at_ns, billionths: 0 });
        is_late = at.is_err();
        let request = |at: Time| Request::new(at, ObjectId(packet.flow.into())).sized(state);
        Some(at.map(request).map_err(|_| late(capture, number)))
    })
}

/// What is wrong with a packet: packets are sorted, so that it can only be too late.
fn late(capture: &Capture, number: u64) -> ReadError {
    let (name, position) = (capture.name().to_owned(), Position::Packet(number));
    ReadError { name, position, problem: Problem::PacketTooLate }
}

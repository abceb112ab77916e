//! A packet capture as lookups of flow state: each packet asks for the state of its five-tuple (the
//! "Network" rows of thesis Table 2.1).
//!
//! The capture itself is read by [`forebay_workload::Capture`], which sorts by time and so holds
//! the packets (24 bytes each, bounded by its limits). O(1) a packet.

use forebay_units::{Bytes, Time};
use forebay_workload::Capture;

use crate::model::{ObjectId, Request};

/// The requests of `capture`: its flows are the objects, each with `state` bytes.
pub fn flow_lookups(capture: &Capture, state: Bytes) -> impl Iterator<Item = Request> + '_ {
    capture.packets().iter().map(move |packet| {
        let at = Time::from_ps(packet.at_ns.saturating_mul(1_000));
        Request::new(at, ObjectId(u64::from(packet.flow))).sized(state)
    })
}

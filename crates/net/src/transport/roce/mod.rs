//! RoCEv2 in outline: packets at a rate, sent again by go-back-N or one by one.
//!
//! | type | what it does | source |
//! |---|---|---|
//! | [`RoceSender`] | sends at the rate, goes back to what is missing, or [repeats it alone](Recovery) | InfiniBand volume 1, §9.7 (reliable connections) |
//! | [`RoceReceiver`] | takes packets in order alone, asks once for what is missing, notifies of marks | the same; DCQCN §3 |
//! | [`RateControl`] | the rate, and the bytes in flight | [`Dcqcn`](super::Dcqcn) and others |
//!
//! Chosen where these leave it open: every packet that arrives in order is acknowledged; a
//! congestion notification (CNP) is a flag on an acknowledgement, and not a packet of its own;
//! DCQCN does not limit how much is in flight; the timeout is constant, as InfiniBand's is. A queue
//! pair is a flow, whose first byte is sent at the rate of the host's link.

mod control;
mod receiver;
mod selective;
mod sender;

pub use control::{Paced, Path, RateConfig, RateControl, RateSample};
pub use receiver::RoceReceiver;
pub use selective::{Recovery, SelectiveConfig};
pub use sender::{RoceConfig, RoceSender};

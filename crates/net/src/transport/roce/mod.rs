//! RoCEv2 in outline: packets in order at a rate, go-back-N, and DCQCN.
//!
//! | type | what it does | source |
//! |---|---|---|
//! | [`RoceSender`] | sends at the rate, goes back to what is missing | InfiniBand volume 1, §9.7 (reliable connections) |
//! | [`RoceReceiver`] | takes packets in order alone, asks once for what is missing, notifies of marks | the same; DCQCN §3 |
//! | [`Dcqcn`](super::Dcqcn) | the rate | Zhu et al., SIGCOMM 2015 |
//!
//! Chosen where these leave it open: every packet that arrives in order is acknowledged; a
//! congestion notification (CNP) is a flag on an acknowledgement, and not a packet of its own;
//! nothing limits how much is in flight; the timeout is constant, as InfiniBand's is. A queue pair
//! is a flow, whose first byte is sent at the rate of the host's link.

mod receiver;
mod sender;

pub use receiver::RoceReceiver;
pub use sender::{RoceConfig, RoceSender};

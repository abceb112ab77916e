//! A network of switches for simulators that are not in Rust.
//!
//! What a simulator of training jobs asks of its network (ASTRA-sim's interface: send, receive,
//! schedule, the time) as C functions: messages between hosts are flows of
//! `forebay-net`, which end when their last byte has arrived; callbacks say so, in the order of
//! simulated time. [`Messages`] of `forebay-net-run` is the same for Rust; what is in C is in
//! [`capi`], the only module with `unsafe` code, and in `include/forebay.h`.
//!
//! Open, and chosen here:
//!
//! - A receive matches the earliest message with its source, destination and tag that has arrived
//!   and was not received yet; it may come before or after the message does.
//! - Of what is due at one instant, first come arrivals in the order of their sends (of each the
//!   sender's callback, then the receiver's), then timers in the order in which they were set.
//! - Hosts do not spend time on messages themselves: a simulator adds that by a timer.
//! - A message to oneself is refused: it would never touch the network.
//!
//! The same calls give the same times on every machine. Memory: that of the network's flows, and 40
//! bytes for each message that was ever sent.

pub mod capi;

pub use forebay_net_run::{MessageError, Messages, network};

//! The network around the switch: what hosts send, and when.
//!
//! [`transport`] holds the hosts' protocols as state machines that are told the time and own no socket.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod transport;

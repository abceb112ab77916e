//! The edges of HTTP, with real sockets: ranges, odd answers, and how long connections last.
#![allow(missing_docs)]

mod answers;
mod connections;
mod ranges;
#[path = "../support/mod.rs"]
mod support;

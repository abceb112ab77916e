//! The edges of HTTP, with real sockets: ranges, odd answers, and how long connections last.

mod answers;
mod connections;
mod ranges;

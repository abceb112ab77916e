//! Every exact structure through the conformance suite; a file per group of structures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failed test is a panic
#![allow(unreachable_pub)] // a test binary has no outside

mod any_rank;
mod club_heap;
mod handles;
mod hardware;
mod long;
mod narrow;
mod sample;

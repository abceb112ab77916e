//! Every exact structure through the conformance suite; a file per group of structures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a failed test is a panic

mod any_rank;
mod club_heap;
mod narrow;
mod suite;

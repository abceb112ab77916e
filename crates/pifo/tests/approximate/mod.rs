//! The approximate queues against naive models, the measurement against counting by hand, and what
//! their papers say of them.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod conservation;
mod measure;
mod models;
mod programmable;
mod published;
#[path = "../../examples/approximate/workload.rs"]
mod workload;

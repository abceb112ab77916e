//! The integration tests, each file a module: one program compiles and links once.

mod approximate;
mod conformance;
mod debug;
mod drops;
mod latency;
mod partitions;
mod ranked;
mod saved;
mod themis_core;
mod tiered;
mod windows;

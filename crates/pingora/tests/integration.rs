//! The integration tests, each file a module: one program compiles and links once.

mod aborted;
mod cache;
mod example;
mod removal;
mod slow_readers;
mod support;

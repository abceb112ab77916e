//! The integration tests, each file a module: one program compiles and links once.

mod bad_clients;
mod bad_origins;
mod caching;
mod edges;
mod plain;
mod protocols;
mod removal;
mod running;
mod slow_readers;
mod support;
mod waiting;

//! The integration tests, each file a module: one program compiles and links once.

mod conservation;
mod own_policy;
mod reference;
mod staging_writes;

//! The integration tests, each file a module: one program compiles and links once.

mod constraints;
mod patterns;
mod scheduling;
mod sram;
mod stepped;
mod streams;
mod striped;

//! The integration tests, each file a module: one program compiles and links once.

mod reassembly;
mod reference;
mod stations;

//! The integration tests, each file a module: one program compiles and links once.

mod claims;
mod effects;
mod traced;

//! The header, and C programs that use it.

mod driver;
mod header;

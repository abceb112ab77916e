//! The integration tests, each file a module: one program compiles and links once.

mod example;
mod long_fetches;
mod model;
mod naive;
mod readers;
mod textbook;

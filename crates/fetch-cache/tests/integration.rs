//! The integration tests, each file a module: one program compiles and links once. These silence
//! what is said of a panic, in the whole process: those in programs of their own want to hear it.

mod herds;
mod stress;

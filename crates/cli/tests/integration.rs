//! The integration tests, each file a module: one program compiles and links once.

mod bad_lines;
mod beginnings;
mod buffer;
mod cache;
mod circles;
mod columns;
mod command;
mod contributing;
mod control_characters;
mod faults;
mod lossless_page;
mod net;
mod options;
mod proxy;
mod queues;
mod replay;
mod reproduce;
mod sched;
mod standard_input;
mod surge;
mod test_files;
mod train;

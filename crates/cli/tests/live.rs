//! The commands of real packets, each file a module; a program of its own, so that no other test
//! takes a processor from them. Linux alone.

mod link;
mod switch;
mod view;

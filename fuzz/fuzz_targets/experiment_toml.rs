//! Any bytes as an experiment file: an experiment whose every point resolves and whose runs have
//! distinct keys, or errors that name a place and a fix; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| forebay_fuzz::experiment::check(file));

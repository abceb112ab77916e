//! Any bytes as a scheduling tree: a tree that builds, gives no more than it has and keeps every
//! packet, or an error that says something; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    if let Ok(text) = std::str::from_utf8(file) {
        forebay_fuzz::tree::check(text);
    }
});

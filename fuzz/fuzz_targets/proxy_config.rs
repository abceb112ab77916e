//! Any bytes as a proxy's configuration: one whose values are within their bounds, or an error that
//! says something; never a panic.
#![no_main]

use forebay_proxy::fuzzing::configuration;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    if let Ok(text) = std::str::from_utf8(file) {
        configuration(text);
    }
});

//! Any text as a shape of a topology: a graph that passes its own check, or an error; never a
//! panic.
#![no_main]

use forebay_net::topology::{is_shape, read_shape};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match read_shape(text) {
    Ok(graph) => {
        assert!(is_shape(text));
        assert_eq!(graph.check(), Ok(()));
    }
    Err(error) => assert!(!error.to_string().is_empty()),
});

//! Any text as a graph file: a graph that passes its own check, or an error that names a line;
//! never a panic.
#![no_main]

use forebay_net::topology::read_graph;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match read_graph(text) {
    Ok(graph) => assert_eq!(graph.check(), Ok(())),
    Err(error) => {
        assert!((1..=text.lines().count().max(1)).contains(&error.line));
        assert!(!error.to_string().is_empty());
    }
});

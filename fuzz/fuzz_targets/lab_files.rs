//! Any text as a file beside the experiments: the list of what is reproduced, or what it costs;
//! read, or errors that name a place; never a panic.
#![no_main]

use std::path::Path;

use forebay_lab::reproduction::Reproduction;
use forebay_lab::reproduction::costs::Costs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    match Reproduction::read("reproduce.toml", file, Path::new("")) {
        Ok(read) => assert!(!read.entries.is_empty()),
        Err(errors) => assert!(!errors.0.is_empty() && !errors.render().is_empty()),
    }
    let Ok(text) = std::str::from_utf8(file) else { return };
    if let Err(error) = Costs::read("costs.csv", text) {
        assert!(error.to_string().contains("costs.csv:"));
    }
});

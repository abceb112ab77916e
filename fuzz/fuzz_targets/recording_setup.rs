//! Any text as how a link or a lab was recorded, and as what was written last: a link or a lab that
//! can be decided again, or an error that says something; never a panic.
//!
//! The input has up to three parts with a byte 0 between them: how it was made (`setup.json`), what
//! was written last (`manifest.json`), the changes of its policy. A first part that begins with `L`
//! has the words of a link's command line, one a line, of which the file is made.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use forebay_cli::read_recording;
use forebay_dataplane::record::{CHANGES, MANIFEST, SETUP};
use forebay_switch::Catalogue;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::default);

/// This process's own folder.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("forebay-fuzz-setup-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
});

/// The first part as the file.
fn setup(part: &[u8]) -> Vec<u8> {
    let Some(words) = part.strip_prefix(b"L") else { return part.to_vec() };
    let words = String::from_utf8_lossy(words);
    let words: Vec<&str> = words.lines().collect();
    json!({ "format": 1, "forebay": "0", "link": words, "files": {} }).to_string().into_bytes()
}

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(3, |byte| *byte == 0);
    let made = setup(parts.next().unwrap_or_default());
    fs::write(FOLDER.join(SETUP), made).expect("a file can be written");
    for name in [MANIFEST, CHANGES] {
        let file = FOLDER.join(name);
        match parts.next() {
            Some(part) => fs::write(file, part).expect("a file can be written"),
            // It may not be there.
            None => drop(fs::remove_file(file)),
        }
    }
    if let Err(error) = read_recording(&FOLDER, &CATALOGUE) {
        assert!(!error.is_empty());
    }
});

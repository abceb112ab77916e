//! The commands of docs/lossless.md, as the page has them.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

#[test]
fn the_commands_of_the_lossless_page_run_and_pause() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lossless.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```sh\n").unwrap();
    let (commands, _) = rest.split_once("```").unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_forebay")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-euc", commands]).current_dir(folder.path()).env("PATH", path);
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("no switch marks"), "{said}");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("No packet was lost."), "{shown}");
    assert!(shown.contains("pauses asked for") && !shown.contains("Nothing was paused"), "{shown}");
}

//! Computes the engine's fingerprint: a hash over the sources whose behaviour a stored result
//! depends on, so that a changed engine never reuses rows of an older one.
//!
//! Counted: `src` of every crate of the project, the scenarios among them, and `Cargo.lock`. Not
//! counted: the laboratory itself, the command, the SONiC reader and expressions, which no stored
//! result depends on. Without the sources (a packaged crate) the fingerprint is empty and the
//! program's version stands alone.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let fingerprint = fingerprint().unwrap_or_default();
    println!("cargo:rustc-env=FOREBAY_ENGINE_HASH={fingerprint}");
}

fn fingerprint() -> Option<String> {
    let lab = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let crates = lab.parent()?;
    let workspace = crates.parent()?;
    let lock = workspace.join("Cargo.lock");
    if !lock.is_file() {
        return None;
    }
    let mut roots = vec![lock];
    for entry in fs::read_dir(crates).ok()?.flatten() {
        let name = entry.file_name();
        if name != "lab" && name != "cli" && name != "sonic" && name != "expression" {
            roots.push(entry.path().join("src"));
        }
    }
    let mut files = Vec::new();
    for root in roots.iter().filter(|root| root.exists()) {
        println!("cargo:rerun-if-changed={}", root.display());
        collect(root, &mut files);
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in &files {
        let text = fs::read(file).ok()?;
        let name = file.strip_prefix(workspace).ok()?.to_string_lossy().replace('\\', "/");
        hasher.update(name.as_bytes());
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(&text);
    }
    Some(hasher.finalize().to_hex().to_string())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_path_buf());
        return;
    }
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        collect(&entry.path(), files);
    }
}

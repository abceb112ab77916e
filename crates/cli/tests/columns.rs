//! No comment in the project's Rust goes beyond 100 columns: rustfmt leaves comments as they are.
//! URLs, tables and code fences cannot be wrapped, and do not count.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The last column that a comment may reach.
const LAST: usize = 100;

/// The lines of a text whose comment is too long, from 1, with their widths.
fn too_long(text: &str) -> Vec<(usize, usize)> {
    let mut is_fenced = false;
    let mut found = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let comment = comment(line);
        let is_fence = comment.is_some_and(|comment| comment.starts_with("```"));
        is_fenced = comment.is_some() && is_fenced != is_fence;
        let is_exempt =
            |comment: &str| is_fenced || comment.starts_with('|') || comment.contains("://");
        let width = line.chars().count();
        if width > LAST && comment.is_some_and(|comment| !is_exempt(comment)) {
            found.push((place + 1, width));
        }
    }
    found
}

/// The words of a line's comment, if it has one: no two slashes within a string, as far as one line
/// tells.
fn comment(line: &str) -> Option<&str> {
    let starts = line.match_indices("//").map(|(start, _)| start);
    let mut starts = starts.filter(|start| line[..*start].matches('"').count().is_multiple_of(2));
    let start = starts.find(|start| line[..*start].ends_with([' ', '\t']) || *start == 0)?;
    Some(line[start..].trim_start_matches(['/', '!']).trim_start())
}

/// The sources below a folder, but for what is built.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_comment_goes_beyond_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["crates", "bench", "examples", "forebay", "fuzz", "python", "web"] {
        sources(&root.join(folder), &mut files);
    }
    files.sort();
    assert!(files.len() > 500, "only {} sources were found", files.len());
    let mut wrong = String::new();
    for file in &files {
        let name = file.strip_prefix(&root).unwrap().display();
        for (line, width) in too_long(&fs::read_to_string(file).unwrap()) {
            wrong += &format!("{name}:{line}: {width} columns\n");
        }
    }
    assert!(wrong.is_empty(), "comments beyond {LAST} columns:\n{wrong}");
}

#[test]
fn comments_are_told_from_code_and_from_what_cannot_be_wrapped() {
    let long = "word ".repeat(20);
    for (text, lines) in [
        (format!("// {long}"), &[1][..]),
        (format!("fn f() {{}}\n    /// {long}"), &[2]),
        (format!("    let a = 1; // {long}"), &[1]),
        (format!("//! {}", "ä".repeat(96)), &[]),
        (format!("//! {}", "ä".repeat(97)), &[1]),
        (format!("    let a = \"x // {long}\";"), &[]),
        (format!("const A: &str = \"{long}\";"), &[]),
        (format!("// see https://example.org/ {long}"), &[]),
        (format!("/// | {long} |"), &[]),
        (format!("/// ```text\n/// {long}\n/// ```\n/// {long}"), &[4]),
    ] {
        let found: Vec<usize> = too_long(&text).into_iter().map(|(line, _)| line).collect();
        assert_eq!(found, lines, "{text}");
    }
}

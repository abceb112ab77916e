//! `forebay new`: something to begin with, commented, that works as it is.
//!
//! What is written is in files beside this one; the tests run each of them. Nothing that is there
//! is ever replaced.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::{Failure, terminal};

const EXPERIMENT: &str = include_str!("experiment.toml");
const LAB: &str = include_str!("lab.toml");
const TREE: &str = include_str!("tree.tree");
/// The files of a crate with a policy; its own name stands in them as `keep-room`.
const POLICY: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("policy/manifest.toml")),
    ("README.md", include_str!("policy/README.md")),
    ("compare.toml", include_str!("policy/compare.toml")),
    ("src/keep_room.rs", include_str!("policy/keep_room.rs")),
    ("src/lib.rs", include_str!("policy/lib.rs")),
    ("src/main.rs", include_str!("policy/main.rs")),
];

pub(crate) const HELP: &str = "Examples:
  forebay new experiment mine        mine.toml; then: forebay run mine.toml
  forebay new lab mine               mine.toml; then: forebay switch mine.toml --check
  forebay new tree mine              mine.tree; then: forebay sched check mine.tree
  forebay new policy my-policy       a folder my-policy with a crate in Rust; then, in it:
                                     cargo run -- run compare.toml";

/// What to begin with.
#[derive(Args)]
pub(crate) struct Arguments {
    /// What it is to be.
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// Its name: of the file, without its ending, or of the folder.
    #[arg(value_name = "NAME")]
    name: PathBuf,
    /// Of a policy: the folder with Forebay's sources that it is compiled against [default: the
    /// repository on the web].
    #[arg(long, value_name = "FOLDER")]
    source: Option<PathBuf>,
}

/// What can be begun.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A crate in Rust with a buffer policy, and the command over it.
    Policy,
    /// An experiment.
    Experiment,
    /// A lab with real packets.
    Lab,
    /// A scheduling tree.
    Tree,
}

/// Writes it.
pub(crate) fn new(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { kind, name, source } = arguments;
    if source.is_some() && *kind != Kind::Policy {
        return Err(Failure::input("error: --source is for policies; leave it out"));
    }
    let (written, next) = match kind {
        Kind::Policy => {
            let crate_name = crate_name(name)?;
            crate_in(name, &crate_name, source.as_deref())?;
            (name.clone(), "in it: cargo run -- run compare.toml")
        }
        Kind::Experiment => (file(name, "toml", EXPERIMENT)?, "forebay run FILE"),
        Kind::Lab => (file(name, "toml", LAB)?, "forebay switch FILE --check"),
        Kind::Tree => (file(name, "tree", TREE)?, "forebay sched check FILE"),
    };
    let shown = written.display().to_string();
    terminal::print(&format!("{shown} is written; next, {}\n", next.replace("FILE", &shown)))
}

/// Writes a file that is not yet there, with this ending unless its name has one. In its text,
/// THIS-FILE is its name.
fn file(name: &Path, ending: &str, text: &str) -> Result<PathBuf, Failure> {
    let path = match name.extension() {
        Some(_) => name.to_owned(),
        None => name.with_extension(ending),
    };
    let own = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let text = text.replace("THIS-FILE", &own.unwrap_or_default());
    create(&path, &text).map_err(|error| refused(&path, &error))?;
    Ok(path)
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::input(format!(
            "error: {shown} is there already, and nothing is replaced: give another name"
        )),
        io::ErrorKind::NotFound => Failure::input(format!(
            "error: {shown} cannot be written, since the folder it is to be in is not there: make \
             that first"
        )),
        _ => Failure::new(format!("error: cannot write {shown}: {error}"), 1),
    }
}

/// The name of a crate in a folder: what cargo takes, and what can be a policy's name.
fn crate_name(folder: &Path) -> Result<String, Failure> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(plain)
        && !name.ends_with('-')
        && !name.contains("--");
    if !is_name {
        return Err(Failure::input(format!(
            "error: {name:?} is no name for a policy: begin with a letter, and use small letters, \
             digits and - between words, as keep-room"
        )));
    }
    if TAKEN.contains(&name.as_str()) {
        return Err(Failure::input(format!(
            "error: {name:?} is a word of Rust, or a crate that this one needs: give another name"
        )));
    }
    Ok(name)
}

/// What a crate that becomes a module's name cannot be called.
const TAKEN: [&str; 48] = [
    "as", "async", "await", "box", "break", "const", "continue", "core", "crate", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "forebay", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static",
    "std", "struct", "super", "test", "trait", "true", "try", "type", "unsafe", "use", "virtual",
    "where", "while", "yield",
];

/// Writes a crate into a new folder.
fn crate_in(folder: &Path, name: &str, source: Option<&Path>) -> Result<(), Failure> {
    let source = match source {
        Some(source) => format!("path = {}", facade(source)?),
        None => "git = \"https://github.com/forebay/forebay\"".to_owned(),
    };
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    let camel: String = name.split('-').map(capital).collect();
    let snake = name.replace('-', "_");
    let words = capital(&name.replace('-', " "));
    let own = |text: &str| {
        let text = text.replace("keep-room", name).replace("keep_room", &snake);
        text.replace("KeepRoom", &camel).replace("Keep room", &words)
    };
    fs::create_dir(folder).map_err(|error| refused(folder, &error))?;
    let write = |(path, text): &(&str, &str)| {
        let path = folder.join(own(path));
        // The manifest's own words stay as they are.
        create(&path, &own(text).replace("SOURCE", &source)).map_err(|error| refused(&path, &error))
    };
    let inner = folder.join("src");
    fs::create_dir(&inner).map_err(|error| refused(&inner, &error))?;
    POLICY.iter().try_for_each(write)
}

/// The facade's folder in a checkout, as TOML writes it.
fn facade(source: &Path) -> Result<String, Failure> {
    let folder = source.join("forebay");
    let problem = "is not the folder of Forebay's sources, as `git clone` makes it";
    let wrong = || Failure::input(format!("error: --source {}: it {problem}", source.display()));
    let folder = folder.canonicalize().map_err(|_| wrong())?;
    if !folder.join("Cargo.toml").is_file() {
        return Err(wrong());
    }
    let text = folder.to_str().ok_or_else(wrong)?;
    // A JSON string is one of TOML, too.
    serde_json::to_string(text).map_err(|_| wrong())
}

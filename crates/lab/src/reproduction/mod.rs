//! Which experiments reproduce which papers, in which order: `reproduce.toml` in a folder of
//! experiments.
//!
//! It lists papers, with pages of the book and with outputs that are no experiment's, and
//! experiments in the order of their value, with what a quick run of each changes. Everything is
//! checked before anything runs, and all mistakes are reported together. How long each experiment
//! takes stands beside it, in a table that is measured and not written by hand ([`costs`]).
//! Complexity: linear in the file.

pub mod costs;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use crate::config::document::{self, Table, Tree};
use crate::config::reader::Reader;
use crate::config::{MAX_FILE, Overrides};
use crate::error::{ConfigError, ConfigErrors, Position};
use forebay_parameters::suggest;

/// The name of the file.
pub const FILE: &str = "reproduce.toml";

/// What a command of an output begins with.
const COMMAND: &str = "forebay";

/// Experiments whose names begin so show how much an assumption matters; they run only when all is
/// asked for.
pub const SENSITIVITY: &str = "sensitivity-";

/// What a folder of experiments reproduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproduction {
    /// The papers, in the file's order.
    pub papers: Vec<Paper>,
    /// The experiments, most valuable first.
    pub entries: Vec<ReproductionEntry>,
}

/// A paper whose figures and tables are reproduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    /// A short name, of which its page is called.
    pub id: String,
    /// The title, as it was published.
    pub title: String,
    /// Who wrote it, and where it appeared.
    pub citation: String,
    /// Pages of the book about it.
    pub docs: Vec<PathBuf>,
    /// Tables and pictures that no experiment makes.
    pub outputs: Vec<Output>,
    /// Figures and tables that nothing here makes.
    pub missing: Vec<Missing>,
}

/// A figure or table of a paper that is not reproduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Which, and what it shows.
    pub title: String,
    /// Why not.
    pub why: String,
}

/// A table or pictures of a paper that no experiment makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What it shows.
    pub title: String,
    /// The part of the paper that it belongs to; empty if the paper has no parts.
    pub part: String,
    /// A few words about it, such as how the conditions differ from the paper's.
    pub note: String,
    /// Where it comes from.
    pub made: Made,
}

/// Where an output comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// A command that prints it.
    Command {
        /// Its words; the first is `forebay`.
        words: Vec<String>,
        /// Where it is written.
        place: Position,
    },
    /// Files that another program writes, which may not be there.
    Files {
        /// The files: pictures are shown, others linked.
        files: Vec<PathBuf>,
        /// The command that writes them.
        by: String,
    },
}

/// An experiment of a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproductionEntry {
    /// Its path in the folder, without extension: what it is called in messages and among the
    /// results.
    pub name: String,
    /// Where the experiment file is.
    pub file: PathBuf,
    /// The paper's place in [`Reproduction::papers`].
    pub paper: usize,
    /// The part of the paper that it belongs to; empty if the paper has no parts.
    pub part: String,
    /// What a quick run changes: parameters, as after `--set`, with their places in the file.
    pub quick: Overrides,
}

impl ReproductionEntry {
    /// Whether it shows how much an assumption matters, and not what a paper shows.
    #[must_use]
    pub fn is_sensitivity(&self) -> bool {
        is_sensitivity(&self.file)
    }
}

fn is_sensitivity(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(SENSITIVITY))
}

impl Reproduction {
    /// Reads `reproduce.toml` in `folder`. With `all`, also with the sensitivities: those that the
    /// file lists, and then whatever else of that name is in the papers' folders.
    ///
    /// # Errors
    /// There is none, it does not read, or it has mistakes: all of them.
    pub fn load(folder: &Path, all: bool) -> Result<Self, ConfigErrors> {
        let path = folder.join(FILE);
        let name = path.display().to_string();
        let bytes = forebay_files::read(&path, MAX_FILE as u64).map_err(|error| {
            ConfigError::new(format!("cannot read {name}: {error}"))
                .fix("give a folder of experiments that contains a reproduce.toml")
        })?;
        let mut found = Reproduction::read(&name, &bytes, folder)?;
        if all {
            found.add_sensitivities(folder)?;
        } else {
            found.entries.retain(|entry| !entry.is_sensitivity());
        }
        Ok(found)
    }

    /// Reads the content of a file called `name` over the experiments in `folder`.
    ///
    /// # Errors
    /// Every mistake of the file.
    pub fn read(name: &str, bytes: &[u8], folder: &Path) -> Result<Self, ConfigErrors> {
        let (source, table) = document::read(name, bytes)?;
        let mut reader = Reader::new(source);
        reader.refuse_unknown(&table, &["paper", "experiment"], "the file");
        let mut papers: Vec<Paper> = Vec::new();
        for (table, span) in reader.tables(&table, "paper") {
            let paper = read_paper(&mut reader, table, &span, folder);
            if !paper.id.is_empty() && papers.iter().any(|other| other.id == paper.id) {
                let message = format!("two papers have the id `{}`", paper.id);
                reader.fail(&span, message, "rename one");
            }
            papers.push(paper);
        }
        let mut entries: Vec<ReproductionEntry> = Vec::new();
        for (table, span) in reader.tables(&table, "experiment") {
            let Some(entry) = read_entry(&mut reader, table, &papers, folder) else { continue };
            if entries.iter().any(|other| other.file == entry.file) {
                reader.fail(&span, format!("`{}` is listed twice", entry.name), "remove one");
            }
            entries.push(entry);
        }
        if entries.is_empty() && reader.errors.is_empty() {
            reader.missing("the file lists no experiments", "add [[experiment]]");
        }
        if reader.errors.is_empty() {
            Ok(Reproduction { papers, entries })
        } else {
            Err(reader.into_errors())
        }
    }

    /// Adds the sensitivities that are not listed, behind all others, to the paper whose
    /// experiments are beside them.
    fn add_sensitivities(&mut self, folder: &Path) -> Result<(), ConfigError> {
        let mut places: Vec<(PathBuf, usize)> = Vec::new();
        for entry in &self.entries {
            let place = entry.file.parent().unwrap_or(folder).to_path_buf();
            if !places.iter().any(|(other, _)| *other == place) {
                places.push((place, entry.paper));
            }
        }
        for (place, paper) in places {
            let files = std::fs::read_dir(&place).map_err(|error| {
                ConfigError::new(format!("cannot read {}: {error}", place.display()))
            })?;
            let files = files.flatten().map(|file| file.path()).filter(|file| {
                is_sensitivity(file)
                    && file.extension().is_some_and(|extension| extension == "toml")
            });
            let mut files: Vec<PathBuf> = files.collect();
            files.sort();
            for file in files {
                if self.entries.iter().any(|entry| entry.file == file) {
                    continue;
                }
                let name = called(&file, folder);
                let part = self.part_of(&place);
                let quick = Overrides::default();
                self.entries.push(ReproductionEntry { name, file, paper, part, quick });
            }
        }
        Ok(())
    }

    /// The part of the first experiment in a folder.
    fn part_of(&self, place: &Path) -> String {
        let beside = self.entries.iter().find(|entry| entry.file.parent() == Some(place));
        beside.map(|entry| entry.part.clone()).unwrap_or_default()
    }
}

/// A file's path in the folder, without its extension.
fn called(file: &Path, folder: &Path) -> String {
    let below = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    below.to_string_lossy().replace('\\', "/")
}

fn read_paper(reader: &mut Reader, table: &Table, span: &Range<usize>, folder: &Path) -> Paper {
    let known = ["id", "title", "citation", "docs", "output", "missing"];
    reader.refuse_unknown(table, &known, "a paper");
    let id = reader.required_text(table, "id", "a paper");
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !id.chars().all(fits) || id == "index" {
        let span = table.get("id").map_or(span, |entry| &entry.node.span);
        let fix = "use lower-case letters, digits and `-`; not `index`, the first page";
        reader.fail(span, format!("`{id}` cannot be the id of a paper"), fix);
    }
    let docs = reader.texts(table, "docs", "pages of the book");
    let docs = docs.into_iter().map(|(path, _)| folder.join(path)).collect();
    let title = reader.required_text(table, "title", "a paper");
    let citation = reader.optional_text(table, "citation");
    let outputs = reader.tables(table, "output");
    let outputs = outputs.into_iter();
    let outputs = outputs.filter_map(|(table, span)| read_output(reader, table, &span, folder));
    let outputs = outputs.collect();
    let missing = reader.tables(table, "missing");
    let missing = missing.into_iter().map(|(table, _)| read_missing(reader, table)).collect();
    Paper { id, title, citation, docs, outputs, missing }
}

fn read_missing(reader: &mut Reader, table: &Table) -> Missing {
    reader.refuse_unknown(table, &["title", "why"], "a missing figure");
    let title = reader.required_text(table, "title", "a missing figure");
    Missing { title, why: reader.required_text(table, "why", "a missing figure") }
}

fn read_output(
    reader: &mut Reader,
    table: &Table,
    span: &Range<usize>,
    folder: &Path,
) -> Option<Output> {
    let known = ["title", "part", "note", "command", "files", "made_by"];
    reader.refuse_unknown(table, &known, "an output");
    let title = reader.required_text(table, "title", "an output");
    let part = reader.optional_text(table, "part");
    let note = reader.optional_text(table, "note");
    let files = reader.texts(table, "files", "paths");
    let made = match (table.get("command"), table.get("files")) {
        (Some(_), None) => {
            if let Some(entry) = table.get("made_by") {
                let fix = "remove it: the command makes the output";
                reader.fail(&entry.key_span, "`made_by` applies only to outputs with files", fix);
            }
            read_command(reader, table)?
        }
        (None, Some(_)) => Made::Files {
            files: files.into_iter().map(|(path, _)| folder.join(path)).collect(),
            by: reader.required_text(table, "made_by", "an output of files"),
        },
        _ => {
            let fix = "add command = \"…\", or files = [\"…\"] and made_by = \"…\"";
            reader.fail(span, "an output comes either from a command or from files", fix);
            return None;
        }
    };
    Some(Output { title, part, note, made })
}

/// Reads `command = "forebay …"`.
fn read_command(reader: &mut Reader, table: &Table) -> Option<Made> {
    let text = reader.required_text(table, "command", "an output");
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let span = &table.get("command")?.node.span;
    let message = match words.as_slice() {
        [first, _, ..] if first == COMMAND => None,
        [only] if only == COMMAND => Some(format!("the command is `{COMMAND}` alone")),
        [first, ..] => Some(format!("the command begins with `{first}`")),
        [] => return None,
    };
    if let Some(message) = message {
        let fix = format!("give a command of this program: command = \"{COMMAND} queues table1\"");
        reader.fail(span, message, fix);
    }
    Some(Made::Command { words, place: reader.source.position(span) })
}

fn read_entry(
    reader: &mut Reader,
    table: &Table,
    papers: &[Paper],
    folder: &Path,
) -> Option<ReproductionEntry> {
    reader.refuse_unknown(table, &["file", "paper", "part", "quick"], "an experiment");
    let file = reader.required_text(table, "file", "an experiment");
    let id = reader.required_text(table, "paper", "an experiment");
    let paper = papers.iter().position(|paper| paper.id == id);
    if let (None, Some(entry)) = (paper, table.get("paper").filter(|_| !id.is_empty())) {
        let fix = suggest(&id, papers.iter().map(|paper| paper.id.as_str()));
        reader.fail(&entry.node.span, format!("there is no paper `{id}`"), fix);
    }
    let part = reader.optional_text(table, "part");
    let quick = read_quick(reader, table);
    let path = folder.join(&file);
    if let Some(entry) = table.get("file").filter(|_| !file.is_empty()) {
        let fix = format!("paths are relative to {FILE}, without `.` or `..`");
        let inside = |part| matches!(part, Component::Normal(_));
        if !Path::new(&file).components().all(inside) {
            reader.fail(&entry.node.span, format!("`{file}` is not a plain relative path"), fix);
        } else if !path.is_file() {
            reader.fail(&entry.node.span, format!("there is no file {}", path.display()), fix);
        }
    }
    Some(ReproductionEntry { name: called(&path, folder), file: path, paper: paper?, part, quick })
}

/// Reads `quick = { parameter = "text" }`.
fn read_quick(reader: &mut Reader, table: &Table) -> Overrides {
    let mut quick = Overrides::default();
    let Some(entry) = table.get("quick") else { return quick };
    let Tree::Table(changes) = &entry.node.tree else {
        let message = format!("`quick` is {}, not a table", entry.node.describe());
        reader.fail(&entry.node.span, message, "write quick = { \"run.span\" = \"5 ms\" }");
        return quick;
    };
    for entry in &changes.entries {
        if let Tree::Text(text) = &entry.node.tree {
            let span = entry.key_span.start..entry.node.span.end;
            quick.set.push((entry.key.clone(), text.clone()));
            quick.places.push(reader.source.position(&span));
        } else {
            let message = format!("`{}` is {}, not a text", entry.key, entry.node.describe());
            let fix = "write a parameter's name and its text between quotes, as in \"run.span\" = \
                       \"5 ms\"";
            reader.fail(&entry.node.span, message, fix);
        }
    }
    quick
}

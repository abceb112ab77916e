//! Where the pages stand, what they link to, and how they are written.

use std::path::{Path, PathBuf};

use forebay_lab::report::site::{Extra, PaperPage, ReportLink, Section, index, list, page};
use forebay_lab::reproduction::{self, Made, Output, Paper};
use forebay_lab::results::number::plural;
use forebay_lab::run::manifest::Machine;
use forebay_lab::run::store::write_whole;
use forebay_lab::run::{Finished, LabError, plan};

use super::Item;
use crate::Failure;

/// What a word of a command stands for: a file that it draws into.
const PICTURE: &str = "{picture}";

/// The name of the list of claims.
const CLAIMS: &str = "claims.csv";

/// The notice above the results of a quick run.
const QUICK: &str = "Quick results: one seed, and short spans where an experiment would take long. \
                     They show that everything works; the numbers are of the papers' conditions \
                     only without --quick.";

/// The pages in a results folder.
pub(super) struct Pages {
    experiments: PathBuf,
    out: PathBuf,
    quick: bool,
}

impl Pages {
    /// In the folder `out`, over the folder `experiments`.
    pub(super) fn new(experiments: &Path, out: &Path, quick: bool) -> Self {
        Pages { experiments: experiments.to_path_buf(), out: out.to_path_buf(), quick }
    }

    /// A link from the pages to a file, if that is there.
    fn link(&self, text: &str, to: &Path) -> Option<ReportLink> {
        ReportLink::to_file(text, &self.out, to)
    }

    /// The section of an experiment with its results, or with why there are none.
    pub(super) fn section(&self, item: &Item, outcome: Result<&Finished, &LabError>) -> Section {
        let (name, part) = (&item.entry.name, &item.entry.part);
        let mut links = Vec::new();
        if outcome.is_ok() {
            for file in ["report.html", "results.csv", "results.parquet", "timelines.csv"] {
                links.extend(self.link(file, &item.folder.join(file)));
            }
        }
        links.extend(self.link(&format!("{name}.toml"), &item.entry.file));
        match outcome {
            Ok(finished) => Section::finished(name, part, finished, item.left_out, links),
            Err(error @ LabError::Stopped { .. }) => {
                Section::unfinished(name, part, &item.title, &error.to_string(), links)
            }
            Err(error) => Section::failed(name, part, &item.title, &error.to_string(), links),
        }
    }

    /// The section of an experiment that this machine cannot run.
    pub(super) fn left_out(&self, item: &Item, why: &str) -> Section {
        let (name, part) = (&item.entry.name, &item.entry.part);
        let links = self.link(&format!("{name}.toml"), &item.entry.file).into_iter().collect();
        Section::unfinished(name, part, &item.title, why, links)
    }

    /// The page of a paper, without its experiments; `print` gives what a command prints.
    pub(super) fn paper(
        &self,
        paper: &Paper,
        print: impl Fn(&[String]) -> Result<String, Failure>,
    ) -> Result<PaperPage, Failure> {
        let mut extras = Vec::new();
        for (number, output) in paper.outputs.iter().enumerate() {
            extras.push(match &output.made {
                Made::Command { words, place: _ } => {
                    let picture = self.out.join(format!("{}-{}.svg", paper.id, number + 1));
                    self.printed(output, words, &picture, &print)?
                }
                Made::Files { files, by } => self.gathered(output, files, by),
            });
        }
        let links = paper.docs.iter().filter_map(|file| self.link(&file_name(file), file));
        Ok(PaperPage {
            id: paper.id.clone(),
            title: paper.title.clone(),
            citation: paper.citation.clone(),
            links: links.collect(),
            sections: Vec::new(),
            extras,
            missing: paper.missing.clone(),
        })
    }

    /// What a command prints and draws.
    fn printed(
        &self,
        output: &Output,
        words: &[String],
        picture: &Path,
        print: impl Fn(&[String]) -> Result<String, Failure>,
    ) -> Result<Extra, Failure> {
        let drawn = words.iter().any(|word| word == PICTURE);
        let filled: Vec<String> = words
            .iter()
            .map(|word| if word == PICTURE { picture.display().to_string() } else { word.clone() })
            .collect();
        let text = print(&filled)?;
        let pictures = if drawn { svg(picture).into_iter().collect() } else { Vec::new() };
        let shown: Vec<&str> = words
            .iter()
            .filter(|word| *word != PICTURE && *word != "--svg")
            .map(String::as_str)
            .collect();
        let note = format!("{} Printed by: {}.", output.note, shown.join(" "));
        Ok(extra(output, note, text, pictures, Vec::new()))
    }

    /// Files that another program writes.
    fn gathered(&self, output: &Output, files: &[PathBuf], by: &str) -> Extra {
        let (mut pictures, mut links) = (Vec::new(), Vec::new());
        for file in files {
            match svg(file) {
                Some(picture) => pictures.push(picture),
                None => links.extend(self.link(&file_name(file), file)),
            }
        }
        let note = match pictures.is_empty() && links.is_empty() {
            true => format!("{} They are not there; this makes them: {by}.", output.note),
            false => format!("{} Made by: {by}.", output.note),
        };
        extra(output, note, String::new(), pictures, links)
    }

    /// Writes all pages and the list of claims; the first page's path.
    pub(super) fn write(&self, papers: &[PaperPage]) -> Result<PathBuf, Failure> {
        let notice = if self.quick { QUICK } else { "" };
        let write = |name: String, text: String| {
            let file = self.out.join(name);
            let written = write_whole(&file, text.as_bytes());
            written.map_err(|error| Failure::new(format!("error: {error}"), 1))?;
            Ok(file)
        };
        for paper in papers {
            write(format!("{}.html", paper.id), page(paper, notice))?;
        }
        let machine = Machine::this();
        let facts = format!(
            "Forebay {} on {}, {}, {}",
            plan::VERSION,
            machine.cpu,
            plural(machine.cores, "core", "cores"),
            machine.os
        );
        let claims = write(CLAIMS.to_owned(), list(papers))?;
        let beside = |name| self.link(name, &self.experiments.join(name));
        let more = [reproduction::FILE, reproduction::costs::FILE].into_iter().filter_map(beside);
        let more: Vec<ReportLink> = self.link(CLAIMS, &claims).into_iter().chain(more).collect();
        write("index.html".to_owned(), index(papers, notice, &facts, &more))
    }
}

fn extra(
    output: &Output,
    note: String,
    text: String,
    pictures: Vec<(String, String)>,
    links: Vec<ReportLink>,
) -> Extra {
    let (title, part) = (output.title.clone(), output.part.clone());
    Extra { title, part, note, text, pictures, links }
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The SVG element in a file, with the file's name; nothing if it has none.
fn svg(file: &Path) -> Option<(String, String)> {
    if file.extension().is_none_or(|extension| extension != "svg") {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let start = text.find("<svg")?;
    Some((file_name(&file.with_extension("")), text[start..].trim_end().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_picture_itself_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.svg");
        std::fs::write(&file, "<?xml version=\"1.0\"?>\n<svg a=\"b\"></svg>\n").unwrap();
        assert_eq!(svg(&file), Some(("a".to_owned(), "<svg a=\"b\"></svg>".to_owned())));
        assert_eq!(svg(&folder.path().join("b.svg")), None);
    }
}

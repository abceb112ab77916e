//! What a report links to: the tables beside it, its experiment file, and the pages of
//! documentation about it. What is not there is left out.

use std::path::{Path, PathBuf};

use super::name;
use super::record::Record;
use crate::report::ReportLink;

/// The tables and the manifest that may stand beside a report.
const BESIDE: [&str; 5] =
    ["results.csv", "results.parquet", "timelines.csv", "timelines.parquet", "manifest.json"];
/// A longer page is not searched.
const LONGEST: u64 = 4 << 20;

/// The links of the report in `folder`.
pub(super) fn of(folder: &Path, record: &Record) -> Vec<ReportLink> {
    let beside =
        BESIDE.iter().filter_map(|file| ReportLink::to_file(*file, folder, &folder.join(file)));
    let file = file_of(folder, record);
    let shown = file.file_name().unwrap_or_default().to_string_lossy();
    let experiment = ReportLink::to_file(shown, folder, &file);
    let pages = pages(&file).into_iter().filter_map(|page| {
        let title = format!("docs/{}", page.file_name().unwrap_or_default().to_string_lossy());
        ReportLink::to_file(title, folder, &page)
    });
    beside.chain(experiment).chain(pages).collect()
}

/// The experiment's file: where it was, or beside the report, if the results went elsewhere with
/// it.
fn file_of(folder: &Path, record: &Record) -> PathBuf {
    let file = PathBuf::from(&record.file);
    let beside = file.file_name().map(|name| folder.join(name));
    beside.filter(|beside| !file.exists() && beside.is_file()).unwrap_or(file)
}

/// Whether a page with this text is about an experiment.
type Fits<'a> = &'a dyn Fn(&Path, &str) -> bool;

/// The pages of the nearest folder `docs` above an experiment file that name it; if none does, the
/// page called like its folder; if there is none either, those that name the folder, as
/// "experiments/themis/"; and if there are none, those that the file names.
fn pages(file: &Path) -> Vec<PathBuf> {
    let Ok(whole) = file.canonicalize() else { return Vec::new() };
    let Some(docs) = whole.ancestors().map(|above| above.join("docs")).find(|docs| docs.is_dir())
    else {
        return Vec::new();
    };
    let texts = texts(&docs);
    let about = Name::of(&whole).map_or_else(Vec::new, |name| pages_about(&name, &texts));
    if about.is_empty() { named_in(&whole, &texts) } else { about }
}

/// The pages that an experiment's own file names, as "docs/sonic.md".
fn named_in(file: &Path, texts: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let text = forebay_files::read_text(file, LONGEST).unwrap_or_default();
    let names = |page: &PathBuf| {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        text.contains(&format!("docs/{name}"))
    };
    texts.iter().map(|(page, _)| page).filter(|page| names(page)).cloned().collect()
}

fn pages_about(name: &Name, texts: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let those = |fits: Fits<'_>| -> Vec<PathBuf> {
        let found = texts.iter().filter(|(page, text)| fits(page, text));
        found.map(|(page, _)| page.clone()).collect()
    };
    let folder = format!("experiments/{}/", name.folder);
    let ways: [Fits<'_>; 3] = [
        &|page, text| name.is_in(page, text),
        &|page, _| name.is_called_like_folder(page),
        &|_, text| text.contains(&folder),
    ];
    ways.into_iter().map(those).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The pages of a folder with their texts, by name.
fn texts(docs: &Path) -> Vec<(PathBuf, String)> {
    let text = |page: PathBuf| {
        let short = page.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
        let markdown = page.extension().is_some_and(|extension| extension == "md");
        let text = (markdown && short).then(|| std::fs::read_to_string(&page).ok())??;
        Some((page, text))
    };
    let all = std::fs::read_dir(docs).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut texts: Vec<(PathBuf, String)> = all.filter_map(text).collect();
    texts.sort();
    texts
}

/// What pages may call an experiment.
struct Name {
    /// The folder's path below `experiments`, as "themis".
    folder: String,
    /// The file's name without its extension, as "fig10-hardware".
    stem: String,
    /// Whether the stem alone tells of this experiment: it is no common word, and no other folder
    /// has a file of this name.
    unique: bool,
}

impl Name {
    /// Nothing for a file that is in no folder below `experiments`.
    fn of(file: &Path) -> Option<Self> {
        let short = name(file);
        let folder = short.parent()?.to_str().filter(|folder| !folder.is_empty())?.to_owned();
        let stem = short.file_name()?.to_str()?.to_owned();
        let (own, last) = (file.parent()?, file.file_name()?);
        let beside = std::fs::read_dir(own.parent()?).into_iter().flatten().flatten();
        let twin = |other: PathBuf| other != own && other.join(last).exists();
        let shared = beside.map(|entry| entry.path()).any(twin);
        let common = !stem.contains(|c: char| c.is_ascii_digit() || c == '-' || c == '_');
        Some(Name { folder, stem, unique: !common && !shared })
    }

    /// Whether a page names the experiment.
    fn is_in(&self, page: &Path, text: &str) -> bool {
        let whole = format!("{}/{}", self.folder, self.stem);
        let alone = self.unique || self.is_called_like_folder(page);
        mentions(text, &whole, |_| true)
            || alone && mentions(text, &self.stem, |before| !before.ends_with(goes_on_before))
    }

    /// Whether a page is about the experiment's folder: docs/themis.md about experiments/themis.
    fn is_called_like_folder(&self, page: &Path) -> bool {
        page.file_stem().is_some_and(|stem| stem.to_str() == Some(&self.folder))
    }
}

fn goes_on(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// Whether a letter before a name makes it another's end, or a file of another folder.
fn goes_on_before(c: char) -> bool {
    goes_on(c) || c == '/'
}

/// Whether a text has a name that is not the beginning of a longer one, after a text that fits.
fn mentions(text: &str, name: &str, before: impl Fn(&str) -> bool) -> bool {
    let ends = |rest: &str| !rest.strip_prefix(".toml").unwrap_or(rest).starts_with(goes_on);
    text.match_indices(name).any(|(at, _)| before(&text[..at]) && ends(&text[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with experiments/one/fig1.toml, more files and pages of `docs`.
    fn root(files: &[&str], docs: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("docs")).unwrap();
        for file in files {
            let file = root.path().join("experiments").join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        for (page, text) in docs {
            std::fs::write(root.path().join("docs").join(page), text).unwrap();
        }
        root
    }

    fn found(root: &tempfile::TempDir, file: &str) -> Vec<String> {
        let pages = pages(&root.path().join("experiments").join(file));
        let name = |page: &PathBuf| page.file_name().unwrap().to_string_lossy().into_owned();
        pages.iter().map(name).collect()
    }

    #[test]
    fn pages_that_name_the_experiment_are_found() {
        let docs = [
            ("a.md", "`forebay run experiments/one/fig1.toml`"),
            ("b.md", "experiments/one/fig10.toml and one/fig1-b, two/fig1, my-fig1"),
            ("c.md", "See one/fig1."),
            ("d.txt", "one/fig1"),
            ("e.md", "a row | `fig1` |"),
        ];
        let root = root(&["one/fig1.toml"], &docs);
        assert_eq!(found(&root, "one/fig1.toml"), ["a.md", "c.md", "e.md"]);
        assert!(found(&root, "nothing.toml").is_empty());
    }

    #[test]
    fn a_common_or_shared_name_counts_on_the_page_of_its_folder_alone() {
        let docs = [("one.md", "`replay`, `fig1`"), ("other.md", "to replay, as `fig1` does")];
        let root = root(&["one/replay.toml", "one/fig1.toml", "two/fig1.toml"], &docs);
        assert_eq!(found(&root, "one/replay.toml"), ["one.md"]);
        assert_eq!(found(&root, "one/fig1.toml"), ["one.md"]);
        assert!(found(&root, "two/fig1.toml").is_empty());
    }

    #[test]
    fn what_no_page_names_has_its_folders_page_or_those_that_name_the_folder() {
        let docs =
            [("one.md", "Nothing."), ("x.md", "experiments/one/ and `experiments/two/NAME`")];
        let root = root(&["one/a-1.toml", "two/a-2.toml", "three/a-3.toml"], &docs);
        assert_eq!(found(&root, "one/a-1.toml"), ["one.md"]);
        assert_eq!(found(&root, "two/a-2.toml"), ["x.md"]);
        assert!(found(&root, "three/a-3.toml").is_empty());
    }

    #[test]
    fn a_file_that_is_elsewhere_may_name_its_page() {
        let root =
            root(&["one/fig1.toml"], &[("made.md", "How it is made."), ("x.md", "Nothing.")]);
        let made = root.path().join("results/experiment.toml");
        std::fs::create_dir_all(made.parent().unwrap()).unwrap();
        std::fs::write(&made, "# docs/made.md says how.\n").unwrap();
        let found = pages(&made);
        assert!(found.len() == 1 && found[0].ends_with("docs/made.md"), "{found:?}");
    }

    #[test]
    fn every_shipped_experiment_has_a_page() {
        let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        let folders = std::fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path());
        let folders = folders.filter(|path| path.is_dir());
        let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
        let files = files.map(|entry| entry.unwrap().path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "toml"));
        let files: Vec<PathBuf> = files.collect();
        assert!(files.len() > 100, "{}", files.len());
        for file in files {
            assert!(!pages(&file).is_empty(), "{} has no page", file.display());
        }
        let file = Path::new("../../experiments/occamy/fig11-burst-absorption.toml");
        assert!(pages(file).iter().any(|page| page.ends_with("docs/occamy.md")));
    }
}

//! What a report links to: the tables beside it, its experiment file, and the pages of
//! documentation that name the experiment. What is not there is left out.

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
    let file = Path::new(&record.file);
    let shown = file.file_name().unwrap_or_default().to_string_lossy();
    let experiment = ReportLink::to_file(shown, folder, file);
    let pages = pages(file).into_iter().filter_map(|page| {
        let title = format!("docs/{}", page.file_name().unwrap_or_default().to_string_lossy());
        ReportLink::to_file(title, folder, &page)
    });
    beside.chain(experiment).chain(pages).collect()
}

/// The pages of the nearest folder `docs` above an experiment file that name it, as "themis/fig10".
fn pages(file: &Path) -> Vec<PathBuf> {
    let Ok(whole) = file.canonicalize() else { return Vec::new() };
    let Some(docs) = whole.ancestors().map(|above| above.join("docs")).find(|docs| docs.is_dir())
    else {
        return Vec::new();
    };
    let name = name(&whole).to_string_lossy().into_owned();
    let names_it = |page: &PathBuf| {
        let short = page.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
        let markdown = page.extension().is_some_and(|extension| extension == "md");
        markdown && short && std::fs::read_to_string(page).is_ok_and(|text| mentions(&text, &name))
    };
    let all = std::fs::read_dir(docs).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = all.filter(names_it).collect();
    found.sort();
    found
}

/// Whether a text has a name as a whole, and not as the beginning of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    let ends = |rest: &str| {
        let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        !rest.strip_prefix(".toml").unwrap_or(rest).starts_with(goes_on)
    };
    name.contains('/') && text.match_indices(name).any(|(at, _)| ends(&text[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_name_the_experiment_are_found() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("experiments/one");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir_all(root.path().join("docs")).unwrap();
        let file = folder.join("fig1.toml");
        std::fs::write(&file, "").unwrap();
        let write =
            |page: &str, text: &str| std::fs::write(root.path().join("docs").join(page), text);
        write("a.md", "`forebay run experiments/one/fig1.toml`").unwrap();
        write("b.md", "experiments/one/fig10.toml and one/fig1-b").unwrap();
        write("c.md", "See one/fig1.").unwrap();
        write("d.txt", "one/fig1").unwrap();
        let names: Vec<String> = pages(&file)
            .iter()
            .map(|page| page.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["a.md", "c.md"]);
        assert!(pages(&root.path().join("nothing.toml")).is_empty());
    }
}

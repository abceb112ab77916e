//! No claim of a shipped experiment passes a number of ours off as a paper's.
#![allow(clippy::unwrap_used)] // in the helpers, too, a failure is a failed test

use std::fs;
use std::path::{Path, PathBuf};

use forebay_lab::config::{Basis, Claim, Measure, Published};
use forebay_lab::{Experiment, Overrides};
use forebay_scenarios::{Policies, registry};

/// Every shipped experiment.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let within = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = within(&folder).filter(|path| path.is_dir());
    let all = folders.flat_map(|folder| within(&folder).collect::<Vec<_>>());
    let mut files: Vec<PathBuf> =
        all.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files
}

/// What is wrong with a claim: words that say that the paper has no such number, or a range that
/// ends where the measure does or at "like the others", which no paper states as a number.
fn wrong(claim: &Claim) -> Option<&'static str> {
    const WORDS: [&str; 9] = [
        "no number",
        "our reading",
        "bound is ours",
        "read as",
        "taken as",
        "by us",
        "ours:",
        " is ours",
        "hardly",
    ];
    let text = claim.text.to_lowercase();
    if claim.source.starts_with("ours") {
        return (claim.basis != Basis::Ours).then_some("its source says that it is ours");
    }
    if claim.basis.is_published() && WORDS.iter().any(|words| text.contains(words)) {
        return Some("its text says that the number is not the paper's");
    }
    match (claim.basis, claim.paper) {
        (Basis::Stated | Basis::Figure, Published::Range(low, high)) => {
            let ratio = claim.measure.compares()
                || matches!(claim.measure, Measure::LastOverFirst | Measure::LastOverPrevious);
            let like_others = ratio && (low == 1.0 || high == 1.0);
            (low == 0.0 || like_others).then_some("an end of its range is open")
        }
        _ => None,
    }
}

#[test]
fn every_number_of_a_paper_is_the_papers() {
    let registry = registry(&Policies::default()).unwrap();
    let (mut claims, mut problems) = (0, Vec::new());
    for file in files() {
        let experiment = Experiment::load(&file, &Overrides::default(), &registry).unwrap();
        for claim in &experiment.claims {
            claims += 1;
            let problem =
                wrong(claim).map(|why| format!("{}: {}: {why}", file.display(), claim.text));
            problems.extend(problem);
        }
    }
    assert!(claims > 500, "{claims} claims");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

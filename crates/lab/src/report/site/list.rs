//! All claims of all papers as one table: to compare two runs, or two versions, claim by claim.

use std::sync::Arc;

use super::PaperPage;
use crate::report::claims::Shown;
use crate::results::frame::{Column, DataFrame};

/// The table as CSV, with a row per claim in the order of the pages.
#[must_use]
pub fn list(papers: &[PaperPage]) -> String {
    let mut rows: Vec<(&str, &str, &Shown)> = Vec::new();
    for paper in papers {
        for section in &paper.sections {
            rows.extend(section.rows().iter().map(|row| (&*paper.id, section.name(), &row.shown)));
        }
    }
    let column = |name: &str, text: fn(&(&str, &str, &Shown)) -> Arc<str>| {
        (name.to_owned(), Column::Text(rows.iter().map(text).collect()))
    };
    let columns = vec![
        column("paper", |(paper, _, _)| Arc::from(*paper)),
        column("experiment", |(_, experiment, _)| Arc::from(*experiment)),
        column("claim", |(_, _, shown)| Arc::from(shown.text.as_str())),
        column("source", |(_, _, shown)| Arc::from(shown.source.as_str())),
        column("published", |(_, _, shown)| Arc::from(shown.paper.as_str())),
        column("measured", |(_, _, shown)| Arc::from(shown.ours.as_str())),
        column("at", |(_, _, shown)| Arc::from(shown.place.as_str())),
        column("verdict", |(_, _, shown)| Arc::from(shown.verdict.name())),
        column("why", |(_, _, shown)| Arc::from(shown.why.as_str())),
    ];
    DataFrame { columns, facts: Vec::new() }.to_csv()
}

//! The pages over all experiments of several papers: one per paper, with every claim, its verdict
//! and its picture, and a first page with counts and with what is not reproduced, and why. A table
//! beside them lists all claims.
//!
//! They stand alone, apart from links to what is beside them; the verdicts can be filtered without
//! a server, with radio buttons. A pure function of what is passed in. Complexity: linear in the
//! claims and pictures.

mod first;
mod list;
mod paper;
#[cfg(test)]
mod tests;

use super::chart::{self, Picture};
use super::claims::{Shown, class};
use super::link::links;
use super::{held, shared, sizes};
use crate::config::{Claim, Figure};
use crate::report::html::{escape, paragraphs};
use crate::reproduction::Missing;
use crate::results::Results;
use crate::results::claims::ClaimVerdict;
use crate::results::number::plural;
use crate::run::Finished;
use crate::run::record::Record;

pub use super::link::ReportLink;
pub use first::index;
pub use list::list;
pub use paper::page;

const SITE_STYLE: &str = include_str!("site.css");

/// A claim and the figure of its experiment that shows it, if one does.
#[derive(Clone, Debug)]
struct Row {
    shown: Shown,
    figure: Option<String>,
}

/// What became of an experiment.
#[derive(Clone, Debug)]
enum State {
    Finished {
        facts: String,
        rows: Vec<Row>,
        figures: String,
        /// Claims that this run could not measure.
        left_out: usize,
    },
    Failed(String),
    Unfinished(String),
}

/// An experiment on its paper's page.
#[derive(Clone, Debug)]
pub struct Section {
    name: String,
    title: String,
    part: String,
    links: Vec<ReportLink>,
    state: State,
}

impl Section {
    /// Of an experiment that is called `name` and belongs to `part` of its paper (or ""), with
    /// results; `left_out` claims of its file are about values that the run leaves out.
    #[must_use]
    pub fn finished(
        name: &str,
        part: &str,
        finished: &Finished,
        left_out: usize,
        links: Vec<ReportLink>,
    ) -> Self {
        let (record, results) = (&finished.manifest.experiment, &finished.results);
        let drawn: Vec<(&Figure, Picture)> = record
            .figures
            .iter()
            .filter_map(|figure| Some((figure, chart::picture(record, results, figure)?)))
            .collect();
        let rows = record.claims.iter().map(|claim| Row {
            shown: Shown::of(record, results, claim),
            figure: shows(&drawn, claim).map(|figure| anchor(name, &figure.id)),
        });
        Section {
            name: name.to_owned(),
            title: record.title.clone(),
            part: part.to_owned(),
            links,
            state: State::Finished {
                facts: facts(record, finished),
                rows: rows.collect(),
                figures: figures(name, record, results, &drawn),
                left_out,
            },
        }
    }

    /// Of an experiment that cannot run or whose run failed, and why.
    #[must_use]
    pub fn failed(name: &str, part: &str, title: &str, why: &str, links: Vec<ReportLink>) -> Self {
        let state = State::Failed(why.trim().to_owned());
        Section { state, ..Section::unfinished(name, part, title, "", links) }
    }

    /// Of an experiment that was stopped before its end, and where.
    #[must_use]
    pub fn unfinished(
        name: &str,
        part: &str,
        title: &str,
        so_far: &str,
        links: Vec<ReportLink>,
    ) -> Self {
        Section {
            name: name.to_owned(),
            title: title.to_owned(),
            part: part.to_owned(),
            links,
            state: State::Unfinished(so_far.to_owned()),
        }
    }

    /// Whether its experiment failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self.state, State::Failed(_))
    }

    fn rows(&self) -> &[Row] {
        match &self.state {
            State::Finished { rows, .. } => rows,
            State::Failed(_) | State::Unfinished(_) => &[],
        }
    }

    /// The verdicts of its claims.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::of(self.rows().iter().map(|row| &row.shown.verdict))
    }

    /// The claims that differ, or have another size, while the experiment does not say why.
    pub fn without_reason(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows().iter().map(|row| &row.shown);
        let rows = rows.filter(|shown| shown.verdict.wants_reason() && shown.why.is_empty());
        rows.map(|shown| shown.text.as_str())
    }

    /// What the experiment is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A table or pictures that no experiment makes.
#[derive(Clone, Debug)]
pub struct Extra {
    /// What it shows.
    pub title: String,
    /// The part of the paper.
    pub part: String,
    /// Words about it.
    pub note: String,
    /// What a command printed; may be empty.
    pub text: String,
    /// Names and SVG elements.
    pub pictures: Vec<(String, String)>,
    /// Tables and files.
    pub links: Vec<ReportLink>,
}

/// A paper with its experiments.
#[derive(Clone, Debug)]
pub struct PaperPage {
    /// A short name, of which the page is called: `ID.html`.
    pub id: String,
    /// The title, as it was published.
    pub title: String,
    /// Who wrote it, and where it appeared.
    pub citation: String,
    /// Pages of the book.
    pub links: Vec<ReportLink>,
    /// The experiments, in order.
    pub sections: Vec<Section>,
    /// What no experiment makes.
    pub extras: Vec<Extra>,
    /// What nothing here makes, and why.
    pub missing: Vec<Missing>,
}

impl PaperPage {
    /// The verdicts of all claims.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::of(self.sections.iter().flat_map(Section::rows).map(|row| &row.shown.verdict))
    }
}

/// How many claims have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reproduced.
    pub reproduced: usize,
    /// In the same direction, whatever the size.
    pub same_direction: usize,
    /// Different.
    pub differs: usize,
    /// Not measured.
    pub not_measured: usize,
}

impl Counts {
    fn of<'a>(verdicts: impl Iterator<Item = &'a ClaimVerdict>) -> Self {
        let mut counts = Counts::default();
        for verdict in verdicts {
            *match verdict {
                ClaimVerdict::Reproduced(_) => &mut counts.reproduced,
                ClaimVerdict::SameDirection | ClaimVerdict::OtherSize => &mut counts.same_direction,
                ClaimVerdict::Differs => &mut counts.differs,
                ClaimVerdict::NotMeasured => &mut counts.not_measured,
            } += 1;
        }
        counts
    }

    /// How many claims there are, whatever became of them.
    #[must_use]
    pub fn total(&self) -> usize {
        self.reproduced + self.same_direction + self.differs + self.not_measured
    }

    /// Of these and others.
    #[must_use]
    pub fn and(self, other: Counts) -> Self {
        Counts {
            reproduced: self.reproduced + other.reproduced,
            same_direction: self.same_direction + other.same_direction,
            differs: self.differs + other.differs,
            not_measured: self.not_measured + other.not_measured,
        }
    }

    /// Name, class and number of every verdict.
    fn each(&self) -> [(&'static str, &'static str, usize); 4] {
        [
            ("reproduced", "yes", self.reproduced),
            ("same direction", "near", self.same_direction),
            ("differs", "no", self.differs),
            ("not measured", "none", self.not_measured),
        ]
    }
}

impl std::fmt::Display for Counts {
    /// "8 claims: 3 reproduced, 4 in the same direction, 1 differs".
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let total = self.total();
        if total == 0 {
            return write!(f, "no claims");
        }
        let differ = if self.differs == 1 { "differs" } else { "differ" };
        let words = ["reproduced", "in the same direction", differ, "not measured"];
        let some = self.each().into_iter().zip(words).filter(|((_, _, count), _)| *count > 0);
        let some: Vec<String> =
            some.map(|((_, _, count), words)| format!("{count} {words}")).collect();
        write!(f, "{}: {}", plural(total, "claim", "claims"), some.join(", "))
    }
}

/// The place of an experiment, or of a figure of it, on a page.
fn anchor(name: &str, figure: &str) -> String {
    let mut text = name.replace(['/', ' '], "-");
    if !figure.is_empty() {
        text += &format!("--{figure}");
    }
    text
}

/// The figure that shows what a claim is about: of its metric, and not of other values of the axes;
/// of several the one that draws its policy and holds most of the claim's axes.
fn shows<'f>(drawn: &[(&'f Figure, Picture)], claim: &Claim) -> Option<&'f Figure> {
    let fits = |figure: &Figure| {
        figure.metric == claim.metric
            && figure.at.iter().all(|(name, value)| {
                claim.at.iter().all(|(other, held)| other != name || held == value)
            })
    };
    let rank = |figure: &Figure| {
        let policy = figure.policies.is_empty() || figure.policies.contains(&claim.subject);
        let held = figure.at.iter().filter(|held| claim.at.contains(held)).count();
        (policy, figure.relative.is_empty(), held)
    };
    let fitting = drawn.iter().map(|(figure, _)| *figure).filter(|figure| fits(figure));
    // The first of equals.
    fitting.rev().max_by_key(|figure| rank(figure))
}

fn facts(record: &Record, finished: &Finished) -> String {
    let manifest = &finished.manifest;
    let mut facts = sizes(record);
    if let Some(seconds) = manifest.cpu_seconds {
        facts.push(format!("{} s of processor time", crate::results::number::short(seconds)));
    }
    facts.join(" · ")
}

fn figures(name: &str, record: &Record, results: &Results, drawn: &[(&Figure, Picture)]) -> String {
    if drawn.is_empty() || results.runs.is_empty() {
        return String::new();
    }
    let mut html = "<div class=\"figures\">\n".to_owned();
    for (figure, Picture { svg, more }) in drawn {
        html += &format!(
            "<figure id=\"{0}\">\n<h3>{1}<a href=\"#{0}\"><code>{2}</code></a></h3>\n{svg}\n\
             <figcaption>{3}{4}</figcaption>\n{5}</figure>\n",
            escape(&anchor(name, &figure.id)),
            escape(&figure.title),
            escape(&figure.id),
            held(record, figure),
            paragraphs(&figure.note),
            shared(more),
        );
    }
    html + "</div>\n"
}

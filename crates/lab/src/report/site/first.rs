//! The first page: counts by paper and verdict, what failed, what is not reproduced, and why, and
//! what is not run.

use super::{Counts, PaperPage, SITE_STYLE, Section, State, anchor, links};
use crate::config::Basis;
use crate::report::claims::heads;
use crate::report::html::{Cell, escape, prose, table};
use crate::report::opening;
use crate::report::site::ReportLink;
use crate::results::claims::ClaimVerdict;

/// The page; `notice` is a warning about all results, or "", `facts` says how they were made.
#[must_use]
pub fn index(papers: &[PaperPage], notice_text: &str, facts: &str, more: &[ReportLink]) -> String {
    let title = "What the papers state, and what was measured";
    let all = papers.iter().fold(Counts::default(), |all, paper| all.and(paper.counts()));
    let mut page = opening(title, SITE_STYLE);
    page += &format!(
        "<header>\n<h1>{title}</h1>\n<p>{all}.</p>\n<p class=\"meta\">{}</p>\n{}{}</header>\n",
        escape(facts),
        links(more),
        notice(notice_text),
    );
    page += "<h2>Papers</h2>\n";
    page += &by_paper(papers, all);
    page += &troubles(papers);
    page += &not_reproduced(papers);
    page += &missing(papers);
    page += &experiments(papers);
    page + "</main>\n</body>\n</html>\n"
}

/// A warning that stands above all results.
pub(super) fn notice(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("<p class=\"notice\">{}</p>\n", prose(text))
    }
}

fn by_paper(papers: &[PaperPage], all: Counts) -> String {
    let heads = [
        "Paper",
        "Experiments, outputs",
        "Claims",
        "Reproduced",
        "Same direction",
        "Differs",
        "Not measured",
    ];
    let mut rows: Vec<Vec<Cell>> = papers
        .iter()
        .map(|paper| {
            let page = escape(&paper.id);
            let counts = paper.counts();
            let mut row = vec![
                Cell::html(format!(
                    "<a href=\"{page}.html\">{}</a><span class=\"how\">{}</span>",
                    escape(&paper.title),
                    escape(&paper.citation)
                )),
                Cell::number(&pieces(paper).to_string()),
                Cell::number(&counts.total().to_string()),
            ];
            row.extend(counts.each().map(|(_, class, count)| match count {
                0 => Cell::number("0"),
                count => Cell::html_number(format!(
                    "<a href=\"{page}.html#{class}\" class=\"{class}\">{count}</a>"
                )),
            }));
            row
        })
        .collect();
    let experiments: usize = papers.iter().map(pieces).sum();
    let mut last = vec![
        Cell::text("All"),
        Cell::number(&experiments.to_string()),
        Cell::number(&all.total().to_string()),
    ];
    last.extend(all.each().map(|(_, _, count)| Cell::number(&count.to_string())));
    rows.push(last);
    table(&heads, &rows, true)
}

/// How many experiments and other outputs a paper has.
fn pieces(paper: &PaperPage) -> usize {
    paper.sections.len() + paper.extras.len()
}

fn of_all(papers: &[PaperPage]) -> impl Iterator<Item = (&PaperPage, &Section)> {
    papers.iter().flat_map(|paper| paper.sections.iter().map(move |section| (paper, section)))
}

fn link(paper: &PaperPage, section: &Section) -> String {
    ReportLink::new(&section.name, format!("{}.html#{}", paper.id, anchor(&section.name, "")))
        .html()
}

/// The experiments without results.
fn troubles(papers: &[PaperPage]) -> String {
    let rows: Vec<Vec<Cell>> = of_all(papers)
        .filter_map(|(paper, section)| {
            let (what, why) = match &section.state {
                State::Finished { .. } => return None,
                State::Failed(why) => ("failed", why),
                State::Unfinished(so_far) => ("not finished", so_far),
            };
            Some(vec![Cell::html(link(paper, section)), Cell::text(what), Cell::text(why)])
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<h2 id=\"without\">Experiments without results</h2>\n{}",
        table(&["Experiment", "State", "Why"], &rows, true)
    )
}

fn not_reproduced(papers: &[PaperPage]) -> String {
    let (mut rows, mut bases): (Vec<Vec<Cell>>, Vec<Basis>) = Default::default();
    for (paper, section) in of_all(papers) {
        for row in section.rows() {
            let shown = &row.shown;
            let why = match (&shown.verdict, shown.why.as_str()) {
                (ClaimVerdict::Reproduced(_) | ClaimVerdict::SameDirection, _) => continue,
                (ClaimVerdict::NotMeasured, "") => "this run has no values for it",
                (ClaimVerdict::OtherSize | ClaimVerdict::Differs, "") => {
                    "the experiment does not say"
                }
                (_, why) => why,
            };
            rows.push(vec![
                Cell::html(format!(
                    "{}<span class=\"how\">{}</span>",
                    prose(&shown.text),
                    link(paper, section)
                )),
                Cell::number(&shown.paper),
                Cell::number(&shown.ours),
                Cell::html(shown.badge()),
                Cell::text(why),
            ]);
            bases.push(shown.basis);
        }
    }
    let [expected, _] = heads(bases.into_iter());
    let heads = ["Claim", expected, "Measured", "Verdict", "Why"];
    let content = match rows.is_empty() {
        true => "<p>Every claim was measured and is near its number.</p>\n".to_owned(),
        false => table(&heads, &rows, true),
    };
    format!("<h2 id=\"not-reproduced\">What is not reproduced, and why</h2>\n{content}")
}

/// Figures and tables that nothing here makes.
fn missing(papers: &[PaperPage]) -> String {
    let all = papers.iter().flat_map(|paper| paper.missing.iter().map(move |item| (paper, item)));
    let rows: Vec<Vec<Cell>> = all
        .map(|(paper, item)| {
            let of = ReportLink::new(&paper.title, format!("{}.html", paper.id)).html();
            let title = escape(&item.title);
            vec![
                Cell::html(format!("{title}<span class=\"how\">{of}</span>")),
                Cell::text(&item.why),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<h2 id=\"not-run\">Figures and tables that are not run here</h2>\n{}",
        table(&["Figure", "Why"], &rows, true)
    )
}

fn experiments(papers: &[PaperPage]) -> String {
    let rows: Vec<Vec<Cell>> = of_all(papers)
        .map(|(paper, section)| {
            let verdicts = match &section.state {
                State::Finished { .. } => section.counts().to_string(),
                State::Failed(_) => "failed".to_owned(),
                State::Unfinished(_) => "not finished".to_owned(),
            };
            let facts = match &section.state {
                State::Finished { facts, .. } => facts.as_str(),
                State::Failed(_) | State::Unfinished(_) => "",
            };
            vec![
                Cell::html(format!(
                    "{}<span class=\"how\">{}</span>",
                    link(paper, section),
                    escape(&section.title)
                )),
                Cell::text(&verdicts),
                Cell::text(facts),
            ]
        })
        .collect();
    let heads = ["Experiment", "Claims", "Runs"];
    format!("<h2>Experiments</h2>\n{}", table(&heads, &rows, true))
}

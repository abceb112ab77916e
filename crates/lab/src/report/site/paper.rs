//! The page of one paper.

use super::{Extra, PaperPage, Row, SITE_STYLE, Section, State, anchor, class, links};
use crate::report::claims::heads;
use crate::report::html::{escape, paragraphs};
use crate::report::opening;
use crate::results::number::plural;

/// Chooses the verdict that a link to the page names, as `themis.html#no`; without it all are
/// shown.
const CHOOSE: &str = "<script>\n\
     const chosen = document.getElementById('show-' + location.hash.slice(1));\n\
     if (chosen) chosen.checked = true;\n</script>\n";

/// The page; `notice` is a warning about all results, or "".
#[must_use]
pub fn page(paper: &PaperPage, notice: &str) -> String {
    let mut page = opening(&paper.title, SITE_STYLE);
    page += "<nav><a href=\"index.html\">All papers</a></nav>\n";
    page += &format!(
        "<header>\n<h1>{}</h1>\n{}{}{}{}</header>\n",
        escape(&paper.title),
        paragraphs(&paper.citation),
        standing(paper),
        links(&paper.links),
        super::first::notice(notice),
    );
    page += &filter(paper);
    let mut part = "";
    for section in in_parts(paper) {
        if section.part() != part {
            part = section.part();
            page += &format!("<h2 class=\"part\">{}</h2>\n", escape(part));
        }
        page += &match section {
            Piece::Experiment(section) => experiment(section),
            Piece::Extra(extra) => other(extra),
        };
    }
    page + CHOOSE + "</main>\n</body>\n</html>\n"
}

/// How the claims stand, if there are any.
fn standing(paper: &PaperPage) -> String {
    match paper.counts() {
        counts if counts.total() == 0 => String::new(),
        counts => format!("<p class=\"meta\">{counts}.</p>\n"),
    }
}

enum Piece<'a> {
    Experiment(&'a Section),
    Extra(&'a Extra),
}

impl<'a> Piece<'a> {
    fn part(&self) -> &'a str {
        match self {
            Piece::Experiment(section) => &section.part,
            Piece::Extra(extra) => &extra.part,
        }
    }
}

/// Experiments, then what is none, each part's pieces together; parts in the order in which they
/// come up.
fn in_parts(paper: &PaperPage) -> Vec<Piece<'_>> {
    let all = || {
        let experiments = paper.sections.iter().map(Piece::Experiment);
        experiments.chain(paper.extras.iter().map(Piece::Extra))
    };
    let mut parts: Vec<&str> = Vec::new();
    for piece in all() {
        if !parts.contains(&piece.part()) {
            parts.push(piece.part());
        }
    }
    parts.iter().flat_map(|part| all().filter(|piece| piece.part() == *part)).collect()
}

/// Radio buttons; the style sheet hides what is not chosen.
fn filter(paper: &PaperPage) -> String {
    let counts = paper.counts();
    if counts.total() == 0 {
        return String::new();
    }
    let button = |id: &str, words: &str, count: usize, checked: &str| {
        format!(
            "<label><input type=\"radio\" name=\"show\" id=\"show-{id}\"{checked}>{words} \
             ({count})</label>\n"
        )
    };
    let mut html = "<fieldset class=\"filter\"><legend>Claims</legend>\n".to_owned();
    html += &button("all", "all", counts.total(), " checked");
    for (name, class, count) in counts.each() {
        html += &button(class, name, count, "");
    }
    html + "</fieldset>\n"
}

fn experiment(section: &Section) -> String {
    let id = escape(&anchor(&section.name, ""));
    let mut html = format!("<section>\n<h2 id=\"{id}\">{}</h2>\n", escape(&section.title));
    match &section.state {
        State::Failed(why) => {
            html += &format!("<p class=\"warning\">Failed: {}</p>\n", escape(why));
        }
        State::Unfinished(so_far) => {
            html += &format!("<p class=\"warning\">Not finished: {}</p>\n", escape(so_far));
        }
        State::Finished { facts, .. } => {
            html += &format!("<p class=\"meta\">{}</p>\n", escape(facts));
        }
    }
    html += &links(&section.links);
    if let State::Finished { rows, figures, left_out, .. } = &section.state {
        html += &claims(&section.name, rows);
        if *left_out > 0 {
            let claims = plural(*left_out, "claim is", "claims are");
            html +=
                &format!("<p class=\"meta\">{claims} about values that this run leaves out.</p>\n");
        }
        html += figures;
    }
    html + "</section>\n"
}

fn claims(name: &str, rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let [expected, ratio] = heads(rows.iter().map(|row| row.shown.basis));
    let heads = ["Claim", expected, "Measured", ratio, "Verdict", "Picture"];
    let head = |(index, head): (usize, &&str)| {
        let class = if (1..=3).contains(&index) { " class=\"num\"" } else { "" };
        format!("<th scope=\"col\"{class}>{head}</th>")
    };
    let heads_html: String = heads.iter().enumerate().map(head).collect();
    let mut html = format!(
        "<div class=\"scroll\"><table class=\"cards \
         claims\">\n<thead><tr>{heads_html}</tr></thead>\n<tbody>\n"
    );
    for (number, Row { shown, figure }) in (1..).zip(rows) {
        let place = anchor(name, &format!("claim-{number}"));
        let picture = figure.as_ref().map_or("–".to_owned(), |figure| {
            let id = figure.rsplit("--").next().unwrap_or_default();
            format!("<a href=\"#{}\">{}</a>", escape(figure), escape(id))
        });
        let number = |text: &str| escape(text);
        let cells = [
            shown.statement(&place),
            number(&shown.paper),
            number(&shown.ours),
            number(&shown.ratio),
            shown.badge(),
            picture,
        ];
        html += &format!("<tr class=\"{}-row\" id=\"{}\">", class(&shown.verdict), escape(&place));
        for (index, (cell, head)) in cells.iter().zip(heads).enumerate() {
            let class = if (1..=3).contains(&index) { " class=\"num\"" } else { "" };
            html += &format!("<td{class} data-head=\"{head}\">{cell}</td>");
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

fn other(extra: &Extra) -> String {
    let mut html =
        format!("<section>\n<h2>{}</h2>\n{}", escape(&extra.title), paragraphs(&extra.note));
    html += &links(&extra.links);
    if !extra.text.is_empty() {
        html += &format!(
            "<pre class=\"wide\"><code>{}</code></pre>\n",
            escape(extra.text.trim_matches('\n'))
        );
    }
    if !extra.pictures.is_empty() {
        html += "<div class=\"figures\">\n";
        for (name, svg) in &extra.pictures {
            html +=
                &format!("<figure class=\"given\">\n<h3>{}</h3>\n{svg}\n</figure>\n", escape(name));
        }
        html += "</div>\n";
    }
    html + "</section>\n"
}

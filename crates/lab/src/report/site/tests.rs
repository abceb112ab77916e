use std::sync::atomic::AtomicBool;

use super::*;
use crate::config::Overrides;
use crate::config::tests::{GOOD, read};
use crate::run::{Options, Unobserved, run};

fn section(text: &str, left_out: usize) -> Section {
    let folder = tempfile::tempdir().unwrap();
    let experiment = read(text, &Overrides::default()).unwrap();
    let options = Options { out: folder.path().to_path_buf(), jobs: 2 };
    let finished = run(&experiment, &options, &AtomicBool::new(false), &Unobserved).unwrap();
    let links = vec![ReportLink::new("report", "a/<b>/report.html")];
    Section::finished("a/fig1", "Part <I>", &finished, left_out, links)
}

fn paper(sections: Vec<Section>) -> PaperPage {
    PaperPage {
        id: "one".to_owned(),
        title: "The <first>".to_owned(),
        citation: "Somebody & others".to_owned(),
        links: vec![ReportLink::new("the page", "../docs/one.md")],
        sections,
        extras: vec![Extra {
            title: "A table".to_owned(),
            part: "Part <I>".to_owned(),
            note: String::new(),
            text: "a  <b>\n".to_owned(),
            pictures: vec![("p".to_owned(), "<svg></svg>".to_owned())],
            links: Vec::new(),
        }],
        missing: Vec::new(),
    }
}

#[test]
fn a_page_has_every_claim_with_its_picture_and_a_filter() {
    let paper =
        paper(vec![section(GOOD, 2), Section::failed("a/fig2", "", "Two", "a pole", vec![])]);
    let html = page(&paper, "Only <one> seed");
    for words in [
        "The &lt;first&gt;",
        "Only &lt;one&gt; seed",
        "href=\"a/&lt;b&gt;/report.html\"",
        "2 claims are about values that this run leaves out",
        "Failed: a pole",
        "a  &lt;b&gt;",
        "id=\"show-no\"",
        "class=\"yes-row\"",
        "<figure id=\"a-fig1--fig1\">",
        "<a href=\"#a-fig1--fig1\">fig1</a>",
        // On narrow screens a claim has the whole width.
        "@media (min-width: 641px) { .claims td:first-child {",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert_eq!(html.matches("</svg>").count(), 3);
    assert_eq!(html.matches("<h2 class=\"part\">Part &lt;I&gt;</h2>").count(), 1);
    assert!(!html.contains("NaN") && !html.contains("Some(") && !html.contains("<first>"));
    for outside in ["src=", "@import", "url(", "http://www.w3.org/1999"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn the_first_page_counts_and_says_what_is_missing_and_why() {
    let wrong = GOOD.replace("paper = 0.5", "paper = -0.5\nwhy = \"it is <odd>\"");
    let paper = paper(vec![
        section(GOOD, 0),
        section(&wrong, 0),
        Section::unfinished("a/fig3", "", "Three", "1 of 9 runs", vec![]),
    ]);
    let counts = paper.counts();
    let html = index(&[paper], "", "on 2 cores", &[]);
    assert!(html.contains("1 of 9 runs") && html.contains("not finished"));
    assert!(html.contains(&format!("{counts}.")), "{counts}");
    assert_eq!((counts.reproduced, counts.differs), (1, 1));
    assert!(html.contains("it is &lt;odd&gt;") && !html.contains("<odd>"));
    assert!(html.contains("href=\"one.html#yes\""));
    assert!(html.contains("<a href=\"one.html#a-fig3\">a/fig3</a>"));
}

#[test]
fn the_first_page_says_which_figures_are_not_run() {
    let mut paper = paper(vec![section(GOOD, 0)]);
    assert!(!index(&[paper.clone()], "", "", &[]).contains("not-run"));
    let (title, why) = ("Fig. 9: a <board>".to_owned(), "needs the <board>".to_owned());
    paper.missing.push(Missing { title, why });
    let html = index(&[paper], "", "", &[]);
    for words in ["id=\"not-run\"", "Fig. 9: a &lt;board&gt;", "needs the &lt;board&gt;"] {
        assert!(html.contains(words), "{words}");
    }
}

#[test]
fn what_is_far_from_the_paper_has_to_have_a_reason() {
    let reasons = |published: &str| {
        let section = section(&GOOD.replace("paper = 0.5", published), 0);
        let html = index(&[paper(vec![section.clone()])], "", "", &[]);
        let missing = section.without_reason().count();
        assert_eq!(html.contains("the experiment does not say"), missing > 0, "{published}");
        (missing, html.contains("verdict near"), html.contains("it is odd"))
    };
    assert_eq!(reasons("paper = 0.5"), (0, false, false));
    assert_eq!(reasons("paper = -0.5"), (1, false, false));
    assert_eq!(reasons("paper = -0.5\nwhy = \"it is odd\""), (0, false, true));
    // The same direction, of another size.
    assert_eq!(reasons("paper = 0.01"), (1, true, false));
    assert_eq!(reasons("paper = 0.01\nwhy = \"it is odd\""), (0, true, true));
}

#[test]
fn the_list_has_a_row_per_claim() {
    let wrong = GOOD.replace("paper = 0.5", "paper = -0.5\nwhy = \"it is, well, odd\"");
    let csv = list(&[paper(vec![section(GOOD, 0), section(&wrong, 0)])]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "paper,experiment,claim,source,published,measured,at,verdict,why");
    assert_eq!(lines.len(), 3, "{csv}");
    assert!(lines[1].starts_with("one,a/fig1,") && lines[1].ends_with(",reproduced,"), "{csv}");
    assert!(lines[2].ends_with(",differs,\"it is, well, odd\""), "{csv}");
}

use std::sync::atomic::AtomicBool;

use crate::config::Overrides;
use crate::config::tests::{GOOD, read};
use crate::results::{Results, RunValues};
use crate::run::record::Record;
use crate::run::{Options, Unobserved, run};

fn report(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let experiment = read(text, &Overrides::default()).unwrap();
    let options = Options { out: folder.path().to_path_buf(), jobs: 2 };
    run(&experiment, &options, &AtomicBool::new(false), &Unobserved).unwrap();
    std::fs::read_to_string(folder.path().join("report.html")).unwrap()
}

#[test]
fn the_report_holds_every_figure_claim_and_assumption() {
    let html = report(GOOD);
    for id in ["fig1", "fig2"] {
        assert!(html.contains(&format!("<figure id=\"{id}\">")), "{id}");
        assert!(html.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    assert_eq!(html.matches("<svg ").count(), 2);
    assert_eq!(html.matches("</svg>").count(), 2);
    assert!(html.contains("reproduced within 1 %"), "fast is half of queue");
    assert!(html.contains("a guess") && html.contains("test/buffer"));
    assert!(html.contains("Customers in the system") && html.contains("It grows."));
    assert!(html.contains("run e.toml"));
}

#[test]
fn the_report_stands_alone_and_escapes() {
    let html = report(&GOOD.replace("A queue", "A <b>queue</b> & 'more'"));
    assert!(html.contains("A &lt;b&gt;queue&lt;/b&gt; &amp; &#39;more&#39;"));
    assert!(html.contains("Fast &amp; &lt;odd&gt;") && !html.contains("<odd>"));
    for outside in ["src=", "@import", "url(", "<script src", "import(", "fetch(", "<link"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert_eq!(html.matches("<script").count(), 1, "the report's own");
    // Links lead to places on the page and to files beside it, never elsewhere.
    let elsewhere = |link: &&str| link.starts_with('/') || link.contains(':');
    let links: Vec<&str> =
        html.split("href=\"").skip(1).filter_map(|l| l.split('"').next()).collect();
    assert!(!links.is_empty() && !links.iter().any(elsewhere), "{links:?}");
}

#[test]
fn bars_and_single_points_are_drawn() {
    let bars = GOOD.replace("kind = \"line\"", "kind = \"bars\"");
    assert_eq!(report(&bars).matches("<svg ").count(), 2);
    let single = bars.replace("x = \"load\"\n", "").replace("[0.2, 0.4, 0.8]", "[0.8]");
    assert_eq!(report(&single).matches("<svg ").count(), 2);
    let one_seed = GOOD.replace("[1, 2, 3]", "[1]").replace("[0.2, 0.4, 0.8]", "[0.8]");
    assert_eq!(report(&one_seed).matches("<svg ").count(), 2);
}

#[test]
fn the_report_has_a_place_for_each_claim_and_links_to_its_tables() {
    let html = report(GOOD);
    assert!(html.contains("<tr id=\"claim-1\">") && html.contains("href=\"#claim-1\""));
    assert!(html.contains("<th scope=\"col\">Verdict</th>"), "a word of the reader");
    for file in ["results.csv", "results.parquet", "timelines.csv", "manifest.json"] {
        assert!(html.contains(&format!("<a href=\"{file}\">{file}</a>")), "{file}");
    }
    assert!(html.contains("prefers-color-scheme: dark"));
}

#[test]
fn values_stand_under_the_pointer_with_their_unit() {
    let html = report(GOOD);
    assert!(html.contains("<title>Queue at load 0.2: "), "a point");
    assert!(html.contains("<title>Fast &amp; &lt;odd&gt; at "), "a sample of a series");
    let bars = report(&GOOD.replace("kind = \"line\"", "kind = \"bars\""));
    assert!(bars.contains("<title>Queue at load 0.2: "), "a bar");
}

#[test]
fn published_numbers_are_stars_where_they_are_about_one_point() {
    let star = "The paper: ";
    assert!(!report(GOOD).contains(star), "a reduction is no value of this figure");
    let at = GOOD.replace("against = [\"queue\"]\n", "at = { load = 0.4 }\n");
    let value = at.replace("measure = \"max-reduction\"", "measure = \"value-at\"");
    let html = report(&value);
    assert_eq!(html.matches(star).count(), 1);
    assert!(html.contains("the paper’s numbers"), "the legend");
    let range = report(&value.replace("paper = 0.5", "paper = [0.5, 0.6]"));
    assert!(range.contains("The paper: 0.5 to 0.6 (§1: Half as long)"));
    let relative = GOOD
        .replace("kind = \"line\"", "kind = \"line\"\nrelative = { fast = \"queue\" }")
        .replace("paper = 0.5", "paper = 0.5\nat = { load = 0.4 }");
    assert_eq!(report(&relative).matches(star).count(), 1, "where the figure draws differences");
}

/// A claim about one point of the first figure.
fn claiming(paper: &str) -> String {
    GOOD.replace("against = [\"queue\"]\n", "at = { load = 0.4 }\n")
        .replace("max-reduction", "value-at")
        .replace("paper = 0.5", paper)
}

#[test]
fn a_number_that_no_paper_has_is_neither_drawn_nor_called_a_papers() {
    for (basis, shown) in [("words", "0.5 to 0.6 (our reading)"), ("ours", "0.5 to 0.6 (ours)")] {
        let html = report(&claiming(&format!("paper = [0.5, 0.6]\nbasis = \"{basis}\"")));
        assert!(!html.contains("The paper: ") && !html.contains("the paper’s"), "{basis}");
        assert!(html.contains(shown) && html.contains(">Expected</th>"), "{basis}");
        assert!(!html.contains(">Paper</th>") && !html.contains("/ paper"), "{basis}");
        assert_eq!(html.contains("What is expected, and"), basis == "ours");
    }
    for (basis, word) in [("stated", "reproduced"), ("ours", "as expected")] {
        let html = report(&claiming(&format!("paper = [0.0, 100.0]\nbasis = \"{basis}\"")));
        assert!(html.contains(&format!(">{word}, inside the range<")), "{basis}");
    }
    let figure = report(&claiming("paper = 0.5\nbasis = \"figure\""));
    assert!(figure.contains("The paper: 0.5 (read off a figure) (§1"), "drawn, and said so");
    assert!(figure.contains(">Paper</th>") && figure.contains("What the paper states, and"));
}

#[test]
fn a_range_is_a_bracket_and_a_bound_a_star() {
    let range = report(&claiming("paper = [0.5, 0.6]"));
    assert!(range.contains("the paper’s ranges") && !range.contains("the paper’s numbers"));
    for (basis, shown) in [("at-most", "at most 0.6"), ("at-least", "at least 0.5")] {
        let bound = report(&claiming(&format!("paper = [0.5, 0.6]\nbasis = \"{basis}\"")));
        assert!(bound.contains(&format!("The paper: {shown} (§1")), "{basis}");
        assert!(bound.contains("the paper’s numbers") && !bound.contains("the paper’s ranges"));
    }
}

#[test]
fn what_several_claims_say_of_one_point_is_one_star() {
    let one = claiming("paper = 0.5");
    let (head, claim) = one.split_once("[[claim]]").unwrap();
    let html = report(&format!("{head}[[claim]]{claim}[[claim]]{claim}"));
    assert_eq!(html.matches("<title>The paper: ").count(), 1);
    assert_eq!(html.matches("The paper: ").count(), 2, "with both their words");
}

#[test]
fn many_notes_on_shared_lines_are_folded() {
    let folded = |count: usize| {
        let notes = (0..count).map(|place| format!("On one line at {place}: a; b.")).collect();
        super::chart::folded(notes)
    };
    assert_eq!((folded(4).0.len(), folded(5).0.len(), folded(5).1.len()), (4, 5, 0));
    let (kept, more) = folded(12);
    assert_eq!((kept.len(), more.len()), (5, 8));
    assert_eq!(kept[4], "The report lists 8 more shared stretches.");
    let html = super::shared(&more);
    assert!(html.starts_with("<details>") && html.contains("<li>On one line at 4: a; b.</li>"));
    assert_eq!(super::shared(&[]), "");
}

#[test]
fn a_bar_of_nothing_is_seen_unlike_one_that_is_missing() {
    let text = GOOD
        .replace("kind = \"line\"", "kind = \"bars\"")
        .replace("seeds = [1, 2, 3]", "seeds = [1]");
    let record = Record::of(&read(&text, &Overrides::default()).unwrap());
    let mut results = Results::default();
    let missing = f64::NAN;
    for (place, value) in [0.0, 4.0, missing, missing, 3.0, missing].into_iter().enumerate() {
        let (policy, point) = (place / 3, place % 3);
        results.runs.push(RunValues { policy, point, seed: 1, values: vec![value, f64::NAN] });
    }
    let svg = super::figure_svg(&record, &results, &record.figures[0]).unwrap();
    let (_, bar) = svg.split_once("<title>Queue at load 0.2: 0").expect("a bar of 0");
    let path = bar.split_once("<path d=\"").and_then(|(_, path)| path.split('"').next());
    let numbers = path.expect("is drawn").split(['M', 'L', 'Z', ' ']);
    let numbers: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
    let (foot, head) = (numbers[1], numbers[5]);
    assert!((foot - head - 2.5).abs() < 0.11, "{numbers:?}");
    assert_eq!(svg.matches("<title>").count(), 3, "and those that are missing are not");
}

#[test]
fn a_file_may_choose_the_vertical_axis() {
    let log = |line: &str| {
        let text = GOOD.replace("kind = \"line\"", &format!("kind = \"line\"\n{line}"));
        report(&text).contains(", logarithmic</text>")
    };
    assert!(log("log_y = true") && !log("log_y = false") && !log(""));
}

#[test]
fn parameters_that_are_off_are_folded() {
    let html = report(GOOD);
    let (_, after) = html.split_once("parameters that are off</summary>").unwrap_or_else(|| {
        html.split_once("parameter that is off</summary>").expect("something is off")
    });
    assert!(after.contains("</details>"));
}

#[test]
fn a_claims_numbers_are_in_one_unit() {
    let text = GOOD
        .replace("against = [\"queue\"]\n", "at = { load = 0.4 }\n")
        .replace("max-reduction", "value-at")
        .replace("paper = 0.5", "paper = 12_500.0");
    let mut record = Record::of(&read(&text, &Overrides::default()).unwrap());
    record.metrics[0].unit = "us".to_owned();
    let mut results = Results::default();
    for (policy, point) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
        for seed in 1..=3 {
            let values = vec![9_000.0, f64::NAN];
            results.runs.push(RunValues { policy, point, seed, values });
        }
    }
    let shown = super::ShownClaim::of(&record, &results, &record.claims[0]);
    assert_eq!([shown.paper.as_str(), shown.ours.as_str()], ["12.5 ms", "9 ms"]);
}

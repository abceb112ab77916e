use std::sync::atomic::AtomicBool;

use crate::config::Overrides;
use crate::config::tests::{GOOD, read};
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
    for outside in ["src=", "href=", "@import", "url(", "<script"] {
        assert!(!html.contains(outside), "{outside}");
    }
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

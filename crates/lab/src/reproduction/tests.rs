use super::*;

const GOOD: &str = r#"
[[paper]]
id = "one"
title = "The first"
citation = "Somebody, 2025"
docs = ["../docs/one.md"]
[[paper.output]]
title = "A table"
command = "forebay queues table1"
[[paper.output]]
title = "Pictures"
files = ["a.svg"]
made_by = "make synth"
[[paper]]
id = "two"
title = "The second"
[[paper.missing]]
title = "Fig. 9: a board"
why = "needs the board"

[[experiment]]
file = "b/fig2.toml"
paper = "two"
part = "Chapter 2"
[[experiment]]
file = "a/fig1.toml"
paper = "one"
quick = { span = "1 ms", "run.seed" = "[1, 2]" }
[[experiment]]
file = "a/sensitivity-x.toml"
paper = "one"
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a/fig1", "a/sensitivity-x", "a/sensitivity-y", "b/fig2", "b/sensitivity-z"] {
        let file = folder.path().join(name).with_extension("toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
    folder
}

#[test]
fn experiments_keep_their_order_and_sensitivities_come_with_all() {
    let folder = folder();
    std::fs::write(folder.path().join(FILE), GOOD).unwrap();
    let names = |all| -> Vec<(String, usize)> {
        let found = Reproduction::load(folder.path(), all).unwrap();
        found.entries.into_iter().map(|entry| (entry.name, entry.paper)).collect()
    };
    let named = |name: &str, paper| (name.to_owned(), paper);
    assert_eq!(names(false), [named("b/fig2", 1), named("a/fig1", 0)]);
    let more =
        [named("a/sensitivity-x", 0), named("b/sensitivity-z", 1), named("a/sensitivity-y", 0)];
    assert_eq!(names(true)[2..], more, "the listed one first, then the others by their folders");
    let found = Reproduction::load(folder.path(), true).unwrap();
    assert_eq!(found.entries[0].part, "Chapter 2");
    assert_eq!(found.entries[3].part, "Chapter 2", "as the experiments beside it");
    let quick = [("span", "1 ms"), ("run.seed", "[1, 2]")].map(|(a, b)| (a.into(), b.into()));
    assert_eq!(found.entries[1].quick.set, quick);
    let place = &found.entries[1].quick.places[1];
    assert_eq!((place.line, place.column), (28, 26));
    assert!(found.papers[0].missing.is_empty());
    let missing = &found.papers[1].missing[0];
    assert_eq!((&*missing.title, &*missing.why), ("Fig. 9: a board", "needs the board"));
    let made = &found.papers[0].outputs[0].made;
    let Made::Command { words, place } = made else { panic!("{made:?}") };
    assert_eq!((words.join(" ").as_str(), place.line), ("forebay queues table1", 9));
}

#[test]
fn every_mistake_names_its_place_and_fix() {
    let folder = folder();
    for (from, to, expected) in [
        ("citation", "zitation", "r.toml:5:1: a paper has no key `zitation`; did you mean"),
        ("\"a/fig1.toml\"", "\"a/fig9.toml\"", "r.toml:26:8: there is no file"),
        (
            "\"a/fig1.toml\"",
            "\"b/../a/fig1.toml\"",
            "r.toml:26:8: `b/../a/fig1.toml` is not a plain relative path",
        ),
        (
            "\"a/fig1.toml\"",
            "\"/a/fig1.toml\"",
            "r.toml:26:8: `/a/fig1.toml` is not a plain relative path",
        ),
        ("\"a/fig1.toml\"", "\"b/fig2.toml\"", "`b/fig2` is listed twice"),
        ("paper = \"two\"", "paper = \"tow\"", "there is no paper `tow`; did you mean `two`?"),
        ("id = \"two\"", "id = \"one\"", "two papers have the id `one`"),
        ("id = \"two\"", "id = \"index\"", "cannot be the id of a paper"),
        ("id = \"two\"", "id = \"a/b\"", "cannot be the id of a paper"),
        ("title = \"The second\"", "", "a paper has no `title`"),
        ("\"1 ms\"", "1", "`span` is the number 1, not a text"),
        ("made_by = \"make synth\"", "", "an output of files has no `made_by`"),
        ("command = \"forebay queues table1\"", "", "either from a command or from files"),
        ("\"forebay queues", "\"queues", "r.toml:9:11: the command begins with `queues`"),
        ("\"forebay queues table1\"", "\"forebay\"", "r.toml:9:11: the command is `forebay` alone"),
        ("part = \"Chapter 2\"", "parts = \"Chapter 2\"", "an experiment has no key `parts`"),
        ("[[paper]]\nid = \"one\"", "x = 1\n[[paper]]\nid = \"one\"", "the file has no key `x`"),
        ("docs = [", "docs = [[", "not valid TOML"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        let errors = Reproduction::read("r.toml", text.as_bytes(), folder.path()).unwrap_err();
        assert!(errors.to_string().contains(expected), "expected {expected}\ngot {errors}");
    }
    let errors = Reproduction::read("r.toml", b"", folder.path()).unwrap_err().to_string();
    assert!(errors.contains("lists no experiments"), "{errors}");
    let errors = Reproduction::load(folder.path(), false).unwrap_err().to_string();
    assert!(errors.contains("cannot read") && errors.contains("reproduce.toml"), "{errors}");
}

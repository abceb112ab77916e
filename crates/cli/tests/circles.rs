//! No circle of source files is larger than four, in any crate of the project.
//!
//! A file depends on the file that defines what it names: paths of `use` declarations and of
//! expressions are followed through re-exports. A folder's front (`mod.rs`, `lib.rs`) counts like
//! any other file: what it offers with `pub use` alone is not its own, and all else is. Tests do
//! not count. Files of a circle can only be understood together, and four is what one holds in
//! mind.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The most files that may depend on one another in a circle.
const LARGEST: usize = 4;

/// A module's path in its crate; the root's is empty.
type Module = Vec<String>;

/// A file of a crate.
struct Source {
    /// As its folder names it.
    file: String,
    /// Its text without comments and tests.
    text: String,
    /// What it offers that others define: name and path, `*` for all of a module.
    offers: Vec<(String, Vec<String>)>,
    /// Every path that it names for its own use.
    names: Vec<Vec<String>>,
}

struct Crate(BTreeMap<Module, Source>);

impl Crate {
    fn read(src: &Path) -> Crate {
        let mut files = Vec::new();
        find(src, &mut files);
        let mut sources = BTreeMap::new();
        for path in files {
            let inside = path.strip_prefix(src).unwrap();
            let mut module: Module =
                inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let last = module.pop().unwrap();
            match last.trim_end_matches(".rs") {
                "lib" | "mod" => {}
                "main" if src.join("lib.rs").exists() => continue,
                "main" => {}
                name => module.push(name.to_owned()),
            }
            if module.iter().any(|name| ["tests", "testing", "bin"].contains(&name.as_str())) {
                continue;
            }
            let text = code(&fs::read_to_string(&path).unwrap());
            let file = inside.to_string_lossy().into_owned();
            sources.insert(module, Source { file, text, offers: vec![], names: vec![] });
        }
        let modules: BTreeSet<Module> = sources.keys().cloned().collect();
        for (module, source) in &mut sources {
            let child = |name: &str| modules.contains(&inner(module, name));
            (source.offers, source.names) = paths(&source.text, child);
        }
        Crate(sources)
    }

    /// The file in which `path`, named in `module`, is defined; none if it is of another crate.
    fn definition(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let mut at = module.clone();
        for (place, name) in path.iter().enumerate() {
            let rest = &path[place + 1..];
            match name.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                "*" => return Some(at),
                _ if self.0.contains_key(&inner(&at, name)) => at.push(name.clone()),
                _ if depth == 0 => return Some(at),
                name => {
                    let offers = &self.0.get(&at)?.offers;
                    if let Some((_, path)) = offers.iter().find(|(offered, _)| offered == name) {
                        let whole: Vec<String> = path.iter().chain(rest).cloned().collect();
                        return self.definition(&at, &whole, depth - 1);
                    }
                    let globs = offers.iter().filter(|(offered, _)| offered == "*");
                    let found = globs
                        .filter_map(|(_, path)| self.definition(&at, path, depth - 1))
                        .find(|module| self.defines(module, name));
                    return Some(found.unwrap_or(at));
                }
            }
        }
        Some(at)
    }

    fn defines(&self, module: &Module, name: &str) -> bool {
        let kinds = ["struct", "enum", "trait", "fn", "type", "const", "static"];
        let text = &self.0[module].text;
        kinds.iter().any(|kind| text.contains(&format!("{kind} {name}")))
    }

    /// The files that `module` depends on.
    fn uses(&self, module: &Module) -> BTreeSet<Module> {
        let names = self.0[module].names.iter();
        let named = names.filter_map(|path| self.definition(module, path, 8));
        named.filter(|other| other != module).collect()
    }

    /// The circles of more than one file, by the files' names.
    fn circles(&self) -> Vec<Vec<&str>> {
        let uses: BTreeMap<&Module, BTreeSet<Module>> =
            self.0.keys().map(|module| (module, self.uses(module))).collect();
        let reach: BTreeMap<&Module, BTreeSet<&Module>> = uses
            .keys()
            .map(|start| {
                let (mut seen, mut waiting) = (BTreeSet::new(), vec![*start]);
                while let Some(module) = waiting.pop() {
                    for next in uses.get(module).into_iter().flatten() {
                        if seen.insert(next) {
                            waiting.push(next);
                        }
                    }
                }
                (*start, seen)
            })
            .collect();
        let mut circles: BTreeSet<Vec<&Module>> = BTreeSet::new();
        for (module, seen) in &reach {
            if seen.contains(module) {
                circles
                    .insert(seen.iter().filter(|m| reach[**m].contains(module)).copied().collect());
            }
        }
        circles
            .iter()
            .map(|circle| circle.iter().map(|module| self.0[*module].file.as_str()).collect())
            .collect()
    }
}

fn inner(module: &Module, name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..tests].lines().filter(|line| !line.trim_start().starts_with("//")).fold(
        String::new(),
        |mut code, line| {
            code += line;
            code.push('\n');
            code
        },
    )
}

/// What a text offers (`pub use`), and the paths it names itself that begin in its own crate.
#[expect(clippy::type_complexity)]
fn paths(
    text: &str,
    child: impl Fn(&str) -> bool,
) -> (Vec<(String, Vec<String>)>, Vec<Vec<String>>) {
    let (mut offers, mut names) = (Vec::new(), Vec::new());
    let words: Vec<&str> = words(text).collect();
    let mut place = 0;
    while place < words.len() {
        let begins = ["crate", "super", "self"].contains(&words[place]) || child(words[place]);
        let continues = place > 0 && words[place - 1] == "::";
        if !begins || continues || words.get(place + 1) != Some(&"::") {
            place += 1;
            continue;
        }
        let used = place > 0 && words[place - 1] == "use";
        let offered = used && place > 1 && (words[place - 2] == "pub" || words[place - 2] == ")");
        let mut found = Vec::new();
        place = tree(&words, place, &mut Vec::new(), &mut found);
        for (name, path) in found {
            if offered {
                offers.push((name, path));
            } else if !["crate", "super", "self"].contains(&name.as_str()) {
                names.push(path); // and not the place of `pub(in super::super)`
            }
        }
    }
    (offers, names)
}

/// Reads the path or the tree of paths at `place`; where it ends.
fn tree(
    words: &[&str],
    mut place: usize,
    before: &mut Vec<String>,
    found: &mut Vec<(String, Vec<String>)>,
) -> usize {
    let length = before.len();
    loop {
        match words.get(place) {
            Some(&"{") => {
                place += 1;
                while !matches!(words.get(place), Some(&"}") | None) {
                    place = tree(words, place, before, found);
                    if words.get(place) == Some(&",") {
                        place += 1;
                    }
                }
                place += 1;
                break;
            }
            Some(word) => {
                before.push((*word).to_owned());
                place += 1;
                if words.get(place) == Some(&"::") {
                    place += 1;
                    continue;
                }
                let mut name = (*word).to_owned();
                if words.get(place) == Some(&"as") {
                    name = words.get(place + 1).map_or(name, |alias| (*alias).to_owned());
                    place += 2;
                }
                found.push((name, before.clone()));
                break;
            }
            None => break,
        }
    }
    before.truncate(length);
    place
}

/// Names, `::`, and every other sign that is not blank.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        let length = match rest {
            _ if plain(first) => rest.find(|c| !plain(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(word)
    })
}

#[test]
fn no_circle_of_files_is_larger_than_four() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.extend([root.join("bench"), root.join("python")]);
    folders.sort();
    let mut wrong = String::new();
    for folder in folders.iter().filter(|folder| folder.join("src").is_dir()) {
        let read = Crate::read(&folder.join("src"));
        let circles = read.circles();
        let largest = circles.iter().map(Vec::len).max().unwrap_or(0);
        let name = folder.file_name().unwrap().to_string_lossy();
        println!("{name}: {} files, largest circle {largest}", read.0.len());
        for circle in circles.iter().filter(|circle| circle.len() > LARGEST) {
            wrong +=
                &format!("{name}: {} files in a circle: {}\n", circle.len(), circle.join(", "));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn circles_are_found_through_re_exports_and_fronts() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
    write("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::{B, make as made};\n");
    write("a.rs", "use crate::B;\npub struct A(B);\n");
    write("b.rs", "pub struct B;\npub fn make() {}\n#[cfg(test)]\nmod tests {\nuse crate::A; }\n");
    assert_eq!(Crate::read(folder.path()).circles(), Vec::<Vec<&str>>::new());
    write("b.rs", "pub struct B;\npub fn make(_: &super::A) {}\n");
    assert_eq!(Crate::read(folder.path()).circles(), [["a.rs", "b.rs"]]);
    write("b.rs", "// use crate::A;\npub struct B;\npub fn make() {}\n");
    write("a.rs", "pub struct A;\nfn f() { crate::made(); crate::g() }\n");
    write("lib.rs", "mod a;\nmod b;\npub use b::make as made;\npub fn g() { a::f() }\n");
    assert_eq!(Crate::read(folder.path()).circles(), [["lib.rs", "a.rs"]]);
}

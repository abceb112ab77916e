//! What an error quotes of an argument or a file cannot command a terminal, whichever command and
//! whichever format it is.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Stdio};

/// What colours a terminal, and what turns its text around.
const ESCAPE: &str = "\u{1b}[31m\u{202e}";

/// Files that say it, each where something else belongs.
const FILES: &[(&str, &str)] = &[
    ("flows", "0 1 ESC 0\n"),
    ("graph", "hosts ESC\n"),
    ("sizes.csv", "size_bytes,cum_prob\nESC,0\n"),
    ("scenario.toml", "title = \"t\"\nscenario = \"ESCAPED\"\npolicies = [\"lru\"]\n"),
    (
        "key.toml",
        "title = \"t\"\nscenario = \"delayed-hits\"\npolicies = [\"lru\"]\n[\"ESCAPED\"]\na = 1\n",
    ),
    ("sonic.json", "{\"BUFFER_PROFILE\": {\"ESCAPED\": {\"pool\": \"ESCAPED\", \"size\": \"1\"}}}"),
    ("rules", "alert ESC any any -> any any (content:\"a\"; sid:1;)\n"),
    ("requests.csv", "time,object\nESC,7\n"),
    ("header.csv", "time,ESC\n1,7\n"),
    ("pace", "12\nESC\n"),
    ("tree.toml", "[[node]]\nname = \"ESCAPED\"\nparent = \"none\"\n"),
    ("proxy.toml", "[[origin]]\nurl = \"ESCAPED\"\n"),
];

/// Command lines in which it stands as ESC, or in a file.
const LINES: &[&str] = &[
    "run {ESC}",
    "run {scenario.toml}",
    "show {key.toml}",
    "run experiments/self-check/single-server.toml --set ESC=1",
    "run experiments/self-check/single-server.toml --set load=ESC",
    "run experiments/self-check/single-server.toml --policy ESC",
    "list ESC",
    "report ESC",
    "queues --structure ESC",
    "queues --elements ESC",
    "buffer explain {sonic.json}",
    "sched check {tree.toml}",
    "cache simulate ESC --objects 2",
    "cache simulate --objects ESC",
    "cache simulate --objects 2 --policies ESC",
    "cache simulate --objects 2 --set ESC=3",
    "cache compare {requests.csv} --objects 2 --latency 1ms --set trace.kind=csv",
    "cache bound {header.csv} --objects 2",
    "net run --topology ESC:4,10G,1us --flows {flows}",
    "net run --topology star:4,10G,1us --flows {flows}",
    "net run --topology {graph} --flows {flows}",
    "net run --topology star:4,10G,1us --flows {flows} --switch ESC",
    "net flows --sizes {sizes.csv} --load 0.5 --hosts 4 --rate 10G",
    "replay ESC --rate 1G",
    "replay crates/surge-processors/data/made-web.pcap --rate 1G --class ESC --switch dt",
    "surge match crates/surge-processors/data/made-web.pcap --rules {rules}",
    "surge df --policies ESC",
    "new policy ESC",
    "ESC",
    #[cfg(target_os = "linux")]
    "switch ESC",
    #[cfg(target_os = "linux")]
    "link 20M,25ms --set trace={pace} -- true",
    #[cfg(target_os = "linux")]
    "link ESC,25ms -- true",
    #[cfg(feature = "proxy")]
    "proxy {proxy.toml}",
    #[cfg(feature = "proxy")]
    "proxy load {header.csv}",
];

#[test]
fn no_error_commands_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, content) in FILES {
        let escaped = "\\u001b[31m\\u202e"; // as TOML and JSON write it
        let content = content.replace("ESCAPED", escaped).replace("ESC", ESCAPE);
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    for line in LINES {
        let word = |word: &str| {
            let name = word.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
            let word = match name {
                Some((name, _)) => word.replace(&format!("{{{name}}}"), &path(name)),
                None => word.to_owned(),
            };
            word.replace("ESC", ESCAPE)
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command.args(line.split(' ').map(word)).stdin(Stdio::null());
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let output = command.current_dir(root).output().unwrap();
        let said = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        let hidden = said.chars().find(|c| *c != '\n' && forebay_units::is_hidden(*c));
        assert_eq!(hidden, None, "{line}: {said:?}");
    }
}

//! Every option of the doors beside experiments has an effect: it changes what comes out, or is
//! refused by name. As `crates/scenarios/tests/effects` does it for the parameters of experiments.
//!
//! What a door's `--help` lists must be tried here, or be among those that cannot matter, with the
//! reason.

#![allow(clippy::unwrap_used, clippy::panic)] // a failed test is a panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A command with options.
struct Door {
    words: &'static [&'static str],
    /// What is given in any case.
    base: &'static [&'static str],
    tries: &'static [Try],
    /// Options that change nothing that comes out, or are tried elsewhere, and why; `…` at the end
    /// stands for the rest of a name.
    without: &'static [(&'static str, &'static str)],
}

/// An option with a value, if it takes one.
struct Try {
    option: &'static str,
    value: Option<&'static str>,
    /// What is given beside it for it to matter.
    beside: &'static [&'static str],
    /// Whether it is refused without that.
    is_needed: bool,
}

/// One that matters by itself.
const fn alone(option: &'static str, value: &'static str) -> Try {
    Try { option, value: Some(value), beside: &[], is_needed: false }
}

/// One that matters in these circumstances, and may in others.
const fn beside(beside: &'static [&'static str], option: &'static str, value: &'static str) -> Try {
    Try { beside, ..alone(option, value) }
}

/// One that nothing reads without these.
const fn needs(beside: &'static [&'static str], option: &'static str, value: &'static str) -> Try {
    Try { beside, is_needed: true, ..alone(option, value) }
}

const fn flag(beside: &'static [&'static str], option: &'static str) -> Try {
    Try { option, value: None, beside, is_needed: false }
}

/// What is scheduled by it leaves in another order than by the built-in tree.
const TREE: &str = r#"
rate = "10 Gb/s"
mtu = "1500 B"
node = [
    { name = "port", scheduler = "sp" },
    { name = "even", parent = "port", priority = 1, match = [{ flow = 2 }] },
    { name = "others", parent = "port", match = [{}] },
]
"#;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What a command printed and wrote, but for how long it took, or what it said of an error.
fn outcome(words: &[&str], out: &Path) -> Result<BTreeMap<String, String>, String> {
    fs::create_dir_all(out).unwrap();
    let folder = out.to_str().unwrap();
    let words = words.iter().map(|word| word.replace("{out}", folder));
    let done =
        Command::new(env!("CARGO_BIN_EXE_forebay")).args(words).current_dir(ROOT).output().unwrap();
    if done.status.code() == Some(2) {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let timed = |line: &&str| {
        !line.contains("packet-hops a second")
            && !line.contains("\"wall_s\"")
            && !line.contains("packet_hops_per_second")
            && !line.contains(folder)
    };
    let shown = String::from_utf8_lossy(&done.stdout).into_owned();
    let shown: Vec<&str> = shown.lines().filter(timed).collect();
    let mut all = BTreeMap::from([("shown".to_owned(), shown.join("\n"))]);
    for entry in fs::read_dir(out).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        all.insert(path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned());
    }
    fs::remove_dir_all(out).unwrap();
    Ok(all)
}

impl Door {
    fn outcome(&self, more: &[&str], out: &Path) -> Result<BTreeMap<String, String>, String> {
        outcome(&[self.words, self.base, more].concat(), out)
    }

    /// The options that its help lists.
    fn options(&self, out: &Path) -> Vec<String> {
        let help = outcome(&[self.words, &["--help"]].concat(), out).unwrap();
        let heads = help["shown"].lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let long = heads.filter_map(|line| line.split(' ').find(|word| word.starts_with("--")));
        long.map(str::to_owned).filter(|option| option != "--help").collect()
    }

    /// What is wrong with a try: it makes no difference where it should.
    fn problem(&self, one: &Try, out: &Path) -> Option<String> {
        let own = [&[one.option], one.value.as_slice()].concat();
        let given = [one.beside, &own].concat();
        let (without, with) = (self.outcome(one.beside, out), self.outcome(&given, out));
        match (&without, &with) {
            (Err(error), _) | (_, Err(error)) => return Some(format!("{given:?}: {error}")),
            (Ok(without), Ok(with)) if without == with => {
                return Some(format!("{given:?} changes nothing"));
            }
            (Ok(_), Ok(_)) => {}
        }
        if !one.is_needed {
            return None;
        }
        match self.outcome(&own, out) {
            Ok(_) => Some(format!("{own:?} is not refused without {:?}", one.beside)),
            Err(error) if !error.contains(one.option) => {
                Some(format!("{own:?} is refused, but not by name: {error}"))
            }
            Err(_) => None,
        }
    }

    fn check(&self) {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        fs::write(folder.path().join("out.tree"), TREE).unwrap();
        let mut problems = Vec::new();
        for option in self.options(&out) {
            let is_base = self.base.contains(&&*option);
            let is_tried = self.tries.iter().any(|one| one.option == option);
            let is_excused = self.without.iter().any(|(name, _)| match name.strip_suffix('…') {
                Some(start) => option.starts_with(start),
                None => *name == option,
            });
            if !is_base && !is_tried && !is_excused {
                problems.push(format!("{option} is not tried"));
            }
        }
        problems.extend(self.tries.iter().filter_map(|one| self.problem(one, &out)));
        assert!(problems.is_empty(), "{}:\n{}", self.words.join(" "), problems.join("\n"));
    }
}

/// Queues by class need classes, and classes something that reads them.
const RANKED_BY_CLASS: &[&str] = &[
    "--switch",
    "occamy-rank",
    "--rank",
    "class",
    "--class",
    "size > 99",
    "--load",
    "1.5",
    "--buffer",
    "20KB",
];

const REPLAY: Door = Door {
    words: &["replay", "experiments/themis/captures/mixed-programs.pcap"],
    base: &["--rate", "300M"],
    tries: &[
        alone("--ports", "2"),
        beside(&["--ports", "2"], "--route", "0.0.0.0/0=1"),
        alone("--speed", "3"),
        alone("--load", "1.1"),
        alone("--switch", "dt"),
        needs(&["--switch", "pifo", "--load", "1.1"], "--rank", "srpt"),
        needs(&["--switch", "themis", "--load", "1.1"], "--rank", "63 - dscp + size"),
        needs(&["--switch", "strict-priority", "--load", "1.1"], "--class", "size > 99"),
        needs(&["--switch", "pifo", "--rank", "class", "--load", "1.1"], "--class", "size > 99"),
        needs(RANKED_BY_CLASS, "--classes", "2"),
        needs(&["--switch", "tree", "--load", "1.1"], "--tree", "{out}.tree"),
        beside(&["--load", "1.1"], "--buffer", "20KB"),
        alone("--max-packets", "100"),
        beside(&["--switch", "dt", "--load", "1.1"], "--set", "alpha=0.1"),
        flag(&[], "--json"),
        alone("--out", "{out}/packets.csv"),
        alone("--pcap", "{out}/left.pcapng"),
        alone("--trace", "{out}/trace"),
        needs(&["--trace", "{out}/trace"], "--trace-window", "1 ms..2 ms"),
        needs(&["--trace", "{out}/trace"], "--trace-sample", "9"),
    ],
    without: &[
        ("--mark", "no packet of the capture understands marks: it is refused"),
        ("--rtl", "the hardware's tools are rarely there: see the tests of the command `replay`"),
        ("--rtl-tools", "as --rtl"),
        ("--wave", "as --rtl"),
        ("--wave-cycles", "as --rtl"),
    ],
};

/// RoCE over switches that lose packets.
const LOSSY_ROCE: &[&str] = &["--control", "dcqcn", "--buffer", "9KB"];

const SELECTIVE: &[&str] = &["--control", "dcqcn", "--buffer", "9KB", "--recovery", "selective"];

/// Beside a switch that hosts fill.
const NET_RUN: Door = Door {
    words: &["net", "run"],
    base: &["--topology", "leaf-spine:3x4x2,10G,10G,2us", "--flows", "golden/flows/mixed.txt"],
    tries: &[
        alone("--control", "cubic"),
        alone("--mss", "1000B"),
        alone("--initial-window", "20"),
        beside(&["--buffer", "20KB"], "--min-rto", "1ms"),
        beside(&["--buffer", "1600B"], "--initial-rto", "9ms"),
        alone("--receive-window", "30KB"),
        alone("--delayed-ack", "40us"),
        beside(&["--buffer", "20KB"], "--rto-granularity", "90ms"),
        flag(&["--buffer", "20KB"], "--no-sack"),
        flag(&["--buffer", "20KB"], "--loss-by-time"),
        beside(&["--buffer", "20KB"], "--duplicate-threshold", "9"),
        needs(&["--buffer", "20KB", "--loss-by-time"], "--reorder-window", "1ms"),
        needs(LOSSY_ROCE, "--recovery", "selective"),
        needs(&["--control", "hpcc"], "--telemetry-bytes", "0B"),
        needs(&["--control", "hpcc"], "--hpcc-target", "0.5"),
        needs(&["--control", "powertcp"], "--powertcp-gamma", "0.1"),
        needs(&["--control", "swift"], "--swift-additive", "9"),
        needs(&["--control", "timely"], "--timely-low", "1us"),
        needs(&["--control", "ndp"], "--ndp-first-window", "1"),
        needs(&["--control", "dctcp", "--mark", "9KB"], "--dctcp-gain-shift", "1"),
        needs(SELECTIVE, "--irn-rto-low", "30us"),
        needs(SELECTIVE, "--irn-rto-high", "900us"),
        needs(SELECTIVE, "--irn-few", "9"),
        needs(SELECTIVE, "--irn-cap", "4KB"),
        alone("--balance", "spray"),
        needs(&["--balance", "flowlet"], "--flowlet-gap", "1us"),
        needs(&["--balance", "flowlet"], "--flowlet-entries", "1"),
        needs(&["--balance", "adaptive"], "--adaptive-samples", "1"),
        needs(&["--balance", "adaptive", "--adaptive-samples", "1"], "--adaptive-memory", "0"),
        flag(&[], "--handshake"),
        alone("--nic", "fair"),
        alone("--switch", "fq-codel"),
        needs(&["--switch", "tree"], "--tree", "{out}.tree"),
        alone("--buffer", "20KB"),
        needs(&["--control", "dctcp"], "--mark", "9KB"),
        needs(&["--control", "dctcp", "--switch", "fq-codel"], "--mark", "9KB"),
        needs(&["--switch", "pifo"], "--rank", "srpt"),
        needs(&["--switch", "themis", "--buffer", "120KB"], "--rank", "1000000 - flow_size"),
        needs(&["--switch", "strict-priority"], "--class", "bytes > 20000"),
        needs(&["--switch", "pifo", "--rank", "class"], "--class", "bytes > 20000"),
        alone("--seed", "7"),
        alone("--give-up", "1ms"),
        alone("--warm-up", "1ms"),
        beside(&["--buffer", "1600B"], "--max-timeouts", "1"),
        alone("--fail", "s0:s3@1ms-2ms"),
        alone("--size-classes", "20KB,200KB"),
        alone("--top", "2"),
        beside(&["--switch", "dt", "--buffer", "20KB"], "--set", "alpha=0.1"),
        flag(&[], "--json"),
        alone("--out", "{out}/flows.csv"),
        alone("--trace", "{out}/trace"),
        needs(&["--trace", "{out}/trace"], "--trace-window", "1 ms..2 ms"),
        needs(&["--trace", "{out}/trace"], "--trace-sample", "9"),
    ],
    without: &[
        ("--threads", "the results are the same with any number"),
        ("--progress", "it says how often progress is reported"),
        ("--new-reno-…", OF_A_CONTROL),
        ("--cubic-…", OF_A_CONTROL),
        ("--no-cubic-…", OF_A_CONTROL),
        ("--dctcp-…", OF_A_CONTROL),
        ("--dcqcn-…", OF_A_CONTROL),
        ("--hpcc-…", OF_A_CONTROL),
        ("--powertcp-…", OF_A_CONTROL),
        ("--swift-…", OF_A_CONTROL),
        ("--timely-…", OF_A_CONTROL),
        ("--ndp-…", OF_A_CONTROL),
    ],
};

const OF_A_CONTROL: &str = "crates/scenarios/tests/effects tries them, one by one";

const INCAST: &[&str] =
    &["--pattern", "incast", "--query", "1MiB", "--per-second", "200", "--span", "9ms"];

const NET_FLOWS: Door = Door {
    words: &["net", "flows"],
    base: &["--hosts", "24"],
    tries: &[
        beside(&["--bytes", "1MB", "--pattern", "permutation"], "--seed", "3"),
        beside(&["--bytes", "1MB", "--pattern", "permutation"], "--out", "{out}/flows.txt"),
        beside(INCAST, "--degree", "9"),
        beside(POISSON, "--sizes", "hadoop"),
        beside(POISSON, "--seed", "3"),
    ],
    // Which of them a pattern needs, and which it refuses, is tried below.
    without: &[
        ("--pattern", "each needs others"),
        ("--load", "a pattern needs it or refuses it"),
        ("--rate", "a pattern needs it or refuses it"),
        ("--span", "a pattern needs it or refuses it"),
        ("--query", "a pattern needs it or refuses it"),
        ("--per-second", "a pattern needs it or refuses it"),
        ("--bytes", "a pattern needs it or refuses it"),
    ],
};

const POISSON: &[&str] = &["--load", "0.5", "--rate", "10G", "--span", "2ms"];

const SIMULATE: Door = Door {
    words: &["cache", "simulate"],
    base: &["--in-memory", "--set", "trace.requests=3000"],
    tries: &[
        alone("--objects", "40"),
        beside(&["--set", "trace.kind=network"], "--bytes", "40 KB"),
        alone("--z", "9"),
        alone("--latency", "9 ms"),
        alone("--set", "trace.objects=200"),
        alone("--seed", "4"),
        alone("--policies", "lfu"),
        flag(&[], "--json"),
    ],
    without: &[],
};

const DF: Door = Door {
    words: &["surge", "df"],
    base: &["--set", "run.span=1 ms", "--set", "run.warm_up=1 ms"],
    tries: &[
        beside(&["--rates", "100"], "--policies", "wsjf"),
        beside(&["--policies", "fcfs"], "--rates", "100"),
        beside(&["--policies", "fcfs", "--rates", "100"], "--set", "traffic.rate=5 Gb/s"),
        beside(&["--policies", "fcfs", "--rates", "100"], "--seed", "4"),
        flag(&["--policies", "fcfs", "--rates", "100"], "--json"),
    ],
    without: &[],
};

const QUEUES: Door = Door {
    words: &["queues"],
    base: &[],
    tries: &[
        alone("--elements", "4000"),
        alone("--rank-bits", "12"),
        alone("--item-bits", "12"),
        alone("--partitions", "4"),
        alone("--cluster", "4"),
        alone("--ways", "8"),
        alone("--bitmap-width", "16"),
        alone("--structure", "bbq"),
        flag(&[], "--json"),
    ],
    without: &[],
};

#[test]
fn replay() {
    REPLAY.check();
}

#[test]
fn net_run() {
    NET_RUN.check();
}

#[test]
fn net_flows() {
    NET_FLOWS.check();
    let folder = tempfile::tempdir().unwrap();
    let own = [
        ("poisson", POISSON),
        ("incast", &["--query", "1MiB", "--per-second", "200", "--span", "9ms"]),
        ("permutation", &["--bytes", "1MB"]),
    ];
    let values = [
        ("--load", "0.4"),
        ("--rate", "20G"),
        ("--span", "3ms"),
        ("--sizes", "hadoop"),
        ("--query", "2MiB"),
        ("--degree", "7"),
        ("--per-second", "300"),
        ("--bytes", "2MB"),
    ];
    for (pattern, needed) in own {
        for (option, value) in values {
            if needed.contains(&option) {
                continue;
            }
            let given = [&["--pattern", pattern], needed, &[option, value]].concat();
            let without = NET_FLOWS.outcome(&given[..given.len() - 2], folder.path()).unwrap();
            match NET_FLOWS.outcome(&given, folder.path()) {
                Ok(with) => assert_ne!(without, with, "{given:?} changes nothing"),
                Err(error) => assert!(error.contains(option), "{given:?}: {error}"),
            }
        }
    }
}

#[test]
fn cache_simulate() {
    SIMULATE.check();
}

#[test]
fn surge_df() {
    DF.check();
}

#[test]
fn queues() {
    QUEUES.check();
}

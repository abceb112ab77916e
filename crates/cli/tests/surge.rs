//! `forebay surge` as its users meet it.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../surge-processors/data/");

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.arg("surge").args(arguments);
    command
}

fn surge(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn capture(name: &str) -> String {
    format!("{DATA}{name}")
}

/// `made-web.pcap`, and a record of a link type that nobody knows, as one pcapng file.
fn with_a_foreign_record(folder: &std::path::Path) -> String {
    let pcap = std::fs::read(capture("made-web.pcap")).unwrap();
    let word = |at: usize| u32::from_le_bytes(pcap[at..at + 4].try_into().unwrap());
    let block = |kind: u32, body: &[u8]| {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let length = (body.len() as u32 + 12).to_le_bytes();
        [&kind.to_le_bytes()[..], &length, &body, &length].concat()
    };
    let words = |words: &[u32]| words.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<_>>();
    let mut file = block(0x0a0d_0d0a, &words(&[0x1a2b_3c4d, 1, !0, !0]));
    file.extend(block(1, &words(&[1, 0])));
    file.extend(block(1, &words(&[105, 0]))); // 802.11
    let (mut at, mut interface) = (24, 1);
    while at < pcap.len() {
        let (kept, whole) = (word(at + 8) as usize, word(at + 12));
        let head = words(&[interface, 0, word(at), kept as u32, whole]);
        file.extend(block(6, &[&head[..], &pcap[at + 16..at + 16 + kept]].concat()));
        (at, interface) = (at + 16 + kept, 0);
    }
    let path = folder.join("foreign.pcapng");
    std::fs::write(&path, file).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn records_of_an_unknown_link_type_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_a_foreign_record(folder.path());
    let short = ["--span", "1 ms", "--warm-up", "1 ms", "--policies", "fcfs"];
    for arguments in [
        &["live", &file, "--every", "0"][..],
        &[&["match", &file][..], &short].concat(),
        &[&["reassemble", &file][..], &short].concat(),
        &["measure", "match", &file],
    ] {
        let output = surge(arguments);
        let said = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        let told = "1 record of an unknown link type was left out";
        assert_eq!(said.matches(told).count(), 1, "{arguments:?}: {said}");
    }
}

#[test]
fn the_model_tells_policies_apart() {
    let short = ["--set", "run.warm_up=2 ms", "--set", "run.span=5 ms", "--json"];
    let rates = ["df", "--policies", "fcfs,wsjf", "--rates", "30,300"];
    let rows = json(&surge(&[&rates[..], &short].concat()));
    let factor = |row: usize| rows[row]["factor"].as_f64().unwrap();
    assert!(factor(0) > 50.0 && factor(1) < 1.0, "{rows}");
    let few = ["attack", "--policy", "wsjf", "--random", "5", "--rounds", "1", "--population", "4"];
    let found = json(&surge(&[&few[..], &short].concat()));
    let [paper, worst] =
        ["optimal_factor", "worst_factor"].map(|name| found[name].as_f64().unwrap());
    assert!(worst >= paper, "{found}");
    let lies = [&few[..], &["--least-estimate", "0.05"], &short].concat();
    let lied = json(&surge(&lies));
    assert!(lied["worst_factor"].as_f64().unwrap() > 2.0 * worst, "{lied}");
    assert!(lied["packets"][0].as_str().unwrap().contains("told as"), "{lied}");
}

#[test]
fn what_is_measured_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("recording.csv");
    let (web, out) = (capture("made-web.pcap"), out.to_str().unwrap());
    let measured = surge(&["measure", "reassemble", &web, "--window", "400", "--out", out]);
    assert!(measured.status.success(), "{}", text(&measured.stderr));
    let file = format!("traffic.file={out}");
    let set = ["--set", &*file, "--set", "traffic.order=recorded", "--set", "traffic.load=0.8"];
    let short = ["--set", "run.warm_up=1 ms", "--set", "run.span=2 ms", "--json"];
    let rates = ["df", "--policies", "fcfs", "--rates", "10"];
    let first = surge(&[&rates[..], &set, &short].concat());
    assert_eq!(
        json(&first),
        json(&surge(&[&rates[..], &set, &short].concat())),
        "a replay repeats"
    );
}

#[test]
fn both_processors_run_behind_policies() {
    let (web, disorder) = (capture("made-web.pcap"), capture("made-disorder.pcap"));
    let short = ["--policies", "fcfs,wsjf", "--span", "2 ms", "--warm-up", "1 ms", "--json"];
    let rows = json(&surge(
        &[&["reassemble", &*web, &*disorder, "--segments", "50"][..], &short].concat(),
    ));
    assert_eq!(rows[1]["policy"], "wsjf");
    assert!(rows[0]["processor"]["bytes in order"].as_u64().unwrap() > 0, "{rows}");
    let rows = json(&surge(&[&["match", &*web][..], &short].concat()));
    assert!(rows[0]["alone_mbps"].as_f64().unwrap() > 0.0, "{rows}");
}

#[test]
fn a_stream_on_standard_input_is_processed_as_it_comes() {
    for (processor, words) in [("match", "matched rule"), ("reassemble", "bytes in order")] {
        let mut live = command(&["live", "--processor", processor, "--every", "0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = live.stdin.take().unwrap();
        pipe.write_all(&std::fs::read(capture("made-web.pcap")).unwrap()).unwrap();
        drop(pipe);
        let output = live.wait_with_output().unwrap();
        let shown = text(&output.stdout);
        assert!(output.status.success() && shown.contains("packets served"), "{shown}");
        assert!(processor == "match" || shown.contains(words), "{shown}");
    }
}

#[test]
fn a_rule_file_of_this_world_is_read_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let good = b"alert tcp any any -> any any (content:\"GET\"; pcre:\"/x(a+)+y/\"; sid:1;)\n";
    let latin = b"alert tcp any any -> any any (content:\"caf\xe9\"; sid:2;)\n";
    let plain = b"alert tcp any any -> any any (content:\"GET\"; sid:3;)\n";
    let web = capture("made-web.pcap");
    let [mixed, plain] =
        [file("mixed.rules", &[&good[..], latin].concat()), file("plain.rules", plain)];
    let measured = surge(&["measure", "match", &web, "--rules", &mixed]);
    let said = text(&measured.stderr);
    assert!(measured.status.success(), "{said}");
    assert!(said.contains("left out: line 2 (sid 2): its byte 43 is not UTF-8"), "{said}");
    let refused = surge(&["match", &web, "--rules", &plain]);
    assert!(text(&refused.stderr).contains("no rule has a pcre"), "{}", text(&refused.stderr));
    assert_eq!(refused.status.code(), Some(2));
    let over = surge(&["measure", "match", &web, "--rules", &mixed, "--out", &mixed]);
    assert_eq!(over.status.code(), Some(2));
    assert!(text(&over.stderr).contains("is the file of rules, which would be lost"));
    let nowhere = surge(&["measure", "match", "absent.pcap", "--out", "nowhere/at/all.csv"]);
    assert!(text(&nowhere.stderr).contains("cannot write nowhere/at/all.csv"));
    assert_eq!(nowhere.status.code(), Some(1));
}

#[test]
fn of_a_damaged_capture_what_comes_before_is_shown_and_the_damage_told() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(capture("made-web.pcap")).unwrap();
    let length = |at: usize| u32::from_le_bytes(whole[at + 8..at + 12].try_into().unwrap());
    let records = |count: usize| (0..count).fold(24, |at, _| at + 16 + length(at) as usize);
    let mut damaged = whole.clone();
    damaged[records(100) + 8..records(100) + 12].fill(0xff);
    let short = ["--policies", "fcfs", "--span", "2 ms", "--warm-up", "1 ms"];
    for (name, bytes, words) in [
        ("damaged.pcap", &damaged[..], "after record 100"),
        ("cut.pcap", &whole[..records(100) + 20], "cut off after 100 records"),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let file = file.to_str().unwrap();
        for (arguments, shown) in [
            (vec!["measure", "reassemble", file, "--window", "400"], "innocent,0,"),
            ([&["reassemble", file, "--segments", "50"][..], &short].concat(), "fcfs"),
            ([&["match", file][..], &short].concat(), "fcfs"),
            (vec!["live", file, "--every", "0"], "packets served"),
        ] {
            let output = surge(&arguments);
            let (out, said) = (text(&output.stdout), text(&output.stderr));
            assert!(out.contains(shown), "{arguments:?}: {out}{said}");
            assert!(said.contains(words) && output.status.code() == Some(2), "{said}");
        }
    }
}

#[test]
fn a_capture_of_which_nothing_can_be_read_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(capture("made-web.pcap")).unwrap();
    let mut foreign = whole.clone();
    foreign[20] = 105; // 802.11
    for (name, bytes, words) in [
        ("wifi.pcap", &foreign[..], "link type 105 is not Ethernet"),
        ("head.pcap", &whole[..24], "head.pcap has no IP packets among 0 records"),
        ("cut.pcap", &whole[..30], "before its first IP packet: record or copy it again"),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let file = file.to_str().unwrap();
        for command in ["live", "match", "reassemble"] {
            let output = surge(&[command, file]);
            let (out, said) = (text(&output.stdout), text(&output.stderr));
            assert!(out.is_empty() && said.contains(words), "{command}: {out}{said}");
            assert_eq!(output.status.code(), Some(2), "{said}");
        }
    }
}

#[test]
fn numbers_are_shown_in_the_unit_that_suits_them() {
    let short = ["--set", "run.warm_up=1 ms", "--set", "run.span=2 ms"];
    let shown = surge(&[&["df", "--policies", "fcfs", "--rates", "10000"][..], &short].concat());
    let (out, said) = (text(&shown.stdout), text(&shown.stderr));
    assert!(out.contains("10.00 Gb/s") && !out.contains("10000"), "{out}{said}");
    let web = capture("made-web.pcap");
    let measured = surge(&["measure", "match", &web]);
    let said = text(&measured.stderr);
    assert!(said.contains("1 attack packet, the longest"), "{said}");
}

#[test]
fn a_span_in_which_nothing_is_processed_has_no_result() {
    for command in ["df", "attack"] {
        let output = surge(&[command, "--set", "run.span=1 ns"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains("nothing was processed in the span"), "{said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn packets_that_were_cut_when_captured_are_told_of_by_both() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, path) = (capture("made-web.pcap"), folder.path().join("short.pcap"));
    std::fs::write(&path, snapped(&std::fs::read(&whole).unwrap(), 54)).unwrap();
    let path = path.to_str().unwrap();
    for words in [&["live", path, "--every", "0"][..], &["measure", "match", path]] {
        let output = surge(words);
        let said = text(&output.stderr);
        assert!(said.contains("cut when captured; give whole payloads"), "{words:?}: {said}");
    }
    // Nothing has work, so estimates of none are off by nothing.
    let shown = text(&surge(&["live", path, "--every", "0"]).stdout);
    let bias = shown.lines().find(|line| line.contains("bias of estimates")).unwrap();
    assert!(bias.ends_with('–'), "{shown}");
    let said = text(&surge(&["live", &whole, "--every", "0"]).stderr);
    assert!(!said.contains("cut when captured"), "{said}");
}

/// A capture of which each packet has only its first bytes.
fn snapped(whole: &[u8], most: usize) -> Vec<u8> {
    let (mut short, mut at) = (whole[..24].to_vec(), 24);
    while at < whole.len() {
        let length = u32::from_le_bytes(whole[at + 8..at + 12].try_into().unwrap()) as usize;
        let kept = length.min(most);
        short.extend(&whole[at..at + 8]);
        short.extend(u32::try_from(kept).unwrap().to_le_bytes());
        short.extend(&whole[at + 12..at + 16 + kept]);
        at += 16 + length;
    }
    short
}

#[test]
fn where_no_innocent_packet_is_served_there_is_no_latency() {
    let web = capture("made-web.pcap");
    let flooded =
        ["match", &web, "--policies", "fcfs", "--attack", "100", "--load", "0.000001"].to_vec();
    // Long enough for a packet alone, also where the processor is busy.
    let short = ["--span", "50 us", "--warm-up", "0 s"];
    let shown = surge(&[&flooded[..], &short].concat());
    let out = text(&shown.stdout);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    assert!(out.contains('–') && !out.contains(" 0 ps"), "{out}");
    let rows = json(&surge(&[&flooded[..], &short, &["--json"]].concat()));
    assert!(rows[0]["p99_latency_us"].is_null(), "{rows}");
}

#[test]
fn what_cannot_be_is_refused_with_the_fix() {
    let web = capture("made-web.pcap");
    for (arguments, words) in [
        (&["df", "--policies", "wsfj"][..], "there is no job policy `wsfj`; did you mean `wsjf`?"),
        (&["df", "--set", "traffic.model=recorded"][..], "needs a file"),
        (&["reassemble", "absent.pcap"][..], "absent.pcap cannot be opened"),
        (&["reassemble", &*web, "--load", "0"][..], "give 0.01 to 100"),
        (&["reassemble", &*web, "--overlap", "mine"][..], "--overlap: there is no overlap policy"),
        (&["match", &*web, "--rules", "absent.rules"][..], "cannot read absent.rules"),
        (
            &["match", &*web, "--backtracks", "0"][..],
            "--backtracks: \"0\" is not a whole number from 1 to 10,000,000",
        ),
        // Said at once, though what comes before them in the list would take long.
        (&["df", "--policies", "fcfs,none", "--set", "run.span=9000 s"][..], "policy `none`"),
        (
            &["df", "--set", "attack.rate=7 Gb/s"][..],
            "--set attack.rate=7 Gb/s: it is what --rates vary; leave it out",
        ),
        (&["df", "--set", "overrun=2"][..], "there is no parameter `overrun`"),
        (
            &["df", "--set", "flows=2", "--set", "order=recorded"][..],
            "--set order=recorded: it has no effect while `traffic.model` is reassembly; leave it \
             out, or set traffic.model to recorded",
        ),
        (
            &["attack", "--set", "burst=2"][..],
            "--set burst=2: it is what the search varies; leave it out",
        ),
        (
            &["attack", "--set", "model=recorded", "--set", "order=recorded"][..],
            "--set order=recorded: it is for replays: the search draws packets; leave it out",
        ),
        (
            &["measure", "match", &*web, "--window", "9"][..],
            "error: --window: it has no effect with match; leave it out, or give reassemble",
        ),
        (
            &["live", "--processor", "reassemble", "--half-life", "9"][..],
            "error: --half-life: it has no effect with --processor reassemble",
        ),
        (&["df", "--rates", "10,0"][..], "--rates: \"0\" is not a whole number of Mb/s"),
        (&["attack", "--random", "0"][..], "--random: \"0\" is not a whole number from 1"),
        (
            &["attack", "--least-estimate", "2"][..],
            "--least-estimate: 2 is not a number in [1e-9, ",
        ),
        (&["reassemble", "absent.pcap", "--policies", "fcfs,none"][..], "policy `none`"),
        (&["reassemble", "absent.pcap", "--capacity", "0"][..], "--capacity: \"0\" is not a whole"),
        (
            &["df", "--set", "run.span=0s"][..],
            "--set run.span=0s: the measured span must be above 0",
        ),
        (
            &["reassemble", "absent.pcap", "--attack", "NaN"][..],
            "--attack: \"NaN\" is not a number",
        ),
        (&["reassemble", "absent.pcap", "--segments", "0"][..], "--segments: \"0\" is not a whole"),
        (&["match", "absent.pcap", "--span", "0 s"][..], "nothing would be counted"),
        (&["match", &*web, "--span", "1 ps", "--warm-up", "0 s"][..], "so there is no r_max"),
        (&["live", "--policy", "none"][..], "there is no job policy `none`"),
    ] {
        let output = surge(arguments);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(words), "{words}: {}", text(&output.stderr));
    }
}

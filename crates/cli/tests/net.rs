//! `forebay net` as its users meet it.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const LEAF_SPINE: &str = "leaf-spine:3x4x2,10G,40G,2us";

fn net(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forebay")).arg("net").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file in `folder` with this text.
fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The flows of a small network.
fn flows(folder: &Path) -> String {
    let path = folder.join("flows.txt").to_str().unwrap().to_owned();
    let sizes = file(folder, "sizes.csv", "0,0\n10000,0.5\n300000,1\n");
    let made = net(&[
        "flows", "--hosts", "12", "--load", "0.6", "--rate", "10G", "--span", "2ms", "--sizes",
        &sizes, "--out", &path,
    ]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    path
}

#[test]
fn flows_run_and_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let (flows, csv) = (flows(folder.path()), folder.path().join("out.csv"));
    let run = ["run", "--topology", LEAF_SPINE, "--flows", &flows];
    let more = ["--buffer", "20KB", "--out", csv.to_str().unwrap()];
    let output = net(&[&run[..], &more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for words in [
        "12 hosts, 5 switches (drop-tail), new-reno",
        "below 10 KB",
        "10 KB to 100 KB",
        "queue-full",
        "busiest links",
        "packet-hops a second",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let star = net(&["run", "--topology", "star:12,10G,1us", "--flows", &flows]);
    assert!(text(&star.stdout).starts_with("12 hosts, 1 switch ("), "{}", text(&star.stdout));
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
    let table = std::fs::read_to_string(csv).unwrap();
    let count = std::fs::read_to_string(flows).unwrap().lines().count();
    assert_eq!(table.lines().count(), count, "both have one line of heads");
    assert!(table.starts_with("flow,src,dst,bytes,start_ns,finish_ns,fct_ns"), "{table}");
}

#[test]
fn every_thread_count_and_file_or_shape_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let flows = flows(folder.path());
    let mut lines = "hosts 12\nswitches 1\n".to_owned();
    (0..12).for_each(|host| lines += &format!("link h{host} s0 10Gb/s 2us\n"));
    let star = file(folder.path(), "star.txt", &lines);
    let result = |topology: &str, threads: &str| {
        let output = net(&[
            "run",
            "--topology",
            topology,
            "--flows",
            &flows,
            "--threads",
            threads,
            "--json",
            "--control",
            "dctcp",
            "--mark",
            "30KB",
            "--switch",
            "occamy",
            "--buffer",
            "200KB",
        ]);
        let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["finished"], json["flows"]);
        let object = json.as_object_mut().unwrap();
        object.retain(|key, _| !key.starts_with("wall") && key != "packet_hops_per_second");
        json
    };
    assert_eq!(result(LEAF_SPINE, "1"), result(LEAF_SPINE, "2"));
    assert_eq!(result("star:12,10G,2us", "1"), result(&star, "3"));
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| file(folder.path(), name, text);
    let split =
        file("split.txt", "hosts 2\nswitches 2\nlink h0 s0 1Gb/s 1us\nlink h1 s1 1Gb/s 1us\n");
    let still = file("still.txt", "hosts 1\nswitches 1\nlink h0 s0 1Gb/s 0us\n");
    let mute = file("mute.txt", "hosts 1\nswitches 1\n\nlink h0 s0 0Gb/s 1us\n");
    let empty = file("empty.txt", "# nothing\n");
    let one = file("one.txt", "# src dst bytes start_ns\n\n0 1 500 0\n");
    let star = "star:2,10G,1us";
    for (topology, flows, words) in [
        (split.as_str(), "# a\n\n0 1 500 0\n", "line 3: no path leads from host 0 to host 1"),
        (&still, "0 1 500 0\n", "line 3: link 0 has a delay of 0"),
        (&mute, "0 1 500 0\n", "line 4: link 0 has a rate of 0"),
        (star, "0 1 500 0\n1 1 500 0\n", "line 2: the flow leads from host 1 to itself"),
        (star, "0 1 500 0\n0 2 500 0\n", "line 2: host 2 is not in the topology"),
        (star, "0 1 500 -3\n", "line 1: start_ns is \"-3\""),
        (star, "0 1 500\n", "line 1: found 3 fields"),
        (star, "# nothing\n", "has no flows"),
        (&empty, "0 1 500 0\n", "--topology: "),
        (&empty, "0 1 500 0\n", "empty.txt has no hosts"),
        ("star:2,0G,1us", "0 1 500 0\n", "\"0G\" is zero"),
        ("star:2,10G,0us", "0 1 500 0\n", "\"0us\" is zero"),
        (
            "ring:2,10G,1us",
            "0 1 500 0\n",
            "there is no shape `ring`; known: star, dumbbell, leaf-spine, fat-tree",
        ),
        ("absent.txt", "0 1 500 0\n", "cannot read absent.txt"),
    ] {
        let flows = file("flows.txt", flows);
        let output = net(&["run", "--topology", topology, "--flows", &flows]);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {shown}");
        assert!(shown.contains(words), "{words}: {shown}");
        assert_eq!(shown.lines().count(), 1, "{shown}");
    }
    for (option, value, words) in [
        ("--switch", "ocamy", "did you mean `occamy`"),
        (
            "--control",
            "vegas",
            "--control: there is no congestion control `vegas`; known: new-reno,",
        ),
        ("--mark", "9 KB", "--mark: hosts under new-reno do not understand marks"),
        ("--class", "bytes", "--class: switch drop-tail does not read the class of a packet"),
        ("--class", "size", "--class: column 1: there is no field `size`"),
        ("--nic", "random", "--nic: \"random\" is not one of fifo, fair"),
        ("--buffer", "0 B", "cannot hold a packet"),
        ("--buffer", "9 Mb/s", "is not a size"),
        ("--mss", "0 B", "--mss: a segment payload"),
        ("--initial-window", "0", "--initial-window: 0 is not a whole number between 1"),
        ("--min-rto", "0 ms", "--min-rto: retransmission timeouts"),
        ("--initial-rto", "0 ms", "--initial-rto: retransmission timeouts"),
        ("--size-classes", "1MB,1KB", "increasing edges above 0"),
        ("--receive-window", "1 B", "--receive-window: a receive window of 1 B"),
        ("--delayed-ack", "0 ms", "--delayed-ack: delayed acknowledgements need"),
        ("--max-timeouts", "41", "--max-timeouts: \"41\" is not a whole number from 1 to 40"),
        ("--fail", "9@1ms", "\"9@1ms\": there is no link `9`; give a number below 2"),
        ("--threads", "65", "--threads: \"65\" is not a whole number from 1 to 64"),
    ] {
        let output = net(&["run", "--topology", star, "--flows", &one, option, value]);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(text(&output.stderr).contains(words), "{words}: {}", text(&output.stderr));
    }
}

/// Never a parameter that follows from what was typed, such as the largest packet of a switch.
#[test]
fn a_switch_that_cannot_be_built_names_the_option_that_made_it_so() {
    let folder = tempfile::tempdir().unwrap();
    let flows = file(folder.path(), "flows.txt", "0 1 5000 0\n");
    for (topology, options, says) in [
        (
            "star:4,1K",
            &[][..],
            "--topology: there are too few or too many parts: write star:HOSTS,RATE,DELAY",
        ),
        (
            "star:4,1K,1us",
            &["--switch", "dt"],
            "--topology: 4 kb/s in all is too slow for a shared buffer: a cell of 200 B would take \
             longer than 1 ms; give at least 1.6 Mb/s",
        ),
        (
            "star:4,1G,1us",
            &["--switch", "dt", "--buffer", "1500B"],
            "--buffer: a buffer of 1.5 KB in cells of 200 B cannot hold a packet of 1.5 KB: give \
             it at least 1.6 KB",
        ),
        (
            "star:4,1G,1us",
            &["--switch", "occamy", "--mss", "9MB"],
            "--mss: segments of 9 MB with headers of 52 B do not fit into a switch, which has room \
             for packets of 4 MB: choose at most 3999.948 KB",
        ),
        (
            "star:4,1G,1us",
            &["--switch", "themis", "--mss", "60KB"],
            "--mss: segments of 60 KB with headers of 52 B do not fit into a switch, which has \
             room for packets of 16 KiB: choose at most 16.332 KB",
        ),
        (
            "star:4,1G,1us",
            &["--buffer", "100B"],
            "--buffer: 100 B cannot hold a full packet of the hosts: give at least 1.5 KB",
        ),
        (
            "star:4,1G,1us",
            &["--switch", "pifo", "--buffer", "100B"],
            "--buffer: 100 B cannot hold a full packet of the hosts: give at least 1.5 KB",
        ),
        (
            "star:4,1G,1us",
            &["--switch", "themis", "--buffer", "1KB"],
            "--buffer: an SRAM of 1 KB beside a staging buffer of 64 KiB leaves no room for one \
             batch",
        ),
        ("star:4,1G,1us", &["--switch", "themis", "--set", "t_rc=1"], "--set t_rc=1: it is 1; "),
        ("star:4,1G,1us", &["--switch", "dt", "--set", "cell=1MB"], "--set cell=1MB: "),
        (
            "star:4,1G,1us",
            &["--switch", "themis", "--set", "sram=1KB"],
            "--set sram=1KB: an SRAM of 1 KB beside a staging buffer of 64 KiB leaves no room",
        ),
        (
            "star:4,1G,1us",
            &["--set", "limit=100B"],
            "--set limit=100B: 100 B cannot hold a full packet of the hosts: give at least 1.5 KB",
        ),
        (
            "star:4,1G,1us",
            &["--switch", "dt", "--set", "scheduler=wrr"],
            "--set scheduler=wrr: it has no effect while `classes` is 1; ",
        ),
        (
            "star:4,1G,1us",
            &[
                "--switch",
                "dt",
                "--set",
                "classes=2",
                "--set",
                "scheduler=wrr",
                "--set",
                "weights=3:1:1",
                "--class",
                "src % 2",
            ],
            "--set weights=3:1:1: 3 for 2 queues; give one per queue, or none",
        ),
        (
            "star:4,1G,1us",
            &["--trace", "t.pftrace", "--trace-sample", "0"],
            "--trace-sample: \"0\" is too little; give at least 1",
        ),
        (
            "star:4,1G,1us",
            &["--switch", "dt", "--rank", "sff"],
            "--rank: switch dt does not take a rank: use pifo,",
        ),
    ] {
        let run = ["run", "--topology", topology, "--flows", &flows];
        let output = net(&[&run[..], options].concat());
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {shown}");
        assert!(shown.starts_with(&format!("error: {says}")), "{options:?}: {shown}");
    }
}

#[test]
fn flows_that_cannot_be_made_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    // 300 MB, in bits: longer than the span at the link's rate.
    let bits = file(folder.path(), "bits.csv", "0,0\n2400000000,1\n");
    // 30 MB in bits, rarely.
    let rare = file(folder.path(), "rare.csv", "# a\n0,0\n1000,0.99\n240000000,1\n\n");
    let head = file(folder.path(), "head.csv", "size_bits,cum_prob\n0,0\n2400000000,1\n");
    let falling = file(folder.path(), "falling.csv", "0,0\n100,0.9\n200,0.5\n300,1\n");
    let load = ["--load", "0.5", "--rate", "50G", "--span", "20ms"];
    for (more, words) in [
        (&[&["--sizes", &bits][..], &load].concat()[..], "bytes, not bits"),
        (&[&["--sizes", &bits][..], &load].concat(), "bits.csv, line 2: "),
        (
            &[&["--sizes", &head][..], &load].concat(),
            "head.csv, line 1: the column is called \"size_bits\"",
        ),
        (&["--load", "0.5", "--rate", "50G", "--span", "0s"], "give a span above 0"),
        (&[&["--hosts", "4000000000"][..], &load].concat(), "too many"),
        (&[&["--sizes", &falling][..], &load].concat(), "line 3"),
        (
            &[&["--sizes", "webserch"][..], &load].concat(),
            "there is no distribution of sizes or file `webserch`; did you mean `websearch`?",
        ),
        (&["--load", "0.5", "--rate", "50G"], "--span"),
        (&["--load", "0", "--rate", "50G", "--span", "1ms"], "give one above 0 and up to 10"),
        (&["--load", "0.5", "--rate", "50G", "--span=-1ms"], "is not a span"),
        (&["--pattern", "permutation"], "--bytes"),
        (&["--pattern", "nope"], "--pattern: \"nope\" is not one of poisson, incast, permutation"),
        (
            &[
                "--pattern",
                "incast",
                "--query",
                "1MB",
                "--per-second",
                "9",
                "--span",
                "1ms",
                "--degree",
                "16",
            ],
            "degree is 16",
        ),
    ] {
        let hosts: &[&str] = if more.contains(&"--hosts") { &[] } else { &["--hosts", "8"] };
        let output = net(&[&["flows"], hosts, more].concat());
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {shown}");
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let help = net(&["flows", "--help"]);
    assert!(
        text(&help.stdout).contains("Sizes of flows: websearch, hadoop, wide-area, or a CSV file")
    );
    let output = net(&[&["flows", "--hosts", "8", "--sizes", &rare][..], &load].concat());
    assert!(output.status.success());
    let words = "rare.csv, line 4: flows of 240 MB take 38.4 ms at 50 Gb/s, longer than";
    assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    let output = net(&["flows", "--hosts", "1", "--pattern", "permutation", "--bytes", "1MB"]);
    assert!(text(&output.stderr).contains("1 hosts are too few"));
    let made = net(&["flows", "--hosts", "4", "--pattern", "permutation", "--bytes", "1MB"]);
    assert_eq!(text(&made.stdout).lines().count(), 5);
}

#[test]
fn a_run_that_cannot_end_says_so_and_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    // The link of the second host is down when the second flow begins.
    let flows = file(folder.path(), "flows.txt", "0 1 500 0\n0 1 50000 1000000\n");
    let run = ["run", "--topology", "star:2,10G,1us", "--flows", &flows];
    let output = net(&[&run[..], &["--fail", "1@500us"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let (shown, error) = (text(&output.stdout), text(&output.stderr));
    assert!(shown.contains("stuck: 1 flow complete, 1 not"), "{shown}");
    assert!(
        error.contains("line 2: the flow from host 0 to host 1 made no progress for 16"),
        "{error}"
    );
    let output = net(&[&run[..], &["--give-up", "10us"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("gave up: 1 flow complete, 1 not"));
}

/// The numbers of a run as JSON.
fn measured(topology: &str, flows: &str, more: &[&str]) -> serde_json::Value {
    let run = ["run", "--topology", topology, "--flows", flows, "--json"];
    let output = net(&[&run[..], more].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A rank function's name, or a rule over the packet in the switch; a switch that does not rank
/// refuses it.
#[test]
fn ranks_are_named_or_given_as_a_rule() {
    let folder = tempfile::tempdir().unwrap();
    let flows = flows(folder.path());
    let with = |switch, rank| measured(LEAF_SPINE, &flows, &["--switch", switch, "--rank", rank]);
    let classes = |switch, rank| with(switch, rank)["classes"].clone();
    for switch in ["pifo", "themis"] {
        assert_eq!(classes(switch, "flow_size"), classes(switch, "sff"));
        assert_ne!(classes(switch, "flow_size"), classes(switch, "fifo"));
    }
    classes("occamy-rank", "flow_size");
    for (switch, rank, words) in [
        ("dt", "size", "error: --rank: switch dt does not take a rank"),
        ("drr", "size", "error: --rank: switch drr does not take a rank"),
        ("pifo", "shortest", "error: --rank: there is no rank function or field `shortest`"),
        ("pifo", "siz + 1", "error: --rank: column 1: there is no field `siz`"),
    ] {
        let run = ["run", "--topology", LEAF_SPINE, "--flows", &flows];
        let output = net(&[&run[..], &["--switch", switch, "--rank", rank]].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{said}");
    }
}

#[test]
fn links_fail_and_are_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let flows = file(folder.path(), "flows.txt", "0 1 5000000 0\n");
    let run = |more: &[&str]| measured("star:2,10G,1us", &flows, more);
    let whole = run(&[]);
    assert_eq!((&whole["finished"], &whole["packets"]["lost"]), (&1.into(), &0.into()));
    let repaired = run(&["--fail", "h1:s0@1ms-3ms"]);
    assert_eq!(repaired["finished"], 1);
    assert_eq!(repaired["losses"][0]["cause"], "link-down");
    assert!(repaired["simulated_us"].as_f64() > whole["simulated_us"].as_f64());
    let cut = run(&["--fail", "1@1ms", "--max-timeouts", "3"]);
    assert_eq!((&cut["finished"], &cut["ended"]), (&0.into(), &"stuck".into()));
}

#[test]
fn a_run_can_warm_up_and_hold_acknowledgements_back() {
    let folder = tempfile::tempdir().unwrap();
    let flows =
        file(folder.path(), "flows.txt", "0 1 500000 0\n0 1 500000 2000000\n1 0 500000 3000000\n");
    let run = |more: &[&str]| measured("star:2,10G,1us", &flows, more);
    let all = |run: &serde_json::Value| {
        run["classes"].as_array().unwrap().last().unwrap()["finished"].clone()
    };
    let (whole, warm) = (run(&[]), run(&["--warm-up", "1ms"]));
    assert_eq!((all(&whole), all(&warm), &warm["finished"]), (3.into(), 2.into(), &3.into()));
    let made = |run: &serde_json::Value| run["packets"]["made"].as_u64().unwrap();
    let (each, second) = (made(&whole), made(&run(&["--delayed-ack", "1ms"])));
    assert!(second * 100 < each * 78 && second * 100 > each * 74, "{each} {second}");
    // A window of two segments takes a round trip for each.
    let narrow = run(&["--receive-window", "2896 B"]);
    assert!(narrow["simulated_us"].as_f64() > whole["simulated_us"].as_f64());
}

#[test]
#[cfg(unix)]
fn ctrl_c_prints_what_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    // Hours, if it were let run.
    let flows = file(folder.path(), "flows.txt", "0 1 500 0\n0 1 900000000000000 0\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(["net", "run", "--topology", "star:2,100G,1us", "--flows", &flows])
        .args(["--progress", "10ms"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It can be stopped once it says how far it is.
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(errors.any(|line| line.unwrap().contains("1 flows finished")));
    let rest = std::thread::spawn(move || errors.map_while(Result::ok).collect::<Vec<_>>());
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{:?}", rest.join());
    assert!(text(&output.stdout).contains("stopped: 1 flow complete, 1 not"));
}

#[test]
fn a_trace_changes_no_result_and_needs_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let flows = flows(folder.path());
    let at = |name: String| folder.path().join(name).to_str().unwrap().to_owned();
    for switch in ["drop-tail", "occamy", "themis"] {
        let (plain, traced) = (at(format!("{switch}.csv")), at(format!("{switch}-traced.csv")));
        let trace = at(format!("{switch}.pftrace"));
        let run = ["run", "--topology", LEAF_SPINE, "--flows", &flows, "--switch", switch];
        let buffer = if switch == "themis" { "300KB" } else { "20KB" };
        let run = [&run[..], &["--buffer", buffer, "--out"]].concat();
        for more in [&[plain.as_str()][..], &[traced.as_str(), "--trace", &trace]] {
            let output = net(&[&run[..], more].concat());
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
        let bytes = |name: &str| std::fs::read(name).unwrap();
        assert_eq!(bytes(&plain), bytes(&traced), "{switch}");
        let names = String::from_utf8_lossy(&bytes(&trace)).into_owned();
        for name in [format!("switch 4 ({switch})"), "port 2".into(), "waiting".into()] {
            assert!(names.contains(&name), "{name}");
        }
        let output = net(&[&run[..], &[&traced, "--trace", &trace, "--threads", "2"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("leave out threads"));
    }
}

#[test]
fn no_output_is_a_file_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let flows = flows(folder.path());
    let sizes = folder.path().join("sizes.csv").to_str().unwrap().to_owned();
    let topology = file(folder.path(), "net", "hosts 2\nswitches 1\nlink h0 s0 1Gb/s 1us\n");
    let files = [&flows, &sizes, &topology].map(|name| std::fs::read(name).unwrap());
    let run = ["run", "--topology", LEAF_SPINE, "--flows", &flows];
    let read = ["run", "--topology", &topology, "--flows", &flows];
    let make = ["flows", "--hosts", "4", "--load", "0.5", "--rate", "10G", "--span", "1ms"];
    for (arguments, words) in [
        ([&run[..], &["--out", &flows]].concat(), "--out: "),
        ([&run[..], &["--trace", &flows]].concat(), "is the flow file, which would be lost"),
        ([&read[..], &["--trace", &topology]].concat(), "is the topology, which would be lost"),
        (
            [&make[..], &["--sizes", &sizes, "--out", &sizes]].concat(),
            "is the distribution of sizes",
        ),
    ] {
        let output = net(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
    assert_eq!(files, [&flows, &sizes, &topology].map(|name| std::fs::read(name).unwrap()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_file_and_not_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let flows = flows(folder.path());
    for option in ["--out", "--trace"] {
        let output =
            net(&["run", "--topology", LEAF_SPINE, "--flows", &flows, option, "/dev/full"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stdout).contains("busiest links"));
        let error = text(&output.stderr);
        assert!(error.contains("cannot write /dev/full: No space left"), "{error}");
    }
}

#[test]
fn a_warm_up_beyond_the_last_flow_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let flows = file(folder.path(), "flows.txt", "0 1 500 0\n0 1 500 2000\n");
    let run = |span: &str| {
        net(&["run", "--topology", "star:2,10G,1us", "--flows", &flows, "--warm-up", span])
    };
    assert!(run("2 us").status.success());
    let output = run("3 us");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--warm-up: no flow begins after it"), "{said}");
}

/// An incast of twelve hosts through small buffers.
fn incast(folder: &Path) -> String {
    let lines: String = (1..12).map(|src| format!("{src} 0 200000 0\n")).collect();
    file(folder, "incast.txt", &lines)
}

#[test]
fn lossless_classes_are_paused_and_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let flows = incast(folder.path());
    let run =
        ["run", "--topology", LEAF_SPINE, "--flows", &flows, "--switch", "dt", "--nic", "fair"];
    let lossless = ["--set", "pfc.lossless=0", "--set", "pfc.pause_above=20 KB"];
    let output = net(&[&run[..], &lossless].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("No packet was lost."), "{shown}");
    assert!(shown.contains("pauses asked for; ") && !shown.contains("Deadlock"), "{shown}");
    let (_, paused) = shown.split_once("in all\n").unwrap();
    assert!(paused.lines().any(|line| line.trim_start().starts_with("host ")), "{shown}");
    let json = |more: &[&str]| {
        let output = net(&[&run[..], &["--json", "--threads", "3"], more].concat());
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let pauses = &json(&lossless)["pauses"];
    assert!(
        pauses["asked"].as_u64() > Some(0) && pauses["links"][0]["paused_us"].as_f64() > Some(0.0)
    );
    assert!(json(&[]).get("pauses").is_none(), "nothing is said of what there is not");
    // A trace has the pauses.
    let trace = folder.path().join("trace.pftrace");
    let traced = net(&[&run[..], &lossless, &["--trace", trace.to_str().unwrap()]].concat());
    assert!(traced.status.success(), "{}", text(&traced.stderr));
    let bytes = std::fs::read(trace).unwrap();
    assert!(bytes.windows(7).any(|word| word == b"pausing"));
}

#[test]
fn trimmed_packets_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let flows = incast(folder.path());
    let run = ["run", "--topology", LEAF_SPINE, "--flows", &flows, "--control", "ndp"];
    let trims = ["--nic", "fair", "--buffer", "12KB", "--set", "trim=true"];
    let output = net(&[&run[..], &trims].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains(" packets trimmed of ") && shown.contains(" pulls\n"), "{shown}");
    let json = |more: &[&str]| {
        let output = net(&[&run[..], &["--json"], more].concat());
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let [alone, threads] = [&trims[..], &[&trims[..], &["--threads", "3"]].concat()].map(json);
    assert_eq!(alone["trimming"], threads["trimming"]);
    let of = |name: &str| alone["trimming"][name].as_u64().unwrap();
    assert!(of("nacks") > 0 && of("pulls") > 0 && of("trimmed") == of("nacks") + of("returned"));
    // A trace has what was trimmed.
    let trace = folder.path().join("trace.pftrace");
    let traced = net(&[&run[..], &trims, &["--trace", trace.to_str().unwrap()]].concat());
    assert!(traced.status.success(), "{}", text(&traced.stderr));
    let bytes = std::fs::read(trace).unwrap();
    assert!(bytes.windows(4).any(|word| word == b"trim"));
    // Without it, and without what it does.
    let untrimmed = net(&[&run[..], &["--nic", "fair"]].concat());
    assert!(text(&untrimmed.stderr).contains("note: no switch trims packets, so ndp finds"));
    for (more, words) in [
        (&["--control", "dctcp", "--set", "trim=true"][..], "--control: switches trim packets"),
        (&["--control", "ndp", "--min-rto", "1ms"], "--min-rto"),
        (&["--control", "ndp", "--recovery", "selective"], "--recovery"),
        (&["--control", "ndp", "--mark", "20KB"], "--mark: hosts under ndp"),
        (&["--control", "ndp", "--switch", "dt", "--set", "trim=true"], "trim"),
        (&["--control", "ndp", "--set", "trim=true", "--set", "pfc.lossless=0"], "pfc.lossless"),
        (&["--control", "ndp", "--set", "trim_to=64B"], "trim_to"),
        (&["--control", "ndp", "--ndp-timeout", "0s"], "--ndp-timeout"),
        (&["--control", "dctcp", "--ndp-first-window", "9"], "--ndp-first-window"),
    ] {
        let output = net(&[&run[..5], more].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{more:?}: {said}");
    }
}

#[test]
fn lossless_classes_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let flows = incast(folder.path());
    for (more, words) in [
        (&["--set", "pfc.lossless=0"][..], "--nic: a host with one queue"),
        (&["--nic", "fair", "--set", "pfc.lossless=1"], "there is no class 1 among the 1"),
        (&["--nic", "fair", "--set", "pfc.pause_alpha=2"], "pfc.pause_alpha"),
        (&["--nic", "fair", "--set", "pfc.lossless=0", "--set", "pool=200KB"], "less headroom"),
        (&["--control", "dcqcn", "--no-sack"], "sack"),
    ] {
        let run = ["run", "--topology", LEAF_SPINE, "--flows", &flows, "--switch", "dt"];
        let output = net(&[&run[..], more].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{more:?}: {said}");
    }
}

#[test]
fn roce_goes_back_without_flow_control_and_never_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let flows = incast(folder.path());
    let run = ["--switch", "dt", "--buffer", "1MB", "--nic", "fair", "--control", "dcqcn"];
    let small = ["--switch", "dt", "--buffer", "100KB", "--nic", "fair", "--control", "dcqcn"];
    let lossy = measured(LEAF_SPINE, &flows, &small);
    assert!(lossy["resent"].as_u64() > Some(0), "{lossy}");
    let lossless = measured(LEAF_SPINE, &flows, &[&run[..], &["--set", "pfc.lossless=0"]].concat());
    assert_eq!((lossless["resent"].as_u64(), lossless["finished"].as_u64()), (Some(0), Some(11)));
}

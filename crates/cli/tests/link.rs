//! `forebay link`, as users call it, on machines that the tests make: the host's own network is not
//! touched. Where namespaces may not be made, a line says so.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)] // in the helpers, too, a failure is a failed test

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use forebay_dataplane::live::Namespace;

fn forebay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.arg("link").args(arguments);
    command
}

/// A machine of its own; none where that is not allowed.
fn machine() -> Option<Namespace> {
    match Namespace::new() {
        Ok(machine) => Some(machine),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("not tested: namespaces may not be made here");
            }
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn run(arguments: &[&str]) -> Option<Output> {
    machine().map(|machine| machine.within(|| forebay(arguments).output()).unwrap())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The interfaces of a machine.
fn interfaces(machine: &Namespace) -> Vec<String> {
    let read = || {
        // As this thread sees it.
        let table = std::fs::read_to_string("/proc/thread-self/net/dev")?;
        let names = table.lines().skip(2).filter_map(|line| line.split_once(':'));
        Ok(names.map(|(name, _)| name.trim().to_owned()).collect())
    };
    machine.within(read).unwrap()
}

#[test]
fn the_command_runs_behind_the_link_and_its_code_is_ours() {
    // The report is of frames, so one is sent, and waited for.
    let script = "cat /proc/net/dev; echo \"far=$FOREBAY_FAR\"; \
                  echo > /dev/udp/$FOREBAY_FAR/9; sleep 0.3; exit 7";
    let Some(done) = run(&["20M,25ms", "--switch", "fq-codel", "--", "bash", "-c", script]) else {
        return;
    };
    let (out, report) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(7), "{report}");
    assert!(out.contains("eth0:") && out.contains("far=100.64.0.1"), "{out}");
    assert!(!out.contains("forebay0"), "{out}");
    assert!(report.contains("forebay link: 20 Mb/s, 25 ms; fq-codel, "), "{report}");
    assert!(report.contains("lateness of ") && report.contains("No frame was lost."), "{report}");
}

#[test]
fn directions_differ_and_the_report_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, file) = (folder.path().join("lte.trace"), folder.path().join("report.json"));
    std::fs::write(&trace, "1\n").unwrap();
    let trace = format!("trace={}", trace.display());
    let set = ["--up", "rate=2M", "--down", &trace, "--set", "jitter=2ms", "--set", "mtu=1400"];
    let end = [
        "--buffer",
        "60KB",
        "--json",
        file.to_str().unwrap(),
        "--",
        "cat",
        "/sys/class/net/eth0/mtu",
    ];
    let arguments = [&["20M,25ms"][..], &set, &end].concat();
    let Some(done) = run(&arguments) else { return };
    let report = text(&done.stderr);
    assert!(done.status.success(), "{report}");
    let link = "forebay link: 2 Mb/s, 25 ms up; 12 Mb/s on average, 25 ms down; drop-tail, ";
    assert!(report.contains(link), "{report}");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(json["switch"], "drop-tail");
    assert!(
        json["up"]["lost"].as_array().is_some() && json["lateness_us"]["p99"].is_number(),
        "{json}"
    );
}

/// Sends `text` by TCP through a link, with these options, to this machine: what came out, and the
/// report. The kernel hands large segments to the link, and both sides understand marks.
fn transferred(
    machine: &Namespace,
    text: &str,
    options: &[&str],
    folder: &Path,
) -> (String, serde_json::Value) {
    let (file, report) = (folder.join("sent"), folder.join("report.json"));
    std::fs::write(&file, text).unwrap();
    let listener = machine.within(|| {
        std::fs::write("/proc/sys/net/ipv4/tcp_ecn", "1")?;
        TcpListener::bind("0.0.0.0:7000")
    });
    let listener = listener.unwrap();
    let receiving = std::thread::spawn(move || {
        let mut received = String::new();
        listener.accept()?.0.read_to_string(&mut received)?;
        io::Result::Ok(received)
    });
    let script = format!(
        "echo 1 > /proc/sys/net/ipv4/tcp_ecn; cat {} > /dev/tcp/$FOREBAY_FAR/7000; sleep 0.2",
        file.display()
    );
    let end = ["--json", report.to_str().unwrap(), "--", "bash", "-c", &script];
    let words = [options, &end].concat();
    let done = machine.within(|| forebay(&words).output()).unwrap();
    assert!(done.status.success(), "{}", self::text(&done.stderr));
    let report = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    (receiving.join().unwrap().unwrap(), report)
}

#[test]
fn large_segments_are_decided_packet_by_packet_and_recorded_so() {
    let Some(machine) = machine() else { return };
    let folder = tempfile::tempdir().unwrap();
    let sent: String = (0..400_000).map(|number| format!("{number} ")).collect();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let options =
        ["1G,1ms", "--switch", "occamy", "--buffer", "2MB", "--mark", "100KB", "--record", run];
    let set = ["--set", "loss=0.002", "--set", "mtu=1500"];
    let (came, report) =
        transferred(&machine, &sent, &[&options[..], &set].concat(), folder.path());
    assert!(came == sent, "{} bytes of {}", came.len(), sent.len());
    let up = &report["up"];
    let frames = up["arrived"]["frames"].as_u64().unwrap();
    // 1448 bytes in each, and what was lost comes again.
    assert!(frames >= sent.len() as u64 / 1_448, "{report}");
    let causes: Vec<_> = up["lost"].as_array().unwrap().iter().map(|lost| &lost["cause"]).collect();
    assert_eq!(causes, ["wire"], "{report}");
    let sizes = up["arrived"]["bytes"].as_u64().unwrap() / frames;
    assert!((1_000..=1_514).contains(&sizes), "{report}");

    let mut again = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let again = again.args(["replay", run]).output().unwrap();
    let said = text(&again.stdout);
    assert!(again.status.success(), "{said}{}", text(&again.stderr));
    assert_eq!(said.matches(": identical").count(), 2, "{said}");
    assert!(said.contains(&format!("up: {frames} arrived, ")), "{said}");
}

#[test]
fn packets_of_a_large_segment_are_marked_one_by_one_and_arrive_whole() {
    let Some(machine) = machine() else { return };
    let folder = tempfile::tempdir().unwrap();
    let sent: String = (0..300_000).map(|number| format!("{number} ")).collect();
    for together in ["together=0us", "together=1ms"] {
        let options = ["200M,1ms", "--switch", "drop-tail", "--buffer", "1MB", "--mark", "20KB"];
        let set = ["--set", together];
        let (came, report) =
            transferred(&machine, &sent, &[&options[..], &set].concat(), folder.path());
        assert!(came == sent, "{together}: {} bytes of {}", came.len(), sent.len());
        let (marked, up) = (report["up"]["marked"].as_u64().unwrap(), &report["up"]);
        let left = up["left"]["frames"].as_u64().unwrap();
        assert!(marked > 0 && marked < left, "{together}: {report}");
        assert_eq!(up["lost"].as_array().map(Vec::len), Some(0), "{together}: {report}");
    }
}

#[test]
fn tcp_passes_through_af_xdp_or_a_sentence_says_why_not() {
    let Some(machine) = machine() else { return };
    let folder = tempfile::tempdir().unwrap();
    let tried = ["100M,1ms", "--ring", "xdp", "--", "true"];
    let tried = machine.within(|| forebay(&tried).output()).unwrap();
    if !tried.status.success() {
        let said = text(&tried.stderr);
        assert!(said.contains("error: cannot open an AF_XDP socket"), "{said}");
        #[allow(clippy::print_stderr)]
        {
            eprintln!("not tested: {said}");
        }
        return;
    }
    let sent: String = (0..200_000).map(|number| format!("{number} ")).collect();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let options = ["100M,1ms", "--ring", "xdp", "--buffer", "1MB", "--record", run];
    let (came, report) = transferred(&machine, &sent, &options, folder.path());
    assert!(came == sent, "{} bytes of {}", came.len(), sent.len());
    let left = report["up"]["left"]["frames"].as_u64().unwrap();
    assert!(left >= sent.len() as u64 / 1_448, "{report}");
    let mut again = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let again = again.args(["replay", run]).output().unwrap();
    assert!(again.status.success(), "{}", text(&again.stdout));

    let jumbo = ["100M,1ms", "--ring", "xdp", "--set", "mtu=9000", "--", "true"];
    let jumbo = machine.within(|| forebay(&jumbo).output()).unwrap();
    let said = text(&jumbo.stderr);
    assert!(said.contains("take the ring `packet`"), "{said}");
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    for (arguments, code, words) in [
        (&["20,25ms", "--", "true"][..], 2, "20,25ms: "),
        (
            &["20M,25ms", "--switch", "fq-codl", "--", "true"],
            2,
            "error: --switch: there is no switch `fq-codl`",
        ),
        (
            &["20M,25ms", "--up", "los=0.1", "--", "true"],
            2,
            "error: --up los=0.1: there is no parameter `los`; did you mean `loss`",
        ),
        (
            &["20M,25ms", "--set", "alpha=2", "--", "true"],
            2,
            "error: --set alpha=2: there is no parameter `alpha`",
        ),
        (
            &["20M,25ms", "--switch", "dt", "--set", "alpha=x", "--", "true"],
            2,
            "error: --set alpha=x: ",
        ),
        (
            &["20M,25ms", "--switch", "themis", "--set", "hbm.t_ccd_l=1", "--", "true"],
            2,
            "error: --set hbm.t_ccd_l=1: it is 1; ",
        ),
        (
            &["20M,25ms", "--switch", "themis", "--set", "sram=1KB", "--", "true"],
            2,
            "error: --set sram=1KB: an SRAM of 1 KB",
        ),
        (
            &["20M,25ms", "--switch", "dt", "--set", "pool=1MB", "--buffer", "1MB", "--", "true"],
            2,
            "error: --set pool=1MB: it is given as --buffer, too; leave it out",
        ),
        (
            &[
                "20M,25ms",
                "--switch",
                "dt",
                "--set",
                "alpha=2",
                "--set",
                "jitter=0 s",
                "--",
                "true",
            ],
            0,
            "forebay link: 20 Mb/s, 25 ms; dt, ",
        ),
        (
            &["20M,25ms", "--down", "alpha=2", "--switch", "dt", "--", "true"],
            2,
            "there is no parameter `alpha`",
        ),
        (
            &["20M,25ms", "--set", "jitter=26ms", "--", "true"],
            2,
            "error: --set jitter=26ms: a frame cannot take less than no time",
        ),
        (
            &["20M,25ms", "--down", "trace=/no/such", "--", "true"],
            2,
            "error: --down trace=/no/such: /no/such: it cannot be read",
        ),
        (&["20M,25ms", "--up", "mtu=1400", "--", "true"], 2, "error: --up mtu=1400: both ends"),
        (&["0M,25ms", "--", "true"], 2, "error: 0M,25ms: rate: "),
        (&["20M,1ms", "--set", "jitter=2ms", "--", "true"], 2, "error: --set jitter=2ms: "),
        (&["20M,1ms", "--down", "jitter=2ms", "--", "true"], 2, "error: --down jitter=2ms: "),
        (
            &["20M,25ms", "--set", "trace=/x", "--up", "rate=3M", "--", "true"],
            2,
            "error: --up rate=3M: it has no effect while `trace` is /x; leave it out, or set trace \
             to \"\"",
        ),
        (
            &["20M,25ms", "--set", "rate=3M", "--", "true"],
            2,
            "error: --set rate=3M: it is given as RATE, too",
        ),
        (
            &["20M,25ms", "--down", "reorder_by=3ms", "--", "true"],
            2,
            "error: --down reorder_by=3ms: it has no effect while `reorder` is 0; leave it out, or \
             set reorder to 1",
        ),
        (
            &["20M,25ms", "--set", "seed=3", "--", "true"],
            2,
            "error: --set seed=3: it has no effect while `jitter`",
        ),
        (
            &["20M,25ms", "--class", "dscp", "--", "true"],
            2,
            "error: --class: nothing here reads the class of a packet",
        ),
        (
            &["20M,25ms", "--switch", "dt", "--classes", "3", "--", "true"],
            2,
            "error: --classes: without a rule for classes every packet has class 0",
        ),
        (&["20M,25ms", "--buffer", "10B", "--switch", "dt", "--", "true"], 2, "error: --buffer: "),
        (&["20M,25ms", "--rank", "dscp +", "--", "true"], 2, "error: --rank: "),
        (
            &["20M,25ms", "--classes", "4", "--", "true"],
            2,
            "error: --classes: only on-chip buffers",
        ),
        (&["20M,25ms"], 2, "COMMAND"),
        (&["20M,25ms", "--", "/no/such/program"], 127, "cannot start /no/such/program"),
    ] {
        let Some(done) = run(arguments) else { return };
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn a_companion_at_the_far_end_ends_with_the_command() {
    let mark = format!("3{}", std::process::id());
    let far = format!("sleep {mark}");
    let Some(done) = run(&["100M", "--far", &far, "--", "sh", "-c", "kill -TERM $$"]) else {
        return;
    };
    assert_eq!(done.status.code(), Some(128 + 15), "{}", text(&done.stderr));
    let runs = |process: std::fs::DirEntry| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        text(&line).contains(&mark)
    };
    assert!(!std::fs::read_dir("/proc").unwrap().flatten().any(runs), "the companion stays");
}

#[test]
fn a_killed_link_leaves_no_interface() {
    let Some(machine) = machine() else { return };
    let start = || {
        let mut link = forebay(&["20M,25ms", "--", "sh", "-c", "echo ready; exec sleep 60"]);
        link.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
    };
    let mut link = machine.within(start).unwrap();
    let mut line = String::new();
    BufReader::new(link.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    assert!(interfaces(&machine).contains(&"forebay0".to_owned()));
    link.kill().unwrap();
    link.wait().unwrap();
    let begin = Instant::now();
    while interfaces(&machine).contains(&"forebay0".to_owned()) {
        assert!(begin.elapsed() < Duration::from_secs(20), "the interface stays");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_recorded_run_is_replayed_as_it_was_and_under_another_policy() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let run_name = run_folder.to_str().unwrap();
    let flood = "i=0; while [ $i -lt 300 ]; do echo $i > /dev/udp/$FOREBAY_FAR/9; i=$((i+1)); done";
    let trace = folder.path().join("down.trace");
    std::fs::write(&trace, "4\n9\n").unwrap();
    let down = format!("trace={}", trace.display());
    let set = ["--set", "loss=0.1", "--set", "hashed_queues=64"];
    let recorded = ["200k,5ms", "--switch", "fq-codel", "--record", run_name];
    let down = ["--down", &down, "--", "bash", "-c", flood];
    let words: Vec<_> = recorded.into_iter().chain(set).chain(down).collect();
    let Some(done) = run(&words) else { return };
    // The recording keeps what it was made of.
    std::fs::remove_file(&trace).unwrap();
    assert!(done.status.success() || text(&done.stderr).contains("lost"), "{}", text(&done.stderr));
    let replay = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command.args(["replay", run_name]).args(more).output().unwrap()
    };

    let same = replay(&[]);
    let out = text(&same.stdout);
    assert!(same.status.success(), "{out}{}", text(&same.stderr));
    assert_eq!(out.matches(": identical").count(), 2, "{out}");
    assert!(!out.contains("open loop") && !out.contains("note:"), "{out}");

    let trace = folder.path().join("run.pftrace");
    let traced = replay(&["--trace", trace.to_str().unwrap(), "--trace-window", "1 ms.."]);
    assert_eq!(text(&traced.stdout), out);
    let trace = std::fs::read(&trace).unwrap();
    let names = String::from_utf8_lossy(&trace);
    assert!(names.contains("(up, fq-codel)") && names.contains("(down, fq-codel)"));
    let kept = run_folder.join("frames.pcapng");
    assert_eq!(replay(&["--trace", kept.to_str().unwrap()]).status.code(), Some(2));

    let other = text(&replay(&["--switch", "drop-tail", "--buffer", "10KB"]).stdout);
    assert!(other.contains("open loop") && !other.contains("identical"), "{other}");
    let refused = replay(&["--speed", "2"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));

    // A whole recording that was shortened since, at the end of a block: its manifest tells.
    let manifest = run_folder.join("manifest.json");
    let told = std::fs::read_to_string(&manifest).unwrap();
    let frames = serde_json::from_str::<serde_json::Value>(&told).unwrap()["frames"].clone();
    let more = format!("\"frames\": {}", frames.as_u64().unwrap() + 1);
    std::fs::write(&manifest, told.replace(&format!("\"frames\": {frames}"), &more)).unwrap();
    let short = replay(&[]);
    let said = text(&short.stderr);
    assert_eq!(short.status.code(), Some(1), "{said}");
    assert!(said.contains("frames.pcapng has ") && said.contains("manifest.json says"), "{said}");

    // As `kill -9` leaves it: no manifest, half a frame, half a line.
    std::fs::remove_file(run_folder.join("manifest.json")).unwrap();
    for name in ["frames.pcapng", "up.csv"] {
        let path = run_folder.join(name);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() * 2 / 3 + 1]).unwrap();
    }
    let cut = replay(&[]);
    let out = text(&cut.stdout);
    assert!(cut.status.success() && out.contains("note: the recording is cut"), "{out}");

    // Another decision than was recorded is shown.
    let decisions = std::fs::read_to_string(run_folder.join("up.csv")).unwrap();
    let changed = decisions.replacen(",left,", ",left,1", 1);
    std::fs::write(run_folder.join("up.csv"), changed).unwrap();
    let differs = replay(&[]);
    assert_eq!(differs.status.code(), Some(1));
    assert!(text(&differs.stdout).contains("up: decision "), "{}", text(&differs.stdout));
}

/// A disk that is full ends a recording and nothing else, and whoever asks is told.
#[test]
fn a_full_disk_ends_the_recording_alone() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=300k none \"$1\" || exit 99
        ip link set lo up
        \"$2\" link 50M,1ms --record \"$1/link\" -- sh -c 'bash -c \"$SEND\" $FOREBAY_FAR' 2>&1
        echo \"link $?\"
        rm -r \"$1/link\"
        export XDG_RUNTIME_DIR=\"$1\"
        \"$2\" switch up star:2,50M,1ms --name full --record \"$1/lab\"
        \"$2\" switch exec --lab full h1 -- bash -c \"$SEND\" h2
        \"$2\" switch status full
        \"$2\" switch down full
        echo \"down $?\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "--net", "sh", "-c", script, "sh"]);
    command.arg(folder.path()).arg(env!("CARGO_BIN_EXE_forebay"));
    // Nobody listens: an answer that says so fails the next packet, which is sent once more.
    let send = "for i in $(seq 300); do printf %01000d $i >&3 || printf %01000d $i >&3; sleep 0.002; \
                done 2>/dev/null 3>/dev/udp/$0/9";
    let output = command.env("SEND", send).output().unwrap();
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    if !output.status.success() && said.is_empty() {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("not tested: no disk may be mounted here");
        }
        return;
    }
    for way in ["up", "h1"] {
        let row = said.lines().map(str::split_whitespace).find_map(|mut words| {
            if words.next() == Some(way) { words.next()?.parse::<u32>().ok() } else { None }
        });
        assert!(row >= Some(300), "frames go on: {row:?} {said}{errors}");
    }
    assert!(said.contains("link 1\n") && said.contains("down 1\n"), "{said}{errors}");
    assert!(said.contains("note: the recording ends after "), "status: {said}{errors}");
    let broken = "the recording is not whole: No space left";
    assert_eq!(said.matches(broken).count() + errors.matches(broken).count(), 2, "{said}{errors}");
}

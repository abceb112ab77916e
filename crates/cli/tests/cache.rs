//! `forebay cache` as its users meet it.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn cache(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forebay")).arg("cache").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_csv_of_ones_own_is_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.csv");
    let lines: Vec<String> = (0..2000).map(|i| format!("{},{}", i as f64 / 1e6, i % 7)).collect();
    std::fs::write(&file, format!("time,object\n{}\n", lines.join("\n"))).unwrap();
    let file = file.to_str().unwrap();
    let output = cache(&["simulate", file, "--objects", "3", "--z", "10"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("lru-mad") && shown.contains("2,000"), "{shown}");
    let output = cache(&["simulate", file, "--objects", "3", "--latency", "20 us", "--json"]);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows[0]["requests"], 2000);
    let latency = rows[0]["mean_latency_us"].as_f64().unwrap();
    assert!(latency > 1.0 && latency <= 20.0, "{latency} us");
}

#[test]
fn what_cannot_be_is_refused_with_the_fix() {
    for (arguments, words) in [
        (
            &["simulate", "--policies", "belady", "--objects", "9"][..],
            "error: belady: it needs the order of later requests, which a stream does not tell; \
             choose a policy that needs no future; or add --in-memory\n",
        ),
        (&["simulate"][..], "error: --objects: the share of a stream's objects is not known"),
        (&["simulate"][..], "add --in-memory"),
        (&["simulate", "absent.csv", "--objects", "9"][..], "error: cannot read absent.csv"),
        (&["simulate", "--objects", "9", "--policies", "lru,"][..], "the extra comma"),
        (
            &["simulate", "--objects", "9", "--latency", "soon"][..],
            "--latency: \"soon\" is not a span of time",
        ),
        (&["simulate", "--objects", "9", "--set", "store.kind=hbm"][..], "trace.clock = \"time\""),
        (&["bound", "--set", "cache.ways=2"][..], "there is no parameter `cache.ways`"),
        (&["bound", "--bytes", "1 MiB"][..], "--bytes: belatedly knows objects of one size only"),
        (
            &["simulate", "Cargo.toml", "--objects", "9", "--set", "trace.kind=cdn"][..],
            "--set trace.kind=cdn: a generated trace reads no file; leave out FILE, or the kind",
        ),
        (
            &["simulate", "Cargo.toml", "--objects", "9", "--set", "trace.file=x"][..],
            "it is given as FILE, too; leave it out",
        ),
        (
            &["simulate", "--objects", "9", "--set", "cache.objects=3"][..],
            "it is given as --objects, too; leave it out",
        ),
        (&["simulate", "--z", "7", "--set", "z=5"][..], "it is given as --z, too; leave it out"),
        (
            &["simulate", "--objects", "9", "--policies", "lur"][..],
            "there is no cache policy `lur`; did you mean `lru`?",
        ),
        (
            &["simulate", "Cargo.toml", "--objects", "9", "--seed", "3"][..],
            "--seed: it has no effect with a trace and latencies that are given",
        ),
        (&["simulate", "--set", "store.zz=3"][..], "there is no parameter `store.zz`"),
    ] {
        let output = cache(arguments);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(text(&output.stderr).contains(words), "{words}: {}", text(&output.stderr));
    }
}

/// A file in a folder that goes with it.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn rows(arguments: &[&str]) -> serde_json::Value {
    let output = cache(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_line_is_a_time_step_even_where_it_is_empty() {
    // The example of thesis §2.3.1 for 3000 steps.
    let steps: String =
        (0..3000).map(|t| format!("{}\n", b"BAAAAABXXBXXBXXBXX"[t % 18] as char)).collect();
    let (_folder, path) = file(&steps);
    let arguments = ["simulate", &path, "--objects", "1", "--z", "17", "--policies", "lru"];
    for more in [&[][..], &["--in-memory"]] {
        let latency =
            rows(&[&arguments[..], more].concat())[0]["mean_latency_steps"].as_f64().unwrap();
        assert!((latency - 5.9).abs() < 0.05, "{latency}");
    }
}

#[test]
fn a_csv_may_have_numbers_for_columns_sizes_and_origins() {
    let (_folder, path) = file("1;7;10;0\n2;8;10;1\n3;7;10;0\n4;9;95;1\n");
    let path = [path, ".csv".to_owned()].concat();
    std::fs::write(&path, "1;7;10;0\n2;8;10;1\n3;7;10;0\n4;9;95;1\n").unwrap();
    let mut arguments = vec!["simulate", &path, "--bytes", "90 B", "--policies", "lru"];
    for set in [
        "trace.delimiter=;",
        "trace.object_column=2",
        "trace.size_column=3",
        "trace.origin_column=4",
        "store.kind=per-origin",
        "store.latencies=1 ns, 3 ns",
    ] {
        arguments.extend(["--set", set]);
    }
    // Misses of 1 and 3 steps, a hit, and a miss of 3.
    let row = &rows(&arguments)[0];
    assert_eq!((&row["requests"], &row["hit_rate"]), (&4.into(), &0.25.into()));
    assert_eq!(row["mean_latency_steps"], 1.75);
}

#[test]
fn a_policy_that_is_told_delays_is_told_them_in_memory() {
    let set = ["--set", "trace.kind=zipf-bursts", "--set", "trace.requests=2000"];
    let found = rows(&[&["simulate", "--in-memory", "--policies", "lru-ad"], &set[..]].concat());
    assert_eq!(found[0]["requests"], 2000);
    let found = rows(&[&["compare", "--policies", "lru-ad,lru"], &set[..]].concat());
    assert!(found[1]["classical_misses"].as_u64().unwrap() > 0);
}

/// A file of the fuzzers' first corpus.
fn seed(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds");
    std::fs::read(std::path::Path::new(folder).join(name)).unwrap()
}

#[test]
fn the_content_tells_the_format_whatever_the_name() {
    let folder = tempfile::tempdir().unwrap();
    for (content, requests) in [
        ("cache_csv/named.csv", 3),
        ("cache_oracle_general/three.oracleGeneral", 3),
        ("cache_trace/named.csv.gz", 3),
        ("cache_trace/three.oracleGeneral.zst", 3),
        ("cache_trace/libcachesim.txt", 3),
        ("cache_trace/stamped.txt", 3),
        ("cache_trace/quoted.tsv", 2),
        ("capture/six.pcap", 6),
    ] {
        for name in ["trace.txt", "trace.csv", "trace.bin", "trace"] {
            // A word a line is a column only where the name says so; none of these is.
            let path = folder.path().join(name);
            std::fs::write(&path, seed(content)).unwrap();
            let arguments = ["simulate", path.to_str().unwrap(), "--objects", "2", "--z", "3"];
            assert_eq!(rows(&arguments)[0]["requests"], requests, "{content} as {name}");
        }
    }
}

#[test]
fn what_is_not_recognised_is_refused_by_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = (0..9_000_u64).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect();
    let oracle = seed("cache_oracle_general/three.oracleGeneral");
    let zstd = seed("cache_trace/three.oracleGeneral.zst");
    for (name, content, words) in [
        ("noise.bin", noise, "byte 0: it is none of the formats of a trace"),
        ("zeros.oracleGeneral", vec![0; 4800], "byte 0: it is none of the formats of a trace"),
        (
            "table.parquet",
            b"PAR1\x15\x04".to_vec(),
            "byte 0: it is a Parquet table, which is not read",
        ),
        ("cut.oracleGeneral", oracle[..60].to_vec(), "byte 48: the last record has 12 bytes"),
        ("cut.oracleGeneral.zst", zstd[..zstd.len() - 3].to_vec(), "is damaged, cut off"),
        ("other.csv", b"time,obj_id\n1,2\n".to_vec(), "trace.object_column: "),
        ("other.csv", b"time,obj_id\n1,2\n".to_vec(), "there is \"time\", \"obj_id\""),
        ("ragged.csv", b"time,object\n1,2\n1\n".to_vec(), "line 3: the line has 1, the first 2"),
        ("mixed.txt", b"7\n8,9\n".to_vec(), "line 2: the line has several columns"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let output = cache(&["simulate", path.to_str().unwrap(), "--objects", "2", "--z", "3"]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{name}: {said}");
        assert!(said.contains(words), "{name}: {said}");
    }
    let path = folder.path().join("noise.bin");
    let path = path.to_str().unwrap();
    let output = cache(&["simulate", path, "--objects", "2", "--set", "trace.kind=csv"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    std::fs::write(path, seed("capture/six.pcap")).unwrap();
    let output = cache(&["simulate", path, "--objects", "2", "--set", "trace.kind=csv"]);
    let said = text(&output.stderr);
    assert!(said.contains("is a packet capture, not text with columns"), "{said}");
}

#[test]
fn a_trace_without_requests_is_refused() {
    let (_folder, path) = file("\n\nX\n");
    let output = cache(&["simulate", &path, "--objects", "3", "--z", "9"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("the trace has no requests"), "{}", text(&output.stderr));
}

/// A span was taken as so many time steps.
#[test]
fn a_trace_without_times_has_no_latency_in_time() {
    let (_folder, path) = file("1\n2\n1\n3\n");
    for command in ["simulate", "compare", "bound"] {
        let output = cache(&[command, &path, "--objects", "2", "--latency", "10 us"]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            told.contains("--latency: the requests of this kind of trace have no times"),
            "{told}"
        );
        assert!(told.contains("give --z, in steps"), "{told}");
    }
}

#[test]
fn a_trace_out_of_order_is_at_fault_itself() {
    let (_folder, file) = file("object,time\na,5\nb,9\nc,7\n");
    for held in [&[][..], &["--in-memory"]] {
        let given = ["simulate", &file, "--objects", "3", "--latency", "20 us"];
        let output = cache(&[&given[..], &["--policies", "lru,sieve"], held].concat());
        let told = text(&output.stderr);
        assert!(!output.status.success() && told.contains("sort the trace by time"), "{told}");
        assert!(told.starts_with(&format!("error: {file}")), "{told}");
    }
}

/// What a command says of a trace that comes through its standard input.
fn piped(arguments: &[&str], trace: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.arg("cache").args(arguments).spawn().unwrap();
    // It may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(trace);
    child.wait_with_output().unwrap()
}

#[test]
fn pipes_are_read_as_files_are() {
    for content in [
        "cache_csv/named.csv",
        "cache_oracle_general/three.oracleGeneral",
        "cache_trace/named.csv.gz",
        "cache_trace/three.oracleGeneral.zst",
        "cache_trace/stamped.txt",
        "capture/six.pcap",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        std::fs::write(&path, seed(content)).unwrap();
        for options in [
            &["simulate", "--z", "3", "--policies", "lru,lfu,sieve"][..],
            &["simulate", "--z", "3", "--policies", "lru,belady", "--in-memory"],
            &["compare", "--z", "3", "--policies", "lru,lfu"],
        ] {
            let given = |file| [&options[..1], &[file, "--objects", "2"], &options[1..]].concat();
            let read = cache(&given(path.to_str().unwrap()));
            assert!(read.status.success(), "{content}: {}", text(&read.stderr));
            let names = if cfg!(unix) { &["-", "/dev/stdin"][..] } else { &["-"] };
            for name in names {
                let through = piped(&given(name), &seed(content));
                assert_eq!(text(&through.stdout), text(&read.stdout), "{content} as {name}");
            }
        }
    }
    let bound = piped(&["bound", "-", "--objects", "1", "--z", "3"], b"7\n8\n7\n");
    assert!(text(&bound.stdout).contains("a schedule reaches"), "{}", text(&bound.stderr));
    let wrong = piped(&["simulate", "-", "--objects", "1"], b"time,object\n1,2\n1\n");
    let told = text(&wrong.stderr);
    assert!(told.starts_with("error: standard input, line 3: the line has 1"), "{told}");
}

/// The place of ten digits in a row.
fn bare(shown: &str) -> Option<&str> {
    shown.split(|c: char| !c.is_ascii_digit()).find(|digits| digits.len() >= 10)
}

#[test]
fn large_numbers_are_scaled_and_apart() {
    let large = |i: u64| {
        let (at, object) = (1_583_990_674_000_000_000 + i * 2_000_000_000, i * i % 97);
        format!("{at},{},{}\n", 10_u64.pow(18) + object, 10_u64.pow(12) + i)
    };
    let lines: String = (0..3000).map(large).collect();
    let (_folder, path) = file(&format!("time,object,size\n{lines}"));
    let timed = ["--set", "trace.time_unit=1 ns", "--latency", "50 s"];
    for (command, options, words) in [
        ("simulate", &timed[..], "mean latency (s)"),
        ("compare", &timed[..], "mean latency (s)"),
        ("bound", &timed[..], "mean latency (s)   total (s)"),
        ("simulate", &["--z", "1000000000"][..], "mean latency (steps)"),
        ("compare", &["--z", "1000000000"][..], "mean latency (steps)"),
        ("bound", &["--z", "1000000000"][..], "total (steps)"),
    ] {
        let output = cache(&[&[command, &path, "--objects", "20"], options].concat());
        let (shown, told) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && shown.contains(words), "{shown}{told}");
        assert_eq!((bare(&shown), bare(&told)), (None, None), "{shown}{told}");
    }
}

#[test]
fn what_a_trace_says_wrongly_is_said_as_it_is() {
    for (content, set, words) in [
        ("time,object\n", "", ", line 1: it is a header, and no rows follow"),
        ("#time,#obj_id\n1,2\n", "", "there is \"time\", \"obj_id\""),
        ("time,object\n1,\n", "", ", line 2: column 2 is empty, which tells the object"),
        ("time,id,id\n1,2,3\n", "trace.object_column=id", "columns 2 and 3 are both called"),
        ("object,size\n1,5.5\n", "trace.size_column=size", "is \"5.5\", which is a fraction"),
        ("object,size\n1,-5\n", "trace.size_column=size", "is \"-5\", which is negative"),
        (
            "object,size\n1,99999999999999999999\n",
            "trace.size_column=size",
            "too large: give at most 18,446,744,073,709,551,615",
        ),
        ("object\n\u{1b}[31m7,8\n", "", "has the control character \\u{1b}"),
        ("7\n#8\n", "", ", line 2: the line begins with #"),
    ] {
        let (_folder, path) = file(content);
        for command in ["simulate", "compare", "bound"] {
            let set = if set.is_empty() { vec![] } else { vec!["--set", set] };
            let output = cache(&[&[command, &path, "--objects", "2"], &set[..]].concat());
            let told = text(&output.stderr);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
            assert!(told.contains(words), "{words}: {told}");
        }
    }
}

/// A capture that ends inside its second half, as a file of this name.
fn cut(folder: &tempfile::TempDir) -> String {
    let whole = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../experiments/themis/captures/mixed-programs.pcap"
    );
    let path = folder.path().join("cut.pcap");
    std::fs::write(&path, &std::fs::read(whole).unwrap()[..200_000]).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_cut_capture_is_used_up_to_its_end_which_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = cut(&folder);
    for (command, shown) in [
        (&["simulate"][..], "1,947"),
        (&["simulate", "--in-memory"], "1,947"),
        (&["compare"], "classical misses"),
        (&["bound", "--rounds", "1"], "no schedule is below"),
    ] {
        let output = cache(&[command, &[&path, "--objects", "10", "--z", "5"]].concat());
        let (out, told) = (text(&output.stdout), text(&output.stderr));
        assert!(out.contains(shown) && output.status.code() == Some(1), "{out}{told}");
        assert!(
            told.contains("error: the results cover only what comes before the damage: ")
                && told.contains("cut.pcap is cut off after 1,947 records, at byte "),
            "{told}"
        );
    }
    let scenario = folder.path().join("cut.toml");
    let toml = format!(
        "title = \"t\"\nscenario = \"delayed-hits\"\npolicies = [\"lru\"]\n[trace]\nkind = \
         \"capture\"\nfile = {path:?}\n[cache]\nobjects = 10\n"
    );
    std::fs::write(&scenario, toml).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let output = run.arg("run").arg(&scenario).arg("--out").arg(folder.path().join("out"));
    let output = output.output().unwrap();
    let told = text(&output.stderr);
    assert!(output.status.success() && told.contains("cut off after 1,947 records"), "{told}");
}

#[test]
fn a_capture_that_spans_too_long_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = cut(&folder);
    let mut file = std::fs::read(&path).unwrap();
    let second = 24 + 16 + u32::from_le_bytes(file[32..36].try_into().unwrap()) as usize;
    file[second + 3] ^= 0x80; // 2^31 seconds
    std::fs::write(&path, file).unwrap();
    for command in ["simulate", "bound", "compare"] {
        let output = cache(&[command, &path, "--objects", "10", "--latency", "10 ms"]);
        let told = text(&output.stderr);
        assert!(output.stdout.is_empty() && output.status.code() == Some(2), "{told}");
        let words = "in the order of time: it is more than 106 days after the first: cut the";
        assert!(told.contains(&format!("error: {path}, packet 1947 {words}")), "{told}");
    }
}

#[test]
fn a_header_in_the_middle_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.csv");
    std::fs::write(&path, "time,object\n1,a\ntime,object\n1,a\n").unwrap();
    let output = cache(&["simulate", path.to_str().unwrap(), "--objects", "3"]);
    let told = text(&output.stderr);
    assert!(told.contains("line 3: the line repeats the header of line 1: remove it"), "{told}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn pairs_are_compared() {
    let output = cache(&[
        "compare",
        "--policies",
        "lru,lfu",
        "--set",
        "trace.requests=5000",
        "--set",
        "trace.kind=zipf-bursts",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("MISLEADS"), "the legend at least");
}

#[test]
fn the_optimum_is_bounded_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("prices");
    let arguments = [
        "bound",
        "--set",
        "trace.requests=3000",
        "--set",
        "trace.kind=zipf-bursts",
        "--z",
        "50",
        "--objects",
        "60",
        "--checkpoint",
        checkpoint.to_str().unwrap(),
    ];
    let first = text(&cache(&arguments).stdout);
    assert!(first.contains("no schedule is below"), "{first}");
    assert!(std::fs::metadata(&checkpoint).unwrap().len() > 0);
    assert!(text(&cache(&arguments).stdout).contains("a schedule reaches"), "it goes on");
    std::fs::write(&checkpoint, "nonsense").unwrap();
    let refused = cache(&arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("remove it to begin anew"), "{}", text(&refused.stderr));
}

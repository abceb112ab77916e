//! `--view`, as users call it: a lab and a link are looked at and changed over real sockets, and
//! their recordings decided again. Where namespaces may not be made, a line says so.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)] // in the helpers, too, a failure is a failed test

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use forebay_dataplane::live::Namespace;
use serde_json::{Value, json};

fn forebay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forebay")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn allowed() -> bool {
    match Namespace::new() {
        Ok(_) => true,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("not tested: namespaces may not be made here");
            }
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// A view, as a client knows it.
struct View {
    host: String,
    token: String,
}

impl View {
    /// From what the program said.
    fn said(said: &str) -> Self {
        let (_, link) = said.split_once("http://").unwrap_or_else(|| panic!("no link: {said}"));
        let link = link.split_whitespace().next().unwrap();
        let (host, token) = link.split_once("/#").unwrap();
        View { host: host.to_owned(), token: token.to_owned() }
    }

    fn open(&self, line: &str, body: &str) -> BufReader<TcpStream> {
        let View { host, token } = self;
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        BufReader::new(stream)
    }

    fn ask(&self, line: &str, body: &str) -> Value {
        let mut answer = String::new();
        self.open(line, body).read_to_string(&mut answer).unwrap();
        let (_, object) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(object).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    fn change(&self, devices: &[u32], set: &[[&str; 2]]) -> Value {
        self.ask("POST /policy", &json!({ "devices": devices, "set": set }).to_string())
    }

    fn pictures(&self) -> impl Iterator<Item = Value> {
        let lines = self.open("GET /events", "").lines();
        lines.filter_map(|line| {
            Some(serde_json::from_str(line.unwrap().strip_prefix("data: ")?).unwrap())
        })
    }
}

struct Up(String);

impl Drop for Up {
    fn drop(&mut self) {
        let _ = forebay(&["switch", "down", &self.0]);
    }
}

#[test]
fn a_lab_is_seen_and_changed_and_decided_again_as_it_was() {
    if !allowed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let name = format!("test-view-{}", std::process::id());
    let up = forebay(&[
        "switch",
        "up",
        "star:3,10M,1ms",
        "--name",
        &name,
        "--record",
        run,
        "--view",
        "127.0.0.1:0",
        "--set",
        "switch=dt",
        "--set",
        "buffer=60 KB",
        "--set",
        "alpha=1",
    ]);
    assert!(up.status.success(), "{}", text(&up.stderr));
    let lab = Up(name.clone());
    let view = View::said(&text(&up.stderr));

    let about = view.ask("GET /about", "");
    assert_eq!(about["devices"][0]["ports"], json!(["h1", "h2", "h3"]));
    let policy = view.ask("GET /policy?device=0", "");
    let value = |policy: &Value, key: &str| {
        let all = policy["parameters"].as_array().unwrap().iter();
        all.filter(|one| one["key"] == key).map(|one| one["value"].clone()).next()
    };
    assert_eq!((&policy["switch"], value(&policy, "alpha")), (&json!("dt"), Some(json!("1"))));
    assert_eq!(value(&policy, "buffer"), Some(json!("60 KB")));

    // Both together more than the port to h3 can send, for some seconds, and without a process for
    // each packet.
    let send = "exec 3>/dev/udp/10.0.0.3/9 9<> <(:); for n in $(seq 500); do \
                for m in 1 2 3 4 5 6 7 8 9 10; do printf '%1200s' x >&3; done; \
                read -t 0.01 -u 9; done";
    let mut senders: Vec<_> = ["h1", "h2"]
        .map(|host| {
            let program = env!("CARGO_BIN_EXE_forebay");
            let words = ["switch", "exec", "--lab", &name, host, "--", "bash", "-c", send];
            Command::new(program).args(words).stderr(Stdio::null()).spawn().unwrap()
        })
        .into_iter()
        .collect();

    let mut pictures = view.pictures();
    let mut until = |what: &str, found: &dyn Fn(&Value) -> bool| {
        let mut all = pictures.by_ref().take(100);
        all.find(|picture| found(picture)).unwrap_or_else(|| panic!("not seen: {what}"))
    };
    let busy = until("flows", &|picture| {
        !picture["flows"].as_array().unwrap().is_empty()
            && !picture["devices"][0]["queues"].as_array().unwrap().is_empty()
    });
    assert_eq!(busy["devices"][0]["name"], "s1");
    let flow = busy["flows"][0]["flow"].as_str().unwrap();
    assert!(flow.contains("10.0.0.3") || flow == "not IP", "{flow}");
    let gauges = busy["devices"][0]["gauges"].as_array().unwrap();
    assert!(gauges.iter().any(|gauge| gauge["threshold"] == true), "{busy}");

    // What cannot be is said, and changes nothing.
    for (set, words) in [
        ([["alpha", "high"]], "\"high\" is not"),
        ([["alpah", "2"]], "there is no parameter `alpah`"),
        ([["switch", "dtt"]], "did you mean `dt`?"),
        ([["topology", "star:9,1M,1ms"]], "it cannot be changed"),
        ([["tree", "/etc/passwd"]], "it cannot be changed"),
        ([["link.loss", "1"]], "it cannot be changed"),
        ([["memory", "1 B"]], "it cannot be changed"),
        ([["buffer", "100 B"]], "a buffer of 100 B"),
    ] {
        let answer = view.change(&[0], &set);
        assert!(answer["error"].as_str().unwrap_or("").contains(words), "{set:?}: {answer}");
    }
    assert!(view.change(&[7], &[["alpha", "2"]])["error"].is_string());
    assert!(view.change(&[], &[["alpha", "2"]])["error"].is_string());
    let same = [["alpha", "2"], ["alpha", "3"]];
    assert!(view.change(&[0], &same)["error"].as_str().unwrap().contains("given twice"));
    assert_eq!(view.ask("GET /policy?device=0", ""), policy);

    assert!(view.change(&[0], &[["alpha", "2"]])["at"].is_number());
    let policy = view.ask("GET /policy?device=0", "");
    assert_eq!(
        (value(&policy, "alpha"), value(&policy, "buffer")),
        (Some(json!("2")), Some(json!("60 KB")))
    );
    let other = view.ask("GET /policy?device=0&switch=fq-codel", "");
    assert_eq!(other["is_other"], true);
    assert!(view.change(&[0], &[["switch", "fq-codel"], ["buffer", "20 KB"]])["at"].is_number());
    let changed = until("changes", &|picture| picture["changes"].as_array().unwrap().len() == 2);
    assert_eq!(changed["changes"][1]["set"][0], json!(["switch", "fq-codel"]));
    let fq = view.ask("GET /policy?device=0", "");
    assert_eq!((&fq["switch"], value(&fq, "buffer")), (&json!("fq-codel"), Some(json!("20 KB"))));
    for sender in &mut senders {
        sender.wait().unwrap();
    }
    let down = forebay(&["switch", "down", &name]);
    assert!(down.status.success(), "{}", text(&down.stderr));
    drop(lab);

    let again = forebay(&["replay", run]);
    let said = text(&again.stdout);
    assert!(again.status.success() && said.contains("identical"), "{said}{}", text(&again.stderr));
    let trace = folder.path().join("run.pftrace");
    let traced = forebay(&["replay", run, "--trace", trace.to_str().unwrap()]);
    assert!(traced.status.success(), "{}", text(&traced.stderr));
    let other = forebay(&["replay", run, "--switch", "drop-tail"]);
    assert!(text(&other.stdout).contains("open loop"), "{}", text(&other.stderr));
    // Whoever changes what was changed, decides otherwise.
    let changes = folder.path().join("run/changes.jsonl");
    let text_of = fs::read_to_string(&changes).unwrap();
    fs::write(&changes, text_of.replace("fq-codel", "dtt")).unwrap();
    let wrong = forebay(&["replay", run]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stdout));
    assert!(text(&wrong.stderr).contains("did you mean `dt`"), "{}", text(&wrong.stderr));
    fs::remove_file(&changes).unwrap();
    assert_eq!(forebay(&["replay", run]).status.code(), Some(1));
}

#[test]
fn a_link_is_seen_and_changed_and_decided_again_as_it_was() {
    if !allowed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    // The link is in a machine of its own; what shows it, in the one that it was started in.
    let script = "for n in $(seq 4000); do head -c 1200 /dev/zero > /dev/udp/$FOREBAY_FAR/9; done";
    let mut child = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(["link", "5M,2ms", "--far", "sleep 60", "--switch", "drop-tail", "--buffer", "30KB"])
        .args(["--record", run, "--view", "127.0.0.1:0", "--", "bash", "-c", script])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let view = View::said(&line);
    let mut pictures = view.pictures();
    let busy = pictures.by_ref().take(100).find(|picture| {
        picture["devices"][0]["queues"].as_array().is_some_and(|queues| !queues.is_empty())
    });
    assert_eq!(busy.unwrap()["devices"][0]["name"], "up");
    assert_eq!(view.ask("GET /policy?device=1", "")["switch"], "drop-tail");
    for (set, words) in [
        ([["rate", "1M"]], "it cannot be changed while the link runs"),
        ([["trace", "/etc/passwd"]], "it cannot be changed while the link runs"),
        ([["tree", "/etc/passwd"]], "it cannot be changed while the link runs"),
        ([["quantum", "0"]], "there is no parameter `quantum`"),
        ([["classes", "many"]], "from 1 to 256"),
    ] {
        let answer = view.change(&[0], &set);
        assert!(answer["error"].as_str().unwrap_or("").contains(words), "{set:?}: {answer}");
    }
    let changed = view.change(&[0, 1], &[["switch", "fq-codel"], ["buffer", "50 KB"]]);
    assert!(changed["at"].is_number(), "{changed}");
    let changed = view.change(&[0], &[["codel_target", "2 ms"]]);
    assert!(changed["at"].is_number(), "{changed}");
    assert_eq!(view.ask("GET /policy?device=1", "")["switch"], "fq-codel");
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{rest}");
    assert!(rest.contains("lateness of"), "{rest}");
    let again = forebay(&["replay", run]);
    let said = text(&again.stdout);
    assert!(again.status.success() && said.contains("identical"), "{said}{}", text(&again.stderr));
}

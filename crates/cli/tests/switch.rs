//! `forebay switch`, as users call it, with a folder for running labs that each test makes. Where
//! namespaces may not be made, a line says so.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)] // in the helpers, too, a failure is a failed test

use std::fs;
use std::io;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use forebay_dataplane::live::Namespace;

/// A lab's name that no other test, and no other run of this one, uses.
fn name(of: &str) -> String {
    format!("test-{of}-{}", std::process::id())
}

fn forebay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forebay")).arg("switch").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether namespaces may be made, and labs' files written.
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

/// A lab that is taken down at the end, however the test ends.
struct Up(String);

impl Up {
    fn new(of: &str, arguments: &[&str]) -> Self {
        let name = name(of);
        let all = [&["up"], arguments, &["--name", &name]].concat();
        let done = forebay(&all);
        assert!(done.status.success(), "{}", text(&done.stderr));
        assert!(
            text(&done.stderr).contains("try: forebay switch exec h1"),
            "{}",
            text(&done.stderr)
        );
        Up(name)
    }

    fn exec(&self, host: &str, command: &[&str]) -> Output {
        let lab = self.0.as_str();
        forebay(&[&["exec", "--lab", lab, host, "--"], command].concat())
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = forebay(&["down", &self.0]);
    }
}

#[test]
fn a_lab_is_made_entered_asked_and_taken_down() {
    if !allowed() {
        return;
    }
    let lab = Up::new("whole", &["star:3,100M,1ms", "--set", "switch=occamy"]);
    let shown = lab.exec("h2", &["sh", "-c", "cat /proc/net/dev /etc/hosts; exit 7"]);
    let out = text(&shown.stdout);
    assert_eq!(shown.status.code(), Some(7), "{}", text(&shown.stderr));
    assert!(out.contains("eth0:") && out.contains("10.0.0.3 h3"), "{out}");

    let script = "exec 3<>/dev/tcp/h1/7; echo hello >&3";
    let refused = lab.exec("h3", &["bash", "-c", script]);
    assert!(text(&refused.stderr).contains("refused"), "it is reached: {}", text(&refused.stderr));

    let status = forebay(&["status", &lab.0]);
    assert!(text(&status.stdout).contains("s1") && status.status.success());
    let json = forebay(&["status", &lab.0, "--json"]);
    assert!(text(&json.stdout).trim().ends_with('}'), "{}", text(&json.stdout));
    assert!(text(&forebay(&["status"]).stdout).contains(&lab.0));

    let taken = forebay(&["up", "star:2,1M,1ms", "--name", &lab.0]);
    assert_eq!(taken.status.code(), Some(1));
    assert!(text(&taken.stderr).contains("runs already"), "{}", text(&taken.stderr));

    let down = forebay(&["down", &lab.0]);
    assert!(down.status.success(), "{}", text(&down.stderr));
    assert!(text(&down.stderr).contains("lateness of"), "{}", text(&down.stderr));
    let gone = forebay(&["exec", "--lab", &lab.0, "h1", "--", "true"]);
    assert_eq!(gone.status.code(), Some(2), "{}", text(&gone.stderr));
}

#[test]
fn after_a_kill_the_name_is_free_and_nothing_is_left() {
    if !allowed() {
        return;
    }
    let name = name("killed");
    let mut child = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(["switch", "star:2,10M,1ms", "--name", &name])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while !text(&forebay(&["status"]).stdout).contains(&name) {
        assert!(begin.elapsed() < Duration::from_secs(20), "it does not begin");
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!text(&forebay(&["status"]).stdout).contains(&name));
    let _again = Up(name.clone());
    let left = fs::read_dir(forebay_dataplane::live::folder().unwrap()).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = left.filter(|file| file.starts_with(&name)).collect();
    assert!(left.is_empty(), "{left:?}");
    let up = forebay(&["up", "star:2,10M,1ms", "--name", &name]);
    assert!(up.status.success(), "{}", text(&up.stderr));
}

#[test]
fn a_lab_that_is_stopped_while_it_begins_is_not_left_behind() {
    if !allowed() {
        return;
    }
    let lab = Up(name("stopped"));
    let mut up = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(["switch", "up", "star:32,10M,1ms", "--name", &lab.0])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // From then on it listens.
    let log = forebay_dataplane::live::folder().unwrap().join(format!("{}.log", lab.0));
    let begin = Instant::now();
    while !log.exists() && up.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it does not begin");
        thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &up.id().to_string()]).status().unwrap().success());
    let done = up.wait_with_output().unwrap();
    // However soon it stood: whoever is told of a failure has no lab.
    let stands = text(&forebay(&["status"]).stdout).contains(&lab.0);
    assert_eq!(stands, done.status.success(), "{}", text(&done.stderr));
    assert!(stands || done.status.code() == Some(130), "{}", text(&done.stderr));
    assert!(stands || !log.exists(), "its log is left");
}

#[test]
fn what_is_wrong_is_said_of_its_key_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lab.toml");
    let file = path.to_str().unwrap();
    let good = "topology = \"leaf-spine:2x2x2,100M,100M,100us\"\nswitch = \"dt\"\n";
    for (more, set, expected) in [
        ("bufer = \"10 KB\"", "", "lab.toml:3:1\n"),
        ("bufer = \"10 KB\"", "", "there is no key `bufer`\n"),
        ("bufer = \"10 KB\"", "", "fix: did you mean `buffer`?"),
        ("buffer = \"10 parsecs\"", "", "\"10 parsecs\" is not a size"),
        ("buffer = \"100 B\"", "", "buffer: a buffer of 100 B"),
        ("", "forwarding=learning", "forward by routes"),
        ("", "forwarding=magic", "magic"),
        ("", "link.los=3", "there is no parameter `los`; did you mean `loss`?"),
        ("", "link.loss=3", "3 is not a number between 0 and 1"),
        ("", "link.jitter=3ms", "at most the shortest delay of the topology, 100 us"),
        ("", "link.rate=3M", "it is the topology's"),
        ("[link]\nloss = [1]", "", "link.loss: give a number, or a text in quotes"),
        ("", "mtu=30", "give a whole number from 68 to 65,535"),
        ("", "card_buffer=1 KB", "it holds no full frame"),
        ("", "memory=1 KB", "no full frame fits into 1 KB: give at least 1.646 KB"),
        ("memory = \"1 KB\"", "", ": memory: no full frame fits into 1 KB"),
        // Nothing of how the file is read.
        ("buffer = 5", "", "give it in quotes, with its unit"),
        ("", "buffer=5", "give it in quotes, with its unit"),
        ("mtu = 99999999999", "", "give a whole number from 68 to 65,535"),
        ("mtu = \"1500\"", "", "give a whole number from 68 to 65,535"),
        ("classes = 0.5", "", "give a whole number from 1 to 256"),
        ("", "switch=dtt", "there is no switch `dtt`; did you mean `dt`?"),
        ("", "class=dscp +", "column 7"),
        ("", "classes=300", "give a whole number from 1 to 256"),
        ("", "topology=star:2000,1G,1us", "2000 hosts are too many"),
        ("", "topology=nowhere.topo", "it cannot be read"),
        ("", "tree=nowhere.tree", "tree"),
        ("", "ports.eth1=s9", "the switches are s1 to s4"),
        ("", "ports.eth1=s1,fast", "\"fast\" is not a rate"),
        ("", "ports.eth1=s1,0 Gb/s", "give a higher rate"),
        ("", "ports.eth1=s1,1G,1us,2", "write the switch, the rate and"),
        ("[ports]\neth1 = \"s1\"", "", "forwarding: nobody knows which addresses"),
        ("[ports]\neth1 = \"s1\"", "", "no route leads there: take a topology without loops"),
        ("", "alpah=2", "there is no parameter `alpah`; did you mean `alpha`?"),
        ("", "parameters.alpha=high", "\"high\" is not"),
        ("", "parameters.s9.alpha=2", "the switches are s1 to s4"),
        ("", "alpha.beta=2", "there is no parameter `alpha.beta`"),
        ("", "cell=0", "--set cell=0: "),
        ("", "s2.cell=0", "--set s2.cell=0: "),
        ("[parameters]\nalpah = 2", "", "parameters.alpah: there is no parameter `alpah`"),
        ("[parameters]\nalpha = \"high\"", "", "parameters.alpha: \"high\" is not"),
        ("[parameters]\nalpha = [2]", "", "parameters.alpha: give a number"),
        ("[parameters.s1]\nalpha = -1", "", "parameters.s1.alpha: "),
        ("[parameters.s5]\nalpha = 1", "", "parameters.s5.alpha: the switches are s1 to s4"),
        ("[parameters]\ncell = 0", "", "parameters.cell: "),
        ("[parameters]\nalpha = 1", "alpha.beta=2", "parameters.alpha is no group of parameters"),
        ("buffer = \"1 MB\"\n[parameters]\npool = \"2 MB\"", "", "it is given as buffer, too"),
    ] {
        fs::write(&path, format!("{good}{more}\n")).unwrap();
        let set: Vec<&str> = if set.is_empty() { vec![] } else { vec!["--set", set] };
        let done = forebay(&[&[file], set.as_slice()].concat());
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{more} {set:?}: {said}");
        assert!(said.contains(expected), "{more} {set:?}: {said}");
        assert!(said.starts_with("error: "), "{said}");
        // What was set is blamed, not the file.
        assert_eq!(said.contains("--set "), !set.is_empty(), "{more} {set:?}: {said}");
    }
    let done = forebay(&["star:4,100M"]);
    let said = text(&done.stderr);
    assert!(said.starts_with("error: star:4,100M: there are too few"), "{said}");
    for (set, expected) in [
        (["mtu=1400", "mtu=1500"], "--set mtu=1500: it is set twice"),
        (
            ["swich=dt", "mtu=1500"],
            "--set swich=dt: there is no parameter `swich`; did you mean `switch`?",
        ),
        (["mtu=many", "switch=dt"], "--set mtu=many: "),
        (["link=5", "switch=dt"], "--set link=5: "),
    ] {
        let done = forebay(&["star:2,1M,1ms", "--set", set[0], "--set", set[1]]);
        assert!(text(&done.stderr).contains(expected), "{}", text(&done.stderr));
    }
    let unnamed = forebay(&[file, "--name", "a/b"]);
    assert!(
        text(&unnamed.stderr).contains("cannot be the name of a lab"),
        "{}",
        text(&unnamed.stderr)
    );
}

#[test]
fn a_recorded_lab_is_decided_again_and_by_another_policy() {
    if !allowed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (folder.path().join("lab.toml"), folder.path().join("run"));
    let written = "topology = \"star:3,20M,1ms\"\nswitch = \"occamy\"\nbuffer = \"40 KB\"\n\
                [parameters]\nalpha = 0.5\n[parameters.s1]\nalpha = 1\n";
    fs::write(&file, written).unwrap();
    let (file, run) = (file.to_str().unwrap(), run.to_str().unwrap());
    let lab = Up::new("recorded", &[file, "--record", run, "--set", "link.loss=0.01"]);
    let send = "for n in $(seq 400); do head -c 1200 /dev/zero > /dev/udp/10.0.0.3/9; done";
    for host in ["h1", "h2"] {
        assert!(lab.exec(host, &["bash", "-c", send]).status.success());
    }
    let down = forebay(&["down", &lab.0]);
    assert!(down.status.success(), "{}", text(&down.stderr));

    let replay = |more: &[&str]| {
        let program = env!("CARGO_BIN_EXE_forebay");
        Command::new(program).args(["replay", run]).args(more).output().unwrap()
    };
    let again = replay(&[]);
    let said = text(&again.stdout);
    assert!(again.status.success(), "{said}{}", text(&again.stderr));
    assert!(said.contains("identical") && said.contains("lost (wire)"), "{said}");

    let trace = folder.path().join("run.pftrace");
    // What was set of the recorded switch says nothing about another.
    let other =
        replay(&["--switch", "drop-tail", "--buffer", "10KB", "--trace", trace.to_str().unwrap()]);
    let said = text(&other.stdout);
    assert!(other.status.success(), "{said}{}", text(&other.stderr));
    assert!(said.contains("open loop") && !said.contains("identical"), "{said}");
    assert!(fs::metadata(&trace).unwrap().len() > 1_000);

    let wrong = replay(&["--switch", "dtt"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
    let speed = replay(&["--speed", "2"]);
    assert_eq!(speed.status.code(), Some(2), "{}", text(&speed.stderr));

    let decisions = folder.path().join("run/decisions.csv");
    let changed = fs::read_to_string(&decisions).unwrap().replacen(",left,", ",lost,", 1);
    fs::write(&decisions, changed).unwrap();
    let differs = replay(&[]);
    assert_eq!(differs.status.code(), Some(1), "{}", text(&differs.stdout));
    assert!(text(&differs.stdout).contains("and is now"), "{}", text(&differs.stdout));

    let again = forebay(&[file, "--record", run, "--name", &name("twice")]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again.stderr));
    assert!(text(&again.stderr).contains("not empty"), "{}", text(&again.stderr));
}

#[test]
fn tcp_between_hosts_is_routed_packet_by_packet_and_recorded_so() {
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    if !allowed() || !has_python {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("not tested: it needs namespaces and python3");
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (folder.path().join("sent"), folder.path().join("run"));
    let sent: String = (0..500_000).map(|number| format!("{number} ")).collect();
    fs::write(&file, &sent).unwrap();
    let run = run.to_str().unwrap();
    let shape = "leaf-spine:2x2x2,1G,1G,20us";
    let set = ["--set", "switch=occamy", "--set", "buffer=400 KB", "--set", "link.loss=0.0005"];
    let lab = Up::new("tcp", &[&[shape, "--record", run], &set[..]].concat());
    // It takes one connection, and gives all that comes back to the test.
    let serve = "import socket, sys\n\
                 all = socket.create_server(('', 7000)).accept()[0].makefile('rb').read()\n\
                 sys.stdout.buffer.write(all)";
    let send =
        format!("until cat {} > /dev/tcp/h4/7000; do sleep 0.1; done 2>/dev/null", file.display());
    let came = thread::scope(|scope| {
        let served = scope.spawn(|| lab.exec("h4", &["timeout", "60", "python3", "-c", serve]));
        let sent = lab.exec("h1", &["timeout", "60", "bash", "-c", &send]);
        assert!(sent.status.success(), "{}", text(&sent.stderr));
        served.join().unwrap()
    });
    assert!(text(&came.stdout) == sent, "{} bytes, {}", came.stdout.len(), text(&came.stderr));
    let json = text(&forebay(&["status", &lab.0, "--json"]).stdout);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let card = report["devices"].as_array().unwrap().iter().find(|one| one["device"] == "h1");
    let arrived = card.unwrap()["arrived"]["frames"].as_u64().unwrap();
    // 1448 bytes in each.
    assert!(arrived >= sent.len() as u64 / 1_448, "{json}");
    let down = forebay(&["down", &lab.0]);
    assert!(down.status.success(), "{}", text(&down.stderr));
    let again = Command::new(env!("CARGO_BIN_EXE_forebay")).args(["replay", run]).output().unwrap();
    let said = text(&again.stdout);
    assert!(again.status.success() && said.contains("identical"), "{said}{}", text(&again.stderr));
}

#[test]
fn a_name_that_is_a_path_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.log");
    fs::write(&file, "precious").unwrap();
    let name = format!("../..{}", folder.path().join("data").display());
    let done = forebay(&["up", "star:2,100M,1ms", "--name", &name]);
    assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn an_interface_of_the_machine_is_a_port_until_it_is_gone() {
    if !allowed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let name = name("port");
    // A machine of its own, whose only interface is the end of a link; it goes with the link.
    let machine = Namespace::new().unwrap();
    let script = "for n in $(seq 150); do echo > /dev/udp/$FOREBAY_FAR/9; sleep 0.02; done";
    let worked = machine.within(|| {
        let program = env!("CARGO_BIN_EXE_forebay");
        let words = ["link", "100M,1ms", "--", "bash", "-c", script];
        let mut link = Command::new(program).args(words).stderr(Stdio::null()).spawn()?;
        let begin = Instant::now();
        let up = loop {
            let up = forebay(&[
                "up",
                "star:2,50M,1ms",
                "--port",
                "forebay0=s1,20M",
                "--record",
                run,
                "--name",
                &name,
            ]);
            if up.status.success() {
                break up;
            }
            let said = text(&up.stderr);
            assert!(said.contains("error: the port forebay0: "), "{said}");
            assert!(begin.elapsed() < Duration::from_secs(20), "{said}");
            thread::sleep(Duration::from_millis(20));
        };
        let _lab = Up(name.clone());
        assert!(text(&up.stderr).contains("2 hosts"), "{}", text(&up.stderr));
        link.wait()?;
        let json = text(&forebay(&["status", &name, "--json"]).stdout);
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        let switch = &report["devices"][0];
        let frames = |way: &str, port: usize| switch[way][port]["frames"].as_u64().unwrap();
        assert!(frames("received", 2) > 20 && frames("sent", 0) > 20, "{json}");
        Ok(())
    });
    worked.unwrap();
    let program = env!("CARGO_BIN_EXE_forebay");
    let again = Command::new(program).args(["replay", run]).output().unwrap();
    let said = text(&again.stdout);
    assert!(again.status.success() && said.contains("identical"), "{said}{}", text(&again.stderr));
}

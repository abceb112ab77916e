//! `forebay proxy` as a process: an origin, a proxy in front of it, `kill -9` and what is left.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

struct Process {
    child: Child,
    address: String,
}

impl Process {
    /// Starts the command and waits until it says where it listens.
    fn start(arguments: &[&str]) -> Self {
        let (child, address) = start(arguments, 1);
        Process { child, address }
    }

    /// `GET path`: the answer's header and body, if it is whole.
    fn get(&self, path: &str) -> Option<(String, Vec<u8>)> {
        get(&self.address, "a.example", path)
    }
}

/// Starts a command and waits until it has said so many addresses; the last one.
fn start(arguments: &[&str], addresses: usize) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(arguments)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    for _ in 0..addresses {
        line.clear();
        // Warnings may come first, as of a damaged index.
        while !line.contains("127.0.0.1:") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended: {arguments:?}");
        }
    }
    // What it says later is read and dropped, so that it never waits for us.
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    let word = line.split([' ', ',']).find(|word| word.contains("127.0.0.1:"));
    let address = word.unwrap().trim_start_matches("http://").trim_end_matches('/');
    (child, address.to_owned())
}

fn get(address: &str, host: &str, path: &str) -> Option<(String, Vec<u8>)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all).ok()?;
    let end = all.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let header = String::from_utf8_lossy(&all[..end]).to_ascii_lowercase();
    let length = header.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let body = all[end..].to_vec();
    (body.len() == length.trim().parse::<usize>().ok()?).then_some((header, body))
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn origin() -> Process {
    Process::start(&["proxy", "origin", "--listen", "127.0.0.1:0", "--delay", "1 ms"])
}

/// Whether `body` is one the origin gives for `path`: the same line over and over.
fn is_right(path: &str, body: &[u8], size: usize) -> bool {
    let text = String::from_utf8_lossy(body);
    let Some(line) = text.lines().next() else { return false };
    let number = line.strip_prefix(&format!("{path} answer "));
    let whole = number.is_some_and(|number| number.parse::<u64>().is_ok());
    let line = format!("{line}\n");
    whole
        && body.len() == size
        && line.bytes().cycle().zip(body).all(|(right, found)| right == *found)
}

/// An address where nobody listens.
fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn top_says_of_an_address_that_is_none_to_look_at_that_it_is_none() {
    let origin = origin();
    let url = format!("http://{}", origin.address);
    let proxy = Process::start(&["proxy", "--origin", &url, "--listen", "127.0.0.1:0"]);
    let mut top = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let said = top.args(["proxy", "top", "--once", &proxy.address]).output().unwrap();
    assert_eq!(said.status.code(), Some(1));
    let text = String::from_utf8_lossy(&said.stderr);
    assert!(text.contains("it is no looking address"), "{text}");
    assert!(text.contains("give its looking address") && !text.contains("os error"), "{text}");
}

#[test]
fn the_two_minutes_of_the_book() {
    let options = ["proxy", "origin", "--listen", "127.0.0.1:0", "--delay", "100 ms"];
    let origin = Process::start(&options);
    let url = format!("http://{}", origin.address);
    let listen = free();
    let (child, admin) =
        start(&["proxy", "--origin", &url, "--listen", &listen, "--admin", "127.0.0.1:0"], 2);
    let proxy = Process { child, address: listen };
    // Each line as the book has it; the seconds between are few.
    let book = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proxy.md");
    let book = std::fs::read_to_string(book).unwrap();
    let (first, body) = proxy.get("/a").unwrap();
    let line = first.lines().find(|line| line.starts_with("cache-status")).unwrap();
    assert_eq!(line, "cache-status: forebay; fwd=uri-miss; fwd-status=200; stored; ttl=3599");
    assert!(book.contains(&format!("`{line}` is printed")), "{line}");
    let (second, same) = proxy.get("/a").unwrap();
    let line = second.lines().find(|line| line.starts_with("cache-status")).unwrap();
    assert!(line.starts_with("cache-status: forebay; hit; ttl=35"), "{line}");
    assert!(book.contains("`cache-status: forebay; hit; ttl=3599`"));
    assert_eq!(body, same);
    // Something new, fifty at a time: one fetch for all.
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| proxy.get("/new").unwrap());
        }
    });
    let (_, metrics) = get(&admin, &admin, "/metrics").unwrap();
    let metrics = String::from_utf8(metrics).unwrap();
    let count = |name: &str| -> u64 {
        let line = metrics.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (hits, late) =
        (count("forebay_cache_hits_total "), count("forebay_cache_delayed_hits_total "));
    assert_eq!((hits + late, count("forebay_cache_misses_total ")), (50, 2), "{metrics}");
}

#[test]
fn killed_at_any_moment_it_serves_nothing_wrong_afterwards() {
    const SIZE: usize = 150_000;
    let origin = origin();
    let url = format!("http://{}", origin.address);
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache").display().to_string();
    let options = [
        "proxy",
        "--origin",
        &url,
        "--listen",
        "127.0.0.1:0",
        "--folder",
        &cache,
        "--size",
        "10 MB",
    ];
    let path = |number: usize| format!("/{number}?size={SIZE}");
    let mut hits = 0;
    for round in 0..6 {
        let proxy = Process::start(&options);
        let killed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for client in 0..4 {
                let (proxy, killed) = (&proxy, &killed);
                scope.spawn(move || {
                    for number in (0..).map(|step| (step * 7 + client * 13) % 40) {
                        if killed.load(Ordering::Relaxed) {
                            return;
                        }
                        // An answer that the kill cut off is no wrong one.
                        if let Some((_, body)) = proxy.get(&path(number)) {
                            assert!(is_right(&path(number), &body, SIZE), "round {round}");
                        }
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(100 + 70 * round));
            let id = proxy.child.id().to_string();
            assert!(Command::new("kill").args(["-9", &id]).status().unwrap().success());
            killed.store(true, Ordering::Relaxed);
        });
        drop(proxy);
        let proxy = Process::start(&options);
        for number in 0..40 {
            let (header, body) = proxy.get(&path(number)).unwrap();
            assert!(is_right(&path(number), &body, SIZE), "round {round}: {header}");
            hits += usize::from(header.contains("forebay; hit"));
        }
    }
    assert!(hits > 20, "{hits} of 240 survived");
}

#[test]
fn a_configuration_is_read_again_and_ctrl_c_ends_it_with_success() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proxy.toml");
    let text = |path: &str| {
        let url = &origin.address;
        format!("listen = \"127.0.0.1:0\"\n[[origin]]\nurl = \"http://{url}\"\npath = \"{path}\"\n")
    };
    std::fs::write(&file, text("/one")).unwrap();
    let name = file.display().to_string();
    let mut proxy = Process::start(&["proxy", &name]);
    let status = |proxy: &Process, path: &str| {
        proxy.get(path).map(|(header, _)| header.split(' ').nth(1).unwrap().to_owned())
    };
    assert_eq!(status(&proxy, "/two").as_deref(), Some("404"));
    std::fs::write(&file, text("/two")).unwrap();
    let id = proxy.child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    let mut found = None;
    for _ in 0..1000 {
        found = status(&proxy, "/two");
        if found.as_deref() == Some("200") {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(found.as_deref(), Some("200"));
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(proxy.child.wait().unwrap().success());
}

/// All files below a folder.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_damaged_folder_serves_nothing_wrong() {
    const SIZE: usize = 100_000;
    let origin = origin();
    let url = format!("http://{}", origin.address);
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().display().to_string();
    let options = ["proxy", "--origin", &url, "--listen", "127.0.0.1:0", "--folder", &cache];
    let path = |number: usize| format!("/{number}?size={SIZE}");
    for round in 0..4 {
        let mut proxy = Process::start(&options);
        let mut hits = 0;
        for number in 0..20 {
            // A body that turns out to be damaged late ends early, and is fetched the next time.
            let got = proxy.get(&path(number)).or_else(|| proxy.get(&path(number)));
            let (header, body) = got.unwrap();
            assert!(is_right(&path(number), &body, SIZE), "round {round}: {header}");
            hits += usize::from(header.contains("forebay; hit"));
        }
        assert!(round == 0 || hits > 0 && hits < 20, "round {round}: {hits} hits");
        let id = proxy.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert!(proxy.child.wait().unwrap().success());
        // The index loses its end, and half of the bodies a byte or their end.
        let index = folder.path().join("index");
        let bytes = std::fs::read(&index).unwrap();
        std::fs::write(&index, &bytes[..bytes.len() - 300]).unwrap();
        for (number, body) in files(&folder.path().join("bodies")).iter().enumerate() {
            let mut bytes = std::fs::read(body).unwrap();
            match number % 4 {
                0 => bytes[SIZE - 1 - number] ^= 1,
                1 => bytes.truncate(SIZE / 2),
                _ => continue,
            }
            std::fs::write(body, bytes).unwrap();
        }
    }
}

#[test]
fn top_shows_what_a_proxy_does_and_says_where_none_is() {
    let origin = origin();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (url, admin) = (format!("http://{}", origin.address), free.to_string());
    let top = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command.args(["proxy", "top", &admin]).output().unwrap()
    };
    let none = top();
    assert_eq!(none.status.code(), Some(1));
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(said.contains(&admin) && said.contains("--admin"), "{said}");
    let options =
        ["proxy", "--origin", &url, "--listen", "127.0.0.1:0", "--admin", &admin, "--size", "1 MB"];
    let proxy = Process::start(&options);
    for _ in 0..3 {
        proxy.get("/a").unwrap();
    }
    let shown = String::from_utf8_lossy(&top().stdout).into_owned();
    for said in ["lru-mad, 1 MB: 1 answers", "requests/s", "what if", "lru ", " s  a.example/a"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let page = Process { child: Command::new("true").spawn().unwrap(), address: admin };
    // By its address: the page; by a name that is not this machine's: nothing.
    let mut stream = TcpStream::connect(&page.address).unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", page.address);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("default-src 'none'") && answer.contains("/proxy.js"), "{answer}");
    assert!(page.get("/").is_none_or(|(header, _)| header.contains("403")));
}

#[test]
#[cfg(target_os = "linux")]
fn an_access_log_that_cannot_be_written_is_said_counted_and_a_failure() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("requests.csv");
    // Files have at most 1 or 2 KiB (a shell counts blocks of 512 bytes or of 1024), and writes
    // beyond that fail.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$@\"";
    let mut child = Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_forebay"), "proxy"])
        .args(["--origin", &format!("http://{}", origin.address)])
        .args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--access-log"])
        .arg(&log)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stderr.take().unwrap());
    let mut lines = said.lines().map(Result::unwrap);
    let mut address = || {
        let line = lines.next().unwrap();
        let word = line.split([' ', ',', '/']).find(|word| word.contains("127.0.0.1:"));
        word.unwrap().to_owned()
    };
    let (proxy, admin) = (address(), address());
    let mut proxy = Process { child, address: proxy };
    for number in 0..150 {
        proxy.get(&format!("/{}", number % 10)).unwrap();
    }
    let first = lines.find(|line| line.starts_with("error: ")).unwrap();
    assert!(first.contains("requests.csv cannot be written"), "{first}");
    let mut stream = TcpStream::connect(admin).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
    let mut metrics = String::new();
    stream.read_to_string(&mut metrics).unwrap();
    let counted = metrics.lines().find(|line| line.starts_with("forebay_access_log_write_errors"));
    assert!(counted.is_some_and(|line| !line.ends_with(" 0")), "{counted:?}");
    let id = proxy.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let last = lines.last().unwrap();
    assert!(last.contains("are missing in it"), "{last}");
    assert_eq!(proxy.child.wait().unwrap().code(), Some(1));
    // What is there is whole.
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(
        text.lines().all(|line| line.split(',').count() == 4) && text.ends_with('\n'),
        "{text}"
    );
}

#[test]
fn load_reads_compressed_traces_and_names_what_is_none() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("requests.csv");
    std::fs::write(&trace, "time,object\n0.0,1\n0.01,2\n").unwrap();
    assert!(Command::new("gzip").arg(&trace).status().unwrap().success());
    let load = |path: &std::path::Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command.args(["proxy", "load", "--to", &origin.address]).arg(path).output().unwrap()
    };
    let output = load(&folder.path().join("requests.csv.gz"));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("requests 2, not answered by 200 0"), "{shown}");
    let other = folder.path().join("a.parquet");
    std::fs::write(&other, b"PAR1\0\0\0\0").unwrap();
    let output = load(&other);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a.parquet, byte 0: it is a Parquet table"), "{said}");
}

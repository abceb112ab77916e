//! Reassembled streams are byte-exact: the shipped captures against each other, and against tshark,
//! with those of a folder of one's own (`make tshark CAPTURES=FOLDER`; it needs tshark, so no other
//! run of the tests includes it).

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use forebay_surge_processors::tcp::{
    Event, ListStore, Overlap, Reassembler, ReassemblyConfig, Segment, SegmentStore, TcpFields,
    TreeStore,
};
use forebay_surge_processors::{Packet, read_packets};
use forebay_workload::CaptureLimits;

/// From whom, to whom.
type Streams = BTreeMap<(SocketAddr, SocketAddr), Vec<u8>>;

/// By tshark's policy for overlaps: the bytes of each directed pair of ends, one connection after
/// another; holes as tshark writes them (with a zero byte).
fn reassembled<S: SegmentStore>(packets: &[Packet], holes: bool) -> Streams {
    let config = ReassemblyConfig { overlap: Overlap::Bsd, ..ReassemblyConfig::default() };
    let mut reassembler: Reassembler<S> = Reassembler::new(config).unwrap();
    let mut streams = Streams::new();
    for segment in packets.iter().filter_map(Packet::segment) {
        reassembler.process(&segment, |stream, event| {
            let out = streams.entry((stream.from, stream.to)).or_default();
            match event {
                Event::Data(data) => out.extend_from_slice(data),
                Event::Missing(count) if holes => {
                    out.extend(format!("[{count} bytes missing in capture file]\0").bytes());
                }
                Event::Missing(_) | Event::Finished | Event::Reset => {}
            }
        });
    }
    streams.retain(|_, data| !data.is_empty());
    streams
}

#[test]
fn the_shipped_captures_hold_the_same_streams() {
    let read = |name: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
        read_packets(std::fs::File::open(file).unwrap(), name, CaptureLimits::default()).unwrap()
    };
    let (ordered, disordered) = (read("made-web.pcap"), read("made-disorder.pcap"));
    assert_eq!((ordered.left_out, ordered.cut, &ordered.warnings[..]), (0, 0, &[][..]));
    let streams = reassembled::<ListStore>(&ordered.packets, true);
    assert_eq!(streams.len(), 24);
    assert_eq!(streams, reassembled::<ListStore>(&disordered.packets, true));
    assert_eq!(streams, reassembled::<TreeStore>(&disordered.packets, true));
    for ((from, _), text) in streams {
        let begin: &[u8] = if from.port() == 80 { b"HTTP/1.1 200 OK" } else { b"GET /" };
        assert!(text.starts_with(begin));
    }
}

/// A stream from one address to another in pieces, with what the receiver acknowledges after each;
/// what comes out.
fn told(window: u64, pieces: &[(u32, usize, u32)]) -> (Vec<u64>, u64) {
    let config = ReassemblyConfig { window, ..ReassemblyConfig::default() };
    let mut reassembler: Reassembler<ListStore> = Reassembler::new(config).unwrap();
    let (here, there) = ("10.0.0.1:1".parse().unwrap(), "10.0.0.2:2".parse().unwrap());
    let (mut holes, mut bytes) = (Vec::new(), 0);
    for &(seq, length, ack) in pieces {
        let data = vec![b'x'; length];
        let fields = TcpFields { seq, ..TcpFields::default() };
        let answer = TcpFields { ack: Some(ack), ..TcpFields::default() };
        for (source, destination, fields, payload) in
            [(here, there, fields, data.as_slice()), (there, here, answer, &[])]
        {
            reassembler.process(&Segment { source, destination, fields, payload }, |_, event| {
                match event {
                    Event::Data(data) => bytes += data.len() as u64,
                    Event::Missing(count) => holes.push(count),
                    Event::Finished | Event::Reset => {}
                }
            });
        }
    }
    (holes, bytes)
}

#[test]
fn what_comes_in_order_is_never_too_far_ahead() {
    let pieces: Vec<_> = (0..20).map(|n| (n * 20_000, 20_000, (n + 1) * 20_000)).collect();
    assert_eq!(told(16_384, &pieces), (vec![], 400_000));
}

#[test]
fn a_hole_wider_than_the_window_is_passed_when_it_is_acknowledged() {
    let lost = 30_000;
    let pieces = |acknowledged: bool| -> Vec<_> {
        let ack = |n: u32| if acknowledged { lost + (n + 1) * 1_000 } else { 10_000 };
        let before = (0..10).map(|n| (n * 1_000, 1_000, (n + 1) * 1_000));
        before.chain((0..100).map(|n| (lost + n * 1_000, 1_000, ack(n)))).collect()
    };
    // The first one behind the hole is refused before it is acknowledged, and so is missing, too.
    let (holes, bytes) = told(16_384, &pieces(true));
    assert_eq!((holes.iter().sum::<u64>() + bytes, bytes), (130_000, 109_000));
    assert_eq!(told(16_384, &pieces(false)), (vec![], 10_000));
}

fn tshark(file: &Path, arguments: &[&str]) -> Option<String> {
    let out = Command::new("tshark").arg("-r").arg(file).args(arguments).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

/// What tshark's "follow" says of every stream.
fn followed(file: &Path) -> Option<Streams> {
    let numbers = tshark(file, &["-T", "fields", "-e", "tcp.stream"])?;
    let count = numbers.lines().filter_map(|line| line.parse::<u32>().ok()).max();
    let mut streams = Streams::new();
    for number in 0..count.map_or(0, |last| last + 1) {
        let text = tshark(file, &["-q", "-z", &format!("follow,tcp,raw,{number}")])?;
        let node = |which: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(which)).unwrap();
            line.parse::<SocketAddr>().unwrap()
        };
        let (client, server) = (node("Node 0: "), node("Node 1: "));
        for line in text.lines().skip_while(|line| !line.starts_with("Node 1")).skip(1) {
            if line.starts_with('=') {
                break;
            }
            let pair = if line.starts_with('\t') { (server, client) } else { (client, server) };
            let digits = line.trim();
            let bytes = (0..digits.len() / 2)
                .map(|at| u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).unwrap());
            streams.entry(pair).or_default().extend(bytes);
        }
    }
    Some(streams)
}

/// The captures in a folder, by name.
fn captures(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "pcap" || e == "pcapng"));
    files.sort();
    assert!(!files.is_empty(), "there are no captures in {}", folder.display());
    files
}

#[test]
#[ignore = "needs tshark: make tshark"]
fn captures_give_the_bytes_that_tshark_gives() {
    let mut files = captures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data"));
    if let Some(folder) = std::env::var_os("FOREBAY_EXTRA_CAPTURES").filter(|f| !f.is_empty()) {
        files.extend(captures(Path::new(&folder)));
    }
    let mut differences = Vec::new();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let open = std::fs::File::open(file).unwrap();
        let packets = read_packets(open, &name, CaptureLimits::default()).unwrap();
        // Of packets that were cut tshark omits the rest without a word.
        let (packets, holes) = (&packets.packets, packets.cut == 0);
        let ours = reassembled::<ListStore>(packets, holes);
        assert_eq!(ours, reassembled::<TreeStore>(packets, holes), "{name}: list and tree");
        let theirs = followed(file).expect("tshark cannot be run on a capture; install it");
        for pair in ours.keys().chain(theirs.keys()) {
            let (a, b) = (ours.get(pair), theirs.get(pair));
            let (a, b) = (a.map_or(&[][..], |v| v), b.map_or(&[][..], |v| v));
            if a != b {
                let at = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                let near = |text: &[u8]| {
                    let range = at.saturating_sub(20).min(text.len())..(at + 60).min(text.len());
                    String::from_utf8_lossy(&text[range]).into_owned()
                };
                let lengths = (a.len(), b.len());
                differences.push(format!(
                    "{name} {pair:?}: {lengths:?} bytes, from {at} on {:?} and not {:?}",
                    near(a),
                    near(b)
                ));
            }
        }
        let total: usize = ours.values().map(Vec::len).sum();
        eprintln!("{name}: {} streams, {total} bytes", ours.len());
    }
    eprintln!("{} captures compared with tshark", files.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

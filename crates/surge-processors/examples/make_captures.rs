//! Writes the captures that ship with this crate: HTTP-like exchanges, made by this program and
//! nobody's traffic.
//!
//! ```sh
//! cargo run -p forebay-surge-processors --example make_captures -- crates/surge-processors/data
//! ```
//!
//! `made-web.pcap` is in order; `made-disorder.pcap` holds the same exchanges with segments
//! swapped, repeated and with sequence numbers that wrap, so both reassemble to the same streams.
use std::error::Error;
use std::path::Path;

use etherparse::PacketBuilder;
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

/// The largest payload of a segment.
const MSS: usize = 1400;

/// A frame in the making: who sends, sequence and acknowledgement numbers, SYN, FIN, data.
struct Made {
    to_server: bool,
    seq: u32,
    ack: u32,
    syn: bool,
    fin: bool,
    data: Vec<u8>,
}

fn below(rng: &mut ChaCha8Rng, most: usize) -> usize {
    (uniform(rng) * most as f64) as usize
}

/// A request and an answer of random length.
fn texts(rng: &mut ChaCha8Rng, number: usize) -> (Vec<u8>, Vec<u8>) {
    let words = ["forest", "river", "stone", "cloud", "field", "harbour", "bridge", "lantern"];
    let word = |rng: &mut ChaCha8Rng| words[below(rng, words.len())];
    let mut request = format!("GET /{}/{number}?page={}", word(rng), below(rng, 90));
    for _ in 0..below(rng, 6) {
        request += &format!("&{}={}", word(rng), below(rng, 1000));
    }
    request += &format!(" HTTP/1.1\r\nHost: {}.example\r\nAccept-Language: en\r\n", word(rng));
    request += &format!("Cookie: {}={number}\r\n\r\n", word(rng));
    let mut body = String::from("<html><script src=\"/main.js\"></script>");
    for _ in 0..200 + below(rng, 1500) {
        body += word(rng);
        body += " ";
    }
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    (request.into_bytes(), answer.into_bytes())
}

/// A connection from SYN to FIN.
fn connection(request: &[u8], answer: &[u8], isns: [u32; 2]) -> Vec<Made> {
    let [client, server] = isns.map(|isn| isn.wrapping_add(1));
    let made = |to_server, seq, ack, data: &[u8]| Made {
        to_server,
        seq,
        ack,
        syn: false,
        fin: false,
        data: data.to_vec(),
    };
    let mut frames = vec![
        Made { syn: true, ..made(true, isns[0], 0, b"") },
        Made { syn: true, ..made(false, isns[1], client, b"") },
        made(true, client, server, b""),
        made(true, client, server, request),
    ];
    let asked = client.wrapping_add(request.len() as u32);
    for (part, data) in answer.chunks(MSS).enumerate() {
        frames.push(made(false, server.wrapping_add((part * MSS) as u32), asked, data));
    }
    let answered = server.wrapping_add(answer.len() as u32);
    frames.push(Made { fin: true, ..made(false, answered, asked, b"") });
    frames.push(Made { fin: true, ..made(true, asked, answered.wrapping_add(1), b"") });
    frames
}

/// Swaps neighbours and repeats some; the acknowledgements that close a connection stay last.
fn disorder(rng: &mut ChaCha8Rng, frames: &mut Vec<Made>) {
    let data = 4..frames.len() - 2;
    for at in data.clone().skip(1) {
        if below(rng, 3) == 0 {
            frames.swap(at - 1, at);
        }
        if below(rng, 8) == 0 {
            let again = &frames[at];
            let copy = Made { data: again.data.clone(), ..*again };
            frames.insert(at, copy);
        }
    }
}

fn frame(made: &Made, client: u16) -> Result<Vec<u8>, Box<dyn Error>> {
    let (host, server) = ([10, 9, (client >> 8) as u8, client as u8], [10, 8, 0, 1]);
    let (from, to) = if made.to_server { (host, server) } else { (server, host) };
    let (from_port, to_port) =
        if made.to_server { (40_000 + client, 80) } else { (80, 40_000 + client) };
    let builder = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4(from, to, 64);
    let mut tcp = builder.tcp(from_port, to_port, made.seq, 60_000);
    if made.syn {
        tcp = tcp.syn();
    }
    if made.fin {
        tcp = tcp.fin();
    }
    if !made.syn || !made.to_server {
        tcp = tcp.ack(made.ack);
    }
    let mut frame = Vec::new();
    tcp.write(&mut frame, &made.data)?;
    Ok(frame)
}

fn pcap(disordered: bool) -> Result<Vec<u8>, Box<dyn Error>> {
    let words = |words: [u32; 4]| words.map(u32::to_le_bytes).concat();
    let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1].map(u32::to_le_bytes).concat();
    let mut shuffle = stream(7, "disorder", 0);
    let mut microseconds = 0;
    for client in 0..12u16 {
        let mut rng = stream(7, "made captures", u64::from(client));
        let (request, answer) = texts(&mut rng, usize::from(client));
        let isns = if disordered { [u32::MAX - 90, u32::MAX - 3000] } else { [1000, 2000] };
        let mut frames = connection(&request, &answer, isns);
        if disordered {
            disorder(&mut shuffle, &mut frames);
        }
        for made in &frames {
            let frame = frame(made, client)?;
            let length = frame.len() as u32;
            file.extend(words([
                microseconds / 1_000_000,
                microseconds % 1_000_000,
                length,
                length,
            ]));
            file.extend(frame);
            microseconds += 130;
        }
    }
    Ok(file)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder to write to")?;
    for (name, disordered) in [("made-web.pcap", false), ("made-disorder.pcap", true)] {
        std::fs::write(Path::new(&folder).join(name), pcap(disordered)?)?;
    }
    Ok(())
}

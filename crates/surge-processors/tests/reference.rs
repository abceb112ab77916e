//! The reassembler against a slow reference on made traffic: a byte per offset, decided anew for
//! every segment.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::BTreeMap;
use std::net::SocketAddr;

use forebay_surge_processors::tcp::{
    Event, ListStore, Overlap, Reassembler, ReassemblyConfig, ReassemblyCounters, Segment,
    SegmentStore, TcpFields, TreeStore,
};
use proptest::prelude::*;

/// A segment of one stream: its offset from the first byte, its data, whether it ends the stream.
#[derive(Clone, Debug)]
struct Piece {
    at: i64,
    data: Vec<u8>,
    fin: bool,
}

/// What a stream delivers that begins with a SYN, and whether it ends: whatever can be had without
/// a hole, and never again changed. A FIN counts if it is what comes next and no byte behind it is
/// known.
fn reference(pieces: &[Piece], overlap: Overlap, window: i64) -> (Vec<u8>, bool) {
    let (mut out, mut waiting) = (Vec::new(), BTreeMap::new());
    let mut fins: Vec<i64> = Vec::new();
    for Piece { at, data, fin } in pieces {
        let until = at + data.len() as i64;
        if *at > out.len() as i64 && until > out.len() as i64 + window {
            continue;
        }
        if *fin && until >= out.len() as i64 {
            fins.push(until);
        }
        let (begin, mut run) = ((*at).max(out.len() as i64), None);
        for (offset, byte) in (*at..).zip(data) {
            if offset < out.len() as i64 {
                continue;
            }
            // Each byte that waits knows where its piece begins.
            match waiting.get_mut(&offset) {
                None => {
                    let piece = *run.get_or_insert(offset);
                    waiting.insert(offset, (*byte, piece));
                }
                Some((held, piece)) => {
                    run = None;
                    let earlier = overlap == Overlap::Bsd && begin < *piece;
                    if overlap == Overlap::Last || earlier {
                        *held = *byte;
                    }
                }
            }
        }
        while let Some((byte, _)) = waiting.remove(&(out.len() as i64)) {
            out.push(byte);
        }
        let here = out.len() as i64;
        if waiting.is_empty() && fins.iter().max() == Some(&here) {
            return (out, true);
        }
    }
    (out, false)
}

fn ends() -> [SocketAddr; 2] {
    [([10, 0, 0, 1], 4000).into(), ([10, 0, 0, 2], 80).into()]
}

/// What came of a stream.
struct Ran {
    out: Vec<u8>,
    /// How often its end was reported.
    finished: usize,
    /// The most bytes that were held.
    most: usize,
    counters: ReassemblyCounters,
}

fn run<S: SegmentStore>(isn: u32, pieces: &[Piece], config: ReassemblyConfig) -> Ran {
    let mut reassembler: Reassembler<S> = Reassembler::new(config).unwrap();
    let [source, destination] = ends();
    let (mut out, mut finished, mut most) = (Vec::new(), 0, 0);
    let syn = TcpFields { seq: isn, syn: true, ..TcpFields::default() };
    let mut process = |fields, payload: &[u8]| {
        let segment = Segment { source, destination, fields, payload };
        let waiting = reassembler.out_of_order(&segment) as u32;
        let before = out.len() as u64;
        let work = reassembler.process(&segment, |_, event| match event {
            Event::Data(data) => out.extend_from_slice(data),
            Event::Finished => finished += 1,
            Event::Missing(_) | Event::Reset => {}
        });
        assert_eq!(work.delivered, out.len() as u64 - before);
        // The estimate of §3.5.2 is an upper bound of the traversals of a list.
        assert!(S::NAME != "list" || work.visited <= waiting);
        most = most.max(reassembler.held_bytes());
    };
    process(syn, &[]);
    for Piece { at, data, fin } in pieces {
        let seq = isn.wrapping_add(1).wrapping_add(*at as u32);
        process(TcpFields { seq, fin: *fin, ..TcpFields::default() }, data);
    }
    Ran { out, finished, most, counters: reassembler.counters() }
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let piece = (-20i64..150, prop::collection::vec(any::<u8>(), 0..30), 0u8..20);
    let piece = piece.prop_map(|(at, data, fin)| Piece { at, data, fin: fin == 0 });
    prop::collection::vec(piece, 0..60)
}

proptest! {
    #[test]
    fn streams_are_those_of_the_reference(
        isn in prop_oneof![any::<u32>(), (u32::MAX - 100)..=u32::MAX],
        pieces in pieces(), policy in 0usize..3, window in 1u64..200,
    ) {
        let overlap = [Overlap::First, Overlap::Bsd, Overlap::Last][policy];
        let config = ReassemblyConfig { overlap, window, ..ReassemblyConfig::default() };
        let (expected, ends) = reference(&pieces, overlap, window as i64);
        let list = run::<ListStore>(isn, &pieces, config);
        let tree = run::<TreeStore>(isn, &pieces, config);
        prop_assert_eq!((&list.out, list.finished), (&expected, usize::from(ends)));
        prop_assert_eq!((&tree.out, tree.finished), (&expected, usize::from(ends)));
        prop_assert_eq!(list.counters, tree.counters);
        prop_assert_eq!(list.counters.delivered_bytes, expected.len() as u64);
    }

    /// What does not fit is refused and comes again, as senders do: nothing is lost, no bound is
    /// passed.
    #[test]
    fn memory_is_bounded_and_repetition_completes(
        text in prop::collection::vec(any::<u8>(), 1..400), order in prop::collection::vec(any::<prop::sample::Index>(), 1..80),
        most in 1usize..600,
    ) {
        let config = ReassemblyConfig { max_bytes: most, ..ReassemblyConfig::default() };
        let piece = |at: usize| {
            let data = text[at..(at + 17).min(text.len())].to_vec();
            Piece { at: at as i64, data, fin: false }
        };
        let mut pieces: Vec<_> = order.iter().map(|at| piece(at.index(text.len()))).collect();
        pieces.extend((0..text.len()).step_by(17).map(piece));
        for ran in [run::<ListStore>(7, &pieces, config), run::<TreeStore>(7, &pieces, config)] {
            prop_assert_eq!(&ran.out, &text);
            prop_assert!(ran.most <= most);
        }
    }

    /// Any segments on few connections: no panic, bounds kept, every byte accounted for.
    #[test]
    fn anything_may_come(segments in prop::collection::vec(
        (any::<u8>(), any::<u32>(), any::<Option<u32>>(), any::<u8>(), 0usize..9, 0u32..40), 0..200)) {
        let config = ReassemblyConfig { window: 100, max_connections: 3, max_bytes: 700, ..ReassemblyConfig::default() };
        let mut reassembler: Reassembler<ListStore> = Reassembler::new(config).unwrap();
        let (mut came, mut missing) = (0u64, 0);
        for (ports, seq, ack, flags, length, near) in segments {
            let seq = if flags & 8 == 0 { near } else { seq };
            let ack = ack.map(|ack| if flags & 16 == 0 { ack % 64 } else { ack });
            let fields = TcpFields { seq, ack, syn: flags & 0xe0 == 0, fin: flags & 0x60 == 0x20, rst: flags & 0x47 == 0x41 };
            let (a, b) = (([10, 0, 0, 1], u16::from(ports & 3)).into(), ([10, 0, 0, 1], u16::from(ports >> 6)).into());
            let payload = vec![0; length];
            came += length as u64;
            let segment = Segment { source: a, destination: b, fields, payload: &payload };
            reassembler.process(&segment, |_, event| {
                if let Event::Missing(count) = event { missing += count; }
            });
            prop_assert!(reassembler.held_bytes() <= 700 && reassembler.connections() <= 3);
        }
        let counters = reassembler.counters();
        prop_assert_eq!(counters.missing_bytes, missing);
        let accounted = counters.delivered_bytes + counters.repeated_bytes + counters.refused_bytes + counters.after_end_bytes;
        prop_assert!(accounted <= came);
    }
}

/// Segments as (offset, length, FIN): what of a stream of 30 bytes is delivered, whether its end is
/// reported, FINs in vain, and bytes behind the end.
#[test]
fn a_fin_ahead_of_the_data_cuts_nothing() {
    let text: Vec<u8> = (0..30).collect();
    type Case<'a> = (&'a str, &'a [(i64, usize, bool)], (usize, usize, u64, u64));
    let cases: [Case<'_>; 9] = [
        ("in order", &[(0, 20, false), (20, 10, true)], (30, 1, 0, 0)),
        ("out of order", &[(20, 10, true), (0, 20, false)], (30, 1, 0, 0)),
        (
            "forged within data to come",
            &[(12, 0, true), (0, 20, false), (20, 10, true)],
            (30, 1, 1, 0),
        ),
        (
            "forged between data, which waits behind it",
            &[(10, 0, true), (10, 20, true), (0, 10, false)],
            (30, 1, 0, 0),
        ),
        (
            "forged, and what waits behind it has no end yet",
            &[(10, 0, true), (20, 10, false), (0, 10, false), (10, 10, false), (30, 0, true)],
            (30, 1, 1, 0),
        ),
        (
            "forged, and a later one waits",
            &[(10, 0, true), (30, 0, true), (0, 10, false), (10, 20, false)],
            (30, 1, 0, 0),
        ),
        ("forged beyond the end", &[(40, 0, true), (0, 30, true)], (30, 0, 0, 0)),
        (
            "next when nothing waits",
            &[(0, 10, false), (10, 0, true), (10, 20, true)],
            (10, 1, 0, 20),
        ),
        ("told again", &[(0, 30, true), (0, 30, true), (30, 0, true)], (30, 1, 0, 0)),
    ];
    for (name, pieces, expected) in cases {
        let piece = |&(at, length, fin): &(i64, usize, bool)| {
            let data = text.iter().skip(at as usize).take(length).copied().collect();
            Piece { at, data, fin }
        };
        let pieces: Vec<Piece> = pieces.iter().map(piece).collect();
        let Ran { out, finished, counters, .. } =
            run::<ListStore>(9, &pieces, ReassemblyConfig::default());
        assert_eq!(out, text[..out.len()], "{name}");
        let found = (out.len(), finished, counters.void_fins, counters.after_end_bytes);
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn holes_ends_resets_and_new_connections_are_told() {
    let mut reassembler: Reassembler<ListStore> =
        Reassembler::new(ReassemblyConfig::default()).unwrap();
    let [a, b] = ends();
    let mut events = Vec::new();
    let mut process = |source, destination, fields, payload: &[u8]| {
        reassembler.process(&Segment { source, destination, fields, payload }, |stream, event| {
            events.push(format!("{} {} {event:?}", stream.connection, stream.from.port()));
        });
    };
    let fields = |seq| TcpFields { seq, ..TcpFields::default() };
    process(a, b, fields(100), b"mid"); // no SYN
    process(a, b, fields(110), b"later");
    process(b, a, TcpFields { ack: Some(108), ..fields(900) }, b""); // not behind the hole
    process(b, a, TcpFields { ack: Some(115), ..fields(900) }, b"");
    process(a, b, TcpFields { rst: true, ..fields(5) }, b""); // a forged one
    process(a, b, TcpFields { fin: true, ..fields(115) }, b"!");
    process(a, b, fields(116), b"beyond the end");
    process(a, b, TcpFields { syn: true, ..fields(5000) }, b"");
    process(a, b, fields(5003), b"waits");
    process(a, b, TcpFields { rst: true, ..fields(5001) }, b"");
    process(a, b, fields(5001), b"goes on");
    let expected = [
        "0 4000 Data([109, 105, 100])",
        "0 4000 Missing(7)",
        "0 4000 Data([108, 97, 116, 101, 114])",
        "0 4000 Data([33])",
        "0 4000 Finished",
        "1 4000 Reset",
        "1 4000 Data([103, 111, 101, 115, 32, 111, 110])",
    ];
    assert_eq!(events, expected);
    let counters = reassembler.counters();
    assert_eq!((counters.resets, counters.ignored_resets, counters.replaced), (1, 1, 1));
    assert_eq!((reassembler.held_bytes(), counters.after_end_bytes), (0, 14));
}

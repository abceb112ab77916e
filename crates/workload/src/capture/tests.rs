use super::testing::{Format, Made, PLAIN, frame, pcap, pcapng, plain, records};
use super::*;
use crate::PacketSource;
use proptest::collection::vec;
use proptest::prelude::*;

const PACKETS: [Made; 4] = [
    Made { time_us: 1_999_990, source: 7, port: 1, bytes: 1514 },
    Made { time_us: 2_000_000, source: 9, port: 1, bytes: 60 },
    Made { time_us: 2_000_005, source: 7, port: 2, bytes: 3000 },
    Made { time_us: 2_000_030, source: 7, port: 1, bytes: 90 },
];

fn read(bytes: &[u8]) -> Result<Capture, CaptureError> {
    Capture::read(bytes, "t.pcap", CaptureLimits::default())
}

fn message(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// (µs, bytes, source, flow) of each packet.
fn summary(capture: &Capture) -> Vec<(u64, u32, u32, u32)> {
    let packets = capture.packets().iter();
    packets.map(|p| (p.at_ns / 1000, p.bytes, p.source, p.flow)).collect()
}

#[test]
fn every_format_reads_alike() {
    let expected = [(0, 1514, 0, 0), (10, 60, 1, 1), (15, 3000, 0, 2), (40, 90, 0, 0)];
    for big_endian in [false, true] {
        for nanoseconds in [false, true] {
            let format = Format { big_endian, nanoseconds, link_type: 1 };
            for file in [pcap(format, &records(&PACKETS)), pcapng(format, &records(&PACKETS))] {
                let capture = read(&file).unwrap();
                assert_eq!(summary(&capture), expected);
                assert_eq!((capture.sources(), capture.flows()), (2, 3));
                assert_eq!(capture.warnings(), []);
            }
        }
    }
}

#[test]
fn every_link_layer_reads_alike() {
    let frame = frame(PACKETS[0]);
    let ip = &frame[14..];
    let ipv4 = [8, 0];
    let vlan = [&frame[..12], &[0x81, 0, 0, 5], &ipv4, ip].concat();
    let cooked = [&[0; 14][..], &ipv4, ip].concat();
    let cooked2 = [&ipv4[..], &[0; 18], ip].concat();
    let null = [&[2, 0, 0, 0], ip].concat();
    for (link_type, data, link_bytes) in [
        (1, frame.clone(), 14),
        (1, vlan, 18),
        (113, cooked, 16),
        (276, cooked2, 20),
        (0, null.clone(), 4),
        (108, null, 4),
        (101, ip.to_vec(), 0),
        (12, ip.to_vec(), 0),
        (228, ip.to_vec(), 0),
    ] {
        let Parsed::Ip { headers, link_bytes: found, .. } = parse(link_type, &data) else {
            panic!("link type {link_type} is not read");
        };
        assert_eq!(found, link_bytes, "link type {link_type}");
        assert_eq!(headers.source, std::net::IpAddr::from([10, 0, 0, 7]));
        assert_eq!((headers.protocol, headers.ports), (17, [1, 53]));
    }
}

#[test]
fn ipv6_tcp_icmp_and_short_headers() {
    let build = |packet: etherparse::PacketBuilderStep<etherparse::IpHeaders>| {
        let mut data = vec![];
        packet.tcp(5, 6, 7, 8).write(&mut data, &[0; 100]).unwrap();
        data
    };
    let tcp = build(etherparse::PacketBuilder::ipv6([1; 16], [2; 16], 9));
    let Parsed::Ip { headers, .. } = parse(101, &tcp) else { panic!("not read") };
    assert_eq!((headers.protocol, headers.ports), (6, [5, 6]));
    // Cut inside the TCP header: no ports; inside the IP header: nothing.
    let Parsed::Ip { headers, .. } = parse(101, &tcp[..50]) else { panic!("not read") };
    assert_eq!((headers.protocol, headers.ports), (6, [0, 0]));
    assert_eq!(parse(101, &tcp[..30]), Parsed::NotIp);
    let mut icmp = vec![];
    let packet = etherparse::PacketBuilder::ipv4([1; 4], [2; 4], 9).icmpv4_echo_request(1, 2);
    packet.write(&mut icmp, &[]).unwrap();
    let Parsed::Ip { headers, .. } = parse(101, &icmp) else { panic!("not read") };
    assert_eq!((headers.protocol, headers.ports), (1, [0, 0]));
}

#[test]
fn disorder_is_sorted_and_reported() {
    let mut packets = PACKETS;
    packets.swap(1, 2);
    let capture = read(&plain(&packets)).unwrap();
    assert!(capture.packets().is_sorted_by_key(|packet| packet.at_ns));
    assert_eq!(capture.warnings(), [CaptureWarning::Reordered { packets: 1 }]);
    assert_eq!(capture.span_ns(), 40_000);
}

#[test]
fn a_capture_may_span_years() {
    let record = |bytes| frame(Made { bytes, ..PACKETS[0] });
    let mut file = pcap(PLAIN, &[(0, 60, record(60)), (1, 60, record(60)), (2, 60, record(60))]);
    let third = file.len() - 16 - 60;
    let second = third - 16 - 60;
    file[second..second + 4].copy_from_slice(&1_000_000_000u32.to_le_bytes());
    file[third..third + 4].copy_from_slice(&2_000_000_000u32.to_le_bytes());
    let times: Vec<u64> = read(&file).unwrap().packets().iter().map(|p| p.at_ns).collect();
    assert_eq!(times, [0, 1_000_000_000_000_001_000, 2_000_000_000_000_002_000]);
}

#[test]
fn a_cut_file_keeps_its_packets() {
    for file in [plain(&PACKETS), pcapng(PLAIN, &records(&PACKETS))] {
        let capture = read(&file[..file.len() - 5]).unwrap();
        assert_eq!(capture.packets().len(), 3);
        let offset = match capture.warnings() {
            [CaptureWarning::Truncated { record: 3, offset }] => *offset as usize,
            other => panic!("{other:?}"),
        };
        assert_eq!(summary(&read(&file[..offset]).unwrap()), summary(&capture));
        assert_eq!(
            capture.warnings()[0].to_string(),
            format!("cut off after 3 records, at byte {offset}: the rest is missing")
        );
    }
}

#[test]
fn limits_keep_the_beginning() {
    let file = plain(&PACKETS);
    let limits = CaptureLimits { max_packets: 2, ..CaptureLimits::default() };
    let capture = Capture::read(&file[..], "t", limits).unwrap();
    assert_eq!(capture.packets().len(), 2);
    assert!(matches!(capture.warnings(), [CaptureWarning::Limited { record: 2, .. }]));
    let limits = CaptureLimits { max_file_bytes: 200, ..CaptureLimits::default() };
    assert!(Capture::read(&file[..], "t", limits).unwrap().packets().len() < 4);
}

#[test]
fn errors_name_file_place_and_fix() {
    let not = "t.pcap is not a capture: give a pcap or pcapng file (uncompressed)";
    assert_eq!(message(b""), not);
    assert_eq!(message(b"hello, this is a text of some length"), not);
    let file = plain(&PACKETS);
    assert_eq!(
        message(&file[..30]),
        "t.pcap is cut off after 0 records, at byte 24, before its first IP packet: record or copy \
         it again"
    );
    assert_eq!(
        message(&plain(&[])),
        "t.pcap has no IP packets among 0 records: record IP traffic (tcpdump ip or ip6)"
    );
    let arp = [&[0; 12][..], &[8, 6], &[0; 28]].concat();
    assert_eq!(
        message(&pcap(PLAIN, &[(0, 42, arp)])),
        "t.pcap has no IP packets among 1 record: record IP traffic (tcpdump ip or ip6)"
    );
    let wifi = Format { link_type: 105, ..PLAIN };
    assert!(message(&pcap(wifi, &records(&PACKETS))).contains("link type 105 is not Ethernet"));
    let huge = pcap(PLAIN, &[(0, 9, vec![0; 2 << 20])]);
    assert_eq!(
        message(&huge),
        "t.pcap has a record of more than 1 MiB after record 0, at byte 24: record with a \
         snapshot length below that"
    );
    let mut damaged = pcapng(PLAIN, &records(&PACKETS));
    let end = damaged.len();
    damaged[end - 4] ^= 0xff;
    assert!(message(&damaged).starts_with("t.pcap is damaged after record 3, at byte "));
    // Process information (its top bit set), of 6 bytes.
    let whole = pcapng(PLAIN, &records(&PACKETS));
    let short = [&whole[..], &[1, 0, 0, 0x80, 6, 0, 0, 0], &[0; 40]].concat();
    assert!(message(&short).starts_with("t.pcap is damaged after record 4, at byte "));
    let absent = Capture::open(Path::new("absent.pcap"), CaptureLimits::default()).unwrap_err();
    assert!(absent.to_string().starts_with("absent.pcap cannot be opened: "));
}

/// Gives one byte at a time, and now and then an interruption.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}

#[test]
fn slow_readers_read_alike() {
    let file = plain(&PACKETS);
    let slow = Capture::read(Slow(&file, false), "t", CaptureLimits::default()).unwrap();
    assert_eq!(slow.packets(), read(&file).unwrap().packets());
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edits = vec((any::<prop::sample::Index>(), any::<u8>()), 0..12);
    (any::<bool>(), edits, any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(next_generation, edits, cut, cuts)| {
            let records = records(&PACKETS);
            let mut file =
                if next_generation { pcapng(PLAIN, &records) } else { pcap(PLAIN, &records) };
            for (place, value) in edits {
                let place = place.index(file.len());
                file[place] = value;
            }
            if cuts {
                file.truncate(cut.index(file.len()));
            }
            file
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_bytes_give_a_capture_or_an_error(file in prop_oneof![mutated(), vec(any::<u8>(), 0..200)]) {
        match read(&file) {
            Ok(capture) => {
                prop_assert!(!capture.packets().is_empty());
                prop_assert!(capture.packets().is_sorted_by_key(|packet| packet.at_ns));
                for packet in capture.packets() {
                    prop_assert!(packet.source < capture.sources() && packet.flow < capture.flows());
                    prop_assert!(packet.bytes > packet.link_bytes);
                    prop_assert!(packet.bytes <= MAX_PACKET_BYTES);
                }
                let config = crate::ReplayConfig::new(3, forebay_units::Rate::from_gbps(50), 0.9);
                let mut last = forebay_units::Time::ZERO;
                if let Ok(mut replay) = crate::CaptureReplay::new(&capture, config) {
                    for packet in (0..100).map_while(|_| replay.next_packet()) {
                        prop_assert!(packet.at >= last && packet.size > 0);
                        prop_assert!(packet.flow_size >= u64::from(packet.size));
                        last = packet.at;
                    }
                }
            }
            Err(error) => prop_assert!(error.to_string().starts_with("t.pcap ")),
        }
    }
}

#[test]
fn a_time_of_more_than_a_second_below_a_second_is_damage() {
    let made = |time_us| Made { time_us, source: 1, port: 1, bytes: 80 };
    for nanoseconds in [false, true] {
        let format = Format { nanoseconds, ..PLAIN };
        let records = records(&[made(1), made(2)]);
        let mut file = pcap(format, &records);
        let second = 24 + 16 + records[0].2.len();
        file[second + 4..second + 8].copy_from_slice(&4_000_000_000_u32.to_le_bytes());
        let read = Capture::read(&file[..], "t", CaptureLimits::default());
        let error = read.unwrap_err().to_string();
        assert!(error.contains("after record 1"), "{error}");
        assert!(error.ends_with("or keep its first record (editcap -r)"), "{error}");
        assert!(error.contains("has 4,000,000,000 units below a second"), "{error}");
        let cut = Recording::read(&file[..], "t", CaptureLimits::default()).unwrap();
        assert_eq!((cut.packets().len(), cut.cut().unwrap().packets), (1, 1));
    }
}

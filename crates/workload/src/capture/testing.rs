//! Captures built by tests: packets of chosen sources, flows and sizes, in either format.

use etherparse::PacketBuilder;

/// A packet of a test capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) time_us: u32,
    pub(crate) source: u8,
    pub(crate) port: u16,
    /// Its length with the Ethernet header, of which the capture keeps 96 bytes.
    pub(crate) bytes: u32,
}

/// The Ethernet frame (its first 96 bytes) of a UDP packet.
pub(crate) fn frame(made: Made) -> Vec<u8> {
    let mut frame = vec![];
    PacketBuilder::ethernet2([2; 6], [4; 6])
        .ipv4([10, 0, 0, made.source], [10, 0, 1, 1], 64)
        .udp(made.port, 53)
        .write(&mut frame, &vec![0; made.bytes.saturating_sub(42) as usize])
        .unwrap();
    frame.truncate(96);
    frame
}

/// How a pcap file is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub(crate) big_endian: bool,
    pub(crate) nanoseconds: bool,
    pub(crate) link_type: u32,
}

pub(crate) const PLAIN: Format = Format { big_endian: false, nanoseconds: false, link_type: 1 };

impl Format {
    pub(crate) fn word(self, value: u32) -> [u8; 4] {
        if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn words(self, values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| self.word(*value)).collect()
    }
}

/// A pcap file of records (time in µs, original length, data).
pub(crate) fn pcap(format: Format, records: &[(u32, u32, Vec<u8>)]) -> Vec<u8> {
    let magic = if format.nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let version = if format.big_endian { 0x0002_0004 } else { 0x0004_0002 };
    let mut file = format.words(&[magic, version, 0, 0, 65_535, format.link_type]);
    for (time_us, original, data) in records {
        let fraction = time_us % 1_000_000 * if format.nanoseconds { 1000 } else { 1 };
        file.extend(format.words(&[time_us / 1_000_000, fraction, data.len() as u32, *original]));
        file.extend(data);
    }
    file
}

/// A pcapng file of the same, with one interface; times in µs.
pub(crate) fn pcapng(format: Format, records: &[(u32, u32, Vec<u8>)]) -> Vec<u8> {
    let block = |kind: u32, body: Vec<u8>| {
        let length = body.len() as u32 + 12;
        [format.words(&[kind, length]), body, format.words(&[length])].concat()
    };
    let version = if format.big_endian { 0x0001_0000 } else { 0x0000_0001 };
    let mut file = block(0x0a0d_0d0a, format.words(&[0x1a2b_3c4d, version, !0, !0]));
    let link = if format.big_endian { format.link_type << 16 } else { format.link_type };
    file.extend(block(1, format.words(&[link, 0])));
    for (time_us, original, data) in records {
        let mut body = format.words(&[0, 0, *time_us, data.len() as u32, *original]);
        body.extend(data);
        body.resize(body.len().next_multiple_of(4), 0);
        file.extend(block(6, body));
    }
    file
}

/// A pcap file of Ethernet frames.
pub(crate) fn plain(packets: &[Made]) -> Vec<u8> {
    pcap(PLAIN, &records(packets))
}

/// The records of `packets`.
pub(crate) fn records(packets: &[Made]) -> Vec<(u32, u32, Vec<u8>)> {
    packets.iter().map(|made| (made.time_us, made.bytes, frame(*made))).collect()
}

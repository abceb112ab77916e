//! A capture with its packets' header fields: for a replay that sorts packets by address, ranks
//! them by a field and writes them out again. O(packets · log packets); 56 bytes per packet, and
//! tables of addresses and flows, bounded by [`CaptureLimits`].
//!
//! Unlike [`Capture`](super::Capture), a file that is damaged or truncated gives what comes before
//! the damage, and [says so](Recording::cut). Packets are sorted by time; packets of equal time
//! stay in the file's order.

use std::collections::HashMap;
use std::io::Read;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::path::Path;

use super::container::{Ending, Filled, Record, for_each_record};
use super::headers::{Headers, Parsed, parse};
use super::{
    CaptureError, CaptureLimits, CaptureWarning, Collector, MAX_PACKET_BYTES, number, open_capture,
};

/// An IP packet of a [`Recording`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedPacket {
    /// Nanoseconds since the epoch of the capture's clock.
    pub at_ns: u64,
    /// Where in the file its bytes are.
    pub offset: u64,
    /// How many of its bytes the capture kept, with the link header.
    pub kept: u32,
    /// How many bytes it had on the wire.
    pub bytes: u32,
    /// Which record of the file it is, from 1: Wireshark's frame number.
    pub frame: u32,
    /// Its five-tuple (addresses, protocol, ports), numbered by first appearance.
    pub flow: u32,
    /// Its source, an index into [`Recording::addresses`].
    pub source: u32,
    /// Its destination, an index into [`Recording::addresses`].
    pub destination: u32,
    /// Source and destination port; 0 where there are none.
    pub ports: [u16; 2],
    /// The LINKTYPE number of its outermost header.
    pub link_type: u16,
    /// IP's protocol number.
    pub protocol: u8,
    /// The type of service of IPv4, the traffic class of IPv6.
    pub traffic_class: u8,
    /// The time to live of IPv4, the hop limit of IPv6.
    pub ttl: u8,
}

impl RecordedPacket {
    /// The differentiated services code point (RFC 2474).
    #[must_use]
    pub const fn dscp(&self) -> u8 {
        self.traffic_class >> 2
    }

    /// The congestion field (RFC 3168).
    #[must_use]
    pub const fn ecn(&self) -> u8 {
        self.traffic_class & 3
    }
}

/// Where and why a file could not be read to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureCut {
    /// The record that is not whole, from 1.
    pub record: u64,
    /// How many IP packets come before it.
    pub packets: usize,
    /// The problem, and the fix.
    pub error: CaptureError,
}

/// The IP packets of a capture file, at least one, and their headers.
///
/// ```
/// use forebay_workload::{CaptureLimits, Recording};
///
/// let empty = Recording::read(&b"\xd4\xc3\xb2\xa1"[..], "x.pcap", CaptureLimits::default());
/// assert!(empty.is_err_and(|error| error.to_string().starts_with("x.pcap ")));
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    packets: Vec<RecordedPacket>,
    addresses: Vec<IpAddr>,
    flow_bytes: Vec<u64>,
    warnings: Vec<CaptureWarning>,
    cut: Option<CaptureCut>,
}

impl Recording {
    /// Reads the capture at `path`.
    ///
    /// # Errors
    /// A [`CaptureError`] with the file, the place and the fix, if not a single IP packet can be
    /// read.
    pub fn open(path: &Path, limits: CaptureLimits) -> Result<Self, CaptureError> {
        let name = path.display().to_string();
        Self::read(open_capture(path)?, &name, limits)
    }

    /// Reads a capture from `reader`; messages call it `name`.
    ///
    /// # Errors
    /// As for [`Recording::open`].
    pub fn read(
        reader: impl Read + Send,
        name: &str,
        limits: CaptureLimits,
    ) -> Result<Self, CaptureError> {
        let mut builder = Builder {
            seen: Collector { limit: limits.max_packets.max(1), ..Collector::default() },
            ..Builder::default()
        };
        let mut records = 0u32;
        let scan = for_each_record(Filled(reader), limits.max_file_bytes, |record| {
            records = records.saturating_add(1);
            builder.take(&record, records)
        });
        let (ending, cut) = match scan {
            Ok(scan) => {
                let (record, offset) = (scan.records, scan.offset);
                match scan.ending {
                    Ending::Complete => (None, None),
                    Ending::Limit => (Some(CaptureWarning::Limited { record, offset }), None),
                    Ending::Truncated => {
                        let error = CaptureError::CutOff { name: name.to_owned(), record, offset };
                        (None, Some((record, error)))
                    }
                }
            }
            Err(failure) if builder.packets.is_empty() => return Err(failure.named(name)),
            Err(failure) => (None, Some((u64::from(records), failure.named(name)))),
        };
        if builder.packets.is_empty() {
            return Err(match cut {
                Some((_, CaptureError::CutOff { name, record, offset })) => {
                    CaptureError::Truncated { name, record, offset }
                }
                _ => builder.seen.left_out.no_packets(name, u64::from(records)),
            });
        }
        Ok(builder.finish(ending, cut))
    }

    /// Its packets, ordered by time; never empty.
    #[must_use]
    pub fn packets(&self) -> &[RecordedPacket] {
        &self.packets
    }

    /// The addresses that occur, by first appearance.
    #[must_use]
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// The bytes of each flow in the whole capture, by its number.
    #[must_use]
    pub fn flow_bytes(&self) -> &[u64] {
        &self.flow_bytes
    }

    /// From the first packet to the last, in nanoseconds.
    #[must_use]
    pub fn span_ns(&self) -> u64 {
        match (self.packets.first(), self.packets.last()) {
            (Some(first), Some(last)) => last.at_ns - first.at_ns,
            _ => 0,
        }
    }

    /// The bytes of all packets on the wire.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.flow_bytes.iter().sum()
    }

    /// What was left out, and why.
    #[must_use]
    pub fn warnings(&self) -> &[CaptureWarning] {
        &self.warnings
    }

    /// Where the file is damaged or ends within a record, if anywhere.
    #[must_use]
    pub fn cut(&self) -> Option<&CaptureCut> {
        self.cut.as_ref()
    }
}

/// What has been read from a file so far. Omissions are counted as for a
/// [`Capture`](super::Capture).
#[derive(Debug, Default)]
struct Builder {
    seen: Collector,
    packets: Vec<RecordedPacket>,
    addresses: HashMap<IpAddr, u32>,
    flows: HashMap<Headers, u32>,
}

impl Builder {
    fn take(&mut self, record: &Record<'_>, frame: u32) -> ControlFlow<()> {
        let bytes = record.original_bytes.max(record.data.len() as u32);
        let (headers, service) = match parse(record.link_type, record.data) {
            Parsed::Ip { headers, service, .. } if bytes <= MAX_PACKET_BYTES => (headers, service),
            other => {
                self.seen.left_out.add(&other, record.link_type);
                return ControlFlow::Continue(());
            }
        };
        if self.packets.len() == self.seen.limit {
            return ControlFlow::Break(());
        }
        self.packets.push(RecordedPacket {
            at_ns: record.time_ns,
            offset: record.data_offset,
            kept: record.data.len() as u32,
            bytes,
            frame,
            flow: number(&mut self.flows, headers),
            source: number(&mut self.addresses, headers.source),
            destination: number(&mut self.addresses, headers.destination),
            ports: headers.ports,
            // Every parsed link type is known, and all known ones are small.
            link_type: record.link_type as u16,
            protocol: headers.protocol,
            traffic_class: service.traffic_class,
            ttl: service.ttl,
        });
        ControlFlow::Continue(())
    }

    fn finish(self, ending: Option<CaptureWarning>, cut: Option<(u64, CaptureError)>) -> Recording {
        let Builder { seen, mut packets, addresses, flows } = self;
        let reordered = packets.windows(2).filter(|pair| pair[1].at_ns < pair[0].at_ns).count();
        let mut warnings = seen.left_out.warnings(reordered as u64);
        warnings.extend(ending);
        packets.sort_by_key(|packet| packet.at_ns);
        let mut flow_bytes = vec![0; flows.len()];
        for packet in &packets {
            flow_bytes[packet.flow as usize] += u64::from(packet.bytes);
        }
        let mut by_number: Vec<(u32, IpAddr)> =
            addresses.into_iter().map(|(address, number)| (number, address)).collect();
        by_number.sort_unstable_by_key(|(number, _)| *number);
        let cut = cut.map(|(whole, error)| CaptureCut {
            record: whole + 1,
            packets: packets.len(),
            error,
        });
        Recording {
            addresses: by_number.into_iter().map(|(_, address)| address).collect(),
            packets,
            flow_bytes,
            warnings,
            cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Made, PLAIN, pcapng, plain, records};
    use super::*;

    fn read(file: &[u8]) -> Result<Recording, CaptureError> {
        Recording::read(file, "t.pcap", CaptureLimits::default())
    }

    fn made() -> [Made; 3] {
        [(5, 7, 90), (3, 8, 1400), (9, 7, 60)].map(|(time_us, source, bytes)| Made {
            time_us,
            source,
            port: 99,
            bytes,
        })
    }

    #[test]
    fn packets_come_by_time_with_their_headers_and_their_place() {
        for file in [plain(&made()), pcapng(PLAIN, &records(&made()))] {
            let recording = read(&file).unwrap();
            let seen: Vec<_> = recording.packets().iter().map(|p| (p.at_ns, p.frame)).collect();
            assert_eq!(seen, [(3000, 2), (5000, 1), (9000, 3)]);
            assert_eq!((recording.span_ns(), recording.bytes()), (6000, 1550));
            let first = recording.packets()[0];
            assert_eq!((first.bytes, first.kept, first.link_type), (1400, 96, 1));
            assert_eq!((first.protocol, first.ttl, first.ports), (17, 64, [99, 53]));
            assert_eq!((first.dscp(), first.ecn()), (0, 0));
            let address = |index: u32| recording.addresses()[index as usize];
            assert_eq!(address(first.source), IpAddr::from([10, 0, 0, 8]));
            assert_eq!(address(first.destination), IpAddr::from([10, 0, 1, 1]));
            assert_eq!(recording.flow_bytes(), [150, 1400]);
            for (packet, (_, _, frame)) in recording.packets().iter().zip({
                let mut frames = records(&made());
                frames.sort_by_key(|(time, _, _)| *time);
                frames
            }) {
                let at = packet.offset as usize;
                assert_eq!(&file[at..at + packet.kept as usize], frame);
            }
        }
    }

    #[test]
    fn a_cut_file_gives_what_comes_before_and_says_where() {
        let file = plain(&made());
        let recording = read(&file[..file.len() - 1]).unwrap();
        assert_eq!(recording.packets().len(), 2);
        let cut = recording.cut().unwrap();
        assert_eq!((cut.record, cut.packets), (3, 2));
        assert_eq!(
            cut.error.to_string(),
            "t.pcap is cut off inside packet 3, at byte 242: record or copy it again, or keep its \
             first 2 packets (editcap -r t.pcap OUT 1-2)"
        );
        assert!(read(&file).unwrap().cut().is_none());
    }

    #[test]
    fn a_cut_before_the_first_packet_is_an_error() {
        let file = plain(&made());
        assert!(matches!(read(&file[..50]), Err(CaptureError::Truncated { record: 0, .. })));
    }

    #[test]
    fn limits_leave_a_warning() {
        let limits = CaptureLimits { max_packets: 2, ..CaptureLimits::default() };
        let recording = Recording::read(&plain(&made())[..], "t", limits).unwrap();
        assert_eq!(recording.packets().len(), 2);
        let [CaptureWarning::Reordered { packets: 1 }, CaptureWarning::Limited { record: 2, .. }] =
            recording.warnings()
        else {
            panic!("{:?}", recording.warnings())
        };
    }
}

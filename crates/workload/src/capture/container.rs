//! The records of a pcap or pcapng file: link type, time, length and first bytes of each. Formats:
//! pcap (microseconds or nanoseconds, both byte orders) and pcapng (several sections and
//! interfaces, any time resolution). Streaming: one buffer of [`MAX_RECORD_BYTES`], O(1) per byte.

use std::io::{self, Read};
use std::ops::ControlFlow;

use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{Block, InterfaceDescriptionBlock, PcapBlockOwned, PcapError, create_reader};

use super::CaptureError;

/// The largest accepted record or block, in bytes.
pub(super) const MAX_RECORD_BYTES: usize = 1 << 20;

/// The most interfaces that a section may describe; packets of further ones have no known link
/// type.
const MAX_INTERFACES: usize = 1 << 16;

/// The link type given to packets of interfaces that the file does not describe.
const UNDESCRIBED: i32 = -1;

/// One recorded packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// The LINKTYPE number.
    pub(super) link_type: i32,
    /// Nanoseconds since the capture's epoch.
    pub(super) time_ns: u64,
    /// The packet's length on the wire; 0 if unknown.
    pub(super) original_bytes: u32,
    /// The bytes that were captured.
    pub(super) data: &'a [u8],
    /// Where in the file those bytes are.
    pub(super) data_offset: u64,
}

/// Bytes of a record before its data: in pcap, and in an enhanced packet block of pcapng.
const RECORD_HEAD: u64 = 16;
const ENHANCED_HEAD: u64 = 28;

/// Why a scan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// At the end of the file.
    Complete,
    /// At the end of the file, inside a record.
    Truncated,
    /// At a limit.
    Limit,
}

/// How far a scan got.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan {
    pub(super) ending: Ending,
    /// Records visited.
    pub(super) records: u64,
    /// Bytes used.
    pub(super) offset: u64,
}

/// What stopped a scan, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    cause: Cause,
    record: u64,
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
enum Cause {
    NotACapture,
    Truncated,
    Damaged,
    TooLarge,
    Read,
    Fraction { fraction: u32, per_second: u32 },
}

impl Failure {
    fn at_start(cause: Cause) -> Self {
        Failure { cause, record: 0, offset: 0 }
    }

    /// The error, for the file called `name`.
    pub(super) fn named(self, name: &str) -> CaptureError {
        let (name, Failure { cause, record, offset }) = (name.to_owned(), self);
        match cause {
            Cause::NotACapture => CaptureError::NotACapture { name },
            Cause::Truncated => CaptureError::Truncated { name, record, offset },
            Cause::Damaged => CaptureError::Damaged { name, record, offset },
            Cause::TooLarge => {
                CaptureError::RecordTooLarge { name, record, offset, limit: MAX_RECORD_BYTES }
            }
            Cause::Read => CaptureError::Read { name, offset },
            Cause::Fraction { fraction, per_second } => {
                CaptureError::Fraction { name, record, offset, fraction, per_second }
            }
        }
    }
}

/// Fills each buffer it is given, so that a slow reader behaves like a file.
pub(super) struct Filled<R>(pub(super) R);

impl<R: Read> Read for Filled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// The bytes that begin any capture, and that give the length of a pcapng file's head.
const HEAD: usize = 24;

/// Returns what there is as soon as there is something, so that packets are shown when they arrive.
/// Only the head of the capture is waited for, since a part of it cannot be parsed.
pub(super) struct Prompt<R> {
    reader: R,
    begun: bool,
}

impl<R> Prompt<R> {
    pub(super) fn new(reader: R) -> Self {
        Prompt { reader, begun: false }
    }
}

impl<R: Read> Read for Prompt<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.begun {
            return self.reader.read(buffer);
        }
        self.begun = true;
        let mut exact = Filled(&mut self.reader);
        let most = HEAD.min(buffer.len());
        let head = exact.read(&mut buffer[..most])?;
        let length = match buffer[..head] {
            [0x0a, 0x0d, 0x0d, 0x0a, a, b, c, d, 0x4d, ..] => u32::from_le_bytes([a, b, c, d]),
            [0x0a, 0x0d, 0x0d, 0x0a, a, b, c, d, ..] => u32::from_be_bytes([a, b, c, d]),
            _ => 0,
        };
        let end = (length as usize).clamp(head, buffer.len());
        Ok(head + exact.read(&mut buffer[head..end])?)
    }
}

/// Shows every packet record to `visit`, until it breaks off or `max_bytes` of the file are used.
pub(super) fn for_each_record(
    reader: impl Read + Send,
    max_bytes: u64,
    mut visit: impl FnMut(Record<'_>) -> ControlFlow<()>,
) -> Result<Scan, Failure> {
    let mut blocks = create_reader(MAX_RECORD_BYTES, reader).map_err(|error| {
        Failure::at_start(match error {
            PcapError::ReadError => Cause::Read,
            PcapError::Incomplete(_) | PcapError::UnexpectedEof => Cause::Truncated,
            _ => Cause::NotACapture,
        })
    })?;
    let is_pcapng = blocks.data().starts_with(&PCAPNG);
    let mut section = Section::default();
    let (mut records, mut offset) = (0, 0);
    let ended = |ending, records, offset| Ok(Scan { ending, records, offset });
    loop {
        if offset >= max_bytes {
            return ended(Ending::Limit, records, offset);
        }
        let nothing_left = blocks.data().is_empty();
        if is_pcapng && is_short_block(blocks.data()) {
            return Err(Failure { cause: Cause::Damaged, record: records, offset });
        }
        let cause = match blocks.next() {
            Ok((used, block)) => match section.record(block, offset) {
                Ok(found) => {
                    if let Some(record) = found {
                        if visit(record).is_break() {
                            return ended(Ending::Limit, records, offset);
                        }
                        records += 1;
                    }
                    blocks.consume(used);
                    offset += used as u64;
                    continue;
                }
                Err(cause) => cause,
            },
            Err(PcapError::Eof) => return ended(Ending::Complete, records, offset),
            Err(PcapError::Incomplete(_)) => match refill(blocks.as_mut()) {
                Ok(()) => continue,
                Err(cause) => cause,
            },
            Err(PcapError::UnexpectedEof) if nothing_left => {
                return ended(Ending::Complete, records, offset);
            }
            Err(PcapError::UnexpectedEof) => return ended(Ending::Truncated, records, offset),
            Err(PcapError::BufferTooSmall) => Cause::TooLarge,
            Err(PcapError::ReadError) => Cause::Read,
            Err(_) => Cause::Damaged,
        };
        return Err(Failure { cause, record: records, offset });
    }
}

/// How a pcapng file begins, in either byte order.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// What a pcapng block has beside its content: its type, and twice its length.
const BLOCK_HEAD: u32 = 12;

/// Whether the pcapng block that begins here says a length, in either byte order, into which not
/// even its head fits. The parser subtracts the one from the other unseen.
#[must_use]
pub fn is_short_block(data: &[u8]) -> bool {
    let length = data.get(4..8).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    length
        .is_some_and(|bytes| u32::from_le_bytes(bytes).min(u32::from_be_bytes(bytes)) < BLOCK_HEAD)
}

/// Reads on; if the buffer is full without holding a whole record, the record is too large.
fn refill(blocks: &mut (dyn PcapReaderIterator + Send)) -> Result<(), Cause> {
    let before = blocks.data().len();
    blocks.refill().map_err(|_| Cause::Read)?;
    if blocks.data().len() == before && !blocks.reader_exhausted() {
        return Err(Cause::TooLarge);
    }
    Ok(())
}

/// What the file has said about the records to come.
#[derive(Debug, Default)]
struct Section {
    interfaces: Vec<Interface>,
}

/// A source of records: its link type and how it counts time.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link_type: i32,
    /// As in pcapng's `if_tsresol`: the negative power of 10, or of 2 if the top bit is set.
    resolution: u8,
    offset_s: i64,
}

impl Section {
    /// Processes a block that begins at `offset`: remembers what it describes, or returns its
    /// record.
    fn record<'a>(
        &mut self,
        block: PcapBlockOwned<'a>,
        offset: u64,
    ) -> Result<Option<Record<'a>>, Cause> {
        Ok(match block {
            PcapBlockOwned::LegacyHeader(header) => {
                let resolution = if header.is_nanosecond_precision() { 9 } else { 6 };
                let link_type = header.network.0 & 0x03ff_ffff; // above are bits about the checksum
                self.interfaces = vec![Interface { link_type, resolution, offset_s: 0 }];
                None
            }
            PcapBlockOwned::Legacy(packet) => {
                let Some(interface) = self.interfaces.first() else { return Ok(None) };
                let per_second = if interface.resolution == 9 { 1_000_000_000 } else { 1_000_000 };
                let fraction = packet.ts_usec;
                // Some recorders round the last microsecond of a second up.
                if fraction > per_second {
                    return Err(Cause::Fraction { fraction, per_second });
                }
                let ticks = u64::from(packet.ts_sec) * u64::from(per_second) + u64::from(fraction);
                let record = interface.record(ticks, packet.origlen, packet.data);
                Some(Record { data_offset: offset + RECORD_HEAD, ..record })
            }
            PcapBlockOwned::NG(Block::SectionHeader(_)) => {
                self.interfaces.clear();
                None
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(description)) => {
                if self.interfaces.len() < MAX_INTERFACES {
                    self.interfaces.push(Interface::described(&description));
                }
                None
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let undescribed = Interface { link_type: UNDESCRIBED, resolution: 6, offset_s: 0 };
                let interface = self.interfaces.get(packet.if_id as usize).copied();
                let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                let data = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
                let interface = interface.unwrap_or(undescribed);
                let record = interface.record(ticks, packet.orig_len(), data);
                Some(Record { data_offset: offset + ENHANCED_HEAD, ..record })
            }
            // Simple packets carry no time, and other blocks carry no packets.
            PcapBlockOwned::NG(_) => None,
        })
    }
}

impl Interface {
    fn described(description: &InterfaceDescriptionBlock<'_>) -> Self {
        Interface {
            link_type: description.linktype.0,
            resolution: description.if_tsresol,
            offset_s: description.if_tsoffset,
        }
    }

    fn record<'a>(&self, ticks: u64, original_bytes: u32, data: &'a [u8]) -> Record<'a> {
        let time_ns = self.nanoseconds(ticks);
        Record { link_type: self.link_type, time_ns, original_bytes, data, data_offset: 0 }
    }

    /// `ticks` in nanoseconds, limited to what fits in 64 bits.
    fn nanoseconds(&self, ticks: u64) -> u64 {
        const NS_PER_S: u128 = 1_000_000_000;
        let ticks = u128::from(ticks) * NS_PER_S;
        let exponent = u32::from(self.resolution & 0x7f);
        let span = if self.resolution & 0x80 != 0 {
            ticks >> exponent
        } else {
            10u128.checked_pow(exponent).map_or(0, |per_second| ticks / per_second)
        };
        // The span is below 2^94, the offset below 2^93.
        let total = span as i128 + i128::from(self.offset_s) * NS_PER_S as i128;
        u64::try_from(total.max(0)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_in_every_resolution() {
        let ns = |resolution, offset_s, ticks| {
            Interface { link_type: 1, resolution, offset_s }.nanoseconds(ticks)
        };
        assert_eq!(ns(6, 0, 5), 5_000);
        assert_eq!(ns(9, 0, 5), 5);
        assert_eq!(ns(12, 0, 5_999), 5);
        assert_eq!(ns(0, 0, 5), 5_000_000_000);
        assert_eq!(ns(0x80 | 10, 0, 1024), 1_000_000_000);
        assert_eq!(ns(6, 2, 5), 2_000_005_000);
        assert_eq!(ns(6, -2, 5), 0);
        assert_eq!(ns(127, 0, u64::MAX), 0);
        assert_eq!(ns(0xff, 0, u64::MAX), 0);
        assert_eq!(ns(0, i64::MAX, u64::MAX), u64::MAX);
    }
}

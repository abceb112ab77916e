//! Frames in a pcapng file (draft-ietf-opsawg-pcapng): interfaces of nanoseconds, and comments that
//! tell how far time had advanced. Reading is bounded by the largest block and refuses all
//! that a recorder does not write.

use std::fmt;
use std::io::{self, Read, Write};

use forebay_units::{Duration, Time};
use forebay_workload::is_short_block;
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{Block, OptionCode, PcapBlockOwned, PcapError, PcapNGReader};

use super::RecordError;

/// The largest block that is read: a frame of 64 KiB and its comment fit.
const LARGEST: usize = 1 << 17;
/// The most interfaces: a lab has no more hosts.
const MOST_INTERFACES: usize = 1 << 16;
/// Block types.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// Option numbers.
const COMMENT: u16 = 1;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const ETHERNET: u16 = 1;
const ADVANCED: &str = "advanced to ";
const UNIT: &str = " ns";

/// A frame as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFrame {
    /// Through which interface, from 0: of a link 0 up, 1 down; of a lab the host's.
    pub side: u16,
    /// To when whatever took it had advanced before.
    pub known: Time,
    /// When it arrived.
    pub at: Time,
    /// The frame as it was captured, from its first header on.
    pub bytes: Vec<u8>,
}

/// Writes what stands before the first frame: which interfaces there are.
///
/// # Errors
/// The system's reason.
pub fn write_head(out: &mut impl Write, interfaces: &[String]) -> io::Result<()> {
    let mut block = Vec::new();
    block.extend(0x1a2b_3c4d_u32.to_le_bytes());
    block.extend([1, 0, 0, 0]); // version 1.0
    block.extend((-1_i64).to_le_bytes()); // its length is not told
    write_block(out, SECTION, &block)?;
    for name in interfaces {
        block.clear();
        block.extend(ETHERNET.to_le_bytes());
        block.extend([0; 6]); // reserved, and no limit to what is kept of a frame
        option(&mut block, IF_NAME, name.as_bytes());
        option(&mut block, IF_TSRESOL, &[9]);
        option(&mut block, 0, &[]);
        write_block(out, INTERFACE, &block)?;
    }
    Ok(())
}

/// Writes a frame, and to when its direction had advanced if that has changed.
pub(super) fn write_frame(
    out: &mut impl Write,
    frame: &RecordedFrame,
    has_advanced: bool,
) -> io::Result<()> {
    let (at, length) = (frame.at.as_ps() / 1000, frame.bytes.len() as u32);
    let mut block = Vec::with_capacity(frame.bytes.len() + 64);
    for word in [u32::from(frame.side), (at >> 32) as u32, at as u32, length, length] {
        block.extend(word.to_le_bytes());
    }
    block.extend(&frame.bytes);
    pad(&mut block);
    if has_advanced {
        let comment = format!("{ADVANCED}{}{UNIT}", frame.known.as_ps() / 1000);
        option(&mut block, COMMENT, comment.as_bytes());
        option(&mut block, 0, &[]);
    }
    write_block(out, PACKET, &block)
}

fn option(block: &mut Vec<u8>, code: u16, value: &[u8]) {
    block.extend(code.to_le_bytes());
    block.extend((value.len() as u16).to_le_bytes());
    block.extend(value);
    pad(block);
}

fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(4), 0);
}

fn write_block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&length)?;
    out.write_all(body)?;
    out.write_all(&length)
}

/// The frames of a recording, one after the other; ends after the first error.
pub struct Frames<R: Read> {
    reader: PcapNGReader<R>,
    known: Vec<Time>,
    is_over: bool,
}

impl<R: Read> fmt::Debug for Frames<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").field("known", &self.known).finish_non_exhaustive()
    }
}

impl<R: Read> Frames<R> {
    /// Those that `input` holds.
    ///
    /// # Errors
    /// It does not begin as pcapng does.
    pub fn read(input: R) -> Result<Self, RecordError> {
        let reader = PcapNGReader::new(LARGEST, input).map_err(told)?;
        Ok(Frames { reader, known: Vec::new(), is_over: false })
    }

    fn following(&mut self) -> Result<Option<RecordedFrame>, RecordError> {
        let mut wanted = 0;
        loop {
            if is_short_block(self.reader.data()) {
                return Err(RecordError::Damaged("a block shorter than its head"));
            }
            let known = &mut self.known;
            match self.reader.next() {
                Ok((length, block)) => {
                    let frame = match block {
                        PcapBlockOwned::NG(block) => frame(&block, known),
                        PcapBlockOwned::Legacy(_) | PcapBlockOwned::LegacyHeader(_) => {
                            Err(RecordError::Damaged("a block of another format"))
                        }
                    }?;
                    self.reader.consume(length);
                    wanted = 0;
                    if frame.is_some() {
                        return Ok(frame);
                    }
                }
                Err(PcapError::Eof) => return Ok(None),
                Err(PcapError::Incomplete(_)) => {
                    let (before, exhausted) =
                        (self.reader.data().len(), self.reader.reader_exhausted());
                    if exhausted || (wanted > 0 && before == wanted) {
                        return Err(RecordError::Cut);
                    }
                    wanted = before;
                    self.reader.refill().map_err(told)?;
                }
                Err(error) => return Err(told(error)),
            }
        }
    }
}

impl<R: Read> Iterator for Frames<R> {
    type Item = Result<RecordedFrame, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.following().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The frame in a block, if it holds one.
fn frame(block: &Block<'_>, known: &mut Vec<Time>) -> Result<Option<RecordedFrame>, RecordError> {
    let packet = match block {
        Block::InterfaceDescription(_) if known.len() < MOST_INTERFACES => {
            known.push(Time::ZERO);
            return Ok(None);
        }
        Block::InterfaceDescription(_) => {
            return Err(RecordError::Damaged("it has too many interfaces"));
        }
        Block::EnhancedPacket(packet) => packet,
        _ => return Ok(None),
    };
    let side = packet.if_id as usize;
    let Some(known) = known.get_mut(side) else {
        return Err(RecordError::Damaged("a frame of an interface that is not described"));
    };
    let comment = packet.options.iter().find(|option| option.code == OptionCode(COMMENT));
    if let Some(comment) = comment {
        let text = std::str::from_utf8(&comment.value).unwrap_or_default();
        let text = text.trim_end_matches('\0').strip_prefix(ADVANCED);
        let ns = text.and_then(|text| text.strip_suffix(UNIT)?.parse().ok()).and_then(instant);
        *known = ns.ok_or(RecordError::Damaged("a comment that is no instant"))?;
    }
    let at = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
    let bytes = packet.data.get(..packet.caplen as usize);
    Ok(Some(RecordedFrame {
        side: side as u16,
        known: *known,
        at: instant(at).ok_or(RecordError::Damaged("a frame after the end of time"))?,
        bytes: bytes.ok_or(RecordError::Damaged("a frame larger than its block"))?.to_vec(),
    }))
}

/// An instant so early that what follows it can still be computed.
fn instant(ns: u64) -> Option<Time> {
    (ns < u64::MAX / 4000).then(|| Time::ZERO + Duration::from_ns(ns))
}

fn told<I>(error: PcapError<I>) -> RecordError
where
    I: Sized,
{
    match error {
        PcapError::ReadError => RecordError::Read(io::Error::other("reading failed")),
        PcapError::Eof | PcapError::UnexpectedEof | PcapError::Incomplete(_) => RecordError::Cut,
        PcapError::BufferTooSmall => RecordError::Damaged("a block is too large"),
        PcapError::HeaderNotRecognized | PcapError::NomError(..) | PcapError::OwnedNomError(..) => {
            RecordError::Damaged("it is not pcapng")
        }
    }
}

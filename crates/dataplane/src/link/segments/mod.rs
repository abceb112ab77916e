//! Large segments, which a sender leaves to its card to cut (Linux calls it GSO): what a wire would
//! carry of them, and how pieces that leave together become one segment again.
//!
//! A switch decides about every packet of the wire, so a segment is [cut](cut) before it gets
//! there. The data is not copied: a piece has headers of its own, and shares the rest with the
//! others as a [`Stretch`] of their [`Segment`]. Behind the link, an [`Outlet`] joins neighbouring
//! pieces again, where cutting the result would give just these pieces.

mod cut;
mod join;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

pub(crate) use cut::cut;
pub(crate) use join::{Cut, Leaving, Offload, Outlet, Sink};

use super::frame::{Checksum, Read};

/// What a segment is cut as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A stretch of a stream of TCP.
    Tcp,
    /// Several datagrams of UDP, of one size but for the last.
    Udp,
}

/// A large segment as it came, from the destination's hardware address on.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Its bytes, and room behind them.
    pub(crate) buffer: Box<[u8]>,
    /// How many bytes it has.
    pub(crate) length: usize,
    pub(crate) kind: Kind,
    /// How many bytes of data each piece has, but for the last.
    pub(crate) size: u16,
    /// The checksum that is left to whoever cuts it.
    pub(crate) checksum: Checksum,
    /// What a link reads of its headers, and so of each piece's.
    read: OnceLock<Read>,
}

impl Segment {
    /// Room for a segment of so many bytes.
    pub(crate) fn of_room(bytes: usize) -> Self {
        let checksum = Checksum { start: 0, offset: 0 };
        let buffer = vec![0; bytes].into_boxed_slice();
        Segment { buffer, length: 0, kind: Kind::Tcp, size: 0, checksum, read: OnceLock::new() }
    }

    /// Forgets what was in it.
    pub(crate) fn clear(&mut self) {
        (self.length, self.size) = (0, 0);
        self.read.take();
    }

    fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or(&self.buffer)
    }

    fn between(&self, begin: u32, end: u32) -> &[u8] {
        self.buffer.get(begin as usize..end as usize).unwrap_or_default()
    }
}

/// The data of a piece.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    segment: Arc<Segment>,
    begin: u32,
    end: u32,
    /// Which piece of the segment it is, from 0, and of how many.
    number: u32,
    count: u32,
    /// Where the IP header begins in each of them.
    network: u16,
}

impl Stretch {
    pub(super) fn len(&self) -> usize {
        self.end.saturating_sub(self.begin) as usize
    }

    /// What a link reads of the piece's headers, as they were cut.
    pub(super) fn read(&self) -> Option<Read> {
        self.segment.read.get().copied()
    }

    pub(super) fn data(&self) -> &[u8] {
        self.segment.between(self.begin, self.end)
    }
}

/// The flags of TCP that only the last piece has (FIN and PSH), and that only the first has (CWR;
/// RFC 3168, §6.1.2).
const LAST: u8 = 0x09;
const FIRST: u8 = 0x80;

/// The number of TCP or UDP in an IP header.
fn protocol(kind: Kind) -> u64 {
    match kind {
        Kind::Tcp => 6,
        Kind::Udp => 17,
    }
}

/// Gives an IP header the length of what follows it, an identification if it is IPv4's, and a
/// checksum; the sum of its addresses.
fn finish_header(header: &mut [u8], data: usize, identification: u16) -> Option<u64> {
    if header.first()? >> 4 == 6 {
        let payload = u16::try_from((header.len() + data).checked_sub(40)?).ok()?;
        header.get_mut(4..6)?.copy_from_slice(&payload.to_be_bytes());
        return Some(summed(header.get(8..40)?));
    }
    let length = u16::try_from(header.len() + data).ok()?;
    header.get_mut(2..4)?.copy_from_slice(&length.to_be_bytes());
    header.get_mut(4..6)?.copy_from_slice(&identification.to_be_bytes());
    header.get_mut(10..12)?.fill(0);
    let sum = !folded(summed(header));
    header.get_mut(10..12)?.copy_from_slice(&sum.to_be_bytes());
    Some(summed(header.get(12..20)?))
}

/// A frame with the checksum that its sender has left to others.
pub(crate) fn finished(parts: [&[u8]; 2], Checksum { start, offset }: Checksum) -> Vec<u8> {
    let mut bytes = parts.concat();
    let place = usize::from(start) + usize::from(offset);
    let sum = bytes.get(usize::from(start)..).map(|over| !folded(summed(over)));
    if let (Some(sum), Some(place)) = (sum, bytes.get_mut(place..place + 2)) {
        // Zero would say that there is none, of UDP (RFC 768), and is the same for all.
        let sum = if sum == 0 { 0xffff } else { sum };
        place.copy_from_slice(&sum.to_be_bytes());
    }
    bytes
}

/// The sum of 16-bit words (RFC 1071).
fn summed(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(2).map(|word| match word {
        [high, low] => u64::from(u16::from_be_bytes([*high, *low])),
        [high] => u64::from(*high) << 8,
        _ => 0,
    });
    words.sum()
}

/// A sum with its carries added in again.
fn folded(mut sum: u64) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

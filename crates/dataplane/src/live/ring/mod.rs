//! Frames of an interface: received through a ring of memory that is shared with the kernel, sent
//! one by one.
//!
//! A ring of version 2 (packet(7)): a frame is handed over as soon as it has come, not when a block
//! of them is full, so that a link can forward it in time; it has a stamp in nanoseconds. O(1) a
//! frame, one copy.

// What is shared with the kernel cannot be reached otherwise.
#![allow(unsafe_code)]

mod map;
mod options;

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::link::segments::{Kind, cut};
use crate::link::{Checksum, Frame};
use map::Map;

/// What a ring takes, in bytes, where there are two; more if not even a few frames fit.
pub(super) const MEMORY: usize = 8 << 20;
/// How many frames there are at least.
const LEAST_FRAMES: usize = 64;
/// What the kernel puts in front of a frame: its own header, room for alignment, and the offload
/// header.
const HEADROOM: usize = 128;
/// Ethernet's header and two tags.
const LINK_HEADER: usize = 14 + 8;
/// The largest that a sender leaves to its card to cut, unless more was permitted (BIG TCP): an IP
/// packet.
const LARGEST_SEGMENT: usize = LINK_HEADER + 65_535;
/// The offload header, `struct virtio_net_hdr`.
const OFFLOAD: usize = 10;
/// Its flag for a checksum that is not finished.
const NEEDS_CHECKSUM: u8 = 1;

/// Its kinds (linux/virtio_net.h): not to be cut, and what is; with a flag that goes with any.
const WHOLE: u8 = 0;
const TCP_4: u8 = 1;
const TCP_6: u8 = 4;
const UDP: u8 = 5;
const WITH_ECN: u8 = 0x80;

/// What a ring had to give.
#[derive(Debug)]
pub(super) enum Taken {
    /// A frame, and when it came: nanoseconds of the wall clock since the epoch.
    Frame { stamp: i128, frame: Frame },
    /// What a large segment is cut to, in order; all of it came at once.
    Cut { stamp: i128, frames: Vec<Frame> },
    /// A frame of so many bytes that did not fit, or that cannot be cut.
    TooLarge { bytes: u32 },
}

/// Of a TCP socket, how often its retransmission timer has expired and how many segments it has
/// sent again; `None` if the kernel does not say.
pub(super) fn timeouts(socket: impl AsFd) -> io::Result<Option<(u32, u32)>> {
    options::timeouts(socket.as_fd())
}

/// The frames of one interface.
pub(super) struct Ring {
    socket: OwnedFd,
    map: Map,
    slots: usize,
    next: usize,
}

impl Ring {
    /// Of the interface with this number and MTU, in the namespace of this thread. What is sent
    /// from here on is received, but for what this ring sends. It takes about so much `memory`.
    pub(super) fn open(interface: u32, mtu: u32, memory: usize) -> io::Result<Self> {
        Ring::with_slots_for(interface, LINK_HEADER + mtu as usize, memory)
    }

    /// Of an interface that is not our own: it receives what is for others, too, until this is
    /// dropped or its process ends, and large segments, which are cut.
    pub(super) fn of_foreign(interface: u32, memory: usize) -> io::Result<Self> {
        let ring = Ring::with_slots_for(interface, LARGEST_SEGMENT, memory)?;
        options::receive_all(&ring.socket, interface)?;
        Ok(ring)
    }

    /// Forgets that the interface went down: without it, the socket is always ready to say so.
    pub(super) fn clear_error(&self) {
        // What there was to tell is told, whatever it was.
        let _ = rustix::net::sockopt::socket_error(&self.socket);
    }

    fn with_slots_for(interface: u32, largest: usize, memory: usize) -> io::Result<Self> {
        // Bound to no protocol yet, it receives nothing.
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        let slot = (HEADROOM + largest).next_power_of_two();
        let slots = (memory / slot).max(LEAST_FRAMES);
        options::ignore_own(&socket)?;
        options::bypass_queues(&socket)?;
        options::with_offloads(&socket)?;
        options::ring(&socket, slot, slots)?;
        let map = Map::of(&socket, slot, slots)?;
        options::bind(&socket, interface)?;
        Ok(Ring { socket, map, slots, next: 0 })
    }

    /// The next frame, in a `buffer`; none if none has come.
    pub(super) fn take(&mut self, buffer: impl FnOnce() -> Vec<u8>) -> Option<Taken> {
        let taken = self.map.take(self.next, |slot| read(&slot, buffer()))?;
        self.next = (self.next + 1) % self.slots;
        Some(taken)
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// The interface has no room for it, is down, or does not want it.
    pub(super) fn send(&self, frame: &Frame) -> io::Result<()> {
        let header = offload(frame.checksum);
        loop {
            match rustix::io::writev(
                &self.socket,
                &[IoSlice::new(&header), IoSlice::new(&frame.bytes)],
            ) {
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// How many frames the ring had no room for since this was last asked.
    pub(super) fn missed(&self) -> io::Result<u32> {
        options::missed(&self.socket)
    }
}

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A frame of the ring, as the kernel has filled it.
#[derive(Clone, Copy, Debug)]
struct Slot<'a> {
    /// The offload header in front.
    offload: &'a [u8; OFFLOAD],
    /// The bytes that it kept.
    bytes: &'a [u8],
    /// How many bytes the frame had.
    length: u32,
    stamp: i128,
    /// The VLAN tag that was taken out: EtherType and number.
    tag: Option<[u16; 2]>,
}

fn read(slot: &Slot<'_>, mut buffer: Vec<u8>) -> Taken {
    if slot.bytes.len() != slot.length as usize {
        return Taken::TooLarge { bytes: slot.length };
    }
    buffer.clear();
    let tag_at = slot.bytes.len().min(12);
    let (addresses, rest) = slot.bytes.split_at(tag_at);
    buffer.extend_from_slice(addresses);
    if let Some([kind, number]) = slot.tag {
        buffer.extend(kind.to_be_bytes().into_iter().chain(number.to_be_bytes()));
    }
    buffer.extend_from_slice(rest);
    let added = (buffer.len() - slot.bytes.len()) as u16;
    let &[flags, kind, ..] = slot.offload;
    let checksum =
        if flags & NEEDS_CHECKSUM == 0 { None } else { Some(unfinished(slot.offload, added)) };
    if kind == WHOLE {
        return Taken::Frame { stamp: slot.stamp, frame: Frame { bytes: buffer, checksum } };
    }
    let size = u16::from_ne_bytes([slot.offload[4], slot.offload[5]]);
    let cut = match (kind & !WITH_ECN, checksum) {
        (TCP_4 | TCP_6, Some(checksum)) => cut(&buffer, Kind::Tcp, size.into(), checksum),
        (UDP, Some(checksum)) => cut(&buffer, Kind::Udp, size.into(), checksum),
        _ => None,
    };
    match cut {
        Some(frames) => Taken::Cut { stamp: slot.stamp, frames },
        None => Taken::TooLarge { bytes: slot.length },
    }
}

/// The checksum that an offload header leaves to others, once `added` bytes of tag stand in front.
fn unfinished(offload: &[u8; OFFLOAD], added: u16) -> Checksum {
    let word = |at: usize| u16::from_ne_bytes([offload[at], offload[at + 1]]);
    Checksum { start: word(6).saturating_add(added), offset: word(8) }
}

/// The offload header of a frame.
fn offload(checksum: Option<Checksum>) -> [u8; OFFLOAD] {
    let mut header = [0; OFFLOAD];
    if let Some(Checksum { start, offset }) = checksum {
        header[0] = NEEDS_CHECKSUM;
        header[6..8].copy_from_slice(&start.to_ne_bytes());
        header[8..10].copy_from_slice(&offset.to_ne_bytes());
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot<'a>(offload: &'a [u8; OFFLOAD], bytes: &'a [u8]) -> Slot<'a> {
        Slot { offload, bytes, length: bytes.len() as u32, stamp: 5, tag: None }
    }

    #[test]
    fn a_frame_is_read_as_it_is_sent() {
        let checksum = Some(Checksum { start: 34, offset: 16 });
        let (header, bytes) = (offload(checksum), [7; 60]);
        let taken = read(&slot(&header, &bytes), vec![1; 9]);
        let Taken::Frame { stamp: 5, frame } = taken else { panic!("{taken:?}") };
        assert_eq!(frame, Frame { bytes: bytes.to_vec(), checksum });
    }

    #[test]
    fn a_tag_that_the_kernel_took_out_is_put_back() {
        let header = offload(Some(Checksum { start: 34, offset: 16 }));
        let bytes: Vec<u8> = (0..60).collect();
        let tagged = Slot { tag: Some([0x8100, 0x0007]), ..slot(&header, &bytes) };
        let Taken::Frame { frame, .. } = read(&tagged, Vec::new()) else { panic!("not read") };
        assert_eq!(frame.bytes[10..18], [10, 11, 0x81, 0, 0, 7, 12, 13]);
        assert_eq!(frame.checksum, Some(Checksum { start: 38, offset: 16 }));
        let short = Slot { tag: Some([0x8100, 1]), ..slot(&header, &bytes[..3]) };
        let Taken::Frame { frame, .. } = read(&short, Vec::new()) else { panic!("not read") };
        assert_eq!(frame.bytes, [0, 1, 2, 0x81, 0, 0, 1], "a runt");
    }

    #[test]
    fn what_is_cut_off_or_to_be_cut_is_too_large() {
        let header = offload(None);
        let truncated = Slot { length: 70_000, ..slot(&header, &[0; 60]) };
        assert!(matches!(read(&truncated, Vec::new()), Taken::TooLarge { bytes: 70_000 }));
        let mut segments = header;
        segments[1] = 1; // TCP over IPv4
        assert!(matches!(
            read(&slot(&segments, &[0; 60]), Vec::new()),
            Taken::TooLarge { bytes: 60 }
        ));
    }
}

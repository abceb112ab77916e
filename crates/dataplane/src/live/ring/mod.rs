//! Frames of an interface: received through a ring of memory that is shared with the kernel, sent
//! one by one.
//!
//! A ring of version 2 (packet(7)): a frame is handed over as soon as it has come, not when a block
//! of them is full, so that a link can forward it in time; it has a stamp in nanoseconds. O(1) a
//! frame, one copy. Slots have room for frames of the MTU. A large segment stands in its slot with
//! its beginning only; all of it waits in the socket's queue, from where it is fetched by a call,
//! also with one copy. So 64 KiB need not be kept for each frame of 64 bytes.

// What is shared with the kernel cannot be reached otherwise.
#![allow(unsafe_code)]

mod map;
mod offloads;
mod options;
mod program;
mod xdp;

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use super::buffers::{Buffers, LARGEST_SEGMENT, LINK_HEADER, Room};
use super::clock::Stamp;
use crate::link::segments::{Cut, Kind, Leaving, Offload, Segment};
use crate::link::{Checksum, Frame};
use map::Map;
pub(super) use offloads::finish_checksums;
pub(super) use xdp::XdpRing;

/// What a ring takes, in bytes, where there are two; more if not even a few frames fit.
pub(super) const MEMORY: usize = 8 << 20;
/// What large segments may take that wait to be fetched, in bytes of the kernel's.
const QUEUE: usize = 16 << 20;
/// How many frames there are at least.
const LEAST_FRAMES: usize = 64;
/// What the kernel puts in front of a frame: its own header, room for alignment, and the offload
/// header.
const HEADROOM: usize = 128;
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
    /// A frame, and when it came.
    Frame { stamp: Stamp, frame: Frame },
    /// What a large segment is cut to, in order; all of it came at once.
    Cut { stamp: Stamp, frames: Vec<Frame> },
    /// A frame of so many bytes that cannot be cut, or is larger than what can.
    TooLarge { bytes: u32 },
    /// A large segment of so many bytes for which there was no room.
    Missed { bytes: u32 },
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
        // Bound to no protocol yet, it receives nothing.
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        options::ignore_own(&socket)?;
        options::bypass_queues(&socket)?;
        options::with_offloads(&socket)?;
        // Without the right to a queue, slots must have room for all.
        let (largest, memory) = match options::queue_large(&socket, QUEUE)? {
            true => (LINK_HEADER + mtu as usize, memory),
            false => (LARGEST_SEGMENT.max(LINK_HEADER + mtu as usize), 4 * memory),
        };
        let slot = (HEADROOM + largest).next_power_of_two();
        let slots = options::whole_blocks(slot, (memory / slot).max(LEAST_FRAMES));
        options::ring(&socket, slot, slots)?;
        let map = Map::of(&socket, slot, slots)?;
        options::bind(&socket, interface)?;
        Ok(Ring { socket, map, slots, next: 0 })
    }

    /// Of an interface that is not our own: it receives what is for others, too, until this is
    /// dropped or its process ends.
    pub(super) fn of_foreign(interface: u32, mtu: u32, memory: usize) -> io::Result<Self> {
        let ring = Ring::open(interface, mtu, memory)?;
        options::receive_all(&ring.socket, interface)?;
        Ok(ring)
    }

    /// How many frames that come it has room for.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    /// The next frame; none if none has come.
    pub(super) fn take(&mut self, buffers: &mut Buffers) -> Option<Taken> {
        let socket = &self.socket;
        let taken = self.map.take(self.next, |slot| read(&slot, socket, buffers))?;
        self.next = (self.next + 1) % self.slots;
        Some(taken)
    }

    /// Sends a frame, or several as one segment.
    ///
    /// # Errors
    /// The interface has no room for it, is down, or does not want it.
    pub(super) fn send(&self, leaving: &Leaving<'_>) -> io::Result<()> {
        let header = offload(leaving.offload);
        let [head, data] = leaving.parts;
        let parts = [&header, head, data].map(IoSlice::new);
        loop {
            match rustix::io::writev(&self.socket, &parts) {
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
    /// Whether all of it is in the socket's queue.
    is_queued: bool,
    stamp: i128,
    /// The VLAN tag that was taken out: EtherType and number.
    tag: Option<[u16; 2]>,
}

/// The frame in a slot, or behind it in the socket's queue.
fn read(slot: &Slot<'_>, socket: &OwnedFd, buffers: &mut Buffers) -> Taken {
    let bytes = slot.length;
    if slot.bytes.len() != slot.length as usize {
        return match slot.is_queued {
            true => fetch(slot, socket, buffers),
            false => Taken::Missed { bytes },
        };
    }
    if slot.offload[1] == WHOLE {
        return Taken::Frame {
            stamp: Stamp::Wall(slot.stamp),
            frame: whole(slot, buffers.frame()),
        };
    }
    let room = buffers.room();
    let Some(segment) = buffers.filled(room) else { return Taken::TooLarge { bytes } };
    let [first, second] = places(&mut segment.buffer, slot.tag);
    let (addresses, rest) = slot.bytes.split_at(slot.bytes.len().min(first.len()));
    let parts = first.get_mut(..addresses.len()).zip(second.get_mut(..rest.len()));
    let Some((first, second)) = parts else { return Taken::TooLarge { bytes } };
    first.copy_from_slice(addresses);
    second.copy_from_slice(rest);
    describe(segment, slot.offload, slot);
    cut(slot, buffers, room)
}

/// The frame in a slot, which has all of it.
fn whole(slot: &Slot<'_>, mut buffer: Vec<u8>) -> Frame {
    buffer.clear();
    let (addresses, rest) = slot.bytes.split_at(slot.bytes.len().min(ADDRESSES));
    buffer.extend_from_slice(addresses);
    if let Some([kind, number]) = slot.tag {
        buffer.extend(kind.to_be_bytes().into_iter().chain(number.to_be_bytes()));
    }
    buffer.extend_from_slice(rest);
    let added = (buffer.len() - slot.bytes.len()) as u16;
    Frame::new(buffer).with_checksum(unfinished(slot.offload, added))
}

/// The frame that waits in the queue: a large segment, or one that is larger than the MTU.
fn fetch(slot: &Slot<'_>, socket: &OwnedFd, buffers: &mut Buffers) -> Taken {
    let bytes = slot.length;
    let room = buffers.room();
    let Some(segment) = buffers.filled(room) else { return Taken::Missed { bytes } };
    let mut header = [0; OFFLOAD];
    let [first, second] = places(&mut segment.buffer, slot.tag);
    let mut parts = [&mut header[..], first, second].map(IoSliceMut::new);
    let mut read = rustix::io::readv(socket, &mut parts);
    if read == Err(Errno::NETDOWN) {
        // That the interface went down is told once, instead of a frame.
        read = rustix::io::readv(socket, &mut parts);
    }
    let Ok(read) = read else { return Taken::Missed { bytes } };
    if read.saturating_sub(OFFLOAD) != bytes as usize {
        return Taken::TooLarge { bytes };
    }
    describe(segment, &header, slot);
    if header[1] == WHOLE {
        // The link says that it is too large, or not.
        let all = segment.buffer.get(..segment.length).unwrap_or_default();
        let added = if slot.tag.is_some() { TAG as u16 } else { 0 };
        let frame = Frame::new(all.to_vec()).with_checksum(unfinished(&header, added));
        return Taken::Frame { stamp: Stamp::Wall(slot.stamp), frame };
    }
    cut(slot, buffers, room)
}

/// The hardware addresses in front of a frame, and the tag that belongs behind them.
const ADDRESSES: usize = 12;
const TAG: usize = 4;

/// Where the parts of a frame belong in front of a tag and behind it, which is written between.
fn places(buffer: &mut [u8], tag: Option<[u16; 2]>) -> [&mut [u8]; 2] {
    let (first, rest) = buffer.split_at_mut(ADDRESSES.min(buffer.len()));
    let Some([kind, number]) = tag else { return [first, rest] };
    let (between, second) = rest.split_at_mut(TAG.min(rest.len()));
    let tag = kind.to_be_bytes().into_iter().chain(number.to_be_bytes());
    between.iter_mut().zip(tag).for_each(|(place, byte)| *place = byte);
    [first, second]
}

/// Says of a segment what its offload header says.
fn describe(segment: &mut Segment, offload: &[u8; OFFLOAD], slot: &Slot<'_>) {
    let added = if slot.tag.is_some() { TAG } else { 0 };
    segment.length = slot.length as usize + added;
    segment.kind = if offload[1] & !WITH_ECN == UDP { Kind::Udp } else { Kind::Tcp };
    let is_known = matches!(offload[1] & !WITH_ECN, TCP_4 | TCP_6 | UDP);
    segment.size = if is_known { u16::from_ne_bytes([offload[4], offload[5]]) } else { 0 };
    match unfinished(offload, added as u16) {
        Some(checksum) => segment.checksum = checksum,
        // Nobody cuts what is finished.
        None => segment.size = 0,
    }
}

fn cut(slot: &Slot<'_>, buffers: &mut Buffers, room: Room) -> Taken {
    match buffers.cut(room) {
        Some(frames) => Taken::Cut { stamp: Stamp::Wall(slot.stamp), frames },
        None => Taken::TooLarge { bytes: slot.length },
    }
}

/// The checksum that an offload header leaves to others, once `added` bytes of tag stand in front.
fn unfinished(offload: &[u8; OFFLOAD], added: u16) -> Option<Checksum> {
    let word = |at: usize| u16::from_ne_bytes([offload[at], offload[at + 1]]);
    (offload[0] & NEEDS_CHECKSUM != 0)
        .then(|| Checksum { start: word(6).saturating_add(added), offset: word(8) })
}

/// The offload header of what leaves.
fn offload(Offload { checksum, cut }: Offload) -> [u8; OFFLOAD] {
    let mut header = [0; OFFLOAD];
    if let Some(Checksum { start, offset }) = checksum {
        header[0] = NEEDS_CHECKSUM;
        header[6..8].copy_from_slice(&start.to_ne_bytes());
        header[8..10].copy_from_slice(&offset.to_ne_bytes());
    }
    if let Some(Cut { kind, is_v6, has_cwr, size, headers }) = cut {
        header[1] = match (kind, is_v6) {
            (Kind::Tcp, false) => TCP_4,
            (Kind::Tcp, true) => TCP_6,
            (Kind::Udp, _) => UDP,
        };
        header[1] |= if has_cwr { WITH_ECN } else { 0 };
        header[2..4].copy_from_slice(&headers.to_ne_bytes());
        header[4..6].copy_from_slice(&size.to_ne_bytes());
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::segments::testing::tcp;

    fn slot<'a>(offload: &'a [u8; OFFLOAD], bytes: &'a [u8]) -> Slot<'a> {
        let length = bytes.len() as u32;
        Slot { offload, bytes, length, is_queued: false, stamp: 5, tag: None }
    }

    /// Reads a slot whose socket has nothing.
    fn read(slot: &Slot<'_>) -> Taken {
        let (socket, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        socket.set_nonblocking(true).unwrap();
        super::read(slot, &socket.into(), &mut Buffers::new())
    }

    fn parts(frame: &Frame) -> Vec<u8> {
        frame.parts().concat()
    }

    #[test]
    fn a_frame_is_read_as_it_is_sent() {
        let checksum = Some(Checksum { start: 34, offset: 16 });
        let (header, bytes) = (offload(Offload { checksum, cut: None }), [7; 60]);
        let taken = read(&slot(&header, &bytes));
        let Taken::Frame { stamp: Stamp::Wall(5), frame } = taken else { panic!("{taken:?}") };
        assert_eq!(frame, Frame::new(bytes.to_vec()).with_checksum(checksum));
    }

    #[test]
    fn a_tag_that_the_kernel_took_out_is_put_back() {
        let checksum = Some(Checksum { start: 34, offset: 16 });
        let header = offload(Offload { checksum, cut: None });
        let bytes: Vec<u8> = (0..60).collect();
        let tagged = Slot { tag: Some([0x8100, 0x0007]), ..slot(&header, &bytes) };
        let Taken::Frame { frame, .. } = read(&tagged) else { panic!("not read") };
        assert_eq!(parts(&frame)[10..18], [10, 11, 0x81, 0, 0, 7, 12, 13]);
        assert_eq!(frame.checksum(), Some(Checksum { start: 38, offset: 16 }));
        let short = Slot { tag: Some([0x8100, 1]), ..slot(&header, &bytes[..3]) };
        let Taken::Frame { frame, .. } = read(&short) else { panic!("not read") };
        assert_eq!(parts(&frame), [0, 1, 2, 0x81, 0, 0, 1], "a runt");
    }

    #[test]
    fn a_tagged_segment_is_cut_behind_its_tag() {
        let whole = tcp(false, &[9; 3_000]);
        let checksum = Some(Checksum { start: 34, offset: 16 });
        let cut = Cut { kind: Kind::Tcp, is_v6: false, has_cwr: true, size: 1_000, headers: 54 };
        let header = offload(Offload { checksum, cut: Some(cut) });
        let tagged = Slot { tag: Some([0x8100, 0x0007]), ..slot(&header, &whole) };
        let Taken::Cut { frames, .. } = read(&tagged) else { panic!("not cut") };
        assert_eq!(frames.len(), 3);
        for frame in frames {
            let bytes = parts(&frame);
            assert_eq!((bytes.len(), &bytes[12..18]), (1_058, &[0x81, 0, 0, 7, 8, 0][..]));
        }
    }

    #[test]
    fn what_is_cut_off_or_cannot_be_cut_is_lost_by_its_name() {
        let header = offload(Offload::default());
        let truncated = Slot { length: 70_000, ..slot(&header, &[0; 60]) };
        assert!(matches!(read(&truncated), Taken::Missed { bytes: 70_000 }));
        let gone = Slot { is_queued: true, ..truncated };
        assert!(matches!(read(&gone), Taken::Missed { bytes: 70_000 }));
        let mut segments = header;
        segments[1] = TCP_4;
        assert!(matches!(read(&slot(&segments, &[0; 60])), Taken::TooLarge { bytes: 60 }));
    }
}

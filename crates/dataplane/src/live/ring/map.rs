//! The memory that a ring shares with the kernel.
//!
//! The kernel owns a slot until it sets [`TO_USER`] in the slot's status; then it does not touch
//! the slot before the status is zero again. The status is therefore read with acquire and written
//! with release ordering, and a slot's bytes are only read in between.

use std::io;
use std::os::fd::AsFd;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use super::{OFFLOAD, Slot};

/// The bits of a slot's status (linux/if_packet.h).
const TO_USER: u32 = 1;
const IS_QUEUED: u32 = 1 << 1;
const HAS_TAG: u32 = 1 << 4;
const HAS_TAG_KIND: u32 = 1 << 6;
/// The EtherType of a tag whose kind is not given.
const VLAN: u16 = 0x8100;

/// What the kernel writes at the beginning of a slot: `struct tpacket2_hdr`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    status: u32,
    length: u32,
    kept: u32,
    bytes_at: u16,
    net_at: u16,
    seconds: u32,
    nanoseconds: u32,
    tag: u16,
    tag_kind: u16,
    padding: [u8; 4],
}

/// The slots of a ring.
pub(super) struct Map {
    memory: NonNull<u8>,
    slot: usize,
    slots: usize,
}

// SAFETY: the memory is the map's own, and is only reached through `&mut self`.
unsafe impl Send for Map {}

impl Map {
    /// Of a socket that was told to have `slots` slots of `slot` bytes, a power of two of at
    /// least 256.
    pub(super) fn of(socket: &impl AsFd, slot: usize, slots: usize) -> io::Result<Self> {
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses overlaps nothing.
        let memory = unsafe { mmap(ptr::null_mut(), slot * slots, protection, flags, socket, 0) }?;
        let memory =
            NonNull::new(memory.cast()).ok_or_else(|| io::Error::other("no memory is mapped"))?;
        Ok(Map { memory, slot, slots })
    }

    /// Reads the slot `index` and gives it back to the kernel; `None` if nothing has come in it
    /// yet.
    pub(super) fn take<T>(&mut self, index: usize, read: impl FnOnce(Slot<'_>) -> T) -> Option<T> {
        assert!(index < self.slots, "a ring of {} slots has no slot {index}", self.slots);
        // SAFETY: the slot lies in the mapping, whose beginning is a page's and whose slots are
        // multiples of 256 bytes, so that it is aligned for a status. Kernel and program only
        // access the status atomically.
        let (begin, status) = unsafe {
            let begin = self.memory.as_ptr().add(index * self.slot);
            (begin, AtomicU32::from_ptr(begin.cast()))
        };
        let flags = status.load(Ordering::Acquire);
        if flags & TO_USER == 0 {
            return None;
        }
        // SAFETY: since the status says so, the kernel has written a header, and writes nothing
        // here until the status is stored below; the slice ends before that, since `read` gives
        // back nothing of it.
        let (header, all) = unsafe {
            (begin.cast::<Header>().read(), slice::from_raw_parts(begin.cast_const(), self.slot))
        };
        let taken = read(slot(&header, flags, all));
        status.store(0, Ordering::Release);
        Some(taken)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the memory was mapped with this length, and nothing borrows from it any more.
        let _ = unsafe { munmap(self.memory.as_ptr().cast(), self.slot * self.slots) };
    }
}

/// The frame in a slot whose bytes are `all`. A header that does not fit them, which no kernel
/// writes, has none of its bytes.
fn slot<'a>(header: &Header, flags: u32, all: &'a [u8]) -> Slot<'a> {
    let at = usize::from(header.bytes_at);
    let kept = all.get(at..).and_then(|rest| rest.get(..header.kept as usize));
    let before = all.get(..at).and_then(|before| before.last_chunk::<OFFLOAD>());
    let (offload, bytes) = before.zip(kept).unwrap_or((&[0; OFFLOAD], &[][..]));
    let kind = if flags & HAS_TAG_KIND != 0 { header.tag_kind } else { VLAN };
    Slot {
        offload,
        bytes,
        length: header.length,
        is_queued: flags & IS_QUEUED != 0,
        stamp: i128::from(header.seconds) * 1_000_000_000 + i128::from(header.nanoseconds),
        tag: (flags & HAS_TAG != 0).then_some([kind, header.tag]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header {
        status: TO_USER,
        length: 60,
        kept: 60,
        bytes_at: 96,
        net_at: 110,
        seconds: 2,
        nanoseconds: 3,
        tag: 7,
        tag_kind: 0x88a8,
        padding: [0; 4],
    };

    #[test]
    fn a_slot_has_what_its_header_says() {
        let all: Vec<u8> = (0..=255).collect();
        let plain = slot(&HEADER, TO_USER, &all);
        assert_eq!((plain.bytes.len(), plain.bytes[0], plain.offload[0]), (60, 96, 86));
        assert_eq!((plain.stamp, plain.tag), (2_000_000_003, None));
        assert_eq!(slot(&HEADER, HAS_TAG, &all).tag, Some([VLAN, 7]));
        assert_eq!(slot(&HEADER, HAS_TAG | HAS_TAG_KIND, &all).tag, Some([0x88a8, 7]));
    }

    #[test]
    fn a_header_that_lies_reaches_nothing_outside_the_slot() {
        let all = [0; 256];
        for header in [
            Header { kept: 161, ..HEADER },
            Header { kept: u32::MAX, ..HEADER },
            Header { bytes_at: 257, ..HEADER },
            Header { bytes_at: 9, ..HEADER },
        ] {
            let slot = slot(&header, TO_USER, &all);
            assert!(slot.bytes.is_empty() && slot.length == 60, "{slot:?}");
        }
    }
}

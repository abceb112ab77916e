//! Frames of an interface through AF_XDP, in copy mode: what comes never becomes a packet of the
//! kernel's stack, and what leaves goes to the driver by the dozen.
//!
//! No large segment comes this way: at a veth, the kernel turns them off at the other end. Nor does
//! a note that a checksum is not finished, so the sender must finish it. A frame is copied twice on
//! each side: out of the memory that is shared with the kernel, which has slots of 4 KiB, and into
//! it. O(1) a frame.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{SendFlags, send};
use xdp::slab::{HeapSlab, Slab};
use xdp::socket::XdpSocketBuilder;
use xdp::umem::{FrameSize, UmemCfgBuilder};
use xdp::{RingConfigBuilder, Umem, WakableRings};

use super::program::{Program, STAMP};
use super::{Buffers, LINK_HEADER, Taken};
use crate::link::Frame;
use crate::link::segments::{Leaving, finished};
use crate::live::clock::Stamp;

/// A slot of the shared memory, what the kernel keeps free of it, and we for the stamp.
const SLOT: usize = 4096;
const RESERVED: usize = 256;
const HEADROOM: u32 = 32;
/// The largest MTU whose frames fit.
const MOST_MTU: usize = SLOT - RESERVED - HEADROOM as usize - LINK_HEADER;
/// How many frames are taken from the kernel's ring at once.
const BATCH: usize = 64;
/// How many frames a call sends at least, if there are so many: half of what the kernel does.
const SENT: usize = 16;

/// The frames of one interface, through AF_XDP.
pub(in crate::live) struct XdpRing {
    // What uses the shared memory is dropped before it.
    _program: Program,
    socket: OwnedFd,
    kernel: xdp::socket::XdpSocket,
    rings: WakableRings,
    came: HeapSlab,
    leaving: HeapSlab,
    /// How many frames were put in the ring of those that leave since the kernel was told.
    put: usize,
    /// How many slots are to be given back to the kernel.
    empty: usize,
    missed: u64,
    /// How many slots there are for each way.
    half: usize,
    memory: Umem,
}

impl XdpRing {
    /// Of the interface with this number and MTU, in the namespace of this thread. It takes about
    /// so much `memory`.
    pub(in crate::live) fn open(interface: u32, mtu: u32, memory: usize) -> io::Result<Self> {
        if mtu as usize > MOST_MTU {
            return Err(io::Error::other(format!(
                "its slots hold frames of an MTU of {MOST_MTU}, and the link's is {mtu}: take the \
                 ring `packet`"
            )));
        }
        let slots = (memory / SLOT).clamp(256, 1 << 14).next_power_of_two() as u32;
        let config = UmemCfgBuilder {
            frame_size: FrameSize::FourK,
            head_room: HEADROOM,
            frame_count: slots,
            ..UmemCfgBuilder::default()
        };
        let mut memory = Umem::map(config.build().map_err(io::Error::other)?)?;
        // Half of the slots for each way.
        let half = slots / 2;
        let sizes = RingConfigBuilder {
            rx_count: half,
            tx_count: half,
            fill_count: half,
            completion_count: half,
        };
        let mut builder = XdpSocketBuilder::new().map_err(io::Error::other)?;
        let sizes = sizes.build().map_err(io::Error::other)?;
        let (mut rings, mut flags) =
            builder.build_wakable_rings(&memory, sizes).map_err(io::Error::other)?;
        flags.force_copy();
        let kernel =
            builder.bind(xdp::nic::NicIndex::new(interface), 0, flags).map_err(io::Error::other)?;
        // SAFETY: the memory lives as long as the socket: both are this ring's.
        unsafe { rings.fill_ring.enqueue(&mut memory, half as usize, true)? };
        // SAFETY: the socket is open.
        let socket = unsafe { BorrowedFd::borrow_raw(kernel.raw_fd()) }.try_clone_to_owned()?;
        let program = Program::attach(interface, kernel.raw_fd())?;
        let slab = HeapSlab::with_capacity;
        Ok(XdpRing {
            _program: program,
            socket,
            kernel,
            rings,
            came: slab(BATCH),
            leaving: slab(1),
            put: 0,
            empty: 0,
            missed: 0,
            half: half as usize,
            memory,
        })
    }

    /// How many frames that come it has room for.
    pub(in crate::live) fn slots(&self) -> usize {
        self.half
    }

    /// The next frame; none if none has come.
    pub(in crate::live) fn take(&mut self, buffers: &mut Buffers) -> Option<Taken> {
        if self.came.is_empty() {
            self.refill();
        }
        let mut packet = self.came.pop_back()?;
        let mut stamp = [0; STAMP];
        let back = i32::try_from(STAMP).unwrap_or_default();
        let is_stamped = packet.adjust_head(-back).is_ok()
            && packet.array_at_offset(0, &mut stamp).is_ok()
            && packet.adjust_head(back).is_ok();
        let mut buffer = buffers.frame();
        buffer.clear();
        buffer.extend_from_slice(&packet);
        self.memory.free_packet(packet);
        self.empty += 1;
        // Without a stamp, which no frame of the program is, it has come now.
        let stamp = if is_stamped { u64::from_ne_bytes(stamp) } else { u64::MAX };
        Some(Taken::Frame { stamp: Stamp::Monotonic(stamp.into()), frame: Frame::new(buffer) })
    }

    /// Gives the kernel the slots that are empty, and takes what has come.
    fn refill(&mut self) {
        // SAFETY: the memory lives as long as the socket, and packets stay in this ring.
        unsafe {
            if self.empty > 0 {
                // What cannot be given back now, is later.
                let given = self.rings.fill_ring.enqueue(&mut self.memory, self.empty, true);
                self.empty -= given.unwrap_or(0).min(self.empty);
            }
            if let Some(ring) = &mut self.rings.rx_ring {
                ring.recv(&self.memory, &mut self.came);
            }
        }
    }

    /// Puts a frame among those that leave with the next [flush](Self::flush).
    ///
    /// # Errors
    /// There is no room.
    pub(in crate::live) fn send(&mut self, leaving: &Leaving<'_>) -> io::Result<()> {
        let full = || io::Error::from(io::ErrorKind::WouldBlock);
        if self.memory.allocatable() <= self.empty {
            self.flush();
            self.rings.completion_ring.dequeue(&mut self.memory, self.half);
        }
        if self.memory.allocatable() <= self.empty {
            return Err(full());
        }
        // SAFETY: the packet stays in this ring, or is the kernel's.
        let mut packet = unsafe { self.memory.alloc() }.ok_or_else(full)?;
        let done = match leaving.offload.checksum {
            None => leaving.parts.iter().try_for_each(|part| packet.append(part)),
            Some(checksum) => packet.append(&finished(leaving.parts, checksum)),
        };
        if done.is_err() || leaving.offload.cut.is_some() {
            self.memory.free_packet(packet);
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        self.leaving.push_front(packet);
        let Some(ring) = &mut self.rings.tx_ring else { return Err(full()) };
        // SAFETY: the memory lives as long as the socket.
        let sent = unsafe { ring.send(&mut self.leaving, false) };
        if sent.is_ok_and(|sent| sent > 0) {
            self.put += 1;
            return Ok(());
        }
        if let Some(packet) = self.leaving.pop_back() {
            self.memory.free_packet(packet);
        }
        Err(full())
    }

    /// Tells the kernel to send what was put.
    pub(in crate::live) fn flush(&mut self) {
        if self.put == 0 {
            return;
        }
        for _ in 0..=self.put / SENT {
            // If it cannot, it is told again with what comes next.
            let _ = send(&self.socket, &[], SendFlags::DONTWAIT);
        }
        self.put = 0;
        self.rings.completion_ring.dequeue(&mut self.memory, self.half);
    }

    /// How many frames the kernel had no room for since this was last asked.
    pub(in crate::live) fn missed(&mut self) -> io::Result<u32> {
        let all = self.kernel.statistics().map_err(io::Error::other)?;
        let missed = all.rx_dropped + all.rx_ring_full;
        let before = std::mem::replace(&mut self.missed, missed);
        Ok(u32::try_from(missed.saturating_sub(before)).unwrap_or(u32::MAX))
    }
}

impl AsFd for XdpRing {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

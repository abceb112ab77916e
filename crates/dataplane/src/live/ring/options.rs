//! What a packet socket is told (packet(7)); the names are those of linux/if_packet.h. And what a
//! TCP socket says of itself (tcp(7)).

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

const PACKET_ADD_MEMBERSHIP: libc::c_int = 1;
const PACKET_RX_RING: libc::c_int = 5;
const PACKET_STATISTICS: libc::c_int = 6;
const PACKET_COPY_THRESH: libc::c_int = 7;
const PACKET_VERSION: libc::c_int = 10;
const PACKET_VNET_HDR: libc::c_int = 15;
const PACKET_QDISC_BYPASS: libc::c_int = 20;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
const TPACKET_V2: libc::c_int = 1;

/// What a block of a ring takes at least: slots do not reach across blocks.
const BLOCK: usize = 1 << 16;

/// `struct tpacket_req`.
#[repr(C)]
struct Request {
    block_size: u32,
    blocks: u32,
    slot_size: u32,
    slots: u32,
}

const PACKET_MR_PROMISC: u16 = 1;

/// `struct packet_mreq`.
#[repr(C)]
struct Membership {
    interface: i32,
    kind: u16,
    length: u16,
    address: [u8; 8],
}

/// `struct tpacket_stats`.
#[repr(C)]
#[derive(Default)]
struct Statistics {
    packets: u32,
    drops: u32,
}

/// Receives nothing that it has sent itself, nor what others send from the interface.
pub(super) fn ignore_own(socket: &OwnedFd) -> io::Result<()> {
    set(socket, PACKET_IGNORE_OUTGOING, &1i32)
}

/// What is sent does not wait in a queue of the kernel.
pub(super) fn bypass_queues(socket: &OwnedFd) -> io::Result<()> {
    set(socket, PACKET_QDISC_BYPASS, &1i32)
}

/// A frame has in front what its sender has left to its card.
pub(super) fn with_offloads(socket: &OwnedFd) -> io::Result<()> {
    set(socket, PACKET_VNET_HDR, &1i32)
}

/// As many of `slots` slots, each a power of two in bytes, as fill whole blocks, or those of one.
pub(super) fn whole_blocks(slot: usize, slots: usize) -> usize {
    let of_block = slot.max(BLOCK) / slot;
    (slots / of_block).max(1) * of_block
}

/// Frames are received into a ring of slots that fill [whole blocks](whole_blocks).
pub(super) fn ring(socket: &OwnedFd, slot: usize, slots: usize) -> io::Result<()> {
    set(socket, PACKET_VERSION, &TPACKET_V2)?;
    let block = slot.max(BLOCK);
    let request = Request {
        block_size: block as u32,
        blocks: (slot * slots / block) as u32,
        slot_size: slot as u32,
        slots: slots as u32,
    };
    set(socket, PACKET_RX_RING, &request)
}

/// Frames that do not fit into a slot wait in the socket's queue, of so many bytes; `false` if that
/// is not permitted.
pub(super) fn queue_large(socket: &OwnedFd, bytes: usize) -> io::Result<bool> {
    // The kernel doubles it for its own needs.
    let bytes = (bytes / 2) as libc::c_int;
    if set_at(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &bytes).is_err() {
        return Ok(false);
    }
    set(socket, PACKET_COPY_THRESH, &1i32).map(|()| true)
}

/// Receives every frame of an interface from now on, and sends there.
pub(super) fn bind(socket: &OwnedFd, interface: u32) -> io::Result<()> {
    // SAFETY: all bytes zero are a socket address of no family.
    let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = i32::try_from(interface).map_err(io::Error::other)?;
    let length = mem::size_of_val(&address) as libc::socklen_t;
    // SAFETY: the address is one of packet sockets, of the length that is given.
    let done = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Receives what is for other stations, too (promiscuous mode), as long as the socket is open: the
/// kernel counts who wants it, and restores the interface even after a kill.
pub(super) fn receive_all(socket: &OwnedFd, interface: u32) -> io::Result<()> {
    let request = Membership {
        interface: i32::try_from(interface).map_err(io::Error::other)?,
        kind: PACKET_MR_PROMISC,
        length: 0,
        address: [0; 8],
    };
    set(socket, PACKET_ADD_MEMBERSHIP, &request)
}

/// How many frames found the ring full since this was last asked.
pub(super) fn missed(socket: &OwnedFd) -> io::Result<u32> {
    let mut statistics = Statistics::default();
    let mut length = mem::size_of_val(&statistics) as libc::socklen_t;
    let (socket, place) = (socket.as_raw_fd(), (&raw mut statistics).cast());
    // SAFETY: the kernel writes at most `length` bytes to the place, which has as many.
    let done = unsafe {
        libc::getsockopt(socket, libc::SOL_PACKET, PACKET_STATISTICS, place, &mut length)
    };
    if done == 0 { Ok(statistics.drops) } else { Err(io::Error::last_os_error()) }
}

fn set<T>(socket: &OwnedFd, option: libc::c_int, value: &T) -> io::Result<()> {
    set_at(socket, libc::SOL_PACKET, option, value)
}

fn set_at<T>(
    socket: &OwnedFd,
    level: libc::c_int,
    option: libc::c_int,
    value: &T,
) -> io::Result<()> {
    let (socket, length) = (socket.as_raw_fd(), mem::size_of::<T>() as libc::socklen_t);
    // SAFETY: the kernel reads at most `length` bytes of the value, which has as many.
    let done =
        unsafe { libc::setsockopt(socket, level, option, (&raw const *value).cast(), length) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Where the kernel writes two counters of a connection (`struct tcp_info` of linux/tcp.h, which
/// only grows at its end; not every C library declares the second).
const TOTAL_RETRANSMITTED: usize = 100;
const TOTAL_EXPIRED: usize = 240;
#[cfg(target_env = "gnu")]
const _: () = {
    assert!(mem::offset_of!(libc::tcp_info, tcpi_total_retrans) == TOTAL_RETRANSMITTED);
    assert!(mem::offset_of!(libc::tcp_info, tcpi_total_rto) == TOTAL_EXPIRED);
};

/// Of a TCP socket, how often its retransmission timer has expired, and how many segments it has
/// sent again; `None` if this kernel does not count the first (Linux 6.7 does).
pub(super) fn timeouts(socket: BorrowedFd<'_>) -> io::Result<Option<(u32, u32)>> {
    let mut info = [0_u8; TOTAL_EXPIRED + mem::size_of::<u16>()];
    let mut length = info.len() as libc::socklen_t;
    let place = (&raw mut info).cast();
    // SAFETY: the kernel writes at most `length` bytes to the place, which has as many.
    let done = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, place, &mut length)
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    let (Some(sent), Some(expired)) =
        (info[TOTAL_RETRANSMITTED..].first_chunk(), info[TOTAL_EXPIRED..].first_chunk())
    else {
        return Ok(None);
    };
    let is_there = length as usize >= info.len();
    let both = (u16::from_ne_bytes(*expired).into(), u32::from_ne_bytes(*sent));
    Ok(is_there.then_some(both))
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, whole_blocks};

    #[test]
    fn a_ring_has_whole_blocks_whatever_the_memory() {
        for slot in [1 << 11, 1 << 14, 1 << 16, 1 << 17] {
            for slots in 1..200 {
                let whole = whole_blocks(slot, slots);
                assert_eq!(slot * whole % slot.max(BLOCK), 0, "{slot} {slots}");
                assert!(whole > 0 && whole <= slots.max(BLOCK / slot));
            }
        }
    }
}

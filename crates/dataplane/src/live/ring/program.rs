//! The program at an interface that hands every frame to an AF_XDP socket, with a stamp in front.
//!
//! It is written in the instructions of the kernel's machine (linux/bpf.h), since no compiler for
//! it is needed for so few. It goes when its link is closed, that is, at the latest with the
//! process.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Commands of bpf(2).
const MAP_CREATE: libc::c_int = 0;
const MAP_UPDATE: libc::c_int = 2;
const PROG_LOAD: libc::c_int = 5;
const LINK_CREATE: libc::c_int = 28;
/// A map of AF_XDP sockets, a program at an interface, and where it is attached.
const XSK_MAP: u32 = 17;
const XDP_PROGRAM: u32 = 6;
const AT_XDP: u32 = 37;
/// In the driver, as sockets of a veth need it.
const IN_DRIVER: u32 = 4;
/// What the kernel is told about the program: it uses functions for such programs only.
const LICENSE: &CStr = c"GPL";

/// How many bytes of stamp stand in front of a frame: nanoseconds of the monotonic clock.
pub(super) const STAMP: usize = 8;

/// A program that is attached; it is not any more once this is dropped.
pub(super) struct Program {
    _link: OwnedFd,
    _map: OwnedFd,
}

impl Program {
    /// Hands what comes to the first queue of an interface to a socket of it.
    pub(super) fn attach(interface: u32, socket: RawFd) -> io::Result<Self> {
        let map = bpf(MAP_CREATE, &words(&[XSK_MAP, 4, 4, 1]))?;
        let (key, value) = (0_u32, socket.cast_unsigned());
        let mut update = words(&[map.as_raw_fd().cast_unsigned()]);
        update[8..16].copy_from_slice(&((&raw const key) as u64).to_ne_bytes());
        update[16..24].copy_from_slice(&((&raw const value) as u64).to_ne_bytes());
        done(MAP_UPDATE, &update)?;
        let code = code(map.as_raw_fd());
        let mut load = words(&[XDP_PROGRAM, code.len() as u32]);
        load[8..16].copy_from_slice(&(code.as_ptr() as u64).to_ne_bytes());
        load[16..24].copy_from_slice(&(LICENSE.as_ptr() as u64).to_ne_bytes());
        load[68..72].copy_from_slice(&AT_XDP.to_ne_bytes());
        let program = bpf(PROG_LOAD, &load)?;
        let program = program.as_raw_fd().cast_unsigned();
        let link = bpf(LINK_CREATE, &words(&[program, interface, AT_XDP, IN_DRIVER]))?;
        Ok(Program { _link: link, _map: map })
    }
}

/// Makes room for a stamp in front of the frame, writes the time there, and hands the frame over.
fn code(map: RawFd) -> [u64; 17] {
    let one = |code: u8, to: u8, from: u8, offset: i16, value: i32| {
        let [low, high] = offset.to_le_bytes();
        let [a, b, c, d] = value.to_le_bytes();
        u64::from_ne_bytes([code, to | from << 4, low, high, a, b, c, d])
    };
    [
        // r6 = what this is called with; room of STAMP bytes, or the end.
        one(0xbf, 6, 1, 0, 0),
        one(0xb7, 2, 0, 0, -(STAMP as i32)),
        one(0x85, 0, 0, 0, 54), // bpf_xdp_adjust_meta
        one(0x55, 0, 0, 12, 0),
        // r7 = where the room begins; the end unless it lies in front of the frame.
        one(0x61, 7, 6, 8, 0),
        one(0x61, 3, 6, 0, 0),
        one(0xbf, 4, 7, 0, 0),
        one(0x07, 4, 0, 0, STAMP as i32),
        one(0x2d, 4, 3, 7, 0),
        one(0x85, 0, 0, 0, 5), // bpf_ktime_get_ns
        one(0x7b, 7, 0, 0, 0),
        // The socket of queue 0 in the map; without one, the kernel's stack (XDP_PASS).
        one(0x18, 1, 1, 0, map),
        one(0, 0, 0, 0, 0),
        one(0xb7, 2, 0, 0, 0),
        one(0xb7, 3, 0, 0, 2),
        one(0x85, 0, 0, 0, 51), // bpf_redirect_map
        one(0x95, 0, 0, 0, 0),
    ]
}

/// What a command is told (`union bpf_attr`): these words first, and zeros.
fn words(words: &[u32]) -> [u8; 128] {
    let mut all = [0; 128];
    for (place, word) in all.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    all
}

/// Carries out a command that gives a file.
fn bpf(command: libc::c_int, told: &[u8; 128]) -> io::Result<OwnedFd> {
    let file = done(command, told)?;
    let file = RawFd::try_from(file).map_err(io::Error::other)?;
    // SAFETY: the kernel has just opened it, for nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(file) })
}

fn done(command: libc::c_int, told: &[u8; 128]) -> io::Result<libc::c_long> {
    // SAFETY: the kernel reads at most as many bytes as it is told there are; the places that they
    // name are alive for as long as the call takes, and of the lengths that they say.
    let done = unsafe { libc::syscall(libc::SYS_bpf, command, told.as_ptr(), told.len()) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(done) }
}

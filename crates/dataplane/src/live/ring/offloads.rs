//! What an interface does for its senders (ethtool).

use std::io;
use std::os::fd::AsRawFd;

use rustix::net::{AddressFamily, SocketType, socket};

const SIOCETHTOOL: libc::c_ulong = 0x8946;
const ETHTOOL_STXCSUM: u32 = 0x17;

/// `struct ethtool_value`.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// `struct ifreq`, with the pointer that this request takes.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    value: *mut Value,
    rest: [u8; 16],
}

/// Lets senders at an interface of the present namespace finish their checksums themselves, and so
/// cut large segments, too: at the other end of its pair, AF_XDP is not told that they have not.
pub(in crate::live) fn finish_checksums(interface: &str) -> io::Result<()> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    let mut value = Value { command: ETHTOOL_STXCSUM, data: 0 };
    let mut name = [0; libc::IFNAMSIZ];
    // The last byte stays zero.
    let places = name.iter_mut().take(libc::IFNAMSIZ - 1);
    places.zip(interface.bytes()).for_each(|(place, byte)| *place = byte);
    let mut request = Request { name, value: &raw mut value, rest: [0; 16] };
    // SAFETY: the request is as large as the kernel's, and points to a value that outlives the
    // call, of the kind that the command takes.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL as _, &raw mut request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

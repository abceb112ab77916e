//! Whether there is memory for a large switch or network, before building it would end the program.

use alloc::vec::Vec;
use core::hint::black_box;

use forebay_units::Bytes;

/// What should be left while something is built piece by piece: threads take some, too, with 64 MiB
/// of addresses each.
pub const LEFT: Bytes = Bytes::new(128 << 20);

/// Whether the system grants so many bytes more. They are asked for and given back untouched: a
/// limit of the process is noticed, that other programs take the memory later is not.
#[must_use]
pub fn is_granted(bytes: Bytes) -> bool {
    let mut asked: Vec<u8> = Vec::new();
    let granted =
        usize::try_from(bytes.get()).is_ok_and(|bytes| asked.try_reserve_exact(bytes).is_ok());
    // Without it a compiler may leave out memory that nobody uses.
    black_box(&asked);
    granted
}

/// So many bytes rounded up to 10 MB: a rough number needs no odd bytes.
#[must_use]
pub fn rough(bytes: u64) -> Bytes {
    const ROUGH: u64 = 10_000_000;
    Bytes::new(bytes.div_ceil(ROUGH).saturating_mul(ROUGH))
}

/// Bytes that descriptors set aside for each cell, and that a queue takes with its part of a port,
/// as measured.
const CELL_STATE: u64 = 16;
const QUEUE_STATE: u64 = 2048;

/// About what empty buffers on chip take that have so many cells and queues in all.
#[must_use]
pub fn of_buffers(cells: u64, queues: u64) -> Bytes {
    let queues = queues.saturating_mul(QUEUE_STATE);
    rough(cells.saturating_mul(CELL_STATE).saturating_add(queues))
}

/// How many ports are built between two looks at the memory.
pub const PROBED: u16 = 64;

/// Whether there is memory for this port and those up to the next look.
pub(crate) fn is_left_at(port: u16) -> bool {
    port % PROBED != PROBED - 1 || is_granted(LEFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_not_granted() {
        assert!(is_granted(Bytes::new(1 << 16)));
        assert!(!is_granted(Bytes::new(1 << 62)));
    }
}

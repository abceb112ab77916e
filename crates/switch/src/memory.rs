//! Whether there is memory for a large switch, before building it would end the program.

use alloc::vec::Vec;
use core::hint::black_box;

use forebay_units::Bytes;

/// What should be left while a switch is built port by port.
pub(crate) const LEFT: Bytes = Bytes::new(64 << 20);

/// Whether the system grants so many bytes more. They are asked for and given back untouched: a
/// limit of the process is noticed, that other programs take the memory later is not.
pub(crate) fn is_granted(bytes: Bytes) -> bool {
    let mut asked: Vec<u8> = Vec::new();
    let granted =
        usize::try_from(bytes.get()).is_ok_and(|bytes| asked.try_reserve_exact(bytes).is_ok());
    // Without it a compiler may leave out memory that nobody uses.
    black_box(&asked);
    granted
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

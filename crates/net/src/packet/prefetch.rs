//! Asking the processor for what will be needed soon.
//!
//! Packets in flight and what they carry fill tens of megabytes in the order they were sent, and
//! are needed in the order they arrive, so each was out of the cache when it was needed: on a
//! leaf-spine of 144 hosts a third of all time went into waiting for two such loads a packet
//! (`forebay-bench net`, profiled by time). What will arrive next is known long before it does.
//! Does nothing on other processors than x86-64.

/// Brings the cache line in which `value` ends closer, some time: what is read in order has its
/// beginning there already.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: x86-64 always has SSE, and a prefetch reads nothing the program could see: it is a
    // hint, and allowed on any address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let end =
            core::ptr::from_ref(value).cast::<i8>().wrapping_add(size_of::<T>().saturating_sub(1));
        _mm_prefetch::<_MM_HINT_T0>(end);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

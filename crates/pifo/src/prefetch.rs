//! Asking the processor for what will be needed soon.
//!
//! Where a million elements wait, each is out of the cache when its turn comes, and a processor
//! waits longer for it than it works on it. What will be needed is often known before: the packet
//! that arrives next, the elements behind the first of a list. Measured (`forebay-bench`): a third
//! of the time of a network of 144 hosts, and three quarters of that of Gearbox with 10^6 flows.
//! Does nothing on other processors than x86-64.

/// Brings the cache line in which `value` ends closer, some time: what is read in order has its
/// beginning there already. Nobody waits for it, and nothing changes but time.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
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

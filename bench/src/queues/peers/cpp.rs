//! The peers in C++: `std::priority_queue` and Boost's d-ary and Fibonacci heaps, compiled by
//! `build.rs` from `cpp/heaps.cpp` where there is a compiler, and Boost's where there are its
//! headers.
//!
//! The heaps are called one operation at a time. A call across the languages costs a nanosecond or
//! two, which is counted.
#![allow(unsafe_code)]

use crate::queues::contender::Entrant;

/// Those that could be built; a line on standard error says which could not.
#[cfg(not(forebay_cpp))]
pub(super) fn all() -> Vec<Entrant> {
    eprintln!("forebay-bench: without the C++ peers: there was no C++ compiler (try g++)");
    Vec::new()
}

#[cfg(forebay_cpp)]
pub(super) use heaps::all;

#[cfg(forebay_cpp)]
mod heaps {
    use std::ffi::c_void;
    use std::ptr::NonNull;

    use super::Entrant;
    use crate::queues::contender::Contender;

    /// An element as both languages see it.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Element {
        rank: u32,
        item: u32,
    }

    // SAFETY: the signatures are those of `cpp/heaps.cpp`.
    unsafe extern "C" {
        safe fn forebay_has_boost() -> bool;
        safe fn forebay_heap_new(kind: u32) -> *mut c_void;
        fn forebay_heap_free(kind: u32, heap: *mut c_void);
        fn forebay_heap_put(kind: u32, heap: *mut c_void, element: Element);
        fn forebay_heap_take(kind: u32, heap: *mut c_void) -> Element;
    }

    const STD: u32 = 0;
    const DARY: u32 = 1;
    const FIBONACCI: u32 = 2;

    pub(in crate::queues::peers) fn all() -> Vec<Entrant> {
        let mut all = vec![Entrant::new::<Heap<STD>>("std::priority_queue", false)];
        if forebay_has_boost() {
            all.push(Entrant::new::<Heap<DARY>>("Boost d-ary (4)", false));
            all.push(Entrant::new::<Heap<FIBONACCI>>("Boost Fibonacci", false));
        } else {
            eprintln!("forebay-bench: without Boost's heaps: no headers (try libboost-dev)");
        }
        all
    }

    /// A heap that C++ owns; null, and then empty, if it could not be built.
    struct Heap<const KIND: u32>(Option<NonNull<c_void>>);

    impl<const KIND: u32> Default for Heap<KIND> {
        fn default() -> Self {
            Heap(NonNull::new(forebay_heap_new(KIND)))
        }
    }

    impl<const KIND: u32> Drop for Heap<KIND> {
        fn drop(&mut self) {
            if let Some(heap) = self.0 {
                // SAFETY: `heap` came from `forebay_heap_new` with the same kind and is freed here
                // only.
                unsafe { forebay_heap_free(KIND, heap.as_ptr()) }
            }
        }
    }

    impl<const KIND: u32> Contender for Heap<KIND> {
        #[inline]
        fn put(&mut self, rank: u32, item: u32) {
            if let Some(heap) = self.0 {
                // SAFETY: `heap` is alive, of this kind, and `&mut self` is the only way to it.
                unsafe { forebay_heap_put(KIND, heap.as_ptr(), Element { rank, item }) }
            }
        }

        #[inline]
        fn take(&mut self) -> (u32, u32) {
            let Some(heap) = self.0 else { return (0, 0) };
            // SAFETY: as above; C++ answers zeros for an empty heap.
            let element = unsafe { forebay_heap_take(KIND, heap.as_ptr()) };
            (element.rank, element.item)
        }
    }
}

//! A run takes at most three times the memory of its flow file: of a flow that has not begun or has
//! ended, little is kept. Counted by the allocator, whose table of pages a test cannot see.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use forebay_net_run::{Flows, NetRunPlan, RunConfig, run, write_table};

/// Bytes that are allocated, and the most that ever were.
static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn more(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(now, Ordering::Relaxed);
}

fn less(bytes: usize) {
    NOW.fetch_sub(bytes, Ordering::Relaxed);
}

// The allocator is the only place that sees every allocation, and its interface is unsafe. Each
// method hands its arguments to the system's allocator unchanged, so its contract is the caller's
// contract.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // What grows is moved page by page, and never there twice.
        less(layout.size());
        more(size);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        less(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_run_takes_at_most_three_times_its_flow_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flows.txt");
    // Just below a power of two, which lists grow by.
    let (mut text, mut start) = (String::new(), 0);
    for flow in 0..260_000u64 {
        let (src, step, bytes) = (flow * 7 % 8, 1 + flow % 7, 500 + flow * 769 % 3_500);
        start += 300 + flow * 31 % 1_200;
        writeln!(text, "{src} {} {bytes} {start}", (src + step) % 8).unwrap();
    }
    let size = text.len();
    std::fs::write(&path, text).unwrap();
    MOST.store(NOW.load(Ordering::Relaxed), Ordering::Relaxed);
    let before = NOW.load(Ordering::Relaxed);
    let plan =
        NetRunPlan::new("star:8,10G,1us", Flows::File(path.clone()), RunConfig::default()).unwrap();
    let done = run(plan, &mut |_| (), &AtomicBool::new(false)).unwrap();
    write_table(&folder.path().join("table.csv"), &done.records).unwrap();
    assert_eq!(done.report.finished, 260_000);
    let took = MOST.load(Ordering::Relaxed) - before;
    assert!(took <= 3 * size, "{took} bytes for a file of {size}: {}", took as f64 / size as f64);
}

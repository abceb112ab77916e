//! A network in its steady state allocates nothing: not per packet, not per event, under no switch,
//! for no way in which hosts choose what they send. What is allocated is per flow, when it begins
//! and when something of it is first lost. Counted by the allocator.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use forebay_net::flow::Flow;
use forebay_net::network::{Network, NetworkConfig, Nic, Transport};
use forebay_net::topology::{LeafSpine, LinkConfig};
use forebay_net::transport::{RtoConfig, SenderConfig, congestion_controls};
use forebay_switch::SwitchConfig;
use forebay_units::{Bytes, Duration, Rate, Time};

thread_local! {
    /// Allocations of this thread; tests run side by side in threads of their own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that is ending has no counter any more.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// The allocator is the only place that sees every allocation, and its interface is unsafe. Each
// method hands its arguments to the system's allocator unchanged, so its contract is the caller's
// contract.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations in the second half of 20 ms in which hosts of two racks send to those of the other
/// two.
fn allocations(name: &str, nic: Nic, control: &str) -> (u64, u64) {
    let delay = Duration::from_us(2);
    let link = |gbps| LinkConfig { rate: Rate::from_gbps(gbps), delay };
    let (host, fabric) = (link(10), link(10));
    let shape = LeafSpine { leaves: 4, spines: 2, hosts_per_leaf: 3, host, fabric };
    let rto = RtoConfig { min: Duration::from_us(240), ..RtoConfig::default() };
    let receive_window = Bytes::new(300_000);
    let sender = SenderConfig { rto, receive_window, ..SenderConfig::default() };
    let transport =
        Transport::window(sender, congestion_controls().named(control).unwrap()).unwrap();
    let config = NetworkConfig { nic, ..NetworkConfig::new(transport) };
    let switch = SwitchConfig::named(name).unwrap().with_marks(Some(Bytes::new(30_000)));
    let mut network = Network::of(&switch, &shape.graph().unwrap(), config).unwrap();
    let flow = |src| Flow::new(src, 6 + src, Bytes::new(1 << 40), Time::ZERO);
    network.add_flows((0..6).map(flow).collect::<Vec<_>>()).unwrap();
    network.run_until(Time::ZERO + Duration::from_ms(10)).unwrap();
    let hops = network.totals().packet_hops;
    let before = ALLOCATIONS.get();
    network.run_until(Time::ZERO + Duration::from_ms(20)).unwrap();
    (ALLOCATIONS.get() - before, network.totals().packet_hops - hops)
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    let mut list: Vec<u64> = std::hint::black_box(Vec::with_capacity(1));
    list.extend([1, 2]);
    drop(std::hint::black_box(list));
    assert_eq!(ALLOCATIONS.get() - before, 2);
}

#[test]
fn a_steady_network_allocates_nothing() {
    for nic in [Nic::Fifo, Nic::Fair] {
        for name in ["drop-tail", "pifo", "dt", "occamy", "pushout", "themis"] {
            for control in ["dctcp", "new-reno"] {
                let (allocations, hops) = allocations(name, nic, control);
                assert!(hops > 50_000, "{name} {nic:?} {control}: {hops}");
                assert_eq!(allocations, 0, "{name} {nic:?} {control}");
            }
        }
    }
}

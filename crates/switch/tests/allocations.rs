//! The engine allocates nothing after it is built: not while the backlog in HBM grows, not when
//! descriptors run out, under no policy, over no ranked queue, for no source. Counted by the
//! allocator.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use forebay_buffer::policies;
use forebay_mem::ControllerConfig;
use forebay_parameters::ParameterError;
use forebay_pifo::{TieredBuckets, TieredExact, TieredQueue};
use forebay_sched::{Packet, Quantizer, ShortestFlowFirst};
use forebay_switch::manager::{HbmOrder, ManagerConfig, ManagerCounters, TrafficManager};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::{
    InputDiscipline, MixConfig, MixRatio, PacketSource, PoissonFlows, PoissonFlowsConfig,
    PriorityMix, SizeDistribution,
};

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

const POLICIES: [&str; 4] = ["greedy-hybrid", "dt-hybrid", "occamy-hybrid", "themis"];

fn config(descriptors: u32) -> ManagerConfig {
    ManagerConfig {
        // Small, so that it is full soon and everything moves.
        sram: Bytes::new(400_000),
        staging: Bytes::new(40_000),
        descriptors,
        quantizer: Quantizer::log_linear(10),
        ..ManagerConfig::default()
    }
}

fn websearch(load: f64, discipline: InputDiscipline) -> PoissonFlows {
    let sizes = SizeDistribution::builtin("websearch").unwrap();
    let lead = Duration::from_ms(10);
    let config = PoissonFlowsConfig::new(32, Rate::from_gbps(50), load, sizes, 7);
    PoissonFlows::new(PoissonFlowsConfig { lead, discipline, ..config }).unwrap()
}

/// Drives the switch until `end`; returns the allocations of that.
fn drive<Q: TieredQueue>(
    tm: &mut TrafficManager<Q>,
    source: &mut dyn PacketSource,
    end: Time,
) -> u64 {
    let before = ALLOCATIONS.get();
    let mut link = Time::ZERO;
    while let Some(arrival) = source.next_time().filter(|at| *at <= end) {
        let inside = tm.next_event().unwrap_or(Time::MAX);
        let now = arrival.min(inside);
        tm.advance(now);
        if arrival == now
            && let Some(arrival) = source.next_packet()
        {
            let packet = Packet {
                size: arrival.size,
                flow: arrival.flow,
                input: arrival.input,
                class: arrival.class,
                flow_size: arrival.flow_size,
                ..Packet::default()
            };
            tm.enqueue(now, 0, packet);
        }
        if link <= now
            && let Some(departure) = tm.dequeue(now, 0)
        {
            let size = Bytes::new(u64::from(departure.packet.size));
            link = now + Rate::from_gbps(100).time_for(size);
        }
    }
    ALLOCATIONS.get() - before
}

fn buckets(ids: u32) -> Result<TieredBuckets, ParameterError> {
    TieredBuckets::with_capacity(1 << 15, ids)
        .map_err(|error| ParameterError::value("ranks", error))
}

/// 1440 Gb/s into 100 Gb/s for 2 ms, over queues that know how many packets there can be.
fn overload<Q: TieredQueue>(
    config: &ManagerConfig,
    policy: &str,
    queue: fn(u32) -> Q,
) -> ManagerCounters {
    let build = |_| Ok(queue(config.descriptors));
    let mut tm = TrafficManager::new(
        config,
        policies().named(policy).unwrap(),
        Box::new(ShortestFlowFirst),
        build,
    )
    .unwrap();
    let mut source = websearch(0.9, InputDiscipline::Fifo);
    let allocations = drive(&mut tm, &mut source, Time::ZERO + Duration::from_ms(2));
    assert_eq!(allocations, 0, "{policy}: {config:?}");
    *tm.counters()
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
fn a_growing_backlog_allocates_nothing() {
    for policy in POLICIES {
        let choices = [
            (HbmOrder::Fcfs, ControllerConfig::in_order(1)),
            (HbmOrder::ReadsFirst, ControllerConfig::fr_fcfs()),
        ];
        for (hbm_order, controller) in choices {
            let config = ManagerConfig { hbm_order, controller, ..config(1 << 18) };
            let counters = overload(&config, policy, |ids| buckets(ids).unwrap());
            let moved = counters.swapped_out.packets + counters.expelled.packets;
            let written = counters.staged.packets + moved;
            assert!(written > 20_000, "{policy} barely used the HBM: {counters:?}");
            overload(&config, policy, TieredExact::with_capacity);
        }
    }
}

#[test]
fn a_full_buffer_allocates_nothing() {
    for policy in POLICIES {
        let counters = overload(&config(2_000), policy, |ids| buckets(ids).unwrap());
        assert!(counters.dropped.total().packets > 100_000, "{policy}: {counters:?}");
    }
}

/// Over a queue that was told nothing, growth is the only reason to allocate: once the descriptors
/// are used up there is none.
#[test]
fn a_queue_of_unknown_size_stops_allocating() {
    for policy in POLICIES {
        let config = config(2_000);
        let mut tm = TrafficManager::new(
            &config,
            policies().named(policy).unwrap(),
            Box::new(ShortestFlowFirst),
            |_| buckets(0),
        )
        .unwrap();
        let mut source = websearch(0.9, InputDiscipline::Fifo);
        drive(&mut tm, &mut source, Time::ZERO + Duration::from_us(200));
        let later = drive(&mut tm, &mut source, Time::ZERO + Duration::from_ms(2));
        assert_eq!(later, 0, "{policy}");
    }
}

#[test]
fn sources_allocate_nothing() {
    let ratio = MixRatio::new(4, 1).unwrap();
    let mix = MixConfig::new(32, Rate::from_gbps(50), 0.9, ratio);
    let sources: [Box<dyn PacketSource>; 3] = [
        Box::new(websearch(0.9, InputDiscipline::Fifo)),
        // Its turns grow with the flows that are active at once, so it is given time to have seen
        // them.
        Box::new(websearch(0.5, InputDiscipline::RoundRobin)),
        Box::new(PriorityMix::new(mix).unwrap()),
    ];
    for mut source in sources {
        let mut take =
            |packets: u32| (0..packets).filter(|_| source.next_packet().is_some()).count();
        assert_eq!(take(1_000_000), 1_000_000);
        let before = ALLOCATIONS.get();
        take(200_000);
        assert_eq!(ALLOCATIONS.get() - before, 0);
    }
}

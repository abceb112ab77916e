//! What can be read off the engine's traffic managers, for whoever watches a switch that is made of
//! them.
//!
//! O(1) a call; nothing is kept.

use forebay_buffer::onchip::{Account, SharedBuffer};
use forebay_pifo::TieredQueue;

use crate::manager::TrafficManager;
use crate::{Gauge, Location};

/// The memories of a hybrid buffer, where its scheme acts, and what it has moved.
pub(crate) fn hybrid_gauges<Q: TieredQueue>(
    manager: &TrafficManager<Q>,
    show: &mut dyn FnMut(Gauge),
) {
    let buffer = manager.buffer();
    let sram = u64::from(buffer.sram_used()) * buffer.cell().get();
    let location = Location::Switch;
    show(Gauge::Level { location, name: "SRAM in use", bytes: sram });
    // What swap-outs have not taken yet: what the watermarks are compared with.
    let staying = u64::from(buffer.sram_staying()) * buffer.cell().get();
    show(Gauge::Level { location, name: "SRAM staying", bytes: staying });
    show(Gauge::Level { location, name: "staging in use", bytes: buffer.staging().used() });
    show(Gauge::Level { location, name: "HBM in use", bytes: buffer.hbm().bytes() });
    let sram = buffer.sram_capacity() as f64 * buffer.cell().get() as f64;
    for (name, share) in manager
        .policy()
        .watermarks()
        .into_iter()
        .flat_map(|shares| ["swap-in watermark", "swap-out watermark"].into_iter().zip(shares))
    {
        show(Gauge::Threshold { location, name, bytes: (share * sram) as u64 });
    }
    let counters = manager.counters();
    let above = "SRAM above the swap-out watermark";
    let below = "SRAM below the swap-in watermark, or the rest of a batch that a departure read";
    let share = "a queue holds more than its share of SRAM";
    let moved = [
        ("swap out", above, counters.swapped_out),
        ("swap in", below, counters.swapped_in),
        ("expulsion to HBM", share, counters.expelled),
        ("write to HBM", "placed in HBM on arrival", counters.staged),
    ];
    for (name, cause, total) in moved {
        show(Gauge::Moved { name, cause, total });
    }
}

/// How full an on-chip memory is.
pub(crate) fn pool_gauges(pool: &SharedBuffer, number: u16, show: &mut dyn FnMut(Gauge)) {
    let (used, _) = pool.occupancy();
    let bytes = u64::from(used) * u64::from(pool.memory().cell);
    show(Gauge::Level { location: Location::Pool(number), name: "memory in use", bytes });
}

/// What a queue of an on-chip memory holds, and how much it may.
pub(crate) fn queue_gauges(
    pool: &SharedBuffer,
    queue: u32,
    location: Location,
    show: &mut dyn FnMut(Gauge),
) {
    let cell = u64::from(pool.memory().cell);
    let cells = pool.account(queue).map_or(0, Account::cells);
    show(Gauge::Level { location, name: "memory in use", bytes: u64::from(cells) * cell });
    if let Some(threshold) = pool.threshold(queue) {
        let bytes = u64::from(threshold) * cell;
        show(Gauge::Threshold { location, name: "threshold", bytes });
    }
}

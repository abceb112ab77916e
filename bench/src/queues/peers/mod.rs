//! Everyone else. A new peer is a file here and a line in [`ALL`].
//!
//! Each gets the most compact element that does the work: a 32-bit rank and a 32-bit item, and
//! where the order must be stable an arrival number between them.

mod binary_heap;
mod cpp;
mod dary;
mod keyed;
pub(super) mod min_max;
mod orx;
mod priority_queue;
mod radix;

use super::contender::Entrant;

/// The Rust peers.
const ALL: [Entrant; 8] = [
    Entrant::new::<binary_heap::Plain>("BinaryHeap", false),
    Entrant::new::<binary_heap::Stable>("BinaryHeap, stable", false),
    Entrant::new::<dary::Quaternary>("dary_heap (4)", false),
    Entrant::new::<orx::Quaternary>("orx d-ary (4)", false),
    Entrant::new::<radix::Monotone>("radix-heap (monotone)", false),
    Entrant::new::<min_max::MinMax>("min-max-heap", false),
    Entrant::new::<keyed::Keyed>("keyed_priority_queue", false),
    Entrant::new::<priority_queue::Found>("priority-queue", false),
];

/// Every peer that is there: those in C++ only if they could be built.
pub(super) fn all() -> impl Iterator<Item = Entrant> {
    ALL.into_iter().chain(cpp::all())
}

//! The sample queue through the conformance suite: small sorted parts and few slots, so that short
//! sequences spill, split and pack; and the sizes it is used with.

use std::rc::Rc;

use forebay_pifo::SampleQueue;
use forebay_pifo::testing::{Smallest, conform, drops_once, endure};

#[test]
fn short_sequences() {
    conform(256, |capacity| Smallest(SampleQueue::<u16, u32, 1, 8>::new(capacity)));
    conform(256, |capacity| Smallest(SampleQueue::<u32, u32, 2, 8>::new(capacity)));
    conform(256, |capacity| Smallest(SampleQueue::<u64, u32, 1, 16>::new(capacity)));
    conform(256, |capacity| Smallest(SampleQueue::<(u64, u32), u32, 2, 8>::new(capacity)));
    conform(64, |capacity| Smallest(SampleQueue::<u64, u32>::new(capacity)));
    drops_once(SampleQueue::<u64, Rc<usize>, 1, 8>::new);
}

#[test]
fn a_million_operations() {
    endure(Smallest(SampleQueue::<u16, u32, 1, 8>::new(3_000)));
    endure(Smallest(SampleQueue::<u32, u32, 4, 16>::new(3_000)));
    endure(Smallest(SampleQueue::<u64, u32>::new(3_000)));
    endure(Smallest(SampleQueue::<(u64, u32), u32>::new(100_000)));
}

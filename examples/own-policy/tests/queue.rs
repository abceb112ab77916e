//! The queue of this crate passes the suite that Forebay's own pass.

use std::rc::Rc;

use forebay::pifo::testing::{Both, conform, drops_once, endure};
use own_policy::Lists;

#[test]
fn the_queue_conforms() {
    conform(256, |capacity| Both(Lists::<u16, u32>::new(capacity)));
    conform(256, |capacity| Both(Lists::<(u64, u32), u32>::new(capacity)));
    endure(Both(Lists::<u32, u32>::new(3_000)));
    drops_once(Lists::<u64, Rc<usize>>::new);
}

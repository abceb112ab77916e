//! A rank function: packets of small flows before packets of large ones, each kind in order of
//! arrival.
//!
//! O(1) a packet, no memory of its own.

use forebay::prelude::*;
use forebay::sched::functions::RankShape;

/// Its parameters, which are all that it needs.
#[derive(Clone, Configure)]
struct MiceFirst {
    /// Flows of up to so many bytes go first.
    #[parameter(assumed = "the small flows of many data-centre papers")]
    #[parameter(default = Bytes::new(100_000))]
    mouse: Bytes,
}

impl RankFunction for MiceFirst {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        Rank::new(u64::from(packet.flow_size > self.mouse.get()))
    }
}

/// The choice `mice-first`.
pub(crate) fn choice() -> Choice<dyn RankFunction> {
    let about = "small flows before large ones";
    let build = |own: &MiceFirst, _: &RankShape| Ok(Box::new(own.clone()) as _);
    Choice::new("mice-first", about, MiceFirst::default(), build).labelled("Mice first")
}

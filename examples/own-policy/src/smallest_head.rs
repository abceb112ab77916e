//! A port scheduler: the queue whose next packet is the smallest sends it.
//!
//! The shortest job first, of the few that a port can see; of equals the first queue. O(queues) a
//! packet, no memory.

use forebay::prelude::*;
use forebay::sched::port::{Heads, PortScheduler};

/// The scheduler, for so many queues.
struct SmallestHead {
    queues: u16,
}

impl PortScheduler for SmallestHead {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        let waiting = (0..self.queues).filter_map(|queue| Some((heads(queue)?, queue)));
        waiting.min().map(|(_, queue)| queue)
    }
}

/// The choice `smallest-head`.
pub(crate) fn choice() -> Choice<dyn PortScheduler> {
    let about = "the queue whose next packet is the smallest";
    Choice::new("smallest-head", about, (), |(), queues: &u16| {
        Ok(Box::new(SmallestHead { queues: *queues }) as _)
    })
}

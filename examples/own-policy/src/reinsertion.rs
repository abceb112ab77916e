//! A cache policy: first in, first out, but what was used goes to the end of the queue instead of
//! out (second chance).
//!
//! Source: Corbató, "A paging experiment with the Multics system" (1968); with counters of several
//! bits as in NFS and libCacheSim's FIFO-Reinsertion. A hit is O(1) and moves nothing; an eviction
//! puts each object back at most as often as it was counted. 5 bytes an object.

use std::collections::VecDeque;

use forebay::cache::order::Slot;
use forebay::cache::policies::{
    Access, BoxedPolicy, BuildPolicy, CachePolicy, ObjectArrival, PolicyConfig, SetConfig,
};
use forebay::prelude::*;

/// Its parameter.
#[derive(Clone, Configure)]
struct Config {
    /// Uses that are counted, for each of which an object is spared once.
    #[parameter(assumed = "a bit, as in the clock", range = 0..=255, default = 1)]
    chances: u8,
}

/// The policy of one set.
#[derive(Default)]
struct Reinsertion {
    chances: u8,
    /// The next to go first.
    queue: VecDeque<Slot>,
    /// By slot, how often it will be spared.
    spared: Vec<u8>,
}

impl CachePolicy for Reinsertion {
    fn hit(&mut self, slot: Slot, _access: &Access) {
        let spared = &mut self.spared[slot.0 as usize];
        *spared = spared.saturating_add(1).min(self.chances);
    }

    fn evict(&mut self, _arrival: &ObjectArrival) -> Option<Slot> {
        loop {
            let slot = self.queue.pop_front()?;
            match &mut self.spared[slot.0 as usize] {
                0 => return Some(slot),
                spared => *spared -= 1,
            }
            self.queue.push_back(slot);
        }
    }

    fn admit(&mut self, slot: Slot, _arrival: &ObjectArrival) {
        let index = slot.0 as usize;
        if self.spared.len() <= index {
            self.spared.resize(index + 1, 0);
        }
        self.spared[index] = 0;
        self.queue.push_back(slot);
    }

    /// O(objects): only caches of applications ask for it.
    fn forget(&mut self, slot: Slot) {
        self.queue.retain(|other| *other != slot);
    }
}

/// The choice `fifo-reinsertion`.
pub(crate) fn choice() -> Choice<dyn CachePolicy> {
    let about = "evicts the oldest that was not used since it last stood first";
    let build = |config: &Config, _: &PolicyConfig| {
        let chances = config.chances;
        let of_set = move |_: &SetConfig| -> BoxedPolicy {
            Box::new(Reinsertion { chances, ..Reinsertion::default() })
        };
        Ok(Box::new(of_set) as BuildPolicy)
    };
    Choice::new("fifo-reinsertion", about, Config::default(), build).labelled("FIFO-Reinsertion")
}

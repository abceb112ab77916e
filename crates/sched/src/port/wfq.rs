//! Weighted fair queueing by a self-clocked virtual time (Golestani's SCFQ): a packet's virtual
//! finish time is size / weight after the finish of the one before it in its queue, or after the
//! virtual time if its queue was empty; the virtual time is the finish of the packet sent last. The
//! smallest finish goes first, the lower queue on a tie. Self-clocking needs no simulation of the
//! fluid system; the price is a delay bound that grows with the number of queues, of which a port
//! has few.
//!
//! Finish times are computed for heads only, when the port can send: the virtual time does not
//! change between two sends, so this gives the same order as stamping arrivals, and packets dropped
//! meanwhile leave no stamps behind. One exception: a queue that drops empty and fills again
//! between two sends counts as never empty, worth at most one packet.
//!
//! O(classes) per packet.

use alloc::vec;
use alloc::vec::Vec;

use super::{Heads, PortScheduler, PortSchedulerConfig};

/// Virtual time per byte at weight 1: rounding stays below 2^-20 of a packet.
const SCALE: u64 = 1 << 20;
/// Beyond this the virtual time starts again from zero.
const REBASE: u64 = 1 << 61;

#[derive(Clone, Copy, Debug, Default)]
struct Class {
    weight: u32,
    /// Virtual finish of the packet sent last, or where the head starts.
    start: u64,
    backlogged: bool,
}

/// The smallest virtual finish time first.
#[derive(Clone, Debug)]
pub struct WfqPort {
    classes: Vec<Class>,
    virtual_time: u64,
}

impl WfqPort {
    /// For the queues and weights of `config`.
    #[must_use]
    pub fn new(config: &PortSchedulerConfig) -> Self {
        let mut classes = vec![Class::default(); usize::from(config.classes)];
        for (class, weight) in classes.iter_mut().zip(config.weights()) {
            class.weight = weight;
        }
        WfqPort { classes, virtual_time: 0 }
    }

    fn rebase(&mut self) {
        for class in &mut self.classes {
            class.start = class.start.saturating_sub(self.virtual_time);
        }
        self.virtual_time = 0;
    }
}

impl PortScheduler for WfqPort {
    fn select(&mut self, heads: Heads<'_>) -> Option<u16> {
        if self.virtual_time > REBASE {
            self.rebase();
        }
        let now = self.virtual_time;
        let mut first: Option<(u64, u16)> = None;
        for (number, class) in (0..).zip(&mut self.classes) {
            let Some(size) = heads(number) else {
                class.backlogged = false;
                continue;
            };
            if !class.backlogged {
                class.start = class.start.max(now);
                class.backlogged = true;
            }
            let finish = class.start + u64::from(size) * SCALE / u64::from(class.weight);
            if first.is_none_or(|(earliest, _)| finish < earliest) {
                first = Some((finish, number));
            }
        }
        let (finish, number) = first?;
        self.virtual_time = finish;
        self.classes[usize::from(number)].start = finish;
        Some(number)
    }
}
